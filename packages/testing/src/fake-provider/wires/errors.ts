import type { ErrorWords } from './wire-spec.ts'

/** The fields of a provider's error; fields that it does not send are absent. */
export type Words = { message: string; type?: string; code?: string | null }

/** The usual fields by status, or by a code that is more specific than its status and that scripts use on each wire. */
export type UsualWords = Readonly<Record<string, Words>>

/** An error with the fields of its script or its check, completed by the provider's usual ones. */
export function wordsOf({ status, message, type, code }: ErrorWords, usual: UsualWords): Words {
  // A code may be a status in quotes, as Azure's are.
  const named = code == null || /^\d+$/.test(code) ? undefined : usual[code]
  const words = named ?? usual[status] ?? { message: 'Failed.' }
  // A code that scripts use for all wires becomes the code of this provider.
  const ownCode = named || code === undefined ? words.code : code
  const ownType = type ?? words.type
  return {
    message: message ?? words.message,
    ...(ownType !== undefined && { type: ownType }),
    ...(ownCode !== undefined && { code: ownCode }),
  }
}

/** A request that the real API rejects, with its message; each wire formats it in its own body. */
export class ApiError extends Error {
  readonly words: ErrorWords

  constructor(status: number, message: string, details: Pick<ErrorWords, 'param' | 'code' | 'type'> = {}) {
    super(message)
    // A rejection has only its own code; the usual ones of a status are for scripts.
    this.words = { status, message, code: null, ...details }
  }
}
