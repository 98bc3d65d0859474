import type { JSONValue } from '@agentkit/core'

export type ParsedArguments = { ok: true; input: JSONValue } | { ok: false; inputText: string; invalid: string }

/** What a model wrote as a tool's arguments. No arguments at all are `{}`. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, input: {} }
  try {
    // JSON.parse gives JSON values only.
    const input = JSON.parse(text) as JSONValue
    return { ok: true, input: input ?? {} }
  } catch (error) {
    return { ok: false, inputText: text, invalid: `The arguments are not valid JSON: ${(error as Error).message}` }
  }
}
