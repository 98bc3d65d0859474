import type { JSONValue } from '@agentkit/core'
import { wellFormedJSON } from '@agentkit/core/internal'

export type ParsedArguments = { ok: true; input: JSONValue } | { ok: false; inputText: string; invalid: string }

/** Parses the arguments that a model wrote for a tool. Empty arguments are `{}`. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, input: {} }
  try {
    // With finite numbers, JSON.parse returns JSON values only.
    const input = JSON.parse(text, mayBeInfinite.test(text) ? refuseInfinite : undefined) as JSONValue
    return { ok: true, input: mayHaveHalf(text) ? wellFormedJSON(input ?? {}) : (input ?? {}) }
  } catch (error) {
    return { ok: false, inputText: text, invalid: (error as Error).message }
  }
}

/** Whether a text or a name in the arguments may have one half of a surrogate pair, which stores and servers refuse. */
function mayHaveHalf(text: string): boolean {
  return /\\ud[89a-f]/i.test(text) || !text.isWellFormed()
}

/** Numbers that JSON.parse may read as infinite, as it does `1e999`. */
const mayBeInfinite = /e\+?\d{3}|\d{200}/i

/** @throws RangeError for a number that JSON cannot hold */
function refuseInfinite(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  throw new RangeError(`the number of ${JSON.stringify(key)} is too large`)
}
