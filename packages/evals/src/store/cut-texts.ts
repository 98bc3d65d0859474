import type { JSONValue } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import { limits } from '../limits.ts'

/** A text of at most `most` characters, with the number of characters that are left out. */
export function cutTexts(text: string, most: number): string {
  if (text.length <= most) return text
  // Does not cut between the two halves of a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

/** Messages or an input as plain JSON with short texts; images and other data as their size. */
export function transcriptOf(value: unknown): JSONValue {
  const short = shorten(value, '')
  if (JSON.stringify(short).length <= limits.transcriptChars) return short
  return Array.isArray(short) ? [{ role: 'system', content: 'This conversation is too long to be stored.' }] : null
}

function shorten(value: unknown, key: string): JSONValue {
  if (typeof value === 'string') {
    return key === 'base64' ? `(${value.length} characters of base64)` : cutTexts(value, limits.reportChars)
  }
  if (value instanceof Uint8Array) return `(${value.length} bytes)`
  if (value instanceof URL) return value.href
  if (Array.isArray(value)) return value.map((one) => shorten(one, key))
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([name, one]) => name !== 'opaque' && one !== undefined)
    return Object.fromEntries(entries.map(([name, one]) => [name, shorten(one, name)]))
  }
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
