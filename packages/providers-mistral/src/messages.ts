import { hash } from 'node:crypto'
import {
  type AssistantMessage,
  type Message,
  type ReasoningPart,
  toolCalls,
  type UserMessage,
  type UserPart,
} from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import {
  argumentsText,
  assistantText,
  type CallIds,
  type ConversionCaches,
  convertConversation,
  fileName,
  hasNonWebURL,
  imagesAfterResults,
  isBlank,
  isCommonImage,
  isRecord,
  type MediaPart,
  type ModelFacts,
  mediaURL,
  repairTranscript,
  wellFormed,
  wireToolName,
} from '@agentkit/wire'
import type { ContentChunk } from '@mistralai/mistralai/models/components/contentchunk.js'
import { inOrder, type MistralMessage } from './in-order.ts'

/**
 * A conversation as Mistral takes it. Media are in their plain form.
 * @param owner `provider/model`: reasoning of any other model is left out
 */
export function toMistralMessages(
  messages: readonly Message[],
  owner: string,
  ofRun?: Map<object, unknown>,
): MistralMessage[] {
  const converted = convertConversation(messages, {
    key: owner,
    caches,
    ofRun,
    toWireId: mistralCallId,
    convert: (part, ids) => convertPart(part, ids, owner),
  })
  return inOrder(converted)
}

/** The caches by owner, because the owner decides which reasoning is sent. */
const caches: ConversionCaches<MistralMessage> = new Map()

/** Mistral takes ids of nine letters and digits: its own, or a hash of another provider's. */
function mistralCallId(callId: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(callId)
    ? callId
    : BigInt(`0x${hash('sha256', callId)}`)
        .toString(36)
        .slice(-9)
}

function convertPart(messages: readonly Message[], ids: CallIds, owner: string): MistralMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message): MistralMessage | [] => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: 'system', content: wellFormed(message.content) }
      case 'user':
        return userMessage(message) ?? []
      case 'assistant':
        return assistantMessage(message, owner) ?? []
      case 'tool': {
        const { callId, name, content } = message
        return { role: 'tool', toolCallId: callId, name: wireToolName(name), content: wellFormed(content) }
      }
      default:
        return assertNever(message)
    }
  })
}

function userMessage({ content }: UserMessage): MistralMessage | undefined {
  if (typeof content === 'string') {
    return isBlank(content) ? undefined : { role: 'user', content: wellFormed(content) }
  }
  const chunks = content.flatMap((part) => userChunk(part) ?? [])
  return chunks.length === 0 ? undefined : { role: 'user', content: chunks }
}

function userChunk(part: UserPart): ContentChunk | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'text', text: wellFormed(part.text) }
    case 'image':
      return { type: 'image_url', imageUrl: mediaURL(part) }
    case 'file':
      return { type: 'document_url', documentUrl: mediaURL(part), documentName: fileName(part) }
    default:
      return assertNever(part)
  }
}

/** Whether the model takes a part; Mistral reads documents for every model, images go to those that see. */
export function readsPart(part: MediaPart, facts: ModelFacts | undefined): boolean {
  if (part.type === 'image') return isCommonImage(part) && (facts?.reads?.includes('image') ?? true)
  return documents.has(part.mediaType) && !hasNonWebURL(part)
}

const documents: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
])

function assistantMessage(message: AssistantMessage, owner: string): MistralMessage | undefined {
  const calls = toolCalls(message)
  // Reasoning is worth something only with what it led to.
  if (isBlank(assistantText(message)) && calls.length === 0) return undefined
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
  const signature = isRecord(opaque?.data) ? opaque.data.signature : undefined
  const thinking = [{ type: 'text' as const, text: wellFormed(text) }]
  return { type: 'thinking', thinking, closed: true, ...(typeof signature === 'string' && { signature }) }
}
