import type { StandardSchema } from '../contracts/standard-schema.ts'
import { AgentKitError, invalidArgument, isAgentKitError, messageOf } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { redactSecrets } from '../util/text/redact.ts'

/**
 * A Standard Schema as JSON Schema: its own description, or that of its library's converter.
 * @throws AgentKitError `invalid-argument` when it has none, `missing-package` when a converter is not installed
 */
export async function toJSONSchema(schema: StandardSchema, owner: SchemaOwner): Promise<JSONSchema> {
  const { vendor, jsonSchema } = schema['~standard']
  const convert = Object.hasOwn(converters, vendor) ? converters[vendor] : undefined
  try {
    if (jsonSchema) return await jsonSchema.input({ target: 'draft-2020-12' })
    if (convert) return await convert(schema, owner)
  } catch (cause) {
    const fix = ` Use what JSON has, such as a text for a date, or give \`${owner.option}\` as a JSON Schema.`
    throw unusableSchema(cause, owner.name, fix)
  }
  throw invalidArgument(
    `${owner.name}: a schema of "${vendor}" cannot be turned into JSON Schema. Give \`${owner.option}\` as a JSON Schema instead.`,
  )
}

type Zod3Schema = Parameters<typeof import('zod-to-json-schema').zodToJsonSchema>[0]
type ZodSchema = Parameters<typeof import('zod/v4').toJSONSchema>[0]

/** By `vendor`, for versions without an own description. */
const converters: Record<string, (schema: StandardSchema, owner: SchemaOwner) => Promise<JSONSchema>> = {
  async zod(schema, owner) {
    if ('_zod' in schema) {
      // Only zod 4 schemas have `_zod`.
      const { toJSONSchema } = await importZod(owner)
      return toJSONSchema(schema as unknown as ZodSchema, { io: 'input' }) as JSONSchema
    }
    const converter = await importZod3Converter(owner)
    const refuseDate = dateRefusal()
    // The converter reads the schema's `_def`, which every zod 3 schema has: the cast, as our type shows only the standard part.
    return converter.zodToJsonSchema(schema as unknown as Zod3Schema, {
      pipeStrategy: 'input',
      override: (definition, { currentPath }) => {
        refuseDate(definition, currentPath)
        return converter.ignoreOverride
      },
    }) as JSONSchema
  },
  async valibot(schema, owner) {
    const { toJsonSchema } = await importValibotConverter(owner)
    // Its vendor is valibot.
    return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
      typeMode: 'input',
      // What JSON Schema cannot say, such as `v.check()`, is left to the validation, as the refinements of zod are.
      overrideAction: ({ errors, jsonSchema }) => (errors ? jsonSchema : undefined),
    }) as JSONSchema
  },
  async arktype(schema) {
    // Each schema of arktype has it.
    return (schema as StandardSchema & { toJsonSchema(): JSONSchema }).toJsonSchema()
  },
}

type Zod3Converter = Pick<typeof import('zod-to-json-schema'), 'zodToJsonSchema' | 'ignoreOverride'>
type Zod3Definition = { typeName?: string; coerce?: boolean; effect?: { type: string } }

/**
 * Called with each part of a schema of zod 3, outer ones first: refuses a date that no JSON can be, which the converter
 * describes as a text. One of several choices, one that may be absent, and one behind a `preprocess` are not needed.
 */
function dateRefusal(): (definition: object, path: readonly string[]) => void {
  const optional = new Set<string>()
  let isPreprocessed = false
  return (definition, path) => {
    const { typeName, coerce, effect }: Zod3Definition = definition
    const place = path.slice(1).join('.')
    if (typeName === 'ZodOptional' || typeName === 'ZodDefault') optional.add(place)
    if (effect?.type === 'preprocess') isPreprocessed = true
    if (typeName !== 'ZodDate' || coerce || isPreprocessed || optional.has(place) || path.includes('anyOf')) return
    const name =
      path
        .slice(1)
        .filter((part) => part !== 'properties')
        .join('.') || 'the schema'
    throw new Error(`${name} is a Date, which JSON does not have: z.coerce.date() takes a text`)
  }
}

/** The error for a schema that a library cannot process. */
export function unusableSchema(cause: unknown, name: string, fix = ''): AgentKitError {
  if (isAgentKitError(cause)) return cause
  const why = redactSecrets(messageOf(cause)) || 'it threw'
  const message = `${name}: its schema cannot be used as JSON Schema (${why}).${fix}`
  return invalidArgument(message, { cause })
}

// Bundlers allow a package to be absent only if its `import()` is in a `try`.

async function importZod(owner: SchemaOwner): Promise<typeof import('zod/v4')> {
  try {
    return await import('zod/v4')
  } catch (cause) {
    throw missing('zod', owner, cause)
  }
}

async function importZod3Converter(owner: SchemaOwner): Promise<Zod3Converter> {
  try {
    return await import('zod-to-json-schema')
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

/** The owner of a schema, for error messages: `Tool "echo"`, and the option that takes the schema: `input`. */
export type SchemaOwner = { name: string; option: string }
