import { expect, it } from 'vitest'
import { timeSlices } from './time-slices.ts'

it('is over after its time, and begins again after others had a turn', async () => {
  const slices = timeSlices(undefined, 5)
  const end = performance.now() + 6
  while (performance.now() < end);
  expect(slices.isOver).toBe(true)
  let turn = 'nobody'
  setImmediate(() => {
    turn = 'another'
  })
  await slices.next()
  expect(turn).toBe('another')
})

it('ends work whose signal was aborted meanwhile', async () => {
  const stop = new AbortController()
  const slices = timeSlices(stop.signal)
  setImmediate(() => stop.abort())
  await expect(slices.next()).rejects.toMatchObject({ code: 'aborted' })
})
