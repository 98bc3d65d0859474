import { isStandardSchema, type StandardSchema } from '../contracts/standard-schema.ts'
import { invalidArgument } from '../data/errors.ts'
import type { JSONSchema } from '../data/message.ts'
import { shapeProblem } from './check-json-schema.ts'
import { inCurrentDraft } from './current-draft.ts'
import { type SchemaOwner, toJSONSchema, unusableSchema } from './to-json-schema.ts'

/**
 * Any schema as JSON Schema, without its dialect.
 * @throws AgentKitError `invalid-argument` when it has none
 */
export async function describeSchema(schema: JSONSchema | StandardSchema, owner: SchemaOwner): Promise<JSONSchema> {
  const { $schema: _dialect, ...json } = isStandardSchema(schema)
    ? await toJSONSchema(schema, owner)
    : copyOf(schema, owner)
  const problem = shapeProblem(json, owner.option)
  if (problem !== undefined) throw invalidArgument(`${owner.name}: ${problem}`)
  if (!isStandardSchema(schema)) dropUndefined(json)
  return withoutRootReference(inCurrentDraft(json))
}

/** Removes undefined fields, which JSON does not have; the validator would treat them as schemas. */
function dropUndefined(json: object): void {
  for (const [key, child] of Object.entries(json)) {
    if (child === undefined) delete json[key as keyof typeof json]
    else if (typeof child === 'object' && child !== null) dropUndefined(child)
  }
}

/** Copies a schema: the validator writes into it, and the caller's may be frozen or change later. */
function copyOf(schema: JSONSchema, owner: SchemaOwner): JSONSchema {
  try {
    return structuredClone(schema)
  } catch (cause) {
    throw unusableSchema(cause, owner.name)
  }
}

/** Named schemas are described as a reference to their definition; this resolves that of the root. */
function withoutRootReference(json: JSONSchema): JSONSchema {
  const { $ref, ...root } = json
  const [, list, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String($ref)) ?? []
  const named = list === undefined || name === undefined ? undefined : entryOf(entryOf(json, list), name)
  return named ? { ...named, ...root } : json
}

function entryOf(record: JSONSchema | undefined, key: string): JSONSchema | undefined {
  const entry = record && Object.hasOwn(record, key) ? record[key] : undefined
  // The values under `$defs` are objects.
  return typeof entry === 'object' && entry !== null ? (entry as JSONSchema) : undefined
}
