import { describe, expect, it } from 'vitest'
import { compileSchema } from './schema.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const closed = (properties: object) => {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
const kind = (name: string, properties: object) => closed({ kind: { type: 'string', const: name }, ...properties })
const kinds = ['a', 'b', 'c', 'd', 'e'].map((name) =>
  kind(name, { [`size${name}`]: number, level: { enum: ['low', name] } }),
)
const mismatch = (place: string, found: string, expected: string) => {
  return `#/${place}: Instance type "${found}" is invalid. Expected "${expected}".`
}

async function problemsOf(schema: object, value: unknown): Promise<string[] | undefined> {
  const { validate } = await compileSchema(
    { ...closed({ by: schema }), $defs: { Kinds: { anyOf: kinds } } },
    'Tool "a"',
  )
  return (await validate({ by: value })).problems
}

describe('of a value that fits no member of a union, the problems are', () => {
  it.each<[string, object, unknown, string[]]>([
    [
      'those of its kind',
      { anyOf: kinds },
      { kind: 'e', sizee: '5', level: 'low' },
      [mismatch('by/sizee', 'string', 'number')],
    ],
    [
      'those of its kind by a reference',
      { $ref: '#/$defs/Kinds' },
      { kind: 'd', sized: null, level: 'd' },
      [mismatch('by/sized', 'null', 'number')],
    ],
    [
      'of exactly one',
      { oneOf: kinds },
      { kind: 'b', sizeb: true, level: 'b' },
      [mismatch('by/sizeb', 'boolean', 'number')],
    ],
    [
      'of its kind where a word is none',
      { anyOf: kinds },
      { kind: 'c', sizec: 1, level: 'high' },
      ['#/by/level: Instance does not match any of ["low","c"].'],
    ],
    [
      'what it has too much',
      { anyOf: kinds },
      { kind: 'e', sizee: 5, level: 'low', more: 1 },
      ['#/by: Property "more" does not match additional properties schema.', '#/by/more: False boolean schema.'],
    ],
    [
      'of an object that may be null',
      { anyOf: [closed({ at: text }), { type: 'null' }] },
      { at: 5 },
      [mismatch('by/at', 'number', 'string')],
    ],
    [
      'of a list beside a text',
      { anyOf: [text, { type: 'array', items: number }] },
      [1, 'x'],
      [mismatch('by/1', 'string', 'number')],
    ],
    [
      'of each type that it has not',
      { anyOf: [text, number] },
      true,
      [mismatch('by', 'boolean', 'string'), mismatch('by', 'boolean', 'number')],
    ],
    [
      'of each item on its own',
      { type: 'array', items: { anyOf: kinds.slice(0, 2) } },
      [
        { kind: 'a', sizea: 'x', level: 'a' },
        { kind: 'b', sizeb: 'y', level: 'b' },
      ],
      [mismatch('by/0/sizea', 'string', 'number'), mismatch('by/1/sizeb', 'string', 'number')],
    ],
    [
      'of a union in a union',
      { anyOf: [kind('x', { in: { anyOf: kinds } }), kind('y', {})] },
      { kind: 'x', in: { kind: 'e', sizee: 'z', level: 'e' } },
      [mismatch('by/in/sizee', 'string', 'number')],
    ],
  ])('%s', async (_name, schema, value, problems) => {
    expect(await problemsOf(schema, value)).toEqual(problems)
  })

  it('of all kinds, where it has none of them', async () => {
    const problems = await problemsOf({ anyOf: kinds.slice(0, 2) }, { kind: 'z', sizea: 1, level: 'low' })
    expect(problems).toEqual(
      expect.arrayContaining(['#/by/kind: Instance does not match "a".', '#/by/kind: Instance does not match "b".']),
    )
  })
})
