import { expect, it } from 'vitest'
import { nearestWord } from './nearest-word.ts'

it.each([
  ['modle', 'model'],
  ['MaxSteps', 'max_steps'],
  ['max-steps', 'max_steps'],
  ['weather', undefined],
])('takes %s for %s', (word, nearest) => {
  expect(nearestWord(word, ['model', 'max_steps', 'timeout'])).toBe(nearest)
})
