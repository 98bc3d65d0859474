import { type AssistantMessage, type Message, toolCalls, type UserMessage, type UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import { type CallIds, wireCallId, wireToolName } from '../messages/call-ids.ts'
import { type ConversionCaches, convertConversation } from '../messages/convert-conversation.ts'
import { imagesAfterResults } from '../messages/images-after-results.ts'
import { fileData, fileName, imageUrl, isImage } from '../messages/media.ts'
import { repairTranscript } from '../messages/repair-transcript.ts'
import { argumentsText, assistantText, isBlank, wellFormed } from '../messages/text.ts'
import type { ChatMessage, ChatUserPart } from './chat-types.ts'

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
  const ways = { systemRole, reasoningOwner }
  return convertConversation(
    messages,
    {
      key: `${systemRole} ${reasoningOwner ?? ''}`,
      caches,
      toWireId: (callId) => wireCallId(callId, longestCallId),
      convert: (part, ids, told) => convertPart(part, ids, ways, told),
    },
    warnings,
  )
}

const caches: ConversionCaches<ChatMessage> = new Map()

function convertPart(
  messages: readonly Message[],
  ids: CallIds,
  { systemRole, reasoningOwner }: ChatWays,
  warnings: string[],
): ChatMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message) => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: systemRole, content: wellFormed(message.content) }
      case 'user':
        return userMessage(message, warnings) ?? []
      case 'assistant':
        return assistantMessage(message, reasoningOwner) ?? []
      case 'tool':
        return { role: 'tool', tool_call_id: message.callId, content: wellFormed(message.content) }
      default:
        return assertNever(message)
    }
  })
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
      if (isImage(part)) return userPart({ ...part, type: 'image' }, warnings)
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
  const text = assistantText(message)
  const content = isBlank(text) ? null : wellFormed(text)
  const calls = toolCalls(message)
  if (calls.length === 0 && content === null) return undefined
  const own = reasoningOwner !== undefined && message.model === reasoningOwner
  const reasoning = own ? reasoningText(message) : ''
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

function reasoningText({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
}
