import { abortError } from '../../data/errors.ts'

/**
 * Settles with `work`, or rejects as soon as `signal` aborts, so that a tool or provider that ignores the signal does not
 * delay the abort.
 * @returns `undefined` where there is no work, and the signal has not aborted
 */
export function untilAborted<Value>(signal: AbortSignal, work: PromiseLike<Value>): Promise<Value>
export function untilAborted<Value>(
  signal: AbortSignal,
  work: PromiseLike<Value> | undefined,
): Promise<Value> | undefined
export function untilAborted<Value>(
  signal: AbortSignal,
  work: PromiseLike<Value> | undefined,
): Promise<Value> | undefined {
  if (!work) {
    if (signal.aborted) throw abortError(signal)
    return undefined
  }
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
 * @returns a function that unlinks the two; call it when the controller is no longer needed, as signals may be long-lived
 */
export function linkSignal(controller: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return () => signal?.removeEventListener('abort', abort)
}

/** Waits until the work settles, at most for this time. The timer keeps the process alive. */
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

/** Waits; rejects if the signal aborts first. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return untilAborted(signal, slept).finally(() => clearTimeout(timer))
}
