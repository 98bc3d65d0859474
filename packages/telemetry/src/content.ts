import type { Message, UserPart } from '@agentkit/core'
import { firstChars, redactSecrets } from '@agentkit/core/internal'
import { limits } from './limits.ts'

/**
 * A value as JSON for an attribute: without secrets, and bounded.
 * @returns `undefined` for a value that is not JSON
 */
export function contentOf(value: unknown): string | undefined {
  const json = JSON.stringify(bounded(value, 0))
  if (json === undefined || json.length <= limits.contentChars) return json
  // The last messages are those that the answer is about.
  if (!Array.isArray(value) || value.length < 2) return JSON.stringify(cut(json, limits.contentChars / 2))
  return contentOf(value.slice(Math.ceil(value.length / 2)))
}

/** Messages in the form of the conventions: docs/gen-ai/gen-ai-input-messages.json. */
export function messagesOf(messages: readonly Message[]): unknown[] {
  return messages.filter(({ role }) => role !== 'system').map(messageOf)
}

/** A message of a model or a run, with the reason for its end: docs/gen-ai/gen-ai-output-messages.json. */
export function answerOf(message: Message, finishReason = 'stop'): unknown {
  return { ...messageOf(message), finish_reason: reasonOf(finishReason) }
}

/** A reason for an end in the words of the conventions. */
export function reasonOf(finishReason: string): string {
  return finishReason === 'tool-calls' ? 'tool_call' : finishReason.replaceAll('-', '_')
}

/** The texts of system messages: docs/gen-ai/gen-ai-system-instructions.json. */
export function instructionsOf(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message) => (message.role === 'system' ? [textPart(message.content)] : []))
}

function messageOf(message: Message): { role: string; parts: unknown[] } {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, parts: partsOf(message.content) }
    case 'assistant':
      return {
        role: 'assistant',
        parts: message.content.map((part) => {
          if (part.type === 'tool-call') {
            return { type: 'tool_call', id: part.callId, name: part.name, arguments: part.inputText ?? part.input }
          }
          return { type: part.type, content: part.text }
        }),
      }
    case 'tool':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: message.callId, response: partsOf(message.content) }],
      }
  }
}

function partsOf(content: string | readonly UserPart[]): unknown[] {
  if (typeof content === 'string') return [textPart(content)]
  return content.map((part) => (part.type === 'text' ? textPart(part.text) : mediaPart(part)))
}

/** An image or a file, whose bytes would fill the trace. */
function mediaPart({ type, mediaType }: { type: string; mediaType?: string | undefined }): object {
  return { type: 'blob', modality: type, mime_type: mediaType ?? null }
}

function textPart(content: string): { type: 'text'; content: string } {
  return { type: 'text', content }
}

function bounded(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(redactSecrets(value), limits.textChars)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= limits.contentDepth) return '[cut]'
  if (Array.isArray(value)) return value.slice(-limits.contentItems).map((item) => bounded(item, depth + 1))
  if (isMedia(value)) return mediaPart(value)
  const entries = Object.entries(value).slice(0, limits.contentItems)
  return Object.fromEntries(
    entries.map(([key, item]) => [cut(redactSecrets(key), limits.nameChars), bounded(item, depth + 1)]),
  )
}

/** An image or a file with its bytes, which a tool has returned. */
function isMedia(value: object): value is { type: string; mediaType?: string } {
  const { type, base64, mediaType } = value as Record<string, unknown>
  const isTyped = mediaType === undefined || typeof mediaType === 'string'
  return (type === 'image' || type === 'file') && typeof base64 === 'string' && isTyped
}

export function cut(text: string, maxChars: number): string {
  return text.length > maxChars ? `${firstChars(text, maxChars)}[cut]` : text
}
