import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { AgentEvent } from '../../data/event.ts'
import { isEnded } from '../../data/run-record.ts'
import { limits } from '../../limits.ts'
import type { FollowOptions } from '../../runs/driver/background.ts'
import { isSignal } from '../../runs/driver/run-options.ts'
import { follow } from '../../runs/follow.ts'
import { isKeptAfter } from '../../runs/kept-events.ts'
import { shareRead } from '../../util/async/share-reads.ts'
import { isId, type OptionRules } from '../../util/options/check-options.ts'
import { checkCall, type Owner, requireRun, runStoreOf } from './stored-runs.ts'

const isEventNumber = {
  is: 'the `seq` of an event of the run, or 0',
  holds: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
}

const followRules = { after: isEventNumber, userId: isId, signal: isSignal } satisfies OptionRules<FollowOptions>

/**
 * The events of a stored run from `after` on, then those that it emits.
 * @throws AgentKitError `invalid-argument`, `not-found`
 */
export async function* followRun(
  owner: Owner,
  runId: string,
  options: FollowOptions,
): AsyncGenerator<AgentEvent, void, undefined> {
  const runs = runStoreOf(owner)
  checkCall(runId, options, followRules)
  const { after = 0, userId, signal } = options
  // Many may begin to follow a run at once.
  const read = (id: string) => shareRead(runs, `run ${id}`, () => runs.read(id))
  const { keepsEvents, record } = await requireRun(owner, { read }, runId, userId)
  if (!keepsEvents) throw notKept(runId, 'Only background runs and resumable ones keep their events.')
  if (after > 0) {
    const range = await runs.eventRange(runId)
    if (!range && isEnded(record.status))
      throw notKept(runId, 'They are gone: events are kept for a time after the end of a run.')
    const last = range?.last ?? 0
    // A reader of the run's own stream receives events before they are stored, and their process may die before that.
    if (after > last + (record.status === 'running' ? limits.unsavedEvents : 0)) {
      throw invalidArgument(`\`after\` is ${after}, and the last event of the run ${runId} is ${last}.`)
    }
    if (range && !(await isKeptAfter(runs, runId, range.oldest, after)))
      throw notKept(runId, `The oldest that is there is ${range.oldest}.`)
  }
  yield* follow(owner.store, runId, { after, keepsEvents, ...(signal && { signal }) })
}

function notKept(runId: string, why: string): AgentKitError {
  return new AgentKitError('not-found', `The run ${runId} does not have these events. ${why}`, { runId })
}
