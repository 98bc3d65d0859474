import { isStandardSchema, type StandardSchema } from '../contracts/standard-schema.ts'
import { type AgentKitError, invalidArgument, messageOf } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { wellFormedJSON } from '../util/json/well-formed-json.ts'
import { brokenSchema } from './check-json-schema.ts'
import { describeSchema } from './describe-schema.ts'
import { acceptingNulls, type CompiledSchema, schemaValidator } from './schema.ts'
import type { Validation } from './validation.ts'

/**
 * The compiled schema of an answer. The root of `json` is always an object, as all providers and tools require: a schema
 * of another type is its field `value`, which `validate` unwraps. `validate` returns the schema's output, and never
 * throws.
 */
export type OutputFormat = CompiledSchema & {
  /** The field that has the value. */
  field?: string
}

const owner = { name: "The agent's `output`", option: 'output' }

/** The field for a schema whose root is not an object. */
const field = 'value'

/**
 * Compiles an agent's `output`.
 * @throws AgentKitError `invalid-argument` when it is not a schema, or has no JSON Schema, with the fix
 */
export async function compileOutput(schema: JSONSchema | StandardSchema): Promise<OutputFormat> {
  checkOutput(schema)
  const described = await describeSchema(schema, owner)
  const json = wellFormedJSON(dropsOtherKeys(schema) ? closeObjects(described) : described)
  const place = described.type === 'object' ? [] : [field]
  const validator = await schemaValidator(schema, described, owner, place)
  const validate = neverThrowing(acceptingNulls(validator, described))
  if (described.type === 'object') return { json, validate }
  return { field, json: wrapSchema(json), validate: (value) => validateWrapped(validate, value, described) }
}

/**
 * Checks an agent's `output` at run time.
 * @throws AgentKitError `invalid-argument` when it is not a schema, with the fix
 */
export function checkOutput(schema: unknown): void {
  if (!isReference(schema)) {
    throw invalid('give a Standard Schema (zod, valibot, arktype, …) or a JSON Schema, or leave it out.')
  }
  const fields: unknown[] = '~standard' in schema ? [] : Object.values(schema)
  if (fields.some((value) => isReference(value) && '~standard' in value)) {
    throw invalid('it holds schemas of fields. Wrap them: output: z.object({ … }).')
  }
  // Any other object is treated as a JSON Schema.
  const problem = '~standard' in schema ? undefined : brokenSchema(schema as JSONSchema, 'output')
  if (problem !== undefined) throw invalid(problem)
}

/** arktype's schemas are functions. */
function isReference(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function invalid(problem: string): AgentKitError {
  return invalidArgument(`${owner.name}: ${problem}`)
}

/** Reports an error that a schema throws as a problem: usually it received an unexpected value. */
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
  const isObject = isRecord(answer)
  const inner = isObject && field in answer ? await validate(answer[field]) : undefined
  if (inner && !inner.problems) return inner
  // Without an enforced schema, models tend to omit the object. If the schema allows no objects, an object is never the
  // value itself, even though `z.coerce.boolean()` would accept any.
  const mayBeBare = !isObject || type === undefined || [type].flat().includes('object')
  const bare = mayBeBare ? await validate(answer) : undefined
  if (bare && !bare.problems) return bare
  return inner ?? { problems: [`${field}: it is missing. Answer with an object that has this key.`] }
}

/** zod's objects drop unknown keys, unless their JSON Schema says otherwise. */
function dropsOtherKeys(schema: JSONSchema | StandardSchema): boolean {
  return isStandardSchema(schema) && schema['~standard'].vendor === 'zod'
}

/** Forbids other keys where a schema does not mention them: providers that enforce a schema require that. */
function closeObjects(json: JSONSchema): JSONSchema {
  let isIntersection = false
  const closed = mapSchema(json, (schema) => {
    isIntersection ||= 'allOf' in schema
    return 'properties' in schema && !('additionalProperties' in schema)
      ? { ...schema, additionalProperties: false }
      : schema
  })
  // The parts of an intersection must allow each other's keys.
  return isIntersection ? json : closed
}

/** Wraps a schema in an object. Its references stay valid, with definitions where providers look for them. */
function wrapSchema(json: JSONSchema): JSONSchema {
  // The references of a schema with an id are relative to the schema.
  if ('$id' in json) return objectWith(json)
  const name = freeName(field, Object.keys(json.$defs ?? {}))
  const place = `#/$defs/${name}`
  let refersToRoot = false
  const moved = mapSchema(json, (schema) => {
    if (typeof schema.$ref !== 'string' || !rootReference.test(schema.$ref)) return schema
    refersToRoot = true
    return { ...schema, $ref: place + schema.$ref.slice(1) }
  })
  // `$defs` is an object of schemas.
  const { $defs, definitions, ...root } = moved as JSONSchema & { $defs?: JSONSchema }
  const shared = { ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) }
  if (!refersToRoot) return { ...objectWith(root), ...shared }
  return { ...objectWith({ $ref: place }), ...shared, $defs: { ...$defs, [name]: root } }
}

/** `#` and `#/items`, but not `#/$defs/…`, `#/definitions/…`, which are moved too, nor an anchor. */
const rootReference = /^#(?:$|\/(?!(?:\$defs|definitions)\/))/

function objectWith(schema: JSONSchema): JSONSchema {
  return { type: 'object', properties: { [field]: schema }, required: [field], additionalProperties: false }
}

/** The name, or the name with the first number that makes it unique. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  let number = 2
  while (taken.includes(`${name}_${number}`)) number++
  return `${name}_${number}`
}

/** Keywords whose value is schemas by name, and those whose value is plain data. Any other object is a schema. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

const plain = new Set(['const', 'enum', 'default', 'examples'])

/** A copy in which `change` was applied to each schema, innermost first, except to those with an id. */
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
