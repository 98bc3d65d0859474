import type { Compaction } from '../conversation/compacted-view.ts'
import type { UnstoredMessage } from '../conversation/conversation.ts'
import type { StoredPrompt } from '../conversation/prompt-cache.ts'
import type { Approval } from '../data/approval-data.ts'
import type { Citation } from '../data/citation.ts'
import { AgentKitError, type ErrorInfo } from '../data/errors.ts'
import type { ModelFinishReason } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'
import type { BudgetSnapshot, Ledger } from '../policies/ledger.ts'
import { opaqueId, type StepPlace } from './decisions/approval-id.ts'
import type { RunState } from './run-state.ts'

/** What is stored of a suspended run beside its messages. Plain JSON, whose field names are part of the stored data. */
export type RunSnapshot = {
  reason: ModelFinishReason
  usage: Usage
  /** A plan made the calls of this step, not a model. */
  planned?: true
  /** The calls of this step whose tools its request did not offer. */
  hidden?: [callId: string, name: string][]
  booked: BudgetSnapshot
  compaction: Compaction
  progress: {
    steps: number
    sources: Citation[]
    warnings: string[]
    misfits: number
    callsOfStep?: number
    summary?: string
    books: Record<string, BudgetSnapshot>
    handoffs?: Record<string, number>
    begun?: Record<string, number>
    clientCalls?: string[]
    counted?: string[]
    collected?: string[]
  }
  /** Suspended members, by the id of the call that called them. */
  members?: Record<string, SuspendedMember>
  /** Errors of members, by the id of the call that called them. */
  failures?: Record<string, ErrorInfo>
  /** The members that have the conversation, from the outside in. */
  active?: readonly string[]
  /** Steps that other members took before. */
  stepsBefore?: number
  /** Messages of the run from before that member got the conversation. Absent in snapshots of earlier versions. */
  messagesBefore?: number
  /** Steps that a plan has made. */
  plannedSteps?: number
  /** The member that this step hands the conversation to. */
  handedTo?: string
  /** Messages of the run that models have received and that its session has not. */
  unstored?: UnstoredMessage[]
  /** Its last prompts, by agent and model. */
  prompts?: Record<string, StoredPrompt>
  /** The span of the run, which that of its next segment is linked to. */
  trace?: string
  /** The number of its last event before it was suspended. */
  seq?: number
}

/** A snapshot as a store has returned it. */
export function readSnapshot(stored: JSONValue | undefined): RunSnapshot | undefined {
  // The cast holds: only `storeSnapshot` and turns store it.
  return stored as unknown as RunSnapshot | undefined
}

/** A member that waits for approvals, stored with the run that called it. Plain JSON. */
export type SuspendedMember = MemberInMemory | MemberElsewhere

type WaitingMember = {
  /** As the calling run emits them: the paths begin with the member. */
  approvals: Approval[]
  /** The call that called it, within its run. Absent in snapshots of earlier versions, whose approvals have other ids. */
  call?: string
}

/** A member whose run is stored as one of its own. */
export type MemberElsewhere = WaitingMember & { runId: string }

/** A suspended run of a member that is a part of the run that called it. */
export type MemberInMemory = WaitingMember & {
  history: readonly Message[]
  messages: readonly Message[]
  waiting: RunSnapshot
}

/** Continues a run's state and ledger from its snapshot and the messages that it had stored. */
export function restore(
  { state, ledger }: { state: RunState; ledger: Ledger },
  { booked, progress, prompts = {} }: RunSnapshot,
  messages: readonly Message[],
): void {
  ledger.resume(booked)
  // A copy, as a store may return frozen objects.
  const { misfits, books, handoffs = {}, begun = {}, ...rest } = structuredClone(progress)
  Object.assign(state, rest, { invalidOutputs: misfits })
  state.accounts = new Map(Object.entries(books))
  state.handoffs = new Map(Object.entries(handoffs))
  state.begun = new Map(Object.entries(begun))
  state.answered = new Map(Object.entries(structuredClone(prompts)))
  state.messages.push(...messages)
  state.finished.push(...state.messages.filter((message) => message.role === 'tool'))
}

/** The errors of members in a snapshot, by the id of the call that called them. */
export function failuresOf({ failures = {} }: Pick<RunSnapshot, 'failures'> = {}): Map<string, AgentKitError> {
  const errors = Object.entries(failures).map(([callId, { code, message, retryable }]) => {
    return [callId, new AgentKitError(code, message, { retryable })] as const
  })
  return new Map(errors)
}

/** The suspended members of a snapshot, by the id of the call that called them. */
export function suspendedMembers(
  snapshot: RunSnapshot | undefined,
  { runId, callers }: StepPlace,
): Map<string, SuspendedMember> {
  const members = new Map(Object.entries(snapshot?.members ?? {}))
  for (const [callId, member] of members) {
    if (member.call !== undefined || 'runId' in member) continue
    // Earlier versions stored the names that ids are made of now.
    const approvals = member.approvals.map((approval) => {
      return { ...approval, approvalId: opaqueId(runId, `${callers}${approval.approvalId}`), kind: 'approval' as const }
    })
    members.set(callId, { ...member, approvals, call: callId })
  }
  return members
}
