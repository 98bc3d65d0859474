import { check, type GenericSchema, metadata, pipe, string, transform } from 'valibot'

const maxIdLength = 128
const controlCharacter = /\p{Cc}/u

/** Whether a text may be the id of a user, a session or a run. */
export function isId(text: string): boolean {
  // Characters, not UTF-16 units; none has more than two.
  const short = text !== '' && text.length <= maxIdLength * 2 && [...text].length <= maxIdLength
  return short && text.isWellFormed() && !controlCharacter.test(text)
}

/** Whether a text may be the id of a new session. Clients remove `.` and `..` from a path, also where they are encoded. */
export function isSessionId(text: string): boolean {
  return isId(text) && text !== '.' && text !== '..'
}

/** The JSON Schema of an id. */
export const idSchema: IdSchema = idSchemaOf('')

/** The JSON Schema of the id of a new session. */
export const sessionIdSchema: IdSchema = idSchemaOf('(?!\\.\\.?$)')

export type IdSchema = { type: 'string'; minLength: number; maxLength: number; pattern: string }

/** Its pattern is one for validators of every language: not all know classes such as `\p{Cc}`. */
function idSchemaOf(start: string): IdSchema {
  const pattern = `^${start}[^\\u0000-\\u001f\\u007f-\\u009f]+$`
  return { type: 'string', minLength: 1, maxLength: maxIdLength, pattern }
}

const idForm = 'must have 1 to 128 characters, none of them a control character'
export const sessionIdForm: string = `${idForm}, and must not be "." or ".."`

/** The id of a user, a session or a run, in a query or a body. */
export const idField: GenericSchema<string> = pipe(
  string('must be a string'),
  check(isId, idForm),
  metadata({ jsonSchema: idSchema }),
)

/** The id of a session that a request may begin, in a body. */
export const sessionIdField: GenericSchema<string> = pipe(
  string('must be a string'),
  check(isSessionId, sessionIdForm),
  metadata({ jsonSchema: sessionIdSchema }),
)

/** A whole number in a query, such as `limit`. */
export function countField(min: number, max: number): GenericSchema<string, number> {
  const form = `must be a whole number from ${min} to ${max}`
  return pipe(
    string(form),
    check((text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max, form),
    metadata({ jsonSchema: { type: 'integer', minimum: min, maximum: max } }),
    transform(Number),
  )
}
