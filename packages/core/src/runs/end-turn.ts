import { stoppedNote } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import type { Ledger } from '../policies/ledger.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'
import { settledWithin, untilAborted } from '../util/abort.ts'
import { type Progress, type RunEnd, statusOf } from './run-state.ts'

/**
 * Ends the turn of a run that has come to its end by itself, and lets the next run have the session.
 * @throws what the store throws: such a run fails where its store does
 */
export async function endTurn(
  turn: OpenTurn,
  progress: Progress,
  ledger: Ledger,
  end: RunEnd,
  signal: AbortSignal,
): Promise<void> {
  const status = endingOf(progress, end)
  if (!status) return
  signal.throwIfAborted()
  await untilAborted(signal, turn.end(status, ledger.spent.usage))
  turn.release()
}

/**
 * The same of a run that was stopped. It says why already, and what the store makes of it changes nothing: what cannot
 * be ended now is ended before the session's next run. After a failure or an abort it is not waited for long.
 */
export async function endStoppedTurn(
  turn: OpenTurn,
  progress: Progress,
  ledger: Ledger,
  end: RunEnd,
  signal: AbortSignal,
): Promise<void> {
  const status = endingOf(progress, end)
  if (!status) return
  const { error } = end
  const ending = (async () => {
    // An answer that was cut short is not stored yet.
    const last = progress.messages.at(-1)
    const isCut = !error && last?.role === 'assistant' && last !== progress.reply.message
    if (isCut) await turn.append([last]).catch(() => {})
    // With finished calls, a note says why it ended, so that nothing is done twice.
    if (error && progress.finished.length > 0) await turn.append([stoppedNote(error.code)]).catch(() => {})
    await turn.end(status, ledger.spent.usage).catch(() => {})
  })().finally(turn.release)
  if (!error && !signal.aborted) await untilAborted(signal, ending).catch(() => {})
  else await settledWithin(limits.endFailedMs, ending)
}

/** How a turn ends; `undefined` for a run that waits for approval, which is stored and holds nothing. */
function endingOf({ approvals }: Progress, { finishReason }: RunEnd): 'done' | 'failed' | undefined {
  const status = statusOf(finishReason)
  return status === 'waiting' || approvals.length > 0 ? undefined : status
}
