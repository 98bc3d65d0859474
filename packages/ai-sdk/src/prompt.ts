import type { AssistantMessage, AssistantPart, Message, UserMessage, UserPart } from '@agentkit/core'
import {
  argumentsObject,
  CallIds,
  continuePrompt,
  imagesAfterResults,
  isBlank,
  type MediaPart,
  mediaSource,
  partsOf,
  readableMessages,
  repairTranscript,
  splitInstructions,
  type TextResultMessage,
  wellFormed,
  wireCallId,
  wireToolName,
} from '@agentkit/wire'

export type PromptOptions = {
  /** The model's id, which owns opaque data. */
  id: string
  /** Whether the content of files is tagged with its kind, as specification V4 has it. */
  isTagged: boolean
  reads(part: MediaPart): boolean
  /** Receives what the model cannot be sent. */
  warnings: string[]
}

/** A conversation as a prompt of the AI SDK. */
export function toPrompt(messages: readonly Message[], options: PromptOptions): object[] {
  const { id, reads, warnings } = options
  const { instructions, rest } = splitInstructions(messages)
  const ids = new CallIds((callId) => wireCallId(callId, 64))
  const readable = readableMessages(rest, reads, id, warnings)
  const prompt: PromptMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  // Not every provider takes images in the result of a tool, and some would send them as text.
  for (const message of imagesAfterResults(repairTranscript(readable, ids))) addMessage(prompt, message, options)
  if (!prompt.some(({ role }) => role === 'user')) {
    prompt.push({ role: 'user', content: [{ type: 'text', text: continuePrompt }] })
  }
  return prompt
}

type PromptMessage = { role: 'system'; content: string } | { role: 'user' | 'assistant' | 'tool'; content: object[] }

function addMessage(prompt: PromptMessage[], message: TextResultMessage, options: PromptOptions): void {
  switch (message.role) {
    case 'system':
      // Some providers take no system message in this place.
      addParts(prompt, 'user', [{ type: 'text', text: `<system>\n${wellFormed(message.content)}\n</system>` }])
      return
    case 'user':
      addParts(prompt, 'user', userParts(message, options))
      return
    case 'assistant':
      addParts(
        prompt,
        'assistant',
        message.content.flatMap((part) => assistantPart(part, message, options)),
      )
      return
    case 'tool': {
      const { callId: toolCallId, name, content, isError } = message
      const output = { type: isError ? 'error-text' : 'text', value: wellFormed(content) }
      addParts(prompt, 'tool', [{ type: 'tool-result', toolCallId, toolName: wireToolName(name), output }])
    }
  }
}

/** Messages of one role follow each other as one: the results of a step, images after them and the next question. */
function addParts(prompt: PromptMessage[], role: 'user' | 'assistant' | 'tool', parts: object[]): void {
  if (parts.length === 0) return
  const last = prompt.at(-1)
  if (last?.role === role && typeof last.content !== 'string') last.content.push(...parts)
  else prompt.push({ role, content: parts })
}

function userParts({ content }: UserMessage, options: PromptOptions): object[] {
  return partsOf<UserPart>(content).flatMap((part) => {
    if (part.type === 'text') return isBlank(part.text) ? [] : [{ type: 'text', text: wellFormed(part.text) }]
    return [filePart(part, options)]
  })
}

function filePart(part: MediaPart, { isTagged }: PromptOptions): object {
  const { base64, url, mediaType = 'image/*' } = mediaSource(part)
  const name = part.type === 'file' && part.name !== undefined ? { filename: part.name } : {}
  const data = base64 ?? new URL(url ?? '')
  if (!isTagged) return { type: 'file', data, mediaType, ...name }
  const tagged = base64 === undefined ? { type: 'url', url: data } : { type: 'data', data: base64 }
  return { type: 'file', data: tagged, mediaType, ...name }
}

function assistantPart(part: AssistantPart, { model }: AssistantMessage, { id }: PromptOptions): object[] {
  const isOwn = part.opaque?.owner === id
  const metadata = isOwn && part.opaque ? { providerOptions: part.opaque.data } : {}
  switch (part.type) {
    case 'text':
      return isBlank(part.text) && !isOwn ? [] : [{ type: 'text', text: wellFormed(part.text), ...metadata }]
    case 'reasoning':
      // Only the model that has written it can read it.
      return isOwn || (model === id && part.opaque === undefined)
        ? [{ type: 'reasoning', text: wellFormed(part.text), ...metadata }]
        : []
    case 'tool-call': {
      const { callId: toolCallId, name } = part
      const input = argumentsObject(part.input)
      return [{ type: 'tool-call', toolCallId, toolName: wireToolName(name), input, ...metadata }]
    }
  }
}
