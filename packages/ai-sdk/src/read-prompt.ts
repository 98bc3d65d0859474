import type { AssistantMessage, ImagePart, InputPart, JSONValue, Message, TextPart, ToolMessage } from '@agentkit/core'
import { invalidArgument, isRecord } from '@agentkit/core/internal'
import { isTextType } from '@agentkit/wire'
import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider'

type PromptMessage = LanguageModelV3Prompt[number]
type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content'][number]
type CallPart = Extract<AssistantContent, { type: 'tool-call' }>
type ResultPart = Extract<AssistantContent, { type: 'tool-result' }>
type FilePart = Extract<Extract<PromptMessage, { role: 'user' }>['content'][number], { type: 'file' }>

/**
 * A prompt of the AI SDK as the question of a run and what came before. System texts are marked texts of the question: only
 * the agent's own instruction is the system message.
 *
 * @throws AgentKitError `invalid-argument` when the last message is not the user's
 */
export function readPrompt(
  prompt: LanguageModelV3Prompt,
  responseFormat: LanguageModelV3CallOptions['responseFormat'],
): { input: InputPart[]; history: Message[] } {
  const last = prompt.at(-1)
  if (last?.role !== 'user') {
    throw invalidArgument(
      `The last message is the user's question, and this one is of the role "${last?.role ?? 'none'}".`,
    )
  }
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content as string] : []))
  return {
    input: [
      ...system.map((text) => textPart(`<system>\n${text}\n</system>`)),
      ...last.content.map(userPart),
      ...(responseFormat?.type === 'json' ? [textPart(jsonRequest(responseFormat.schema))] : []),
    ],
    history: readHistory(prompt.slice(0, -1)),
  }
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}

function jsonRequest(schema: unknown): string {
  const form = schema === undefined ? '' : ` that follows this JSON Schema:\n${JSON.stringify(schema)}\n`
  return `Answer with JSON${form || ' '}and with nothing else: no other words, no code block.`
}

function userPart(part: TextPart | FilePart): InputPart {
  if (part.type === 'text') return textPart(part.text)
  const { data, mediaType, filename } = part
  const isImage = mediaType.startsWith('image/') || mediaType === 'image'
  const type = mediaType.includes('/') && !mediaType.endsWith('/*') ? { mediaType } : {}
  const name = filename === undefined ? {} : { name: filename }
  const source = sourceOf(data)
  if (isImage) return { type: 'image', ...source, ...type }
  return { type: 'file', ...source, mediaType, ...name }
}

function sourceOf(data: FilePart['data']): { data: Uint8Array | URL } | { base64: string } | { url: string } {
  if (typeof data !== 'string') {
    if (data instanceof URL || data instanceof Uint8Array) return { data }
    throw invalidArgument('The content of a file is bytes, base64 or a URL: ids of uploaded files are not known here.')
  }
  return /^(?:https?|data):/i.test(data) ? { url: data } : { base64: data }
}

/**
 * Calls stay with their results, wherever those follow; a call without a result is left out. So are a greeting of the
 * assistant, as models reject a conversation that begins with one, and messages of the user without content.
 */
function readHistory(prompt: readonly PromptMessage[]): Message[] {
  const results = new Map<CallPart, ResultPart>()
  // By their ids, which some models use again in each answer.
  const calls = new Map<string, CallPart>()
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') calls.set(part.toolCallId, part)
      const call = part.type === 'tool-result' ? calls.get(part.toolCallId) : undefined
      if (call && part.type === 'tool-result') results.set(call, part)
    }
  }
  const begin = prompt.findIndex((message) => message.role === 'user' && message.content.some(hasContent))
  if (begin < 0) return []
  return prompt.slice(begin).flatMap((message): Message[] => {
    switch (message.role) {
      case 'user': {
        const parts = message.content.filter(hasContent).map(userPart).map(storedPart)
        return parts.length > 0 ? [{ role: 'user', content: parts }] : []
      }
      case 'assistant':
        return assistantMessages(message.content, results)
      default:
        return []
    }
  })
}

function hasContent(part: TextPart | FilePart): boolean {
  return part.type !== 'text' || part.text !== ''
}

/** History is plain JSON: bytes become base64. */
function storedPart(part: InputPart): Extract<InputPart, { type: 'text' } | { base64?: string }> {
  if (part.type === 'text' || !('data' in part)) return part
  const { data, ...rest } = part
  const source = data instanceof URL ? { url: data.href } : { base64: Buffer.from(data).toString('base64') }
  // A file always has its media type here; the types of both kinds differ in that only.
  return { ...rest, ...source } as ImagePart
}

/** An answer with results in it is several messages: each ends with its calls, and their results follow. */
function assistantMessages(
  content: readonly AssistantContent[],
  results: ReadonlyMap<CallPart, ResultPart>,
): Message[] {
  const messages: Message[] = []
  let parts: AssistantMessage['content'] = []
  let answers: ToolMessage[] = []
  const flush = (): void => {
    if (parts.length > 0) messages.push({ role: 'assistant', content: parts }, ...answers)
    parts = []
    answers = []
  }
  for (const part of content) {
    if (part.type === 'text') {
      if (answers.length > 0) flush()
      if (part.text !== '') parts.push(textPart(part.text))
    }
    if (part.type !== 'tool-call') continue
    const result = results.get(part)
    if (!result) continue
    const { toolCallId: callId, toolName: name } = part
    // The AI SDK has parsed the input from JSON.
    parts.push({ type: 'tool-call', callId, name, input: (part.input ?? {}) as JSONValue })
    answers.push({ role: 'tool', callId, name, ...readOutput(result.output) })
  }
  flush()
  return messages
}

function readOutput(output: ResultPart['output']): Pick<ToolMessage, 'content' | 'isError'> {
  switch (output.type) {
    case 'text':
      return { content: output.value }
    case 'json':
      return { content: readParts(output.value) ?? textOrJSON(output.value) }
    case 'error-text':
      return { content: output.value, isError: true }
    case 'error-json':
      return { content: textOrJSON(output.value), isError: true }
    case 'execution-denied':
      return { content: `The call was denied: ${output.reason ?? 'no reason was given.'}`, isError: true }
    case 'content':
      return {
        content: output.value.map(contentPart),
      }
  }
}

/** As the model has read it: the AI SDK has each failure of a tool as JSON. */
function textOrJSON(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The texts and images that a tool of the agent has returned, which its answer has as they are. */
function readParts(value: unknown): (TextPart | ImagePart)[] | undefined {
  const isParts = Array.isArray(value) && value.length > 0 && value.every(isPart)
  return isParts ? value : undefined
}

function isPart(part: unknown): part is TextPart | ImagePart {
  if (!isRecord(part)) return false
  if (part.type === 'text') return typeof part.text === 'string'
  return part.type === 'image' && (typeof part.base64 === 'string' || typeof part.url === 'string')
}

type ContentItem = Extract<ResultPart['output'], { type: 'content' }>['value'][number]

/** A part of a result; a line of text for what no result holds here. */
function contentPart(item: ContentItem | V4FilePart): TextPart | ImagePart {
  switch (item.type) {
    case 'text':
      return textPart(item.text)
    case 'image-data':
      return { type: 'image', base64: item.data, mediaType: item.mediaType }
    case 'image-url':
      return { type: 'image', url: item.url }
    case 'file-url':
      return isImageAddress(item) ? { type: 'image', url: item.url } : leftOut(` at ${item.url}`)
    case 'file-data': {
      const { data, mediaType, filename = mediaType } = item
      // `image` alone names a kind.
      if (mediaType === 'image') return { type: 'image', base64: data }
      if (mediaType.startsWith('image/')) return { type: 'image', base64: data, mediaType }
      const name = JSON.stringify(filename)
      if (!isTextType(mediaType)) return leftOut(` ${name}`)
      return textPart(`[file ${name}]\n${Buffer.from(data, 'base64').toString('utf8')}`)
    }
    case 'file':
      return item.data.type === 'text' ? textPart(item.data.text) : leftOut('')
    default:
      // Ids of files that a provider stores, and parts that a provider defines.
      return leftOut('')
  }
}

/** `ai` 7 passes the texts among files as they are in its own specification. */
type V4FilePart = { type: 'file'; data: { type: 'text'; text: string } | { type: 'other' } }

/** By its type, which some versions pass beside an address, else by its ending. */
function isImageAddress({ url, mediaType }: { url: string; mediaType?: unknown }): boolean {
  if (typeof mediaType === 'string') return /^image(?:\/|$)/.test(mediaType)
  return /^(?:https?:[^?#]*\.(?:png|jpe?g|gif|webp)(?:[?#]|$)|data:image\/)/i.test(url)
}

function leftOut(which: string): TextPart {
  return textPart(`[file${which} left out]`)
}
