import { hash } from 'node:crypto'
import {
  type AssistantMessage,
  type FilePart,
  type ImagePart,
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
  fileData,
  fileName,
  hasNonWebURL,
  imagesAfterResults,
  imageUrl,
  isBlank,
  isCommonImage,
  isImage,
  isRecord,
  type ModelFacts,
  repairTranscript,
  wellFormed,
  wireToolName,
} from '@agentkit/wire'
import type { ContentChunk } from '@mistralai/mistralai/models/components/contentchunk.js'
import { inOrder, type MistralMessage } from './in-order.ts'

/**
 * A conversation as Mistral takes it. What it cannot carry is told in `warnings`.
 * @param owner `provider/model`: reasoning of any other model is left out
 */
export function toMistralMessages(messages: readonly Message[], owner: string, warnings: string[]): MistralMessage[] {
  const converted = convertConversation(
    messages,
    {
      key: owner,
      caches,
      toWireId: mistralCallId,
      convert: (part, ids, told) => convertPart(part, ids, owner, told),
    },
    warnings,
  )
  return inOrder(converted)
}

/** By owner, which decides what reasoning is sent. */
const caches: ConversionCaches<MistralMessage> = new Map()

/** Mistral takes ids of nine letters and digits: its own, or a hash of another provider's. */
function mistralCallId(callId: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(callId)
    ? callId
    : BigInt(`0x${hash('sha256', callId)}`)
        .toString(36)
        .slice(-9)
}

function convertPart(messages: readonly Message[], ids: CallIds, owner: string, warnings: string[]): MistralMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message): MistralMessage | [] => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: 'system', content: wellFormed(message.content) }
      case 'user':
        return userMessage(message, warnings) ?? []
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
  if (isImage(part)) return isCommonImage(part) && (facts?.reads?.includes('image') ?? true)
  return documents.has(part.mediaType ?? '') && !hasNonWebURL(part)
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
