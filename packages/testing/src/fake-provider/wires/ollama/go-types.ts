import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'

/**
 * Rejects a value of the wrong type with the message of Go's decoder. Type names of lists start with `[]`; others are
 * objects or text. A field that is absent or null keeps its zero value.
 */
export function requireType(value: unknown, type: 'string', path: string): string | undefined
export function requireType(value: unknown, type: `[]${string}`, path: string): unknown[] | undefined
export function requireType(value: unknown, type: string, path: string): Fields | undefined
export function requireType(value: unknown, type: string, path: string): unknown {
  if (value === undefined || value === null) return undefined
  const fits =
    type === 'string' ? typeof value === 'string' : type.startsWith('[]') ? Array.isArray(value) : isFields(value)
  if (fits) return value
  throw mismatch(value, type, path)
}

/** The message of Go's JSON decoder for a value of the wrong type. */
export function mismatch(value: unknown, type: string, path: string): ApiError {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return new ApiError(400, `json: cannot unmarshal ${kind} into Go struct field ${path} of type ${type}`)
}
