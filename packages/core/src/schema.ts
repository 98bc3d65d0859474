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

/**
 * @param owner who the schema belongs to, for error messages: `Tool "echo"`
 * @throws AgentKitError `invalid-argument` when the schema has no JSON Schema, or its root is not an object
 */
export async function compileSchema(schema: JSONSchema | StandardSchema, owner: string): Promise<CompiledSchema> {
  if (isStandardSchema(schema)) {
    const json = objectSchema(await toJSONSchema(schema, owner), owner)
    return { json, validate: (value) => validateStandard(schema, value) }
  }
  const json = objectSchema(schema, owner)
  // Loaded here because most tools bring their own validator.
  const { Validator } = await import('@cfworker/json-schema')
  const validator = usable(() => new Validator(json, '2020-12', false), owner)
  return {
    json,
    validate(value) {
      const { valid, errors } = validator.validate(value)
      if (valid) return { value }
      // The validator tells of each enclosing schema too; the innermost problems say what to change.
      const some = errors.slice(0, 50)
      const innermost = some.filter((error) => !some.some((other) => isInside(other, error)))
      return { problems: toldProblems(innermost.map((error) => `${error.instanceLocation}: ${error.error}`)) }
    },
  }
}

type Located = { instanceLocation: string; keywordLocation: string }
function isInside(inner: Located, outer: Located): boolean {
  return inner !== outer && inner.keywordLocation.startsWith(`${outer.keywordLocation}/`)
}

async function validateStandard(schema: StandardSchema, value: unknown): Promise<Validation> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return { value: result.value }
  return { problems: toldProblems(result.issues.map((issue) => `${issuePath(issue)}: ${issue.message}`)) }
}

/** As many as help. */
function toldProblems(problems: string[]): string[] {
  return problems.length <= 10 ? problems : [...problems.slice(0, 10), `and ${problems.length - 10} more`]
}

function issuePath(issue: StandardIssue): string {
  const keys = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step))
  return keys.join('.') || 'input'
}

function objectSchema(json: JSONSchema, owner: string): JSONSchema {
  const { $schema: _dialect, ...schema } = json
  if (schema.type !== 'object') {
    throw new AgentKitError(
      'invalid-argument',
      `${owner}: the schema's root must be an object (type: "object"). Put the value into a field of one.`,
    )
  }
  return schema
}

async function toJSONSchema(schema: StandardSchema, owner: string): Promise<JSONSchema> {
  const { vendor, jsonSchema } = schema['~standard']
  const convert = Object.hasOwn(converters, vendor) ? converters[vendor] : undefined
  try {
    if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' })
    if (convert) return await convert(schema, owner)
  } catch (cause) {
    throw unusable(cause, owner)
  }
  throw new AgentKitError(
    'invalid-argument',
    `${owner}: a schema of "${vendor}" cannot be turned into JSON Schema. Give \`input\` as a JSON Schema instead.`,
  )
}

type Zod3Schema = Parameters<typeof import('zod-to-json-schema').zodToJsonSchema>[0]
type ZodSchema = Parameters<typeof import('zod/v4').toJSONSchema>[0]

/** By `vendor`, for versions that do not describe themselves. */
const converters: Record<string, (schema: StandardSchema, owner: string) => Promise<JSONSchema>> = {
  async zod(schema, owner) {
    if ('_zod' in schema) {
      // `_zod` is what makes a zod 4 schema.
      const { toJSONSchema } = await optional(import('zod/v4'), 'zod', owner)
      return toJSONSchema(schema as unknown as ZodSchema, { io: 'input' }) as JSONSchema
    }
    const { zodToJsonSchema } = await optional(import('zod-to-json-schema'), 'zod-to-json-schema', owner)
    // The converter reads the schema's `_def`, which every zod 3 schema has.
    return zodToJsonSchema(schema as unknown as Zod3Schema, { pipeStrategy: 'input' }) as JSONSchema
  },
  async valibot(schema, owner) {
    const { toJsonSchema } = await optional(import('@valibot/to-json-schema'), '@valibot/to-json-schema', owner)
    return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], { typeMode: 'input' }) as JSONSchema
  },
  async arktype(schema) {
    return (schema as StandardSchema & { toJsonSchema(): JSONSchema }).toJsonSchema()
  },
}

function usable<Value>(make: () => Value, owner: string): Value {
  try {
    return make()
  } catch (cause) {
    throw unusable(cause, owner)
  }
}

function unusable(cause: unknown, owner: string): AgentKitError {
  if (isAgentKitError(cause)) return cause
  const message = `${owner}: its schema cannot be used as JSON Schema (${messageOf(cause)}). Use what JSON has, such as a text for a date, or give \`input\` as a JSON Schema.`
  return new AgentKitError('invalid-argument', message, { cause })
}

async function optional<Module>(loading: Promise<Module>, name: string, owner: string): Promise<Module> {
  try {
    return await loading
  } catch (cause) {
    throw new AgentKitError('missing-package', `${owner}: its schema needs ${name}. Run: npm i ${name}`, { cause })
  }
}
