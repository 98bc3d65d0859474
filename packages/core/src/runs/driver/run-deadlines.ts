import type { AgentKitError } from '../../data/errors.ts'
import { limits } from '../../limits.ts'
import { startDeadline } from '../../policies/deadline.ts'

/** The deadlines of a run: its own, and others that it gets while it runs. */
export type RunDeadlines = {
  /** Ends the run when its deadline has passed. */
  checkTime(): void
  /** How much of its time is left, in milliseconds; `undefined` without a deadline. */
  msLeft(): number | undefined
  /** Ends the run after this time, if its own deadline is not earlier; see `startDeadline`. */
  endWithin(milliseconds: number, within: string): void
  /** Stops the deadlines while a person is waited for. @returns starts them again */
  pause(): () => void
  stop(): void
}

/** Starts the deadline of a run. */
export function startDeadlines(end: (reason: AgentKitError) => void, timeoutMs: number | undefined): RunDeadlines {
  const startedAt = performance.now()
  const deadlines = [startDeadline(end, timeoutMs)]
  return {
    msLeft: () => (timeoutMs === undefined ? undefined : timeoutMs - (performance.now() - startedAt)),
    endWithin(milliseconds, within) {
      deadlines.push(startDeadline(end, Math.min(Math.max(0, milliseconds), limits.longestTimerMs), within))
    },
    checkTime() {
      for (const deadline of deadlines) deadline.check()
    },
    pause() {
      const releases = deadlines.map((deadline) => deadline.hold())
      return () => {
        for (const release of releases) release()
      }
    },
    stop() {
      for (const deadline of deadlines) deadline.stop()
    },
  }
}
