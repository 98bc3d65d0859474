import { expect, it } from 'vitest'
import { nearestWord } from './nearest-word.ts'

it('compares no word that is longer than all known ones', () => {
  const known = ['model', 'm'.repeat(1_000)]
  expect(nearestWord('m'.repeat(999), known)).toBeUndefined()
})

it.each([
  ['modle', 'model'],
  ['MaxSteps', 'max_steps'],
  ['max-steps', 'max_steps'],
  ['weather', undefined],
])('takes %s for %s', (word, nearest) => {
  expect(nearestWord(word, ['model', 'max_steps', 'timeout'])).toBe(nearest)
})
