import { AgentKitError } from '@agentkit/core'
import { limits } from '../limits.ts'

export type Line = { text: string; number: number }

/**
 * The lines of a file, without their ends.
 * @throws AgentKitError `unreadable-file` for a line that is no UTF-8, or too long, with its number
 */
export function decodeLines(bytes: Uint8Array, path: string): Line[] {
  const lines: Line[] = []
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const next = bytes.indexOf(0x0a, start)
    const end = next === -1 ? bytes.length : next
    const withoutReturn = bytes[end - 1] === 0x0d && end > start ? end - 1 : end
    lines.push({ text: decode(bytes.subarray(start, withoutReturn), `line ${number} of ${path}`), number })
    start = end + 1
  }
  return lines
}

function decode(bytes: Uint8Array, where: string): string {
  if (bytes.length > limits.caseBytes) {
    throw unreadable(where, `has ${bytes.length} bytes, more than ${limits.caseBytes}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw unreadable(where, 'is not UTF-8. Save the file as UTF-8', cause)
  }
}

export function unreadable(where: string, problem: string, cause?: unknown): AgentKitError {
  const capital = where.startsWith('line ') ? `L${where.slice(1)}` : where
  return new AgentKitError('unreadable-file', `${capital} ${problem}.`, { cause })
}
