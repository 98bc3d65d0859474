import { expect, it } from 'vitest'
import { agentIdFrom } from './agent-id.ts'

it.each([
  ['Research Team', 'research-team'],
  ['  Ask & answer!  ', 'ask-answer'],
  ['snake_case', 'snake_case'],
  ['Äpfel', 'pfel'],
  ['a', 'a'],
  ['x'.repeat(50), 'x'.repeat(50)],
])('makes an id from the name %s', (name, id) => expect(agentIdFrom(name)).toBe(id))

it('uses the given id', () => {
  expect(agentIdFrom('42', 'forty-two')).toBe('forty-two')
})

it.each<[string, string | undefined]>([
  ['42 things', undefined],
  ['数据', undefined],
  ['x'.repeat(51), undefined],
  ['Test', ''],
  ['Test', 'Upper'],
  ['Test', 'a b'],
  ['Test', '1a'],
  ['Test', 'a\n'],
  ['Test', 'x'.repeat(51)],
  ['Test', -1 as unknown as string], // as JavaScript passes it
  ['Test', true as unknown as string], // as JavaScript passes it
])('refuses %j with the id %j, and asks for another', (name, id) => {
  expect(() => agentIdFrom(name, id)).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('`id`') }),
  )
})

it.each(['', '   ', undefined as unknown as string, 7 as unknown as string])('refuses the name %j', (name) => {
  expect(() => agentIdFrom(name)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
})

it('explains where an id comes from, and which ids are valid', () => {
  const rule = 'is not 1 to 50 of a-z, 0-9, "_" and "-" beginning with no digit. Pass another `id`.'
  expect(() => agentIdFrom('42')).toThrow(`The name "42" makes the id "42", which ${rule}`)
  expect(() => agentIdFrom('Test', 'a b')).toThrow(`The id "a b" ${rule}`)
})
