import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { never } from '../__fixtures__/make-file.ts'
import { inParallel, slices } from './in-parallel.ts'

it('does the work of each item once, so many at a time', async () => {
  let active = 0
  let most = 0
  const done: number[] = []
  await inParallel([1, 2, 3, 4, 5, 6, 7], 3, never, async (item) => {
    most = Math.max(most, ++active)
    await setImmediate()
    active--
    done.push(item)
  })
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

it('throws the first failure when nothing is under way any more, and begins nothing new', async () => {
  const ended: string[] = []
  const work = inParallel(['slow', 'bad', 'never'], 2, never, async (item, signal) => {
    await setImmediate()
    if (item === 'bad') throw new Error('first')
    while (!signal.aborted) await setImmediate()
    ended.push(item)
    signal.throwIfAborted()
  })
  await expect(work).rejects.toThrow('first')
  expect(ended).toEqual(['slow'])
})

it('hands the signal on', async () => {
  const stop = new AbortController()
  const work = inParallel([1, 2], 2, stop.signal, async (_item, signal) => {
    stop.abort(new Error('enough'))
    signal.throwIfAborted()
  })
  await expect(work).rejects.toThrow('enough')
})

it('cuts into slices', () => {
  expect([...slices([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]])
  expect([...slices([], 2)]).toEqual([])
})
