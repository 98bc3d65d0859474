import type { AssistantMessage, JSONValue, TextPart } from '@agentkit/core'
import { wellFormedJSON } from '@agentkit/core/internal'

/** A user's message for APIs that require one. */
export const continuePrompt = 'Continue.'

/** Text without lone surrogates, for which many servers reject the whole request. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** Whether a text is empty or white space, which providers reject. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The content of a user's message or a tool result as parts. */
export function partsOf<Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The text of an assistant's message, joined, for APIs with one text per message. */
export function assistantText({ content }: AssistantMessage): string {
  let text = ''
  for (const part of content) if (part.type === 'text') text += part.text
  return text
}

/** A tool call's arguments as the JSON of an object; another value, which some models write, is wrapped in one. */
export function argumentsText(input: JSONValue): string {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const text = JSON.stringify(isObject ? input : input === null ? {} : { input })
  // JSON.stringify escapes lone surrogates.
  return text.includes('\\ud') ? JSON.stringify(wellFormedJSON(JSON.parse(text))) : text
}

/** A tool call's arguments for APIs that take the object itself: see `argumentsText`. */
export function argumentsObject(input: JSONValue): { [name: string]: JSONValue } {
  // `argumentsText` writes objects only.
  return JSON.parse(argumentsText(input)) as { [name: string]: JSONValue }
}
