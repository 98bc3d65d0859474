/** Watches for a clock that is set, as when a machine that slept or drifted is corrected. */
export type ClockWatch = {
  /** Whether the clock of this machine was set within the time that is watched. */
  hasJumped(): boolean
}

/**
 * Notices between two looks when the clock was set. Times that others have written before are then older or newer than they
 * say, until they write the next ones.
 * @param ms how long a jump is remembered, in milliseconds
 */
export function watchClock(ms: number): ClockWatch {
  let offset = Date.now() - performance.now()
  let jumpedAt = Number.NEGATIVE_INFINITY
  return {
    hasJumped() {
      const now = Date.now() - performance.now()
      // Clocks that are adjusted slowly move by less between two looks.
      if (Math.abs(now - offset) > 1_000) jumpedAt = performance.now()
      offset = now
      return performance.now() - jumpedAt < ms
    },
  }
}
