import type { Conversation } from '../conversation/conversation.ts'
import { storedPrompt } from '../conversation/prompt-cache.ts'
import type { Approval, Decisions } from '../data/approval-data.ts'
import { distinctPassages } from '../data/citation.ts'
import type { AgentKitError, ErrorInfo } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import type { BudgetSnapshot, Ledger } from '../policies/ledger.ts'
import type { OpenTurn } from '../sessions/turn.ts'
import { settledWithin, untilAborted } from '../util/async/abort.ts'
import { asJSON } from '../util/json/clone-json.ts'
import { redactedInfo } from '../util/text/redact.ts'
import type { RunDriver } from './driver/run-driver.ts'
import type { RunState } from './run-state.ts'
import type { RunTrace } from './run-trace.ts'
import type { RunSnapshot, SuspendedMember } from './snapshot.ts'

/** A run with all that suspending it needs. */
export type OpenRun = {
  agent: { hooks: { beforeModel?: unknown } }
  scope: RunDriver & { sessionId?: string | undefined; trace?: RunTrace | undefined }
  turn: OpenTurn
  state: RunState
  ledger: Ledger
  conversation: Conversation
  /** The members that have the conversation, from the outside in; mostly empty. */
  path: readonly string[]
  /** Steps that were taken before its agent got the conversation. */
  stepsBefore: number
  /** Messages of the run from before its agent got the conversation. */
  messagesBefore: number
  /** Steps that a plan has made. */
  plannedSteps: number
  members: {
    /** Suspended members, by the id of the call that called them. */
    suspended: Map<string, SuspendedMember>
    /** Errors of members, by the id of the call. */
    failures: ReadonlyMap<string, AgentKitError>
    /** The member that this step hands the conversation to. */
    handedTo: string | undefined
  }
}

/** Stops the run's clock, and describes the run as it can be resumed. */
export function takeSnapshot(run: OpenRun): RunSnapshot {
  const seq = run.scope.events?.lastSeq()
  return { ...snapshotWith(run, run.ledger.pause()), ...(seq !== undefined && { seq }) }
}

/** Describes a run that continues, so that another process can continue it after a crash. */
export function snapshotOf(run: OpenRun): JSONValue {
  return asJSON(snapshotWith(run, run.ledger.snapshot()))
}

function snapshotWith(
  { agent, state, conversation, path, stepsBefore, messagesBefore, plannedSteps, members, scope }: OpenRun,
  booked: BudgetSnapshot,
): RunSnapshot {
  const { trace } = scope
  const {
    reply,
    steps,
    cited,
    warnings,
    invalidOutputs,
    summary,
    accounts,
    handoffs,
    begun,
    clientCalls,
    counted,
    collected,
    callsOfStep,
  } = state
  const { reason, usage, planned, hidden } = reply
  const unstored = conversation.unstored()
  const prompts = [...state.answered].map(([sequence, prompt]) => {
    return [sequence, 'request' in prompt ? storedPrompt(prompt, Boolean(agent.hooks.beforeModel)) : prompt] as const
  })
  return {
    ...{ reason, usage, booked, compaction: conversation.compaction() },
    progress: {
      ...{
        steps,
        sources: distinctPassages([...state.sources, ...cited]),
        warnings: namedWarnings(warnings, scope),
        misfits: invalidOutputs,
        books: Object.fromEntries(accounts),
      },
      ...(summary === undefined ? {} : { summary }),
      ...(handoffs.size > 0 ? { handoffs: Object.fromEntries(handoffs) } : {}),
      ...(begun.size > 0 ? { begun: Object.fromEntries(begun) } : {}),
      ...(clientCalls.length > 0 ? { clientCalls } : {}),
      ...(counted.length > 0 ? { counted: [...counted] } : {}),
      ...(collected.length > 0 ? { collected } : {}),
      ...(callsOfStep > 0 ? { callsOfStep } : {}),
    },
    ...(planned ? { planned } : {}),
    ...(hidden ? { hidden } : {}),
    ...(members.suspended.size > 0 ? { members: Object.fromEntries(members.suspended) } : {}),
    ...(members.failures.size > 0 ? { failures: infosOf(members.failures) } : {}),
    ...(path.length > 0 ? { active: path, stepsBefore, messagesBefore } : {}),
    ...(plannedSteps > 0 ? { plannedSteps } : {}),
    ...(members.handedTo === undefined ? {} : { handedTo: members.handedTo }),
    ...(unstored.length > 0 ? { unstored } : {}),
    ...(prompts.length > 0 ? { prompts: Object.fromEntries(prompts) } : {}),
    ...(trace && { trace: trace.rootId() }),
  }
}

function infosOf(failures: ReadonlyMap<string, AgentKitError>): Record<string, ErrorInfo> {
  return Object.fromEntries([...failures].map(([callId, error]) => [callId, redactedInfo(error)]))
}

/** Warnings of members that have the conversation begin with their names, as in the run's result. */
function namedWarnings(warnings: readonly string[], scope: RunDriver): string[] {
  let named = [...warnings]
  for (let { active } = scope; active; { active } = active.around) {
    const { name, warningsBefore } = active
    named = named.map((warning, index) => (index < warningsBefore ? warning : `${name}: ${warning}`))
  }
  return named
}

/**
 * Stores a run as suspended, so that it survives its process. A run that is stopped meanwhile waits a little longer, to
 * know whether it is suspended; a store that hangs does not delay it further.
 * @param takeBack called when the run was stored after it had stopped waiting; returns whether it ended the run instead
 * @returns the decisions on its approvals that are stored already
 */
export async function storeSnapshot(
  { turn, state, scope: { signal } }: Pick<OpenRun, 'turn' | 'state' | 'scope'>,
  snapshot: RunSnapshot,
  { approvals, events = [] }: { approvals: Approval[]; events?: readonly AgentEvent[] },
  takeBack: () => boolean = () => false,
): Promise<Decisions> {
  let isAwaited = true
  const { usage } = snapshot.booked.spent
  const stored = turn.suspend(asJSON(snapshot), usage, state.messages, approvals, events).then((decided = {}) => {
    if (isAwaited || !takeBack()) state.approvals = approvals.filter(({ approvalId }) => !decided[approvalId])
    return decided
  })
  try {
    return await untilAborted(signal, stored)
  } catch (error) {
    // Half of the time, as ending the turn takes time too.
    await settledWithin(limits.endFailedMs / 2, stored)
    isAwaited = false
    throw error
  }
}
