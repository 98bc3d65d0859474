import { expect, it } from 'vitest'
import { formatMoments, parseMoments, placesOf } from './moments.ts'
import type { RecordedCall } from './parse-cassette.ts'

it.each([
  [[1], '1'],
  [[1, 2, 3], '1-3'],
  [[1, 3, 4, 9], '1 3-4 9'],
])('writes moments in a short form, and reads them again: %j', (moments, text) => {
  expect(formatMoments(moments)).toBe(text)
  expect(parseMoments(text)).toEqual(moments)
})

it('distinguishes moments of several processes', () => {
  const calls = ['1 3', '1-2'].map((at) => ({ at }) as RecordedCall)
  expect(placesOf(calls)).toEqual([
    [0, 3],
    [1, 2],
  ])
})
