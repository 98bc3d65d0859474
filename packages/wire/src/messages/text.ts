import type { AssistantMessage, JSONValue, TextPart } from '@agentkit/core'

/** What is said for a user where an API wants one to speak, and nobody did. */
export const continuePrompt = 'Continue.'

/** Text without lone surrogates: half a character makes the whole request unreadable to many servers. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** Whether there is anything to read in it: providers refuse text that is empty or white. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** What a user or a tool says, as parts. */
export function partsOf<Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** What an assistant says, without what stands between; for APIs that keep one text for each message. */
export function assistantText({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
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

/** `argumentsText`, for APIs that take the object itself. */
export function argumentsObject(input: JSONValue): { [name: string]: JSONValue } {
  // It writes nothing but objects.
  return JSON.parse(argumentsText(input)) as { [name: string]: JSONValue }
}
