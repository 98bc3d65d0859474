import type { ErrorWords } from './wire-spec.ts'

/** A request that the real API rejects, with its message; each wire formats it in its own body. */
export class ApiError extends Error {
  readonly words: ErrorWords

  constructor(status: number, message: string, details: Pick<ErrorWords, 'param' | 'code' | 'type'> = {}) {
    super(message)
    // A rejection has only its own code; the usual ones of a status are for scripts.
    this.words = { status, message, code: null, ...details }
  }
}
