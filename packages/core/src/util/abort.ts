import { abortError } from '../data/errors.ts'

/**
 * Settles with `work`, or rejects as soon as `signal` aborts, whatever `work` does then.
 * So an abort is never kept waiting by a tool or a provider that does not listen.
 */
export function untilAborted<Value>(signal: AbortSignal, work: PromiseLike<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortError(signal))
    const finish = (): void => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    work.then(
      (value) => {
        finish()
        resolve(value)
      },
      (error) => {
        finish()
        reject(error)
      },
    )
  })
}

/**
 * Aborts the controller when the signal aborts.
 * @returns unlinks the two; to be called when the controller is no longer needed, as signals may live long
 */
export function linkSignal(controller: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return () => signal?.removeEventListener('abort', abort)
}

/** Waits until the work has settled, in whatever, but not for longer. The process stays alive for so long. */
export function settledWithin(milliseconds: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    const finish = (): void => {
      clearTimeout(timer)
      resolve()
    }
    work.then(finish, finish)
  })
}

/** Waits, unless the signal aborts first: then it rejects. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return untilAborted(signal, slept).finally(() => clearTimeout(timer))
}
