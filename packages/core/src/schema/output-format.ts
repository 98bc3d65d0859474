import { isStandardSchema, type StandardSchema } from '../contracts/standard-schema.ts'
import { AgentKitError, messageOf } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { brokenSchema } from './check-json-schema.ts'
import { type CompiledSchema, describeSchema, schemaValidator, type Validation } from './schema.ts'

/**
 * The form that an answer must have. The root of `json` is always an object, as all providers and tools want it: a
 * schema of another kind stands in its field `value`, and `validate` takes it out again. `validate` gives what the
 * schema makes of the answer, and never throws.
 */
export type OutputFormat = CompiledSchema

const owner = { name: "The agent's `output`", option: 'output' }

/** What a schema whose root is no object is a field of. */
const field = 'value'

/**
 * An agent's `output` as a form for answers.
 * @throws AgentKitError `invalid-argument` when it is no schema, or has no JSON Schema, with the fix
 */
export async function compileOutput(schema: JSONSchema | StandardSchema): Promise<OutputFormat> {
  checkOutput(schema)
  const described = await describeSchema(schema, owner)
  const json = dropsOtherKeys(schema) ? closeObjects(described) : described
  if (described.type === 'object') {
    return { json, validate: neverThrowing(await schemaValidator(schema, described, owner)) }
  }
  const validate = neverThrowing(await schemaValidator(schema, described, owner, [field]))
  return { json: wrapSchema(json), validate: (value) => validateWrapped(validate, value, described) }
}

/**
 * What TypeScript would have said of an agent's `output`.
 * @throws AgentKitError `invalid-argument` when it is no schema, with the fix
 */
export function checkOutput(schema: unknown): void {
  if (!isReference(schema)) {
    throw invalid('give a Standard Schema (zod, valibot, arktype, …) or a JSON Schema, or leave it out.')
  }
  const fields: unknown[] = '~standard' in schema ? [] : Object.values(schema)
  if (fields.some((value) => isReference(value) && '~standard' in value)) {
    throw invalid('it holds schemas of fields. Wrap them: output: z.object({ … }).')
  }
  // What is no Standard Schema is taken for a JSON Schema.
  const problem = '~standard' in schema ? undefined : brokenSchema(schema as JSONSchema, 'output')
  if (problem !== undefined) throw invalid(problem)
}

/** arktype's schemas are functions. */
function isReference(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function invalid(problem: string): AgentKitError {
  return new AgentKitError('invalid-argument', `${owner.name}: ${problem}`)
}

/** The words of a schema that throws are told like any other problem: most often it met a value it did not expect. */
function neverThrowing(validate: CompiledSchema['validate']): (value: unknown) => Promise<Validation> {
  return async (value) => {
    try {
      return await validate(value)
    } catch (error) {
      return { problems: [messageOf(error) || 'The check failed without a message.'] }
    }
  }
}

async function validateWrapped(
  validate: (value: unknown) => Promise<Validation>,
  answer: unknown,
  { type }: JSONSchema,
): Promise<Validation> {
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  const inner = isObject && field in answer ? await validate(answer[field]) : undefined
  if (inner && !inner.problems) return inner
  // Models that are not held to the schema tend to leave the object out. Where the schema has no objects, one is never
  // the value itself, though `z.coerce.boolean()` would take any.
  const mayBeBare = !isObject || type === undefined || [type].flat().includes('object')
  const bare = mayBeBare ? await validate(answer) : undefined
  if (bare && !bare.problems) return bare
  return inner ?? { problems: [`${field}: it is missing. Answer with an object that has this key.`] }
}

/** zod's objects drop the keys that they do not name, and say so where they do not. */
function dropsOtherKeys(schema: JSONSchema | StandardSchema): boolean {
  return isStandardSchema(schema) && schema['~standard'].vendor === 'zod'
}

/** Objects that say nothing of other keys have none: providers that hold a model to a schema ask for that. */
function closeObjects(json: JSONSchema): JSONSchema {
  let isIntersection = false
  const closed = mapSchema(json, (schema) => {
    isIntersection ||= 'allOf' in schema
    return 'properties' in schema && !('additionalProperties' in schema)
      ? { ...schema, additionalProperties: false }
      : schema
  })
  // The parts of an intersection must leave room for each other.
  return isIntersection ? json : closed
}

/** An object around a schema. What the schema refers to stays in reach, at the places that providers know. */
function wrapSchema(json: JSONSchema): JSONSchema {
  // With an id of its own a schema finds its references wherever it stands.
  if ('$id' in json) return objectWith(json)
  const name = freeName(field, Object.keys(json.$defs ?? {}))
  const place = `#/$defs/${name}`
  let refersToRoot = false
  const moved = mapSchema(json, (schema) => {
    if (typeof schema.$ref !== 'string' || !rootReference.test(schema.$ref)) return schema
    refersToRoot = true
    return { ...schema, $ref: place + schema.$ref.slice(1) }
  })
  // Under `$defs` stands an object of schemas.
  const { $defs, definitions, ...root } = moved as JSONSchema & { $defs?: JSONSchema }
  const shared = { ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) }
  if (!refersToRoot) return { ...objectWith(root), ...shared }
  return { ...objectWith({ $ref: place }), ...shared, $defs: { ...$defs, [name]: root } }
}

/** `#` and `#/items`, but not `#/$defs/…`, `#/definitions/…`, which move along, nor an anchor. */
const rootReference = /^#(?:$|\/(?!(?:\$defs|definitions)\/))/

function objectWith(schema: JSONSchema): JSONSchema {
  return { type: 'object', properties: { [field]: schema }, required: [field], additionalProperties: false }
}

/** The name, or the name with the first number that makes it a new one. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  let number = 2
  while (taken.includes(`${name}_${number}`)) number++
  return `${name}_${number}`
}

/** Keywords that hold schemas by name, and those that hold plain values. All else that is an object is a schema. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

const plain = new Set(['const', 'enum', 'default', 'examples'])

/** A copy in which `change` has been at each schema, inside out; not at those that have an id of their own. */
export function mapSchema(schema: JSONSchema, change: (schema: JSONSchema) => JSONSchema): JSONSchema {
  const mapChild = (child: unknown): unknown => {
    if (Array.isArray(child)) return child.map(mapChild)
    return isRecord(child) && !('$id' in child) ? mapSchema(child, change) : child
  }
  return change(
    mapEntries(schema, (key, child) => {
      if (plain.has(key)) return child
      return byName.has(key) && isRecord(child) ? mapEntries(child, (_name, named) => mapChild(named)) : mapChild(child)
    }),
  )
}

function mapEntries(record: JSONSchema, change: (key: string, value: unknown) => unknown): JSONSchema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))
}

function isRecord(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null
}
