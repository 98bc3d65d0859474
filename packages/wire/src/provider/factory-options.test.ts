import { expect, it } from 'vitest'
import { checkOptions } from './factory-options.ts'

function check(headers: unknown): void {
  checkOptions({ headers }, { headers: true })
}

it.each<[string, unknown]>([
  ['a character that HTTP does not carry', { 'x-tenant': 'north → south' }],
  ['a line break', { 'x-tenant': 'north\r\nx-other: 1' }],
  ['a name with a space', { 'x tenant': 'north' }],
  ['no name', { '': 'north' }],
])('refuses headers with %s, and does not repeat them', (_name, headers) => {
  expect(() => check(headers)).toThrow(
    expect.objectContaining({
      code: 'invalid-config',
      message: expect.stringMatching(/^`headers` is an object of texts/),
    }),
  )
  expect(() => check(headers)).not.toThrow(/north/)
})

it.each<[string, unknown]>([
  ['Latin-1', { 'x-tenant': 'Zürich' }],
  ['a line break at the end, which is not sent', { authorization: 'Bearer abc\n' }],
  ['nothing as a value', { 'x-empty': '' }],
  ['every character of a name', { "!#$%&'*+-.^_`|~aZ9": 'a' }],
])('takes headers with %s', (_name, headers) => {
  expect(() => check(headers)).not.toThrow()
  expect(() => new Headers(headers as Record<string, string>)).not.toThrow()
})
