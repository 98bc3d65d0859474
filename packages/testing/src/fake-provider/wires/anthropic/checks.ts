import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'

/** A request that is rejected for the field at `path`, with the API's own validation message. */
export function invalid(path: string, problem: string): ApiError {
  return new ApiError(400, `${path}: ${problem}`)
}

export function fieldsAt(value: unknown, path: string): Fields {
  if (isFields(value)) return value
  throw invalid(path, value === undefined ? 'Field required' : 'Input should be an object')
}

export function listAt(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(path, value === undefined ? 'Field required' : 'Input should be a valid list')
}

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw invalid(path, value === undefined ? 'Field required' : 'Input should be a valid string')
}

export function wholeNumberAt(value: unknown, path: string): number {
  if (Number.isInteger(value)) return Number(value)
  throw invalid(path, value === undefined ? 'Field required' : 'Input should be a valid integer')
}

/** A string that is one of the API's enumerated values. */
export function oneOfAt(value: unknown, words: readonly string[], path: string): string {
  if (typeof value === 'string' && words.includes(value)) return value
  const quoted = words.map((word) => `'${word}'`)
  const last = quoted.pop()
  const list = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last
  throw invalid(path, value === undefined ? 'Field required' : `Input should be ${list}`)
}

export function matchAt(value: unknown, pattern: RegExp, path: string): string {
  const text = textAt(value, path)
  if (pattern.test(text)) return text
  throw invalid(path, `String should match pattern '${pattern.source}'`)
}

/** Rejects unknown fields, which the API allows nowhere. */
export function refuseExtras(fields: Fields, known: readonly string[], path: string): void {
  const extra = Object.keys(fields).find((name) => !known.includes(name))
  if (extra !== undefined) throw invalid(path === '' ? extra : `${path}.${extra}`, 'Extra inputs are not permitted')
}

/** A block or a source whose type the API does not accept there. */
export function unexpectedTag(path: string, type: unknown, expected: readonly string[]): ApiError {
  const tags = expected.map((tag) => `'${tag}'`).join(', ')
  return invalid(
    path,
    type === undefined
      ? "Unable to extract tag using discriminator 'type'"
      : `Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`,
  )
}
