import { setImmediate } from 'node:timers/promises'
import { abortError } from '@agentkit/core/internal'

/** Splits long work into time slices, so that the rest of the process stays responsive. */
export interface TimeSlices {
  /** Whether the slice is over. Cheap: one read of the clock per call. */
  readonly isOver: boolean
  /** Yields to the event loop, and starts the next slice. */
  next(): Promise<void>
}

/** Starts the first slice. With a signal, an abort ends the work at the end of a slice. */
export function timeSlices(signal?: AbortSignal, milliseconds = 8): TimeSlices {
  let began = performance.now()
  return {
    get isOver() {
      return performance.now() - began >= milliseconds
    },
    async next() {
      await setImmediate()
      if (signal?.aborted) throw abortError(signal)
      began = performance.now()
    },
  }
}
