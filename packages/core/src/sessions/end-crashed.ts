import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentEvent } from '../data/event.ts'
import { limits } from '../limits.ts'
import { isConflict } from './acquire-session.ts'

/** Ends a run with which too many processes have died, unless another process has it. */
export async function endCrashed({ runs }: SessionStore, runId: string): Promise<void> {
  if (!runs) return
  try {
    const { record, attempt, keepsEvents, lastSeq } = await runs.takeOver(runId, { expectedVersion: 0 })
    const message = `The process of the run died with it ${limits.poisonEnds} times.`
    const error = { code: 'crashed', message, retryable: false } as const
    const ending = { status: 'failed', finishReason: 'error', error } as const
    const { usage = {} } = record
    const end: AgentEvent = {
      ...{ seq: lastSeq + limits.eventGap, runId, path: [record.agentId], type: 'run-end' },
      ...{ finishReason: 'error', text: '', usage, error },
    }
    await runs.end(runId, { attempt, ...ending, ...(keepsEvents && { events: [end] }) })
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}
