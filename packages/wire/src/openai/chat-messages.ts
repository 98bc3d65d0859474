import { type AssistantMessage, type Message, toolCalls, type UserMessage, type UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import { type CallIds, wireCallId, wireToolName } from '../messages/call-ids.ts'
import { type ConversionCaches, convertConversation } from '../messages/convert-conversation.ts'
import { imagesAfterResults } from '../messages/images-after-results.ts'
import { fileName, mediaURL } from '../messages/media.ts'
import { repairTranscript } from '../messages/repair-transcript.ts'
import { argumentsText, assistantText, isBlank, wellFormed } from '../messages/text.ts'
import type { ChatMessage, ChatUserPart } from './chat-types.ts'
import { returnedExtraContent, returnedReasoning } from './returned-reasoning.ts'

/** OpenAI rejects longer ones here. */
const longestCallId = 40

/** The role of instructions, and the model whose reasoning is sent back. */
export type ChatRoles = {
  /** The role of instructions. */
  systemRole: 'developer' | 'system'
  /** `provider/model` that gets its reasoning back, as `reasoning`; no model when absent. */
  reasoningOwner?: string
  /**
   * `provider/model` that gets back its `reasoning_content`, `reasoning_details` and `extra_content`; no model when absent.
   * Servers of DeepSeek's and Moonshot's models refuse calls without the first, OpenRouter without the second, and Google's
   * without the third.
   */
  returnsTo?: string
}

/**
 * Converts a conversation, whose media are in their plain form, for Chat Completions. Most servers reject any reasoning: only
 * the owners get theirs back.
 */
export function toChatMessages(
  messages: readonly Message[],
  roles: ChatRoles,
  ofRun?: Map<object, unknown>,
): ChatMessage[] {
  const { systemRole, reasoningOwner = '', returnsTo = '' } = roles
  return convertConversation(messages, {
    key: JSON.stringify([systemRole, reasoningOwner, returnsTo]),
    caches,
    ofRun,
    toWireId: (callId) => wireCallId(callId, longestCallId),
    convert: (part, ids) => convertPart(part, ids, roles),
  })
}

const caches: ConversionCaches<ChatMessage> = new Map()

function convertPart(messages: readonly Message[], ids: CallIds, roles: ChatRoles): ChatMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message) => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: roles.systemRole, content: wellFormed(message.content) }
      case 'user':
        return userMessage(message) ?? []
      case 'assistant':
        return assistantMessage(message, roles) ?? []
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

function assistantMessage(
  message: AssistantMessage,
  { reasoningOwner, returnsTo }: ChatRoles,
): ChatMessage | undefined {
  const text = assistantText(message)
  const content = isBlank(text) ? null : wellFormed(text)
  const calls = toolCalls(message)
  if (calls.length === 0 && content === null) return undefined
  const own = reasoningOwner !== undefined && message.model === reasoningOwner
  const reasoning = own ? reasoningText(message) : ''
  const item: ChatMessage = { role: 'assistant', content }
  if (!isBlank(reasoning)) item.reasoning = wellFormed(reasoning)
  if (returnsTo !== undefined) Object.assign(item, returnedReasoning(message, returnsTo, longestCallId))
  if (calls.length > 0) {
    item.tool_calls = calls.map((call) => ({
      id: call.callId,
      type: 'function',
      function: { name: wireToolName(call.name), arguments: argumentsText(call.input) },
      ...(returnsTo !== undefined && returnedExtraContent(call, returnsTo)),
    }))
  }
  return item
}

function reasoningText({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
}
