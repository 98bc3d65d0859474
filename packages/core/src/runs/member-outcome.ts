import { distinctPassages } from '../data/citation.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { AgentEventBody, RunFinishReason } from '../data/event.ts'
import type { RunResult } from './driver/run.ts'
import type { RunState } from './run-state.ts'
import type { SuspendedMember } from './snapshot.ts'

/** How a member's run ended. A member that is `waiting` for approval is resumed later. */
export type MemberStatus = 'done' | 'failed' | 'aborted' | 'budget' | 'waiting'

export type MemberOutcome = {
  status: MemberStatus
  /** Why it is not `done`. */
  reason?: string
  finishReason: RunFinishReason
  text: string
  output: unknown
  error?: AgentKitError
  /** The snapshot of a suspended member. */
  suspended?: SuspendedMember
}

type EndedMember = Pick<RunResult, 'finishReason' | 'text' | 'output' | 'error' | 'warnings'>

/** What a member's run is for the run that called it. */
export function outcomeOf({ finishReason, text, output, error, warnings }: EndedMember): MemberOutcome {
  const answer = output !== undefined && text.trim() === '' ? JSON.stringify(output) : text
  const { status, reason } = memberStatus(finishReason, answer)
  // The last warning of a run that ended early says why.
  const why = error?.message ?? (reason && finishReason !== 'stop' ? warnings.at(-1) : undefined) ?? reason
  const isSpent = error?.code === 'budget'
  return {
    status: isSpent ? 'budget' : status,
    ...(why === undefined ? {} : { reason: why }),
    finishReason,
    text: answer,
    output,
    ...(error ? { error } : {}),
  }
}

/** @param text the member's answer */
export function memberStatus(reason: RunFinishReason, text: string): { status: MemberStatus; reason?: string } {
  const ended = statuses[reason]
  return ended.status === 'done' && text.trim() === ''
    ? { status: 'failed', reason: 'It ended without an answer.' }
    : ended
}

/** The last event of a member in a process. */
export function agentEndOf(name: string, { status, reason }: Pick<MemberOutcome, 'status' | 'reason'>): AgentEventBody {
  return { type: 'agent-end', name, status, ...(reason ? { reason } : {}) }
}

/** Adds a member's sources and warnings to those of the run that called it, and one of how it ended. */
export function mergeMember(
  state: Pick<RunState, 'sources' | 'warnings'>,
  { sources, warnings }: Pick<RunResult, 'sources' | 'warnings'>,
  name: string,
  { status, reason, finishReason }: MemberOutcome,
): void {
  for (const source of distinctPassages(sources, state.sources)) state.sources.push(source)
  const named = warnings.map((warning) => `${name}: ${warning}`)
  if (status === 'failed' && warnings.length === 0) named.push(`${name} failed: ${reason}`)
  if (status === 'done' && finishReason === 'length')
    named.push(`${name}: The answer is cut off at its maximum length.`)
  if (status === 'done' && finishReason === 'content-filter')
    named.push(`${name}: A content filter cut the answer off.`)
  // A member that is called again repeats its warnings.
  state.warnings.push(...named.filter((warning) => !state.warnings.includes(warning)))
}

const statuses: Readonly<Record<RunFinishReason, { status: MemberStatus; reason?: string }>> = {
  stop: { status: 'done' },
  length: { status: 'done' },
  'content-filter': { status: 'done' },
  'max-steps': { status: 'failed', reason: 'It reached its maximum number of steps.' },
  'no-progress': { status: 'failed', reason: 'It repeated itself and made no progress.' },
  budget: { status: 'budget', reason: 'The budget is used up.' },
  approval: { status: 'waiting' },
  aborted: { status: 'aborted', reason: 'It was stopped.' },
  error: { status: 'failed', reason: 'It failed.' },
}
