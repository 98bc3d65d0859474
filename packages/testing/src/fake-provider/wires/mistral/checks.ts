import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'

/** A field that the request parser rejects; `path` is `messages.0.user.name`. */
export function invalidField(type: string, path: string, message: string): ApiError {
  return new ApiError(422, message, { type, param: path })
}

export function refuseExtra(fields: Fields, known: readonly string[], path: string): void {
  const extra = Object.keys(fields).find((key) => !known.includes(key))
  if (extra !== undefined) throw invalidField('extra_forbidden', join(path, extra), 'Extra inputs are not permitted')
}

export function requireField(fields: Fields, name: string, path: string): unknown {
  if (fields[name] === undefined) throw invalidField('missing', join(path, name), 'Field required')
  return fields[name]
}

export function requireText(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw invalidField('string_type', path, 'Input should be a valid string')
}

export function requireList(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value
  throw invalidField('list_type', path, 'Input should be a valid list')
}

export function requireFields(value: unknown, path: string): Fields {
  if (isFields(value)) return value
  throw invalidField(
    'model_attributes_type',
    path,
    'Input should be a valid dictionary or object to extract fields from',
  )
}

export function requireLiteral(value: unknown, known: readonly string[], path: string): void {
  if (typeof value === 'string' && known.includes(value)) return
  throw invalidField('literal_error', path, `Input should be ${oneOf(known)}`)
}

/** Rejects an object whose `tag` is not a known type. */
export function requireTag(fields: Fields, tag: string, known: readonly string[], path: string): string {
  const value = requireField(fields, tag, path)
  if (typeof value === 'string' && known.includes(value)) return value
  const list = known.map((item) => `'${item}'`).join(', ')
  throw invalidField(
    'union_tag_invalid',
    path,
    `Input tag '${String(value)}' found using '${tag}' does not match any of the expected tags: ${list}`,
  )
}

function oneOf(known: readonly string[]): string {
  const list = known.map((item) => `'${item}'`)
  return list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} or ${list.at(-1)}`
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
