import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lets others have their turn. Throws the signal's reason when it has been aborted. */
export async function breathe(signal: AbortSignal): Promise<void> {
  await nextTurn()
  signal.throwIfAborted()
}
