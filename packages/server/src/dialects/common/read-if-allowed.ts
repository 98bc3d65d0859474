import { ProblemError } from '../../answer/problem.ts'

/** The parts that `read` returns, or none if the client has sent parts that a question may not have. */
export function readIfAllowed<Part>(read: () => Part[]): Part[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}
