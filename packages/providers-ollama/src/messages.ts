import { type AssistantMessage, type JSONValue, type Message, toolCalls, type UserMessage } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import {
  argumentsObject,
  assistantText,
  type CallIds,
  type ConversionCaches,
  continuePrompt,
  convertConversation,
  imagesAfterResults,
  isBlank,
  partsOf,
  repairTranscript,
  wellFormed,
  wireCallId,
  wireToolName,
} from '@agentkit/wire'

/** A message as the server takes it: the SDK's type knows no ids. */
export type OllamaMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  thinking?: string
  /** The images in base64. */
  images?: string[]
  tool_calls?: { id: string; function: { name: string; arguments: Record<string, JSONValue> } }[]
  tool_name?: string
  tool_call_id?: string
}

const longestCallId = 64

/**
 * A conversation as Ollama takes it. Media are in their plain form.
 * @param owner `provider/model`: reasoning of any other model is left out
 */
export function toOllamaMessages(
  messages: readonly Message[],
  owner: string,
  ofRun?: Map<object, unknown>,
): OllamaMessage[] {
  const converted = convertConversation(messages, {
    key: owner,
    caches,
    ofRun,
    toWireId: (callId) => wireCallId(callId, longestCallId),
    convert: (part, ids) => convertPart(part, ids, owner),
  })
  // Without a message the server only loads the model, and many templates fail without a user's message.
  if (converted.every(({ role }) => role === 'system')) converted.push({ role: 'user', content: continuePrompt })
  return converted
}

/** The caches by owner, because the owner decides which reasoning is sent. */
const caches: ConversionCaches<OllamaMessage> = new Map()

function convertPart(messages: readonly Message[], ids: CallIds, owner: string): OllamaMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message): OllamaMessage | [] => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: 'system', content: wellFormed(message.content) }
      case 'user':
        return userMessage(message) ?? []
      case 'assistant':
        return assistantMessage(message, owner) ?? []
      case 'tool': {
        const { callId, name, content } = message
        return { role: 'tool', content: wellFormed(content), tool_name: wireToolName(name), tool_call_id: callId }
      }
      default:
        return assertNever(message)
    }
  })
}

function userMessage({ content }: UserMessage): OllamaMessage | undefined {
  const lines: string[] = []
  const images: string[] = []
  for (const part of partsOf(content)) {
    if (part.type !== 'text') images.push(part.base64 ?? '')
    else if (!isBlank(part.text)) lines.push(wellFormed(part.text))
  }
  if (lines.length === 0 && images.length === 0) return undefined
  return { role: 'user', content: lines.join('\n'), ...(images.length > 0 && { images }) }
}

function assistantMessage(message: AssistantMessage, owner: string): OllamaMessage | undefined {
  const text = assistantText(message)
  const calls = toolCalls(message)
  if (isBlank(text) && calls.length === 0) return undefined
  const converted: OllamaMessage = { role: 'assistant', content: isBlank(text) ? '' : wellFormed(text) }
  const thinking = ownReasoning(message, owner)
  if (thinking !== '') converted.thinking = thinking
  if (calls.length > 0) {
    converted.tool_calls = calls.map(({ callId, name, input }) => ({
      id: callId,
      function: { name: wireToolName(name), arguments: argumentsObject(input) },
    }))
  }
  return converted
}

function ownReasoning({ content, model }: AssistantMessage, owner: string): string {
  const own = content.map((part) =>
    part.type === 'reasoning' && (part.opaque?.owner ?? model) === owner ? part.text : '',
  )
  return wellFormed(own.join(''))
}
