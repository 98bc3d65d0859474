import { abortError } from '@agentkit/core/internal'

/** Settles with `work`, or rejects as soon as the signal aborts, whatever `work` does then. */
export function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortError(signal))
    const finish = (): void => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(finish)
  })
}
