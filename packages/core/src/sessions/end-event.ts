import type { RunEnding } from '../contracts/run-entry.ts'
import type { RunStore, StoredRun } from '../contracts/run-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { redactedInfo } from '../util/text/redact.ts'
import { costSoFar, optionsOf } from './recorded-data.ts'

/** The ending of a run that is not in this process, with what its members have used. */
export type EndOfTree = (
  stored: StoredRun,
  ending: RunEnding,
) => Promise<RunEnding & { events?: readonly AgentEvent[] }>

/** As a run ends that is cancelled in its own process. */
export const cancelled: RunEnding = {
  status: 'failed',
  finishReason: 'aborted',
  error: { code: 'aborted', message: 'The run was cancelled.', retryable: false },
}

/** Ends a stored run as cancelled, in whichever process it runs, with its last event. @returns false when it had ended */
export async function cancelStored(runs: RunStore, runId: string): Promise<boolean> {
  const stored = await runs.read(runId)
  return stored !== undefined && runs.cancel(runId, withEndEvent(stored, cancelled))
}

/**
 * Ends a run of this process that could not be used after it had begun, with its last event.
 * @param reason why; without one, its end could not be stored
 */
export async function failRecorded(
  runs: RunStore,
  { runId, attempt, reason }: { runId: string; attempt: number; reason?: AgentKitError | undefined },
): Promise<void> {
  const error = reason ?? new AgentKitError('storage', 'The session store failed: the end of the run was not stored.')
  const finishReason = error.code === 'aborted' ? 'aborted' : 'error'
  const ending: RunEnding =
    error.code === 'budget'
      ? { status: 'done', finishReason: 'budget' }
      : { status: 'failed', finishReason, error: redactedInfo(error) }
  const stored = await runs.read(runId)
  return runs.end(runId, { ...(stored ? withEndEvent(stored, ending) : ending), attempt })
}

/**
 * How the run of a member ends with the run that called it, with its last event where it was working.
 * @param member absent where it cannot be read
 */
export function endWithCaller(
  { finishReason, error }: RunEnding,
  member: StoredRun | undefined,
): RunEnding & { events?: readonly AgentEvent[] } {
  const callerEnded = {
    code: 'aborted',
    message: 'The run that called this member has ended.',
    retryable: false,
  } as const
  const ending: RunEnding = {
    ...{ status: 'failed', finishReason: 'aborted' },
    error: finishReason === 'aborted' && error ? error : callerEnded,
  }
  // A member that waits has emitted that already, also when its approvals are decided and it has not continued.
  const isWorking = member?.record.status === 'running' && !(member.isFree && member.approvals.length > 0)
  return isWorking ? withEndEvent(member, ending) : ending
}

/** The ending of a run that is not in this process, with its cost, and the last event of one that keeps its events. */
export function withEndEvent(
  {
    record,
    keepsEvents,
    lastSeq,
    ...stored
  }: Pick<StoredRun, 'record' | 'keepsEvents' | 'lastSeq' | 'options' | 'progress' | 'rootRunId'>,
  given: RunEnding,
): RunEnding & { events?: readonly AgentEvent[] } {
  const cost = given.cost ?? costSoFar(stored)
  const ending = { ...given, ...(cost && { cost }) }
  if (!keepsEvents) return ending
  const { runId, agentId } = record
  const { finishReason, text = '', error, usage = record.usage ?? {} } = ending
  // Above every number that its own process may have given.
  const seq = lastSeq === 0 ? 1 : lastSeq + limits.eventGap
  const { rootRunId, options } = stored
  const member = rootRunId === undefined || options === undefined ? undefined : placeOfMember(options)
  const event: AgentEvent = member
    ? { seq, runId: rootRunId ?? runId, path: [agentId, ...member.path], ...memberEnd(member.name, ending) }
    : {
        ...{ seq, runId, path: [agentId], type: 'run-end', finishReason, text, usage },
        ...(cost && { cost }),
        ...(error && { error }),
      }
  return { ...ending, events: [event] }
}

/** The events of a member's run are a part of those of the outermost one. */
function placeOfMember(options: JSONValue): { path: readonly string[]; name: string } | undefined {
  const { member } = optionsOf({ options })
  // Written as a `MemberRun`.
  return member as unknown as { path: readonly string[]; name: string } | undefined
}

function memberEnd(name: string, { finishReason, error }: RunEnding): MemberEnd {
  const status = finishReason === 'aborted' ? 'aborted' : 'failed'
  return { type: 'agent-end', name, status, ...(error && { reason: error.message }) }
}

type MemberEnd = Omit<Extract<AgentEvent, { type: 'agent-end' }>, 'seq' | 'runId' | 'path'>
