import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { converse } from '../__fixtures__/any-run/converse.ts'
import { memoryDisk } from '../__fixtures__/any-run/memory-disk.ts'

const unhandled: unknown[] = []
const remember = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', remember))
afterAll(() => void process.off('unhandledRejection', remember))

// Whatever models, tools, hooks, stores and people do, and whenever a process dies. A problem names its seed, so that
// it can be looked at again: `await converse(seed, memoryDisk())`.
it.each([0, 1, 2, 3, 4, 5, 6, 7])('keeps every promise in any conversation (fifty %i)', async (fifty) => {
  const problems = await Promise.all(
    Array.from({ length: 50 }, (_, index) => converse(fifty * 50 + index, memoryDisk())),
  )
  await nextTurnOfTheLoop()
  expect(problems.flat()).toEqual([])
  expect(unhandled).toEqual([])
})
