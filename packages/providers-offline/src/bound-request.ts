import type { AssistantPart, Message, ModelRequest, ToolSpec } from '@agentkit/core'

const kilobyte = 1_024
/** How much of a request is read: more than people write, and so little that no text can hold up the process. */
const most = {
  /** Characters of a message, and of all earlier messages together; the latest come first. */
  message: 4_000,
  earlier: 64_000,
  /** Bytes of a result and of all together, the latest first; of the instruction; of an earlier answer. */
  result: 64 * kilobyte,
  results: 256 * kilobyte,
  instruction: 64 * kilobyte,
  answer: 64 * kilobyte,
  /** Characters of a tool's description, of a tool, and of all tools together; the first come first. */
  description: 4_000,
  tool: 64 * kilobyte,
  tools: 128 * kilobyte,
  /** Characters of a call's input, and how deep data may be. */
  input: 64 * kilobyte,
  depth: 64,
}

/** Ends a message that is cut, so that its last words are not taken for a whole argument: a line that is never quoted. */
export const cutMark = '\n\0'

/** A request with as much of it as is read. */
export type BoundedRequest = {
  request: ModelRequest
  /** What is not read whole, as the objects of "I read only …". */
  cuts: string[]
}

/** Cuts what is longer than this model reads: messages, results, the instruction, and tools. */
export function boundRequest(request: ModelRequest): BoundedRequest {
  const cuts = new Set<string>()
  const { tools, ...rest } = request
  const messages = boundMessages(request.messages, cuts)
  return { request: { ...rest, messages, ...(tools && { tools: boundTools(tools, cuts) }) }, cuts: [...cuts] }
}

/** From the last message back, so that the latest are read where all together are too long. */
function boundMessages(messages: readonly Message[], cuts: Set<string>): Message[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const left = { earlier: most.earlier, results: most.results, instruction: most.instruction }
  const bound = (message: Message, isEarlier: boolean): Message => {
    switch (message.role) {
      case 'assistant':
        return { ...message, content: message.content.map(boundPart) }
      case 'user': {
        const whole = textOf(message.content)
        const first = firstChars(whole, isEarlier ? Math.min(most.message, left.earlier) : most.message)
        if (isEarlier) left.earlier -= first.length
        const isCut = first.length < whole.length
        if (isCut) {
          cuts.add(
            isEarlier
              ? 'the first 4,000 characters of an earlier message, and 64,000 of all'
              : 'the first 4,000 characters of your message',
          )
        }
        const text = withoutGaps(first) + (isCut ? cutMark : '')
        if (typeof message.content === 'string') return { ...message, content: text }
        return {
          ...message,
          content: [{ type: 'text', text }, ...message.content.filter(({ type }) => type !== 'text')],
        }
      }
      case 'tool': {
        const whole = textOf(message.content)
        const text = firstBytes(whole, Math.min(most.result, left.results))
        left.results -= Buffer.byteLength(text)
        if (text.length < whole.length) cuts.add(`the first 64 KB of what ${message.name} gave`)
        return { ...message, content: withoutGaps(text) }
      }
      case 'system': {
        const text = firstBytes(message.content, left.instruction)
        left.instruction -= Buffer.byteLength(text)
        if (text.length < message.content.length) cuts.add('the first 64 KB of my instruction')
        return { ...message, content: withoutGaps(text) }
      }
    }
  }
  const bounded: Message[] = []
  for (const [index, message] of [...messages.entries()].reverse()) bounded.push(bound(message, index < lastUser))
  return bounded.reverse()
}

function boundPart(part: AssistantPart): AssistantPart {
  if (part.type === 'text') return { ...part, text: firstBytes(part.text, most.answer) }
  // The call counts as made; its input is too long to be one of this model.
  const isRead = part.type !== 'tool-call' || sizeOf(part.input, most.input) <= most.input
  return isRead ? part : { ...part, input: {} }
}

/** Tools that are longer than is read are not called. */
function boundTools(tools: readonly ToolSpec[], cuts: Set<string>): ToolSpec[] {
  let left = most.tools
  return tools.flatMap((tool) => {
    const bounded = { ...tool, description: withoutGaps(firstChars(tool.description, most.description)) }
    const limit = Math.min(most.tool, left)
    const size = sizeOf(bounded, limit)
    if (size > limit) {
      cuts.add('tools of up to 64 KB, and 128 KB of all')
      return []
    }
    left -= size
    return [bounded]
  })
}

function textOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === 'string') return content
  return content.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n')
}

function firstChars(text: string, count: number): string {
  if (text.length <= count) return text
  const first = text.slice(0, Math.max(0, count))
  // Half of a character is none.
  return /[\uD800-\uDBFF]$/.test(first) ? first.slice(0, -1) : first
}

function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes))).read)
}

/** White space of more than 64 characters as 64: many patterns try all of it anew from each of its characters. */
function withoutGaps(text: string): string {
  return text.replace(/(\s{64})\s+/g, '$1')
}

/** How many characters of text a value has; `Infinity` as soon as these are more than `limit`, or data is too deep. */
export function sizeOf(value: unknown, limit: number, depth: number = most.depth): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length : 1
  let size = 1
  for (const [key, item] of depth === 0 ? [] : Object.entries(value)) {
    size += key.length + sizeOf(item, limit - size, depth - 1)
    if (size > limit) return Infinity
  }
  return depth === 0 ? Infinity : size
}
