import type { JSONValue } from '@agentkit/core'

export type ParsedArguments = { ok: true; input: JSONValue } | { ok: false; inputText: string; invalid: string }

/** Parses the arguments that a model wrote for a tool. Empty arguments are `{}`. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, input: {} }
  try {
    // JSON.parse returns JSON values only.
    const input = JSON.parse(text) as JSONValue
    return { ok: true, input: input ?? {} }
  } catch (error) {
    return { ok: false, inputText: text, invalid: (error as Error).message }
  }
}
