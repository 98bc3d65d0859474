import { messageOf } from '@agentkit/core/internal'
import { type FoundCase, invalid } from './check-case.ts'
import { decodeLines } from './decode-lines.ts'

/** The cases of a JSONL file: one JSON object a line. Empty lines are skipped. */
export function jsonlCases(bytes: Uint8Array, path: string): FoundCase[] {
  return decodeLines(bytes, path)
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, number }) => {
      const where = `line ${number} of ${path}`
      return { value: parse(text, where), where }
    })
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(where, `is not JSON (${messageOf(error).slice(0, 120)}). Write one object a line`)
  }
}
