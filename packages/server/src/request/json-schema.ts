import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

/** The JSON Schema of an object, as far as the description of a route reads it. */
export type ObjectJSONSchema = { properties?: Record<string, object>; required?: string[] }

/** The JSON Schema of what a client sends, before `transform` converts it. */
export function schemaOf(schema: GenericSchema): ObjectJSONSchema {
  const { $schema: _, ...own } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore', overrideAction })
  return own as ObjectJSONSchema // `toJsonSchema` of an object
}

/** A check says in its metadata which JSON Schema it is; others are in the descriptions. */
const overrideAction: NonNullable<ConversionConfig['overrideAction']> = ({ valibotAction, jsonSchema }) => {
  const { metadata } = valibotAction as { metadata?: { jsonSchema?: object } }
  if (!metadata?.jsonSchema) return undefined
  // The library has copied the metadata.
  const { jsonSchema: _, ...converted } = jsonSchema as { jsonSchema?: object }
  return { ...converted, ...metadata.jsonSchema }
}
