import { expect, it } from 'vitest'
import { createContinuations } from './continuations.ts'

it('lets the first of several decisions continue a run, and keeps it until all are released', () => {
  const continuations = createContinuations()
  const [first, second] = [continuations.reserve('run_1', 1), continuations.reserve('run_1', 1)]
  expect([continuations.has('run_1'), continuations.has('run_2')]).toEqual([true, false])
  expect([second.acquire(), first.acquire()]).toEqual([true, false])
  first.release()
  first.release()
  expect(continuations.has('run_1')).toBe(true)
  second.release()
  expect(continuations.has('run_1')).toBe(false)
})

it('lets a decision continue a run that waits again, although the one before is not released yet', () => {
  const continuations = createContinuations()
  expect(continuations.reserve('run_1', 1).acquire()).toBe(true)
  expect(continuations.reserve('run_1', 2).acquire()).toBe(true)
})
