import {
  type AssistantMessage,
  type FilePart,
  type ImagePart,
  type JSONValue,
  type Message,
  toolCalls,
  type UserMessage,
} from '@agentkit/core'
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
  /** As base64. */
  images?: string[]
  tool_calls?: { id: string; function: { name: string; arguments: Record<string, JSONValue> } }[]
  tool_name?: string
  tool_call_id?: string
}

const longestCallId = 64

/**
 * A conversation as Ollama takes it. What it cannot carry is told in `warnings`.
 * @param owner `provider/model`: reasoning of any other model is left out
 */
export function toOllamaMessages(messages: readonly Message[], owner: string, warnings: string[]): OllamaMessage[] {
  const converted = convertConversation(
    messages,
    {
      key: owner,
      caches,
      toWireId: (callId) => wireCallId(callId, longestCallId),
      convert: (part, ids, told) => convertPart(part, ids, owner, told),
    },
    warnings,
  )
  // Without a message the server only loads the model, and many templates fail where nobody speaks.
  if (converted.every(({ role }) => role === 'system')) converted.push({ role: 'user', content: continuePrompt })
  return converted
}

/** By owner, which decides what reasoning is sent. */
const caches: ConversionCaches<OllamaMessage> = new Map()

function convertPart(messages: readonly Message[], ids: CallIds, owner: string, warnings: string[]): OllamaMessage[] {
  return imagesAfterResults(repairTranscript(messages, ids)).flatMap((message): OllamaMessage | [] => {
    switch (message.role) {
      case 'system':
        return isBlank(message.content) ? [] : { role: 'system', content: wellFormed(message.content) }
      case 'user':
        return userMessage(message, warnings) ?? []
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

function userMessage({ content }: UserMessage, warnings: string[]): OllamaMessage | undefined {
  const lines: string[] = []
  const images: string[] = []
  for (const part of partsOf(content)) {
    if (part.type === 'text') {
      if (!isBlank(part.text)) lines.push(wellFormed(part.text))
      continue
    }
    const bytes = imageBytes(part)
    if (bytes !== undefined) images.push(bytes)
    else {
      warnings.push('Ollama takes images as bytes: of one, a line of text says that it was there.')
      lines.push(part.url === undefined ? '[image left out]' : `[image at ${part.url}]`)
    }
  }
  if (lines.length === 0 && images.length === 0) return undefined
  return { role: 'user', content: lines.join('\n'), ...(images.length > 0 && { images }) }
}

/** The base64 of an image, if it is one: a path is never taken for it. */
function imageBytes({ base64, url }: ImagePart | FilePart): string | undefined {
  const told = base64 ?? (url?.startsWith('data:') ? url : undefined)
  const bytes = told?.replace(/^data:[^,]*;base64,/, '').replace(/\s+/g, '')
  if (!bytes || !/^[\w+/-]+={0,2}$/.test(bytes)) return undefined
  // Also of the kind for addresses, and without padding.
  return Buffer.from(bytes, 'base64').toString('base64')
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
