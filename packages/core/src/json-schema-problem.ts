import type { JSONSchema } from './message.ts'

const types: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/**
 * What keeps a JSON Schema from being a tool's, as a sentence that says the fix; `undefined` when nothing does.
 * A mistake that is found here would otherwise be told to the model, which can do nothing about it.
 */
export function jsonSchemaProblem(schema: JSONSchema): string | undefined {
  if (Object.values(schema).some((value) => typeof value === 'object' && value !== null && '~standard' in value)) {
    return '`input` holds schemas of fields. Wrap them: input: z.object({ … }).'
  }
  if (schema.type !== 'object') {
    return `the schema's root must be an object (type: "object"). Put the value into a field of one.`
  }
  return brokenSchema(schema, 'input')
}

/** The same of a schema of any kind, without what only tools ask for. */
export function brokenSchema(schema: JSONSchema, name: string): string | undefined {
  return problemIn(schema, schema, name)
}

function problemIn(schema: unknown, outer: JSONSchema, path: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const { type, pattern, $ref, $id } = schema as JSONSchema
  // References inside a schema with an id are to that one.
  const root = typeof $id === 'string' ? (schema as JSONSchema) : outer
  const wrong = type === undefined ? undefined : [type].flat().find((name) => !types.includes(name))
  if (wrong !== undefined) return `${path} has the type ${JSON.stringify(wrong)}. There are: ${types.join(', ')}.`
  if (pattern !== undefined && !isPattern(pattern)) return `${path} has a pattern that is no regular expression.`
  if (typeof $ref === 'string' && !resolves($ref, root)) {
    return `${path} refers to ${$ref}, which is not in the schema. References begin with "#/".`
  }
  return problemInChildren(schema as JSONSchema, root, path)
}

/** Where other schemas stand: by name, in a list, or alone. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const inList = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const alone = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']

function problemInChildren(schema: JSONSchema, root: JSONSchema, path: string): string | undefined {
  const children = [
    ...byName.flatMap((key) => Object.entries(schema[key] ?? {})),
    ...inList.flatMap((key) => Object.entries(schema[key] ?? {}).map(([index, child]) => [`${key}.${index}`, child])),
    ...alone.map((key) => [key, schema[key]]),
  ]
  for (const [name, child] of children) {
    const problem = problemIn(child, root, `${path}.${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function isPattern(pattern: unknown): boolean {
  try {
    new RegExp(String(pattern), 'u')
    return typeof pattern === 'string'
  } catch {
    return false
  }
}

function resolves(reference: string, root: JSONSchema): boolean {
  if (reference === '#') return true
  if (!reference.startsWith('#/')) return typeof root.$id === 'string' || reference.startsWith('#')
  let target: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return false
    target = target[key as keyof typeof target]
  }
  return true
}
