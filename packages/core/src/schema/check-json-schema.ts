import type { JSONSchema } from '../data/message.ts'
import { limits } from '../limits.ts'
import { measureJSON } from '../util/json/measure-json.ts'

const types: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/**
 * Why a JSON Schema cannot be the input of a tool, as a sentence with the fix; `undefined` if it can. Without this check
 * the error would reach the model, which cannot fix it.
 */
export function jsonSchemaProblem(schema: JSONSchema): string | undefined {
  if (Object.values(schema).some((value) => typeof value === 'object' && value !== null && '~standard' in value)) {
    return '`input` holds schemas of fields. Wrap them: input: z.object({ … }).'
  }
  const foreign = ofAISDK(schema, 'input')
  if (foreign !== undefined) return foreign
  if (isSchemaOfLibrary(schema)) return withoutStandard('input')
  if (schema.type !== 'object') {
    return `the schema's root must be an object (type: "object"). Put the value into a field of one.`
  }
  return brokenSchema(schema, 'input')
}

/** The same for any schema, without the requirements of tools. */
export function brokenSchema(schema: JSONSchema, name: string): string | undefined {
  const foreign = ofAISDK(schema, name)
  if (foreign !== undefined) return foreign
  if (isSchemaOfLibrary(schema)) return withoutStandard(name)
  const shape = shapeProblem(schema, name)
  if (shape !== undefined) return shape
  return problemIn(schema, rootOf(schema), name)
}

/** The objects around a schema that the AI SDK makes: taken as a JSON Schema, they would allow any value. */
function ofAISDK(schema: JSONSchema, name: string): string | undefined {
  if (Symbol.for('vercel.ai.schema') in schema) {
    return `\`${name}\` is made by jsonSchema() or zodSchema() of the AI SDK. Give the schema itself.`
  }
  if (typeof schema.parseCompleteOutput !== 'function' && typeof schema.parseOutput !== 'function') return undefined
  return `\`${name}\` is an Output of the AI SDK. Give the schema in it: ${name}: z.object({ … }).`
}

/** Whether it is a schema of zod, yup, Joi or superstruct, from before they had Standard Schema: its fields are no keywords. */
function isSchemaOfLibrary(schema: JSONSchema): boolean {
  return typeof schema.parse === 'function' || typeof schema.validate === 'function'
}

function withoutStandard(name: string): string {
  return `\`${name}\` is a schema of a library, without Standard Schema. Update the library (zod to 3.25 or newer), or give a JSON Schema.`
}

/** The problem of a schema that is too large, too deep or contains itself: schemas are traversed, stored and sent. */
export function shapeProblem(schema: JSONSchema, name: string): string | undefined {
  const { problem } = measureJSON(schema, { depth: limits.schemaDepth, values: limits.schemaValues })
  if (problem === 'too-many') return `${name} has more than ${limits.schemaValues} fields and items. Make it smaller.`
  if (problem === 'too-deep')
    return `${name} is nested deeper than ${limits.schemaDepth} levels. Refer to parts by "$ref".`
  if (problem === undefined || !isCircle(schema)) return undefined
  return `${name} holds itself. Refer to a part of the schema by "$ref", such as { $ref: "#/$defs/part" }.`
}

function isCircle(value: unknown, within: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  return within.includes(value) || Object.values(value).some((child) => isCircle(child, [...within, value]))
}

/** What references refer to. */
type Root = {
  schema: JSONSchema
  /** The schemas that are known to lead into no circle. */
  straight: Set<object>
}

function rootOf(schema: JSONSchema): Root {
  return { schema, straight: new Set() }
}

function problemIn(schema: unknown, outer: Root, path: string): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (typeof schema !== 'object' || schema === null) return noSchema(schema, path)
  const { type, pattern, required, enum: values, $ref, $id } = schema as JSONSchema
  // References within a schema with an id refer to that schema.
  const root = typeof $id === 'string' ? rootOf(schema as JSONSchema) : outer
  const wrong = Array.isArray(type)
    ? type.find((name) => !types.includes(name))
    : types.includes(type)
      ? undefined
      : type
  if (wrong !== undefined) return `${path} has the type ${JSON.stringify(wrong)}. There are: ${types.join(', ')}.`
  const wrongPattern = pattern === undefined ? undefined : problemOfPattern(pattern)
  if (wrongPattern) return `${path} has a pattern that is ${wrongPattern}.`
  if (required !== undefined && !isNames(required)) {
    return `${path} has \`required: ${JSON.stringify(required)}\`. An object has the list of those of its fields: required: ["city"].`
  }
  if (values !== undefined && !Array.isArray(values)) return `${path} has an \`enum\` that is not a list.`
  if (typeof $ref === 'string' && !resolves($ref, root.schema)) {
    return `${path} refers to ${$ref}, which is not in the schema. References begin with "#/".`
  }
  if (typeof $ref === 'string' && leadsIntoCircle(schema, root)) {
    return `${path} refers to ${$ref}, which leads into a circle without a field or an item. Refer to a schema of a value.`
  }
  return problemInChildren(schema as JSONSchema, root, path)
}

/** The keywords that contain schemas: by name, in a list, or one. */
export const places: ReadonlyMap<string, 'by-name' | 'in-list' | 'alone'> = new Map([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].map(
    (key) => [key, 'by-name'] as const,
  ),
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((key) => [key, 'in-list'] as const),
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'].map(
    (key) => [key, 'alone'] as const,
  ),
])

/** What stands where a schema should; providers refuse the whole request for it. */
function noSchema(found: unknown, path: string): string {
  const given = typeof found === 'function' ? `the function ${found.name}` : (JSON.stringify(found) ?? 'undefined')
  return `${path} is ${given}, which is not a schema. Write { type: ${JSON.stringify(types.includes(found) ? found : 'string')} }.`
}

function isNames(required: unknown): boolean {
  return Array.isArray(required) && required.every((name) => typeof name === 'string')
}

/** An app may check hundreds of tools when it starts, so this allocates no lists. */
function problemInChildren(schema: JSONSchema, root: Root, path: string): string | undefined {
  for (const key of Object.keys(schema)) {
    const place = places.get(key)
    const child = schema[key]
    // As in JSON, an undefined field counts as absent.
    if (place === undefined || child === undefined) continue
    const problem =
      place === 'alone'
        ? problemIn(child, root, `${path}.${key}`)
        : problemInEach(child, root, place === 'in-list' ? `${path}.${key}` : path)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemInEach(schemas: unknown, root: Root, path: string): string | undefined {
  for (const [name, schema] of Object.entries(Object(schemas))) {
    if (schema === undefined && !Array.isArray(schemas)) continue
    const problem = problemIn(schema, root, `${path}.${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** JSON Schema has the flag `u`, with which `[\w-.]` is wrong. */
function problemOfPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return 'not a text'
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    // The message begins with the pattern, which may be long.
    return `not a regular expression with the flag "u" (${String(error).split(': ').at(-1)})`
  }
}

function resolves(reference: string, root: JSONSchema): boolean {
  if (reference === '#') return true
  if (!reference.startsWith('#/')) return typeof root.$id === 'string' || reference.startsWith('#')
  return targetOf(reference, root) !== undefined
}

/**
 * Whether the check of a value by this schema leads to a schema that needs itself for the same value: it would never end.
 * Each schema is followed once for all that refer to it.
 */
function leadsIntoCircle(start: object, { schema: root, straight }: Root): boolean {
  const within = new Set<object>()
  const open: unknown[] = [start]
  for (let schema = start as unknown; open.length > 0; schema = open.at(-1)) {
    if (typeof schema !== 'object' || schema === null || straight.has(schema)) {
      open.pop()
    } else if (within.delete(schema)) {
      straight.add(schema)
    } else {
      within.add(schema)
      const { $ref, not, if: condition, allOf, anyOf, oneOf } = schema as JSONSchema
      const target = typeof $ref !== 'string' ? undefined : $ref === '#' ? root : targetOf($ref, root)
      for (const next of [target, not, condition, ...listOf(allOf), ...listOf(anyOf), ...listOf(oneOf)]) {
        if (within.has(next as object)) return true
        open.push(next)
      }
    }
  }
  return false
}

function listOf(schemas: unknown): readonly unknown[] {
  return Array.isArray(schemas) ? schemas : []
}

/** What a reference such as `#/$defs/part` leads to; `undefined` where nothing is there. */
export function targetOf(reference: string, root: JSONSchema): unknown {
  let target: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = decoded(step)?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (key === undefined) return undefined
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined
    target = target[key as keyof typeof target]
  }
  return target
}

/** `undefined` for invalid percent-encoding, such as `%zz`. */
function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step)
  } catch {
    return undefined
  }
}
