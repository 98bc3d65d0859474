import { setImmediate } from 'node:timers/promises'
import { abortError } from '@agentkit/core/internal'

/** Cuts long work into slices, so that what else the process does goes on meanwhile. */
export interface TimeSlices {
  /** Whether the slice has lasted long enough. Cheap: asks the clock at each call. */
  readonly isOver: boolean
  /** Lets others have a turn, and begins the next slice. */
  next(): Promise<void>
}

/** Begins the first slice. With a signal, the end of a slice is also where the work is aborted. */
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
