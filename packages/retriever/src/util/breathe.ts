import { setImmediate as nextTurn } from 'node:timers/promises'

/** Yields to the event loop. Throws the signal's reason after an abort. */
export async function breathe(signal: AbortSignal): Promise<void> {
  await nextTurn()
  signal.throwIfAborted()
}
