import { expect, it } from 'vitest'
import { editDistance } from './edit-distance.ts'

it.each<[string, string, number]>([
  ['honey', 'honey', 0],
  ['honey', 'hony', 1],
  ['honey', 'hohney', 1],
  ['honey', 'money', 1],
  ['recieve', 'receive', 1],
  ['fotosynthesi', 'photosynthesi', 2],
  ['honey', 'zeppelin', 3],
  ['', 'bee', 3],
])('is between %j and %j %i', (one, other, distance) => {
  expect(editDistance(one, other, 2)).toBe(distance)
  expect(editDistance(other, one, 2)).toBe(distance)
})
