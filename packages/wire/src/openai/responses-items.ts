import type { AssistantMessage, AssistantPart, Message, ToolMessage, UserMessage, UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import { type CallIds, wireCallId, wireToolName } from '../messages/call-ids.ts'
import { type ConversionCaches, convertConversation } from '../messages/convert-conversation.ts'
import { fileName, mediaURL } from '../messages/media.ts'
import { repairTranscript } from '../messages/repair-transcript.ts'
import { argumentsText, isBlank, partsOf, wellFormed } from '../messages/text.ts'
import type {
  ResponsesAssistantItem,
  ResponsesInputPart,
  ResponsesItem,
  ResponsesReasoningItem,
} from './responses-types.ts'

/** OpenAI rejects longer ones here. */
const longestCallId = 64

/**
 * Converts a conversation, whose media are in their plain form, for the Responses API without stored state.
 * @param owner `provider/model`; opaque data of other owners is left out
 */
export function toResponsesItems(
  messages: readonly Message[],
  owner: string,
  ofRun?: Map<object, unknown>,
): ResponsesItem[] {
  return convertConversation(messages, {
    key: owner,
    caches,
    ofRun,
    toWireId: (callId) => wireCallId(callId, longestCallId),
    convert: (part, ids) => convertPart(part, ids, owner),
  })
}

/** The caches by owner, because the owner determines the opaque data that is sent. */
const caches: ConversionCaches<ResponsesItem> = new Map()

function convertPart(messages: readonly Message[], ids: CallIds, owner: string): ResponsesItem[] {
  return repairTranscript(messages, ids).flatMap((message) => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : [developerItem(message.content)]
      case 'user':
        return userItem(message)
      case 'assistant':
        return assistantItems(message, owner)
      case 'tool':
        return [toolItem(message)]
      default:
        return assertNever(message)
    }
  })
}

function developerItem(content: string): ResponsesItem {
  return { type: 'message', role: 'developer', content: wellFormed(content) }
}

function userItem({ content }: UserMessage): ResponsesItem[] {
  const converted = inputParts(partsOf(content))
  return converted.length === 0 ? [] : [{ type: 'message', role: 'user', content: converted }]
}

function toolItem({ callId, content }: ToolMessage): ResponsesItem {
  const output = typeof content === 'string' ? wellFormed(content) : inputParts(content)
  return { type: 'function_call_output', call_id: callId, output: output.length === 0 ? '' : output }
}

function inputParts(parts: readonly UserPart[]): ResponsesInputPart[] {
  return parts.flatMap((part) => inputPart(part) ?? [])
}

function inputPart(part: UserPart): ResponsesInputPart | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'input_text', text: wellFormed(part.text) }
    case 'image':
      return { type: 'input_image', image_url: mediaURL(part), detail: 'auto' }
    case 'file':
      return part.url === undefined
        ? { type: 'input_file', filename: fileName(part), file_data: mediaURL(part) }
        : { type: 'input_file', file_url: part.url }
    default:
      return assertNever(part)
  }
}

function assistantItems({ content }: AssistantMessage, owner: string): ResponsesItem[] {
  const items = content.flatMap((part) => assistantItem(part, owner) ?? [])
  // The API accepts reasoning only before the item that it led to.
  while (items.at(-1)?.type === 'reasoning') items.pop()
  return items
}

function assistantItem(part: AssistantPart, owner: string): ResponsesItem | undefined {
  const own = part.opaque?.owner === owner ? part.opaque.data : undefined
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : textItem(part.text, own)
    case 'tool-call': {
      const { callId, name, input } = part
      return { type: 'function_call', call_id: callId, name: wireToolName(name), arguments: argumentsText(input) }
    }
    case 'reasoning':
      return isReasoningData(own) ? { type: 'reasoning', ...own } : undefined
    default:
      return assertNever(part)
  }
}

function textItem(text: string, own: unknown): ResponsesAssistantItem {
  const item: ResponsesAssistantItem = { type: 'message', role: 'assistant', content: wellFormed(text) }
  const phase = typeof own === 'object' && own !== null && 'phase' in own ? own.phase : undefined
  if (phase === 'commentary' || phase === 'final_answer') item.phase = phase
  return item
}

/** The fields of a reasoning item that is sent back without a store. */
export type ReasoningData = Omit<ResponsesReasoningItem, 'type'>

/** A reasoning item without encrypted content refers to a stored one, and nothing is stored. */
export function isReasoningData(data: unknown): data is ReasoningData {
  return (
    typeof data === 'object' &&
    data !== null &&
    'id' in data &&
    typeof data.id === 'string' &&
    'encrypted_content' in data &&
    typeof data.encrypted_content === 'string' &&
    data.encrypted_content !== '' &&
    'summary' in data &&
    Array.isArray(data.summary)
  )
}
