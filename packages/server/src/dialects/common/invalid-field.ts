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

/** The parts that `read` returns, or none if the client has sent parts that a question may not have. */
export function readIfAllowed<Part>(read: () => Part[]): Part[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}
