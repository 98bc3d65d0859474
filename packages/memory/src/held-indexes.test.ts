import { expect, it } from 'vitest'
import { heldIndexes } from './held-indexes.ts'

const index = (bytes: number) => ({ bytes: () => bytes })

it('holds the indexes of the users that searched last, within its bytes', () => {
  const held = heldIndexes(100)
  for (const userId of ['ada', 'bob', 'eve']) held.put(userId, index(40))
  expect(held.take('ada')).toBeUndefined()
  expect(held.take('bob')?.bytes()).toBe(40)
  expect(held.take('eve')?.bytes()).toBe(40)
  expect(held.take('eve')).toBeUndefined()
})

it('keeps the last index, of any size', () => {
  const held = heldIndexes(100)
  held.put('ada', index(40))
  held.put('bob', index(1_000))
  expect(held.take('ada')).toBeUndefined()
  expect(held.take('bob')?.bytes()).toBe(1_000)
})

it('counts an index once, by its last size, however often its user searches', () => {
  const held = heldIndexes(100)
  held.put('ada', index(10))
  for (let search = 0; search < 20; search++) held.put('bob', index(30))
  held.put('bob', index(60))
  expect(held.take('ada')?.bytes()).toBe(10)
  held.put('ada', index(10))
  held.put('bob', index(95))
  expect(held.take('ada')).toBeUndefined()
})
