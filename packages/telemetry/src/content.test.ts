import { expect, it } from 'vitest'
import { cut } from './content.ts'

it('cuts no character in half: backends refuse or replace such a text', () => {
  expect(cut('a😀😀', 4)).toBe('a😀[cut]')
  expect(cut('a😀😀', 5)).toBe('a😀😀')
})
