import { check, type GenericSchema, pipe, string, transform } from 'valibot'
import { isId } from './chat-request.ts'

const idForm = 'must have 1 to 128 characters, none of them a control character'

/** The id of a user or a session, in a query or a JSON body. */
export const idField: GenericSchema<string> = pipe(string('must be a string'), check(isId, idForm))

/** A whole number in a query, such as `limit`. */
export function countField(min: number, max: number): GenericSchema<string, number> {
  const form = `must be a whole number from ${min} to ${max}`
  return pipe(
    string(form),
    check((text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max, form),
    transform(Number),
  )
}
