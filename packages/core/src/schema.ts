import { AgentKitError, isAgentKitError, messageOf } from './errors.ts'
import type { JSONSchema } from './message.ts'

/**
 * The part of the Standard Schema interface that agentkit uses: zod 3.25 and 4, valibot and arktype have it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Standard JSON Schema: the schema describes itself. */
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

type StandardIssue = {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a schema's validation gives. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

export function isStandardSchema(value: JSONSchema | StandardSchema): value is StandardSchema {
  return '~standard' in value
}

/** A tool's or an answer's schema, ready for use: described to the model, and checking what comes back. */
export type CompiledSchema = {
  json: JSONSchema
  validate(value: unknown): Validation | Promise<Validation>
}
export type Validation = { value: unknown; problems?: undefined } | { problems: string[] }

/** Who a schema belongs to, for error messages: `Tool "echo"`, which takes it as `input`. */
export type SchemaOwner = { name: string; option: string }

/**
 * A tool's schema.
 * @param owner who it belongs to, for error messages: `Tool "echo"`
 * @throws AgentKitError `invalid-argument` when the schema has no JSON Schema, or its root is not an object
 */
export async function compileSchema(schema: JSONSchema | StandardSchema, owner: string): Promise<CompiledSchema> {
  const named = { name: owner, option: 'input' }
  const json = await describeSchema(schema, named)
  if (json.type !== 'object') {
    throw new AgentKitError(
      'invalid-argument',
      `${owner}: the schema's root must be an object (type: "object"). Put the value into a field of one.`,
    )
  }
  return { json, validate: await schemaValidator(schema, json, named) }
}

/**
 * A schema of any root as JSON Schema, without its dialect.
 * @throws AgentKitError `invalid-argument` when it has none
 */
export async function describeSchema(schema: JSONSchema | StandardSchema, owner: SchemaOwner): Promise<JSONSchema> {
  const { $schema: _dialect, ...json } = isStandardSchema(schema) ? await toJSONSchema(schema, owner) : schema
  return withoutRootReference(json)
}

/**
 * The check that belongs to a schema: its own, or that of its JSON Schema.
 * @param json what {@link describeSchema} made of it
 * @param place where the value stands in what the model writes, for the problems' paths
 */
export async function schemaValidator(
  schema: JSONSchema | StandardSchema,
  json: JSONSchema,
  owner: SchemaOwner,
  place: readonly string[] = [],
): Promise<CompiledSchema['validate']> {
  if (isStandardSchema(schema)) return (value) => validateStandard(schema, value, place)
  const validate = await jsonSchemaValidator(json, owner.name, place)
  return (value) => validate(value)
}

/**
 * The check of a JSON Schema, whatever its root is. What it says of a value is for a model to read.
 *
 * @param name whose schema it is, for the error: `Tool "echo"`
 * @param place where the value stands in what the model writes, for the problems' paths
 * @returns checks a value by the schema, or by `part`: an object that stands somewhere in it
 * @throws AgentKitError `invalid-argument` when the schema cannot be used
 * @example
 * const validate = await jsonSchemaValidator({ type: 'array', items: { type: 'string' } }, 'The list of cities')
 * validate(['Oslo', 7]).problems // ['#/1: Instance type "number" is invalid. Expected "string".']
 */
export async function jsonSchemaValidator(
  schema: JSONSchema,
  name: string,
  place: readonly string[] = [],
): Promise<(value: unknown, part?: JSONSchema) => Validation> {
  // Loaded here because most tools bring their own validator.
  const { dereference, validate } = await import('@cfworker/json-schema')
  const root = ['#', ...place].join('/')
  let references: ReturnType<typeof dereference>
  try {
    references = dereference(schema)
  } catch (cause) {
    throw unusable(cause, name)
  }
  return (value, part = schema) => {
    try {
      const { valid, errors } = validate(value, part, '2020-12', references, false)
      return valid ? { value } : { problems: innermostProblems(errors, root) }
    } catch (error) {
      // A value that JSON does not have, or one that is nested too deep.
      return { problems: [`${root}: ${messageOf(error)}`] }
    }
  }
}

type Located = { instanceLocation: string; keywordLocation: string; error: string }

/** The validator tells of each enclosing schema too; the innermost problems say what to change. */
function innermostProblems(errors: readonly Located[], root: string): string[] {
  const some = errors.slice(0, 50)
  const innermost = some.filter((error) => !some.some((other) => isInside(other, error)))
  return toldProblems(innermost.map((error) => `${root}${error.instanceLocation.slice(1)}: ${error.error}`))
}

function isInside(inner: Located, outer: Located): boolean {
  return inner !== outer && inner.keywordLocation.startsWith(`${outer.keywordLocation}/`)
}

async function validateStandard(schema: StandardSchema, value: unknown, place: readonly string[]): Promise<Validation> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return { value: result.value }
  return { problems: toldProblems(result.issues.map((issue) => `${issuePath(issue, place)}: ${issue.message}`)) }
}

/** As many as help. */
function toldProblems(problems: string[]): string[] {
  return problems.length <= 10 ? problems : [...problems.slice(0, 10), `and ${problems.length - 10} more`]
}

function issuePath(issue: StandardIssue, place: readonly string[]): string {
  const keys = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step))
  return [...place, ...keys].join('.') || 'input'
}

/** Schemas with a name are described as a reference to it. A root says itself what it is. */
function withoutRootReference(json: JSONSchema): JSONSchema {
  const { $ref, ...root } = json
  const [, list, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String($ref)) ?? []
  const named = list === undefined || name === undefined ? undefined : entryOf(entryOf(json, list), name)
  return named ? { ...named, ...root } : json
}

function entryOf(record: JSONSchema | undefined, key: string): JSONSchema | undefined {
  const entry = record && Object.hasOwn(record, key) ? record[key] : undefined
  // What stands under `$defs` is an object of schemas, and each of them an object.
  return typeof entry === 'object' && entry !== null ? (entry as JSONSchema) : undefined
}

async function toJSONSchema(schema: StandardSchema, owner: SchemaOwner): Promise<JSONSchema> {
  const { vendor, jsonSchema } = schema['~standard']
  const convert = Object.hasOwn(converters, vendor) ? converters[vendor] : undefined
  try {
    if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' })
    if (convert) return await convert(schema, owner)
  } catch (cause) {
    const fix = ` Use what JSON has, such as a text for a date, or give \`${owner.option}\` as a JSON Schema.`
    throw unusable(cause, owner.name, fix)
  }
  throw new AgentKitError(
    'invalid-argument',
    `${owner.name}: a schema of "${vendor}" cannot be turned into JSON Schema. Give \`${owner.option}\` as a JSON Schema instead.`,
  )
}

type Zod3Schema = Parameters<typeof import('zod-to-json-schema').zodToJsonSchema>[0]
type ZodSchema = Parameters<typeof import('zod/v4').toJSONSchema>[0]

/** By `vendor`, for versions that do not describe themselves. */
const converters: Record<string, (schema: StandardSchema, owner: SchemaOwner) => Promise<JSONSchema>> = {
  async zod(schema, owner) {
    if ('_zod' in schema) {
      // `_zod` is what makes a zod 4 schema.
      const { toJSONSchema } = await importZod(owner)
      return toJSONSchema(schema as unknown as ZodSchema, { io: 'input' }) as JSONSchema
    }
    const zodToJsonSchema = await importZod3Converter(owner)
    // The converter reads the schema's `_def`, which every zod 3 schema has.
    return zodToJsonSchema(schema as unknown as Zod3Schema, { pipeStrategy: 'input' }) as JSONSchema
  },
  async valibot(schema, owner) {
    const { toJsonSchema } = await importValibotConverter(owner)
    return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], { typeMode: 'input' }) as JSONSchema
  },
  async arktype(schema) {
    return (schema as StandardSchema & { toJsonSchema(): JSONSchema }).toJsonSchema()
  },
}

function unusable(cause: unknown, name: string, fix = ''): AgentKitError {
  if (isAgentKitError(cause)) return cause
  const message = `${name}: its schema cannot be used as JSON Schema (${messageOf(cause)}).${fix}`
  return new AgentKitError('invalid-argument', message, { cause })
}

// Bundlers let a package be absent only where its `import()` stands in a `try`.

async function importZod(owner: SchemaOwner): Promise<typeof import('zod/v4')> {
  try {
    return await import('zod/v4')
  } catch (cause) {
    throw missing('zod', owner, cause)
  }
}

async function importZod3Converter(owner: SchemaOwner): Promise<typeof import('zod-to-json-schema').zodToJsonSchema> {
  try {
    return (await import('zod-to-json-schema')).zodToJsonSchema
  } catch (cause) {
    throw missing('zod-to-json-schema', owner, cause)
  }
}

async function importValibotConverter(owner: SchemaOwner): Promise<typeof import('@valibot/to-json-schema')> {
  try {
    return await import('@valibot/to-json-schema')
  } catch (cause) {
    throw missing('@valibot/to-json-schema', owner, cause)
  }
}

function missing(name: string, owner: SchemaOwner, cause: unknown): AgentKitError {
  return new AgentKitError('missing-package', `${owner.name}: its schema needs ${name}. Run: npm i ${name}`, { cause })
}
