import type { RunEnding } from '../contracts/run-entry.ts'
import type { StoredRun } from '../contracts/run-store.ts'
import type { AgentEvent } from '../data/event.ts'
import { limits } from '../limits.ts'

/** The ending of a run that is not in this process, with the last event of one that keeps its events. */
export function withEndEvent(
  { record, keepsEvents, lastSeq }: Pick<StoredRun, 'record' | 'keepsEvents' | 'lastSeq'>,
  ending: RunEnding,
): RunEnding & { events?: readonly AgentEvent[] } {
  if (!keepsEvents) return ending
  const { runId, agentId, usage = {} } = record
  const { finishReason, text = '', error } = ending
  // Above every number that its own process may have given.
  const seq = lastSeq === 0 ? 1 : lastSeq + limits.eventGap
  const event: AgentEvent = {
    ...{ seq, runId, path: [agentId], type: 'run-end', finishReason, text, usage },
    ...(error && { error }),
  }
  return { ...ending, events: [event] }
}
