import { abortError } from './errors.ts'

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

/** A controller that aborts with `signal`, until it is unlinked. */
export function linkedController(signal: AbortSignal | undefined): {
  controller: AbortController
  unlink: () => void
} {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return { controller, unlink: () => signal?.removeEventListener('abort', abort) }
}

/** Waits, unless the signal aborts first: then it rejects. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return untilAborted(signal, slept).finally(() => clearTimeout(timer))
}
