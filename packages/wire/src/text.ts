import type { JSONValue } from '@agentkit/core'

/** Text without lone surrogates: half a character makes the whole request unreadable to many servers. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** A tool call's arguments as the wire has them: an object, also where another model wrote something else. */
export function argumentsText(input: JSONValue): string {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const text = JSON.stringify(isObject ? input : input === null ? {} : { input })
  // JSON.stringify writes a lone surrogate as an escape.
  return text.includes('\\ud')
    ? JSON.stringify(JSON.parse(text), (_key, value) => (typeof value === 'string' ? wellFormed(value) : value))
    : text
}

/** Whether there is anything to read in it: providers refuse text that is empty or white. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
