import { hash } from 'node:crypto'
import {
  type AssistantMessage,
  assertNever,
  type FilePart,
  type ImagePart,
  type Message,
  type ReasoningPart,
  type ToolMessage,
  toolCalls,
  type UserMessage,
  type UserPart,
} from '@agentkit/core'
import {
  argumentsText,
  CallIds,
  type ConversationCache,
  type Convert,
  convertConversation,
  fileData,
  fileName,
  imageUrl,
  isBlank,
  type ModelFacts,
  repairTranscript,
  wellFormed,
  wireToolName,
} from '@agentkit/wire'
import type { ChatCompletionStreamRequest } from '@mistralai/mistralai/models/components/chatcompletionstreamrequest.js'
import type { ContentChunk } from '@mistralai/mistralai/models/components/contentchunk.js'
import { inOrder } from './message-order.ts'

export type MistralMessage = ChatCompletionStreamRequest['messages'][number]

/**
 * A conversation as Mistral takes it. What it cannot carry is told in `warnings`.
 * @param owner `provider/model`: reasoning of any other model is left out
 */
export function toMistralMessages(messages: readonly Message[], owner: string, warnings: string[]): MistralMessage[] {
  const begins = messages.findIndex((message) => message.role !== 'system')
  const start = begins === -1 ? messages.length : begins
  const convert: Convert<MistralMessage> = (part, ids, told) => convertPart(part, ids, owner, told)
  const cache = caches.get(owner) ?? new WeakMap()
  caches.set(owner, cache)
  const converted = [
    ...convert(messages.slice(0, start), new CallIds(mistralCallId), warnings),
    ...convertConversation(messages.slice(start), cache, mistralCallId, convert, warnings),
  ]
  return inOrder(converted, warnings)
}

/** By owner, which decides what reasoning is sent. */
const caches = new Map<string, ConversationCache<MistralMessage>>()

/** Mistral takes ids of nine letters and digits: its own, or a hash of another provider's. */
function mistralCallId(callId: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(callId)
    ? callId
    : BigInt(`0x${hash('sha256', callId)}`)
        .toString(36)
        .slice(-9)
}

function convertPart(messages: readonly Message[], ids: CallIds, owner: string, warnings: string[]): MistralMessage[] {
  const converted: MistralMessage[] = []
  let images: ContentChunk[] = []
  for (const message of repairTranscript(messages, ids)) {
    if (message.role === 'tool') {
      converted.push(toolMessage(message, images, warnings))
      continue
    }
    if (images.length > 0) converted.push({ role: 'user', content: images })
    images = []
    if (message.role === 'system') {
      if (!isBlank(message.content)) converted.push({ role: 'system', content: wellFormed(message.content) })
    } else {
      const turn = message.role === 'user' ? userMessage(message, warnings) : assistantMessage(message, owner)
      if (turn) converted.push(turn)
    }
  }
  if (images.length > 0) converted.push({ role: 'user', content: images })
  return converted
}

/** @param images those that tools returned: Mistral's tools answer in text, so they follow in a user's message */
function toolMessage(message: ToolMessage, images: ContentChunk[], warnings: string[]): MistralMessage {
  const { callId, content } = message
  const name = wireToolName(message.name)
  if (typeof content === 'string') return { role: 'tool', toolCallId: callId, name, content: wellFormed(content) }
  const found = content.flatMap((part) => (part.type === 'image' ? userChunks([part], warnings) : []))
  if (found.length > 0) images.push({ type: 'text', text: `Returned by the tool "${name}":` }, ...found)
  const lines = content.map((part) => (part.type === 'text' ? wellFormed(part.text) : '[image: see the next message]'))
  return { role: 'tool', toolCallId: callId, name, content: lines.join('\n') }
}

function userMessage({ content }: UserMessage, warnings: string[]): MistralMessage | undefined {
  if (typeof content === 'string') {
    return isBlank(content) ? undefined : { role: 'user', content: wellFormed(content) }
  }
  const chunks = userChunks(content, warnings)
  return chunks.length === 0 ? undefined : { role: 'user', content: chunks }
}

function userChunks(parts: readonly UserPart[], warnings: string[]): ContentChunk[] {
  return parts.flatMap((part) => userChunk(part, warnings) ?? [])
}

function userChunk(part: UserPart, warnings: string[]): ContentChunk | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'text', text: wellFormed(part.text) }
    case 'image': {
      const url = imageUrl(part)
      if (url !== undefined) return { type: 'image_url', imageUrl: url }
      warnings.push('An image without data and address was left out.')
      return undefined
    }
    case 'file': {
      if (isImage(part)) return userChunk({ ...part, type: 'image' }, warnings)
      const url = fileData(part) ?? part.url
      if (url !== undefined) return { type: 'document_url', documentUrl: url, documentName: fileName(part) }
      warnings.push(`The file "${fileName(part)}" has no data and no address, and was left out.`)
      return undefined
    }
    default:
      return assertNever(part)
  }
}

/** Whether the model takes a part; Mistral reads documents for every model, images go to those that see. */
export function readsPart(part: ImagePart | FilePart, facts: ModelFacts | undefined): boolean {
  if (part.type === 'image' || isImage(part)) return facts?.reads?.includes('image') ?? true
  return documents.has(part.mediaType)
}

const documents: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
])

function isImage({ mediaType }: FilePart): boolean {
  return mediaType.startsWith('image/')
}

function assistantMessage(message: AssistantMessage, owner: string): MistralMessage | undefined {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = toolCalls(message)
  // Reasoning is worth something only with what it led to.
  if (isBlank(text) && calls.length === 0) return undefined
  const turn: MistralMessage = { role: 'assistant', content: assistantContent(message, owner) }
  if (calls.length > 0) {
    turn.toolCalls = calls.map(({ callId, name, input }) => ({
      id: callId,
      type: 'function',
      function: { name: wireToolName(name), arguments: argumentsText(input) },
    }))
  }
  return turn
}

function assistantContent(message: AssistantMessage, owner: string): string | ContentChunk[] | null {
  const chunks: ContentChunk[] = []
  for (const part of message.content) {
    if (part.type === 'text' && !isBlank(part.text)) chunks.push({ type: 'text', text: wellFormed(part.text) })
    if (part.type === 'reasoning' && (part.opaque?.owner ?? message.model) === owner) chunks.push(thinkChunk(part))
  }
  if (chunks.some(({ type }) => type === 'thinking')) return chunks
  return chunks.length === 0 ? null : chunks.map((chunk) => ('text' in chunk ? chunk.text : '')).join('')
}

function thinkChunk({ text, opaque }: ReasoningPart): ContentChunk {
  const data = opaque?.data
  const signature = typeof data === 'object' && data !== null && 'signature' in data ? data.signature : undefined
  const thinking = [{ type: 'text' as const, text: wellFormed(text) }]
  return { type: 'thinking', thinking, closed: true, ...(typeof signature === 'string' && { signature }) }
}
