import { setTimeout as wait } from 'node:timers/promises'
import { untilAborted } from './abort.ts'
import type { Ledger } from './ledger.ts'
import { limits } from './limits.ts'
import type { OpenTurn } from './open-turn.ts'
import { type Progress, type RunEnd, statusOf } from './progress.ts'
import { stoppedNote } from './transcript.ts'

/**
 * Ends a run's turn in its session, and lets the next run have it.
 *
 * @param signal for a run that ends by itself: then it fails where the store does. A run that was stopped says why
 *   already, and what the store makes of it changes nothing: what it cannot end now is ended before the next run.
 */
export async function endTurn(
  turn: OpenTurn | undefined,
  progress: Progress,
  ledger: Ledger,
  { finishReason, error }: RunEnd,
  signal?: AbortSignal,
): Promise<void> {
  const status = statusOf(finishReason)
  // A run that waits for approval is stored, and holds nothing.
  if (!turn || status === 'waiting' || progress.approvals.length > 0) return
  const { usage } = ledger.spent
  if (signal) {
    signal.throwIfAborted()
    await untilAborted(signal, turn.end(status, usage))
    turn.release()
    return
  }
  const ending = (async () => {
    // An answer that was cut short is not stored yet.
    const last = progress.messages.at(-1)
    if (!error && last?.role === 'assistant' && last !== progress.reply.message)
      await turn.append([last]).catch(() => {})
    // With finished calls, a note says why it ended, so that nothing is done twice.
    if (error && progress.finished.length > 0) await turn.append([stoppedNote(error.code)]).catch(() => {})
    await turn.end(status, usage).catch(() => {})
  })().finally(turn.release)
  await Promise.race([ending, wait(limits.endFailedMs, undefined, { ref: false })])
}
