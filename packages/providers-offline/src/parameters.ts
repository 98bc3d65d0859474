import type { JSONSchema, JSONValue } from '@agentkit/core'
import { isSchema } from './check-value.ts'
import { contentStems, stemsOf } from './tokens.ts'

/** What kind of thing a text parameter asks for, by its name or else its description. */
export type Role =
  | 'email'
  | 'url'
  | 'timezone'
  | 'date'
  | 'time'
  | 'currency'
  | 'language'
  | 'unit'
  | 'path'
  | 'phone'
  | 'expression'
  | 'symbol'
  | 'id'
  | 'person'
  | 'place'
  | 'text'
  | 'thing'

/** One value that a tool takes: a property, or a property of an object in it. */
export type Parameter = {
  path: string[]
  name: string
  description: string
  required: boolean
  /** Required by the object that it is in, which itself may be optional. */
  isRequiredInObject: boolean
  /** What it may be, without `null`; more than one for `anyOf`, `oneOf` and lists of types. */
  choices: JSONSchema[]
  /** Stems of the name, and of the description. */
  words: string[]
  hints: string[]
  role: Role
}

/** The values that a schema of an object asks for; those of nested objects by their path. */
export function parametersOf(
  schema: JSONSchema,
  root: JSONSchema = schema,
  path: string[] = [],
  needed = true,
): Parameter[] {
  const resolved = resolve(schema, root)
  const properties = isSchema(resolved.properties) ? resolved.properties : {}
  const required = Array.isArray(resolved.required) ? resolved.required : []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (property === false) return []
    const found = isSchema(property) ? property : {}
    const choices = choicesOf(found, root)
    const isRequired = needed && required.includes(name)
    const here = [...path, name]
    const [first] = choices
    if (choices.length === 1 && isSchema(first?.properties) && path.length < 4) {
      return parametersOf(first, root, here, isRequired)
    }
    const description = String(found.description ?? choices.find((choice) => choice.description)?.description ?? '')
    const words = stemsOf(name)
    const hints = contentStems(description)
    const isRequiredInObject = required.includes(name)
    const role = roleOf(words, hints)
    return [{ path: here, name, description, required: isRequired, isRequiredInObject, choices, words, hints, role }]
  })
}

/** The value that a schema gives by itself: its one allowed value, or its default. */
export function givenValue(parameter: Parameter): JSONValue | undefined {
  for (const choice of parameter.choices) {
    // A schema is plain JSON, so are the values in it.
    if ('const' in choice) return choice.const as JSONValue
    if (Array.isArray(choice.enum) && choice.enum.length === 1) return choice.enum[0] as JSONValue
    if ('default' in choice) return choice.default as JSONValue
  }
  return undefined
}

/** `$ref` followed and `allOf` merged. */
function resolve(schema: JSONSchema, root: JSONSchema, depth = 0): JSONSchema {
  if (depth > 8) return {}
  if (typeof schema.$ref === 'string') {
    const { $ref, ...rest } = schema
    const target = pointer(root, String($ref))
    return isSchema(target) ? resolve({ ...target, ...rest }, root, depth + 1) : rest
  }
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf, ...rest } = schema
  return allOf
    .filter(isSchema)
    .reduce<JSONSchema>((merged, part) => merge(merged, resolve(part, root, depth + 1)), rest)
}

function merge(a: JSONSchema, b: JSONSchema): JSONSchema {
  const properties = {
    ...(isSchema(a.properties) ? a.properties : {}),
    ...(isSchema(b.properties) ? b.properties : {}),
  }
  const required = [a.required, b.required].flatMap((list) => (Array.isArray(list) ? list : []))
  return { ...a, ...b, ...(Object.keys(properties).length > 0 ? { properties, required } : {}) }
}

function pointer(root: JSONSchema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  return ref
    .slice(1)
    .split('/')
    .filter((part) => part !== '')
    .reduce<unknown>(
      (at, part) => (isSchema(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      root,
    )
}

/** A schema that leads back to itself has no choices past the eighth. */
function choicesOf(schema: JSONSchema, root: JSONSchema, depth = 0): JSONSchema[] {
  if (depth > 8) return []
  const resolved = resolve(schema, root)
  const { anyOf, oneOf, ...rest } = resolved
  const alternatives = [anyOf, oneOf].find(Array.isArray)?.filter(isSchema)
  if (alternatives) return alternatives.flatMap((choice) => choicesOf({ ...rest, ...choice }, root, depth + 1))
  if (Array.isArray(resolved.type)) {
    return resolved.type.filter((type) => type !== 'null').map((type) => ({ ...resolved, type: String(type) }))
  }
  if (resolved.type === 'null' || ('const' in resolved && resolved.const === null)) return []
  return [{ ...resolved, ...(isSchema(resolved.items) ? { items: resolve(resolved.items, root) } : {}) }]
}

const roles: [Exclude<Role, 'thing'>, string][] = [
  ['email', 'email mail recipients recipient attendees'],
  ['url', 'url uri link website webpage href domain'],
  ['timezone', 'timezone tz zone'],
  ['currency', 'currency currencies'],
  ['expression', 'expression formula equation'],
  ['symbol', 'symbol ticker'],
  ['path', 'path file filename folder directory extension repo repository'],
  [
    'id',
    'id identifier hash sku reference ref code isbn iban zip zipcode postcode postal number uuid key serial transaction token',
  ],
  [
    'text',
    'text message body content query question title subject task note description term topic keyword phrase sentence word input string prompt summary comment reason search todo',
  ],
  ['person', 'person user username customer author contact employee patient guest owner assignee member sender'],
  [
    'place',
    'city location place town country region destination origin airport capital state address area venue restaurant hotel station',
  ],
  ['language', 'language lang locale'],
  ['unit', 'unit scale'],
  ['phone', 'phone telephone mobile'],
  ['date', 'date day deadline due birthday'],
  ['time', 'time clock'],
]
const roleOfStem = new Map<string, Role>(
  roles.flatMap(([role, words]) =>
    words.split(' ').flatMap((word) => stemsOf(word).map((stem): [string, Role] => [stem, role])),
  ),
)

function roleOf(words: readonly string[], hints: readonly string[]): Role {
  const named = words.filter((word) => roleOfStem.has(word))
  if (words.includes('zone')) return 'timezone'
  // The last word of a name says what it is: `cityCode` is a code, `startDate` a date.
  const last = named.at(-1)
  if (last !== undefined) return roleOfStem.get(last) ?? 'thing'
  const told = hints.flatMap((hint) => roleOfStem.get(hint) ?? [])
  // "Code of the source currency" is a currency, "name of the city" a place.
  return told.find((role) => role !== 'id' && role !== 'text') ?? told[0] ?? 'thing'
}
