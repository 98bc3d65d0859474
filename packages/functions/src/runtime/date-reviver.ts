import { AgentKitError, type JSONSchema } from '@agentkit/core'

type Scope = {
  root: JSONSchema
  dates: ReadonlySet<unknown>
  fits(value: unknown, part: JSONSchema): boolean
}

/**
 * Converts strings to `Date`s.
 *
 * @param root the schema that the values are valid for
 * @param dates the strings in the schema that are `Date`s: JSON Pointers
 * @param fits whether a value matches a part of the schema, to select a member of a union
 * @returns a function that copies what changes and does not modify its argument; throws AgentKitError `invalid-tool-call` for a
 *   time that no `Date` can hold
 * @throws AgentKitError `invalid-argument` when a pointer leads nowhere
 */
export function dateReviver(
  root: JSONSchema,
  dates: readonly string[],
  fits: (value: unknown, part: JSONSchema) => boolean,
): (value: unknown) => unknown {
  if (dates.length === 0) return (value) => value
  const scope: Scope = { root, dates: new Set(dates.map((pointer) => schemaAt(root, pointer))), fits }
  return (value) => revive(value, root, scope)
}

function revive(value: unknown, schema: unknown, scope: Scope): unknown {
  if (!isRecord(schema)) return value
  if (typeof value === 'string' && scope.dates.has(schema)) return toDate(value)
  const { $ref, anyOf } = schema
  let revived = value
  if (typeof $ref === 'string') {
    revived = revive(revived, schemaAt(scope.root, decodeURIComponent($ref.slice(1))), scope)
  }
  if (Array.isArray(anyOf)) {
    const member = anyOf.find((part) => scope.fits(value, part))
    revived = revive(revived, member, scope)
  }
  if (Array.isArray(revived)) return reviveItems(revived, schema, scope)
  return isRecord(revived) ? reviveProperties(revived, schema, scope) : revived
}

/** Some dates do not exist as a `Date`, such as a leap second. */
function toDate(text: string): Date {
  const date = new Date(text)
  if (!Number.isNaN(date.getTime())) return date
  throw new AgentKitError(
    'invalid-tool-call',
    `${JSON.stringify(text)} is a time that cannot be used. Give another one.`,
  )
}

function reviveItems(items: unknown[], { prefixItems, items: others }: JSONSchema, scope: Scope): unknown[] {
  const first: unknown[] = Array.isArray(prefixItems) ? prefixItems : []
  const revived = items.map((item, index) => revive(item, index < first.length ? first[index] : others, scope))
  return revived.some((item, index) => item !== items[index]) ? revived : items
}

function reviveProperties(record: JSONSchema, schema: JSONSchema, scope: Scope): JSONSchema {
  const entries = Object.entries(record)
  const revived = entries.map(([key, value]) => {
    const schemas = schemasOf(key, schema)
    return [key, schemas.reduce((result: unknown, part) => revive(result, part, scope), value)] as const
  })
  // Unlike an assignment, this keeps a key `__proto__`.
  return revived.some(([key, value]) => value !== record[key]) ? Object.fromEntries(revived) : record
}

function schemasOf(key: string, { properties, patternProperties, additionalProperties }: JSONSchema): unknown[] {
  const named = isRecord(properties) && Object.hasOwn(properties, key) ? [properties[key]] : []
  const patterns = Object.entries(isRecord(patternProperties) ? patternProperties : {})
  const matching = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, schema]) => schema)
  const schemas = [...named, ...matching]
  return schemas.length > 0 ? schemas : [additionalProperties]
}

function schemaAt(root: JSONSchema, pointer: string): unknown {
  let place: unknown = root
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) {
      throw new AgentKitError('invalid-argument', `The compiled schema has nothing at ${pointer}. Compile it again.`)
    }
    // The cast holds: the place has this key itself.
    place = place[key as keyof typeof place]
  }
  return place
}

function isRecord(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
