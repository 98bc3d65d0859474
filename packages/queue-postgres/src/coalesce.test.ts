import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { coalesce } from './coalesce.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('runs at once, and once more after the time for all calls meanwhile', async () => {
  let runs = 0
  const run = coalesce(() => runs++, 20)
  for (let count = 0; count < 100; count++) run()
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(20)
  expect(runs).toBe(2)
  await vi.advanceTimersByTimeAsync(100)
  expect(runs).toBe(2)
  run()
  expect(runs).toBe(3)
})
