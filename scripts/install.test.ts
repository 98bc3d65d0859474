import { expect, it } from 'vitest'
import { progressOf } from './install.mjs'

it('prints the last report of the package manager', () => {
  expect(progressOf('')).toBe('getting the package manager')
  const lines = [
    'Progress: resolved 1, reused 0, downloaded 0, added 0',
    'a warning',
    'Progress: resolved 812, reused 700, downloaded 90, added 530, done',
    '+ vite 8',
  ]
  expect(progressOf(lines.join('\n'))).toBe('resolved 812, reused 700, downloaded 90, added 530, done')
})
