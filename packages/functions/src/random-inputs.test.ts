import type { JSONSchema, ToolContext } from '@agentkit/core'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { attachTool, type CompiledFunction, type CompiledParameter, toolFromFunction } from './index.ts'

/** A type that a parameter may have: its schema, where that has dates, and its values. */
type Kind = { schema: JSONSchema; dates: string[]; values: fc.Arbitrary<unknown> }

const text = fc.string()
/** JSON has no -0. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const date = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a/b', 'a~1', '', 'b c%', '$ref', 'anyOf'),
  text,
)

const plainKinds: Kind[] = [
  { schema: { type: 'string' }, dates: [], values: text },
  { schema: { type: 'string', format: 'date-time' }, dates: [], values: date.map((value) => value.toISOString()) },
  { schema: { type: 'number' }, dates: [], values: number },
  { schema: { type: 'integer' }, dates: [], values: fc.integer() },
  { schema: { type: 'boolean' }, dates: [], values: fc.boolean() },
  { schema: { type: 'string', enum: ['small', 'large'] }, dates: [], values: fc.constantFrom('small', 'large') },
]
const dateKinds: Kind[] = [
  { schema: { type: 'string', format: 'date-time' }, dates: [''], values: date },
  { schema: { type: ['string', 'null'], format: 'date-time' }, dates: [''], values: fc.option(date) },
]

const { kind } = fc.letrec<{ kind: Kind; composite: Kind }>((tie) => ({
  kind: fc.oneof(
    { maxDepth: 3 },
    // Schemas must be objects of their own: dates are found by what they are, not by what they look like.
    fc.constantFrom(...plainKinds, ...dateKinds).map(({ schema, ...rest }) => ({ schema: { ...schema }, ...rest })),
    tie('composite'),
  ),
  composite: fc.oneof(
    tie('kind').map(listOf),
    fc.array(tie('kind'), { minLength: 1, maxLength: 3 }).map(tupleOf),
    fieldsOf(tie('kind')).map(objectOf),
    tie('kind').map(recordOf),
    fc.tuple(tie('kind'), tie('kind')).map(patternsOf),
    fc.array(fieldsOf(tie('kind')), { minLength: 2, maxLength: 3 }).map(unionOf),
    tie('kind').map(nullable),
  ),
}))

type Field = { name: string; kind: Kind; optional: boolean }

function fieldsOf(kinds: fc.Arbitrary<Kind>): fc.Arbitrary<Field[]> {
  const field = fc.record({ name: key, kind: kinds, optional: fc.boolean() })
  return fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 4 })
}

function below(place: string, { dates }: Kind): string[] {
  return dates.map((pointer) => place + pointer)
}

function listOf(item: Kind): Kind {
  return {
    schema: { type: 'array', items: item.schema },
    dates: below('/items', item),
    values: fc.array(item.values, { maxLength: 3 }),
  }
}

function tupleOf(items: Kind[]): Kind {
  return {
    schema: { type: 'array', prefixItems: items.map(({ schema }) => schema), items: false, minItems: items.length },
    dates: items.flatMap((item, index) => below(`/prefixItems/${index}`, item)),
    values: fc.tuple(...items.map(({ values }) => values)),
  }
}

function objectOf(fields: Field[]): Kind {
  const place = (name: string): string => `/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, kind: { schema } }) => [name, schema])),
      required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
      additionalProperties: false,
    },
    dates: fields.flatMap(({ name, kind }) => below(place(name), kind)),
    values: entriesOf(fields).map(Object.fromEntries),
  }
}

/** The entries of an object, some of the optional ones left out. */
function entriesOf(fields: Field[]): fc.Arbitrary<[string, unknown][]> {
  const entries = fields.map(({ name, kind, optional }) => {
    const entry = kind.values.map((value): [string, unknown][] => [[name, value]])
    return optional ? fc.oneof(fc.constant([]), entry) : entry
  })
  return fc.tuple(...entries).map((some) => some.flat())
}

function recordOf(value: Kind): Kind {
  const entries = fc.uniqueArray(fc.tuple(key, value.values), { selector: ([name]) => name, maxLength: 3 })
  return {
    schema: { type: 'object', additionalProperties: value.schema },
    dates: below('/additionalProperties', value),
    values: entries.map(Object.fromEntries),
  }
}

function patternsOf([value, other]: [Kind, Kind]): Kind {
  return {
    schema: { type: 'object', patternProperties: { '^id_': value.schema }, additionalProperties: other.schema },
    dates: [...below('/patternProperties/^id_', value), ...below('/additionalProperties', other)],
    values: fc.record({ id_1: value.values, other: other.values }, { requiredKeys: [], noNullPrototype: true }),
  }
}

function unionOf(members: Field[][]): Kind {
  const objects = members.map((fields, index) => {
    const tag: Kind = {
      schema: { type: 'string', const: `kind-${index}` },
      dates: [],
      values: fc.constant(`kind-${index}`),
    }
    return objectOf([{ name: 'kind', kind: tag, optional: false }, ...fields.filter(({ name }) => name !== 'kind')])
  })
  return {
    schema: { anyOf: objects.map(({ schema }) => schema) },
    dates: objects.flatMap((member, index) => below(`/anyOf/${index}`, member)),
    values: fc.oneof(...objects.map(({ values }) => values)),
  }
}

function nullable(some: Kind): Kind {
  return {
    schema: { anyOf: [some.schema, { type: 'null' }] },
    dates: below('/anyOf/0', some),
    values: fc.option(some.values),
  }
}

const context = { callId: 'call-1' } as ToolContext
const shape = fc.record({ takesContext: fc.boolean(), isWhole: fc.boolean(), rest: fc.option(kind) })

/** A function, and what is given to it. */
const call = fc.tuple(fieldsOf(kind), shape).chain(([fields, { takesContext, isWhole, rest }]) => {
  const name = 'more items'
  const last: Field[] = !rest || isWhole || takesContext ? [] : [{ name, kind: listOf(rest), optional: true }]
  const named = [...fields.filter((field) => field.name !== name), ...last]
  const { schema, dates } = objectOf(named)
  const parameters = named.map(
    (field): CompiledParameter => (field.name === name ? { name, rest: true } : { name: field.name }),
  )
  const compiled: CompiledFunction = {
    name: 'act',
    description: 'Acts.',
    inputSchema: schema,
    parameters: isWhole ? [{ whole: true }] : parameters,
    dates,
    ...(takesContext ? { contextIndex: isWhole ? 1 : parameters.length } : {}),
  }
  return fc.record({ compiled: fc.constant(compiled), entries: entriesOf(named) })
})

it('calls a function with the intended values, for any types', async () => {
  await fc.assert(
    fc.asyncProperty(call, async ({ compiled, entries }) => {
      // Manifests, caches and models all write JSON.
      const act = attachTool((...received: unknown[]) => ({ received }), JSON.parse(JSON.stringify(compiled)))
      const written = JSON.stringify(Object.fromEntries(entries))
      const input = JSON.parse(written)
      const { received } = (await toolFromFunction(act).execute(input, context)) as { received: unknown[] }

      expect(received).toEqual(writtenByHand(compiled, new Map(entries)))
      expect(JSON.stringify(input)).toBe(written)
    }),
    { numRuns: 300 },
  )
})

/** The arguments of the call that a person would write. JSON has no `undefined`, so that is what was left out. */
function writtenByHand({ parameters, contextIndex }: CompiledFunction, meant: Map<string, unknown>): unknown[] {
  const values = parameters.flatMap(({ name, rest }) => {
    if (name === undefined) return [Object.fromEntries(meant)]
    return rest ? (meant.get(name) ?? []) : [meant.get(name)]
  })
  if (contextIndex !== undefined) return [...values, context]
  return values.slice(0, values.findLastIndex((value) => value !== undefined) + 1)
}
