import { type AssistantMessage, type Message, toolCalls, type UserMessage, type UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import { type CallIds, wireCallId, wireToolName } from '../messages/call-ids.ts'
import { type ConversionCaches, convertConversation } from '../messages/convert-conversation.ts'
import { imagesAfterResults } from '../messages/images-after-results.ts'
import { fileName, mediaURL } from '../messages/media.ts'
import { repairTranscript } from '../messages/repair-transcript.ts'
import { argumentsText, assistantText, isBlank, wellFormed } from '../messages/text.ts'
import type { ChatMessage, ChatUserPart } from './chat-types.ts'

/** OpenAI rejects longer ones here. */
const longestCallId = 40

/** The role of instructions, and the model whose reasoning is sent back. */
type ChatRoles = { systemRole: 'developer' | 'system'; reasoningOwner: string | undefined }

/**
 * Converts a conversation, whose media are in their plain form, for Chat Completions.
 * @param reasoningOwner `provider/model` that gets its reasoning back; most servers reject any
 */
export function toChatMessages(
  messages: readonly Message[],
  systemRole: 'developer' | 'system',
  reasoningOwner?: string,
): ChatMessage[] {
  const roles = { systemRole, reasoningOwner }
  return convertConversation(messages, {
    key: `${systemRole} ${reasoningOwner ?? ''}`,
    caches,
    toWireId: (callId) => wireCallId(callId, longestCallId),
    convert: (part, ids) => convertPart(part, ids, roles),
  })
}

const caches: ConversionCaches<ChatMessage> = new Map()

function convertPart(
  messages: readonly Message[],
  ids: CallIds,
  { systemRole, reasoningOwner }: ChatRoles,
): ChatMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message) => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: systemRole, content: wellFormed(message.content) }
      case 'user':
        return userMessage(message) ?? []
      case 'assistant':
        return assistantMessage(message, reasoningOwner) ?? []
      case 'tool':
        return { role: 'tool', tool_call_id: message.callId, content: wellFormed(message.content) }
      default:
        return assertNever(message)
    }
  })
}

function userMessage({ content }: UserMessage): ChatMessage | undefined {
  if (typeof content === 'string') {
    return isBlank(content) ? undefined : { role: 'user', content: wellFormed(content) }
  }
  const parts = content.flatMap((part) => userPart(part) ?? [])
  const [first] = parts
  if (!first) return undefined
  return { role: 'user', content: parts.length === 1 && first.type === 'text' ? first.text : parts }
}

function userPart(part: UserPart): ChatUserPart | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'text', text: wellFormed(part.text) }
    case 'image':
      return { type: 'image_url', image_url: { url: mediaURL(part) } }
    case 'file':
      return { type: 'file', file: { filename: fileName(part), file_data: mediaURL(part) } }
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
