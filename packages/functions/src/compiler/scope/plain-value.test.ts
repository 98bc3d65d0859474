import { expect, it } from 'vitest'
import { schemasOf } from '../../__fixtures__/compile-text.ts'

it.each<[string, unknown]>([
  ["'a'", 'a'],
  ['`a`', 'a'],
  ['1.5', 1.5],
  ['0x10', 16],
  ['-2', -2],
  ['-0', 0],
  ['+3', 3],
  ['true', true],
  ['false', false],
  ['!0', true],
  ['null', null],
  ['("a" as const)', 'a'],
  ['(null as string | null)', null],
  ['([1] as number[])', [1]],
  ['(["a"] satisfies string[])', ['a']],
  ['[1, [-2]]', [1, [-2]]],
  ["{ a: 1, 'b-c': [null], 3: {} }", { a: 1, 'b-c': [null], 3: {} }],
  ["{ ['a']: 1 }", { a: 1 }],
  ["{ ['__proto__']: 1 }", JSON.parse('{ "__proto__": 1 }')],
  ['limit', 5],
  ['{ a: limit, c: [name, on] }', { a: 5, c: ['x', false] }],
  ['Size.Large', 'l'],
])('reads %s', (text, value) => {
  expect(defaultOf(text)).toEqual({ value })
})

it.each([
  'now()',
  '1e999',
  '-1e999',
  'infinite',
  '[1, now()]',
  '[1, , 2]',
  '[...[1]]',
  '{ a: now() }',
  '{ [name]: 1 }',
  '{ ...{ a: 1 } }',
  '{ name }',
  '{ __proto__: 1 }',
  '{ a() {} }',
  '~1n',
])('does not read %s', (text) => {
  expect(defaultOf(text)).toEqual({ value: undefined })
})

/** The default of a parameter whose initializer is this text. */
function defaultOf(text: string): { value: unknown } {
  const names = `const limit = 5, name = 'x', on = false, infinite = 1e999
    enum Size { Small = 's', Large = 'l' }`
  const { value } = schemasOf(`${names}\n/** @param value Any. */\nexport function take(value: any = ${text}) {}`)
  return { value: value?.default }
}
