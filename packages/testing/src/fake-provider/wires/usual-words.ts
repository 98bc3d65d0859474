import type { ErrorWords } from './wire-spec.ts'

/** What a provider says of an error; what it does not say is absent. */
export type Words = { message: string; type?: string; code?: string | null }

/** The usual words of a status, or of a code that is more telling than its status and that scripts use on each wire. */
export type UsualWords = Readonly<Record<string, Words>>

/** An error in the words of its script or its check, and where those say nothing in the provider's usual ones. */
export function wordsOf({ status, message, type, code }: ErrorWords, usual: UsualWords): Words {
  // A code may be a status in quotes, as Azure's are.
  const named = code == null || /^\d+$/.test(code) ? undefined : usual[code]
  const words = named ?? usual[status] ?? { message: 'Failed.' }
  // A code that scripts use on each wire stands for the one that this provider has.
  const ownCode = named || code === undefined ? words.code : code
  const ownType = type ?? words.type
  return {
    message: message ?? words.message,
    ...(ownType !== undefined && { type: ownType }),
    ...(ownCode !== undefined && { code: ownCode }),
  }
}
