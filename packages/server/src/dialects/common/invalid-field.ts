import { ProblemError } from '../../answer/problem.ts'

/** The keys and indexes that lead to a field of a request. */
export type Path = readonly (string | number)[]

/** The problem `invalid-field` of one field, for the checks that depend on other fields. */
export function invalid(path: Path, message: string): ProblemError {
  return new ProblemError('invalid-field', {
    detail: `The field ${path.join('.')} ${message}.`,
    errors: [{ path: [...path], message }],
  })
}
