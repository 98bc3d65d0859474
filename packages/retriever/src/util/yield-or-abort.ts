import { setImmediate as nextTurn } from 'node:timers/promises'

/** Yields to the event loop. Throws the signal's reason after an abort. */
export async function yieldOrAbort(signal: AbortSignal): Promise<void> {
  await nextTurn()
  signal.throwIfAborted()
}
