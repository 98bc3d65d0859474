import { ProblemError } from './problem.ts'

/** The keys and indexes that lead to a field of a request. */
export type Path = readonly (string | number)[]

/** The problem `invalid-field` of one field, parameter or header, for the checks that depend on other fields. */
export function invalid(path: Path, message: string, part: 'field' | 'parameter' | 'header' = 'field'): ProblemError {
  return new ProblemError('invalid-field', {
    detail: `The ${part} ${path.join('.')} ${message}.`,
    errors: [{ path: [...path], message }],
  })
}

/** The problem `missing-field` of these fields. */
export function missing(...names: string[]): ProblemError {
  const errors = names.map((name) => ({ path: [name], message: 'is required' }))
  return new ProblemError('missing-field', { detail: `Required: ${names.join(', ')}.`, errors })
}
