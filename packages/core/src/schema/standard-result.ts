import type { StandardResult, StandardSchema } from '../contracts/standard-schema.ts'

/**
 * Validates a value by a Standard Schema.
 *
 * That of zod first tries without promises, and leaves what asynchronous checks have begun by then: they would run twice,
 * and a rejection of the first would end the process.
 */
export async function standardResult(schema: StandardSchema, value: unknown): Promise<StandardResult<unknown>> {
  if (!isZod(schema)) return schema['~standard'].validate(value)
  const result = await schema.safeParseAsync(value)
  return result.success ? { value: result.data } : { issues: result.error.issues }
}

type ZodSchema = StandardSchema & {
  safeParseAsync(value: unknown): Promise<
    | { success: true; data: unknown }
    // Paths and messages are those of Standard Schema.
    | { success: false; error: Extract<StandardResult<unknown>, { issues: readonly unknown[] }> }
  >
}

function isZod(schema: StandardSchema): schema is ZodSchema {
  const { vendor } = schema['~standard']
  return vendor === 'zod' && 'safeParseAsync' in schema && typeof schema.safeParseAsync === 'function'
}
