import type { ErrorWords } from './wire-spec.ts'

/** A request that the real API refuses, and what it says of it; each wire has its own body for that. */
export class ApiError extends Error {
  readonly words: ErrorWords

  constructor(status: number, message: string, details: Pick<ErrorWords, 'param' | 'code' | 'type'> = {}) {
    super(message)
    // A refusal has no code but its own; the usual ones of a status are for scripts.
    this.words = { status, message, code: null, ...details }
  }
}
