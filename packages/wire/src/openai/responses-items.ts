import type { AssistantMessage, AssistantPart, Message, ToolMessage, UserMessage, UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import { type CallIds, wireCallId, wireToolName } from '../messages/call-ids.ts'
import { type ConversionCaches, convertConversation } from '../messages/convert-conversation.ts'
import { fileData, fileName, imageUrl, isImage } from '../messages/media.ts'
import { repairTranscript } from '../messages/repair-transcript.ts'
import { argumentsText, isBlank, partsOf, wellFormed } from '../messages/text.ts'
import type {
  ResponsesAssistantItem,
  ResponsesInputPart,
  ResponsesItem,
  ResponsesReasoningItem,
} from './responses-types.ts'

/** OpenAI refuses longer ones on this wire. */
const longestCallId = 64

/**
 * A conversation as the Responses API takes it, stateless. What this wire cannot carry is told in `warnings`.
 * @param owner `provider/model`: opaque data of any other owner is left out
 */
export function toResponsesItems(messages: readonly Message[], owner: string, warnings: string[]): ResponsesItem[] {
  return convertConversation(
    messages,
    {
      key: owner,
      caches,
      toWireId: (callId) => wireCallId(callId, longestCallId),
      convert: (part, ids, told) => convertPart(part, ids, owner, told),
    },
    warnings,
  )
}

/** By owner, which decides what opaque data is sent. */
const caches: ConversionCaches<ResponsesItem> = new Map()

function convertPart(messages: readonly Message[], ids: CallIds, owner: string, warnings: string[]): ResponsesItem[] {
  return repairTranscript(messages, ids).flatMap((message) => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : [developerItem(message.content)]
      case 'user':
        return userItem(message, warnings)
      case 'assistant':
        return assistantItems(message, owner)
      case 'tool':
        return [toolItem(message, warnings)]
      default:
        return assertNever(message)
    }
  })
}

function developerItem(content: string): ResponsesItem {
  return { type: 'message', role: 'developer', content: wellFormed(content) }
}

function userItem({ content }: UserMessage, warnings: string[]): ResponsesItem[] {
  const converted = inputParts(partsOf(content), warnings)
  return converted.length === 0 ? [] : [{ type: 'message', role: 'user', content: converted }]
}

function toolItem({ callId, content }: ToolMessage, warnings: string[]): ResponsesItem {
  const output = typeof content === 'string' ? wellFormed(content) : inputParts(content, warnings)
  return { type: 'function_call_output', call_id: callId, output: output.length === 0 ? '' : output }
}

function inputParts(parts: readonly UserPart[], warnings: string[]): ResponsesInputPart[] {
  return parts.flatMap((part) => inputPart(part, warnings) ?? [])
}

function inputPart(part: UserPart, warnings: string[]): ResponsesInputPart | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : { type: 'input_text', text: wellFormed(part.text) }
    case 'image': {
      const url = imageUrl(part)
      if (url !== undefined) return { type: 'input_image', image_url: url, detail: 'auto' }
      warnings.push('An image without data and address was left out.')
      return undefined
    }
    case 'file': {
      if (isImage(part)) return inputPart({ ...part, type: 'image' }, warnings)
      const data = fileData(part)
      if (data !== undefined) return { type: 'input_file', filename: fileName(part), file_data: data }
      if (part.url !== undefined) return { type: 'input_file', file_url: part.url }
      warnings.push(`The file "${fileName(part)}" has no data and no address, and was left out.`)
      return undefined
    }
    default:
      return assertNever(part)
  }
}

function assistantItems({ content }: AssistantMessage, owner: string): ResponsesItem[] {
  const items = content.flatMap((part) => assistantItem(part, owner) ?? [])
  // Reasoning is only taken back together with what it led to.
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

/** What a reasoning item is taken back as, without a store: its id, its summary and its encrypted content. */
export type ReasoningData = Omit<ResponsesReasoningItem, 'type'>

/** Without its encrypted content a reasoning item is only a name for something that was never stored. */
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
