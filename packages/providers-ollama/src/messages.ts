import {
  type AssistantMessage,
  assertNever,
  type FilePart,
  type ImagePart,
  type JSONValue,
  type Message,
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
  isBlank,
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
  const begins = messages.findIndex((message) => message.role !== 'system')
  const start = begins === -1 ? messages.length : begins
  const convert: Convert<OllamaMessage> = (part, ids, told) => convertPart(part, ids, owner, told)
  const cache = caches.get(owner) ?? new WeakMap()
  caches.set(owner, cache)
  return [
    ...convert(messages.slice(0, start), new CallIds(ollamaCallId), warnings),
    ...convertConversation(messages.slice(start), cache, ollamaCallId, convert, warnings),
  ]
}

/** By owner, which decides what reasoning is sent. */
const caches = new Map<string, ConversationCache<OllamaMessage>>()

const ollamaCallId = (callId: string): string => wireCallId(callId, longestCallId)

function convertPart(messages: readonly Message[], ids: CallIds, owner: string, warnings: string[]): OllamaMessage[] {
  const converted: OllamaMessage[] = []
  let images: UserPart[] = []
  const tellImages = (): void => {
    if (images.length > 0) converted.push(...userMessage({ role: 'user', content: images }, warnings))
    images = []
  }
  for (const message of repairTranscript(messages, ids)) {
    if (message.role !== 'tool') tellImages()
    switch (message.role) {
      case 'system':
        if (!isBlank(message.content)) converted.push({ role: 'system', content: wellFormed(message.content) })
        break
      case 'user':
        converted.push(...userMessage(message, warnings))
        break
      case 'assistant':
        converted.push(...assistantMessage(message, owner))
        break
      case 'tool':
        converted.push(toolMessage(message, images))
        break
      default:
        assertNever(message)
    }
  }
  tellImages()
  return converted
}

function userMessage({ content }: UserMessage, warnings: string[]): OllamaMessage[] {
  const lines: string[] = []
  const images: string[] = []
  const parts: readonly UserPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  for (const part of parts) {
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
  if (lines.length === 0 && images.length === 0) return []
  return [{ role: 'user', content: lines.join('\n'), ...(images.length > 0 && { images }) }]
}

/** Whether a part can be sent. Ollama takes no files; whether a model sees images only the server knows. */
export function readsPart(part: ImagePart | FilePart): boolean {
  return part.type === 'image' || part.mediaType.startsWith('image/')
}

/** The base64 of an image, if it is one: a path is never taken for it. */
function imageBytes({ base64, url }: ImagePart | FilePart): string | undefined {
  const told = base64 ?? (url?.startsWith('data:') ? url : undefined)
  const bytes = told?.replace(/^data:[^,]*;base64,/, '').replace(/\s+/g, '')
  if (!bytes || !/^[\w+/-]+={0,2}$/.test(bytes)) return undefined
  // Also of the kind for addresses, and without padding.
  return Buffer.from(bytes, 'base64').toString('base64')
}

function assistantMessage(message: AssistantMessage, owner: string): OllamaMessage[] {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = toolCalls(message)
  if (isBlank(text) && calls.length === 0) return []
  const converted: OllamaMessage = { role: 'assistant', content: isBlank(text) ? '' : wellFormed(text) }
  const thinking = ownReasoning(message, owner)
  if (thinking !== '') converted.thinking = thinking
  if (calls.length > 0) {
    converted.tool_calls = calls.map(({ callId, name, input }) => ({
      id: callId,
      function: { name: wireToolName(name), arguments: argumentsOf(input) },
    }))
  }
  return [converted]
}

function ownReasoning({ content, model }: AssistantMessage, owner: string): string {
  const own = content.map((part) =>
    part.type === 'reasoning' && (part.opaque?.owner ?? model) === owner ? part.text : '',
  )
  return wellFormed(own.join(''))
}

/** The server wants an object. */
function argumentsOf(input: JSONValue): Record<string, JSONValue> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  // What was well-formed JSON text of an object is one.
  return JSON.parse(argumentsText(isObject ? input : { value: input })) as Record<string, JSONValue>
}

/** @param images those that tools returned: templates show images of users only, so they follow in a user's message */
function toolMessage({ callId, name, content }: ToolMessage, images: UserPart[]): OllamaMessage {
  const head = { role: 'tool', tool_name: wireToolName(name), tool_call_id: callId } as const
  if (typeof content === 'string') return { ...head, content: wellFormed(content) }
  const found = content.filter((part) => part.type === 'image')
  if (found.length > 0) images.push({ type: 'text', text: `Returned by the tool "${name}":` }, ...found)
  const lines = content.map((part) => (part.type === 'text' ? part.text : '[image: see the next message]'))
  return { ...head, content: wellFormed(lines.join('\n')) }
}
