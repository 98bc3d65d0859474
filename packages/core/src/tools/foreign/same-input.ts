import { isStandardSchema, type StandardSchema } from '../../contracts/standard-schema.ts'
import type { JSONSchema } from '../../data/message.ts'
import { standardResult } from '../../schema/standard-result.ts'

/**
 * A schema that validates an input and leaves it as the model wrote it: the tool parses it itself, and a transformation
 * must not be applied twice.
 */
export function sameInput(schema: JSONSchema | StandardSchema): JSONSchema | StandardSchema {
  if (!isStandardSchema(schema)) return schema
  const inner = schema['~standard']
  // A copy with the schema's prototype and fields, so that its library's converter can read them.
  return Object.create(schema, {
    '~standard': {
      value: {
        ...inner,
        async validate(value: unknown) {
          const result = await standardResult(schema, value)
          return result.issues ? result : { value }
        },
      },
    },
    // The schema's own methods transform.
    safeParseAsync: { value: undefined },
  })
}
