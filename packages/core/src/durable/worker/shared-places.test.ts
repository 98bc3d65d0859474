import { expect, it } from 'vitest'
import { sharedPlaces } from './shared-places.ts'

it('are taken until none is free, and announced when one is', () => {
  const places = sharedPlaces(2)
  let announced = 0
  const stop = places.onFree(() => announced++)
  const leave = places.enter()
  places.enter()
  expect([places.free(), places.enter(), announced]).toEqual([0, undefined, 0])
  leave?.()
  leave?.()
  expect([places.free(), announced]).toEqual([1, 1])
  stop()
  places.enter()?.()
  expect(announced).toBe(1)
})
