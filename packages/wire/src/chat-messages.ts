import {
  type AssistantMessage,
  assertNever,
  type ImagePart,
  type Message,
  type ToolMessage,
  toolCalls,
  type UserMessage,
  type UserPart,
} from '@agentkit/core'
import { CallIds } from './call-ids.ts'
import type { ChatMessage, ChatUserPart } from './chat-types.ts'
import { type ConversationCache, type Convert, convertConversation } from './convert-conversation.ts'
import { fileData, fileName, imageUrl } from './media.ts'
import { repairTranscript } from './repair-transcript.ts'
import { argumentsText, isBlank, wellFormed } from './text.ts'
import { wireCallId } from './wire-call-id.ts'
import { wireToolName } from './wire-tool-name.ts'

/** OpenAI refuses longer ones on this wire. */
const longestCallId = 40

/** Who instructs, and whose reasoning goes back. */
type ChatWays = { systemRole: 'developer' | 'system'; reasoningOwner: string | undefined }

/**
 * A conversation as Chat Completions takes it. What this wire cannot carry is told in `warnings`.
 * @param reasoningOwner `provider/model` whose reasoning goes back to it; most servers of this wire refuse any
 */
export function toChatMessages(
  messages: readonly Message[],
  systemRole: 'developer' | 'system',
  warnings: string[],
  reasoningOwner?: string,
): ChatMessage[] {
  const begins = messages.findIndex((message) => message.role !== 'system')
  const start = begins === -1 ? messages.length : begins
  const ways = { systemRole, reasoningOwner }
  const convert: Convert<ChatMessage> = (part, ids, told) => convertPart(part, ids, ways, told)
  return [
    ...convert(messages.slice(0, start), new CallIds(toWireId), warnings),
    ...convertConversation(messages.slice(start), cacheOf(ways), toWireId, convert, warnings),
  ]
}

/** By what a conversion depends on. */
const caches = new Map<string, ConversationCache<ChatMessage>>()

function cacheOf({ systemRole, reasoningOwner = '' }: ChatWays): ConversationCache<ChatMessage> {
  const key = `${systemRole} ${reasoningOwner}`
  const cache = caches.get(key) ?? new WeakMap()
  caches.set(key, cache)
  return cache
}

const toWireId = (callId: string): string => wireCallId(callId, longestCallId)

function convertPart(
  messages: readonly Message[],
  ids: CallIds,
  { systemRole, reasoningOwner }: ChatWays,
  warnings: string[],
): ChatMessage[] {
  const chat: ChatMessage[] = []
  let images: ToolImages[] = []
  for (const message of repairTranscript(messages, ids)) {
    if (message.role === 'tool') {
      chat.push(toolMessage(message, images))
      continue
    }
    if (images.length > 0) chat.push(imagesMessage(images, warnings))
    images = []
    if (message.role === 'system') {
      if (!isBlank(message.content)) chat.push({ role: systemRole, content: wellFormed(message.content) })
    } else {
      const converted =
        message.role === 'user' ? userMessage(message, warnings) : assistantMessage(message, reasoningOwner)
      if (converted) chat.push(converted)
    }
  }
  if (images.length > 0) chat.push(imagesMessage(images, warnings))
  return chat
}

/** Images that a tool returned: this wire's tool messages are text, so they follow in a user's message. */
type ToolImages = { name: string; images: ImagePart[] }

function toolMessage({ callId, name, content }: ToolMessage, images: ToolImages[]): ChatMessage {
  if (typeof content === 'string') return { role: 'tool', tool_call_id: callId, content: wellFormed(content) }
  const found = content.filter((part) => part.type === 'image')
  if (found.length > 0) images.push({ name, images: found })
  const lines = content.map((part) => (part.type === 'text' ? wellFormed(part.text) : '[image: see the next message]'))
  return { role: 'tool', tool_call_id: callId, content: lines.join('\n') }
}

function imagesMessage(images: readonly ToolImages[], warnings: string[]): ChatMessage {
  const content = images.flatMap(({ name, images }): ChatUserPart[] => [
    { type: 'text', text: `Returned by the tool "${name}":` },
    ...userParts(images, warnings),
  ])
  return { role: 'user', content }
}

function userMessage({ content }: UserMessage, warnings: string[]): ChatMessage | undefined {
  if (typeof content === 'string') {
    return isBlank(content) ? undefined : { role: 'user', content: wellFormed(content) }
  }
  const parts = userParts(content, warnings)
  const [first] = parts
  if (!first) return undefined
  return { role: 'user', content: parts.length === 1 && first.type === 'text' ? first.text : parts }
}

function userParts(parts: readonly UserPart[], warnings: string[]): ChatUserPart[] {
  return parts.flatMap((part) => userPart(part, warnings) ?? [])
}

function userPart(part: UserPart, warnings: string[]): ChatUserPart | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'text', text: wellFormed(part.text) }
    case 'image': {
      const url = imageUrl(part)
      if (url !== undefined) return { type: 'image_url', image_url: { url } }
      warnings.push('An image without data and address was left out.')
      return undefined
    }
    case 'file': {
      if (part.mediaType.startsWith('image/')) return userPart({ ...part, type: 'image' }, warnings)
      const data = fileData(part)
      if (data !== undefined) return { type: 'file', file: { filename: fileName(part), file_data: data } }
      warnings.push(`Chat Completions takes no files by address: of "${fileName(part)}" only its address was sent.`)
      return { type: 'text', text: `[file "${fileName(part)}" at ${part.url ?? 'an unknown address'}]` }
    }
    default:
      return assertNever(part)
  }
}

function assistantMessage(message: AssistantMessage, reasoningOwner: string | undefined): ChatMessage | undefined {
  const text = textOf(message, 'text')
  const content = isBlank(text) ? null : wellFormed(text)
  const calls = toolCalls(message)
  if (calls.length === 0 && content === null) return undefined
  const own = reasoningOwner !== undefined && message.model === reasoningOwner
  const reasoning = own ? textOf(message, 'reasoning') : ''
  return {
    role: 'assistant',
    content,
    ...(!isBlank(reasoning) && { reasoning: wellFormed(reasoning) }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ callId, name, input }) => ({
        id: callId,
        type: 'function',
        function: { name: wireToolName(name), arguments: argumentsText(input) },
      })),
    }),
  }
}

function textOf({ content }: AssistantMessage, type: 'text' | 'reasoning'): string {
  return content.map((part) => (part.type === type ? part.text : '')).join('')
}
