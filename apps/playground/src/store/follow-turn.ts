import { problemOf } from '../api/problem.ts'
import { followRun } from '../run/follow-run.ts'
import { newRunView } from '../run/run-view.ts'
import { viewOfTurn } from '../run/view-of-turn.ts'
import { addressedId } from './address.ts'
import { hideDecided, maxTurns, readTurns } from './runs.ts'
import { callerQuery, info } from './server.ts'
import { loadSessions } from './sessions.ts'
import { isWaiting, receive, redraw, type ShownTurn } from './turn.ts'

/** Reads a run's events by `read`; when the connection is lost, from the server, which keeps them. */
export async function drive(turn: ShownTurn, read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (error) {
    const hasBegun = turn.view.runId !== ''
    if (!turn.controller.signal.aborted && !(hasBegun && turn.keepsEvents)) turn.problem.value = problemOf(error)
  }
  turn.isSending.value = false
  const { end, runId } = turn.view
  if (!turn.controller.signal.aborted) {
    if (runId !== '' && turn.keepsEvents && !hasEnded(turn)) return followTurn(turn)
    // A proxy may end a stream like a complete one.
    if (!end) turn.problem.value ??= problemOf(undefined)
  }
  settle(turn)
}

/** Whether it has its final end. */
function hasEnded({ view: { end } }: ShownTurn): boolean {
  return end !== undefined && end.finishReason !== 'approval'
}

/** Follows the events that the server keeps of a run, until its final end. */
export async function followTurn(turn: ShownTurn): Promise<void> {
  if (turn.controller.signal.aborted) turn.controller = new AbortController()
  const { view } = turn
  if (!turn.hasSteps.value) {
    // The events are read from the first one on.
    turn.view = Object.assign(newRunView(view.runId, info.value?.speaker), { isOpen: view.isOpen })
    turn.hasSteps.value = true
  }
  try {
    await followRun({
      runId: turn.view.runId,
      query: callerQuery(),
      lastSeq: () => turn.view.seq,
      hasEnded: () => hasEnded(turn),
      isWaiting: () => isWaiting(turn),
      onEvent: (event) => {
        receive(turn, event)
        if (event.type === 'run-end') void hideDecided(turn)
      },
      onConnection: (isLost) => {
        turn.isLost.value = isLost
      },
      signal: turn.controller.signal,
    })
  } catch (error) {
    // Without its steps, an answer of the history stays.
    if (turn.view.seq === 0) turn.view = view
    const problem = problemOf(error)
    if (problem.code !== 'stream-expired') {
      turn.problem.value = problem
      // The next decision, or the reader's return, reads them again.
      turn.hasSteps.value = false
    } else if (!hasEnded(turn)) {
      // It was decided and has ended elsewhere, long before the reader's return.
      const stored = await readTurns(addressedId(), { limit: maxTurns }).catch(() => undefined)
      const body = stored?.turns.find(({ run_id }) => run_id === view.runId)
      if (body) turn.view = viewOfTurn(body)
      turn.hasSteps.value = !body
    }
  }
  turn.isLost.value = false
  settle(turn)
}

function settle(turn: ShownTurn): void {
  turn.view.isOpen = false
  redraw(turn)
  void loadSessions()
}
