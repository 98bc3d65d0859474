import { expect, it } from 'vitest'
import { nearestWord } from './nearest-word.ts'

it('ignores words of more than 200 characters', () => {
  const known = ['model', 'm'.repeat(1_000)]
  expect(nearestWord('m'.repeat(999), known)).toBeUndefined()
})

it.each([
  ['modle', 'model'],
  ['MaxSteps', 'max_steps'],
  ['max-steps', 'max_steps'],
  ['weather', undefined],
  ['lgo', 'log'],
  ['logs', 'log'],
  // Of so few letters, another word differs by two.
  ['foo', undefined],
  ['s', undefined],
])('corrects %s to %s', (word, nearest) => {
  expect(nearestWord(word, ['model', 'max_steps', 'timeout', 'log', 'g'])).toBe(nearest)
})
