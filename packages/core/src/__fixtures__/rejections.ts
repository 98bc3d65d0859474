import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** Fails the current test when a promise rejection is unhandled. */
export function refuseUnhandledRejections(): void {
  const unhandled: unknown[] = []
  const remember = (reason: unknown): void => void unhandled.push(reason)
  beforeAll(() => void process.on('unhandledRejection', remember))
  afterAll(() => void process.off('unhandledRejection', remember))
  afterEach(async () => {
    await nextTurnOfTheLoop()
    expect(unhandled.splice(0)).toEqual([])
  })
}
