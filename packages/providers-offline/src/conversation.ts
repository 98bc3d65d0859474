import type { AssistantPart, JSONValue, Message } from '@agentkit/core'

/**
 * The beginning of the first answer of each conversation, so that it is not mistaken for the answer of a language
 * model.
 */
export const introduction = 'I am the offline stand-in, not a language model.'

// The limits of a request that is read: more than people write, and little enough that no text can block the process.
/** Characters of a message, and of all earlier messages together, the latest first. */
export const longestMessage = 4_000
const longestEarlier = 64_000
/** Bytes of a result, and of all together, the latest first. */
const longestResult = 64 * 1_024
const longestResults = 256 * 1_024

/** A result of this turn, with the arguments of its call. */
export type ToolResult = { name: string; input: Input; text: string; isError: boolean }
export type Input = { [key: string]: JSONValue }

/** The parts of a request that this model reads. */
export type Conversation = {
  /** The user's last message. */
  question: string
  /** The user's messages before it, the latest first. */
  earlier: string[]
  /** The last answer before the question; `undefined` at the beginning of a conversation. */
  lastAnswer: string | undefined
  /** The results of the calls after the question. */
  results: ToolResult[]
  /** Images and files of the last message. */
  unreadable: string[]
  /** The parts that are not read completely, as the objects of "I read only …". */
  cuts: string[]
  callIds: Set<string>
}

export function readConversation(messages: readonly Message[]): Conversation {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const last = messages[at]
  const before = messages.slice(0, Math.max(0, at)).reverse()
  const cuts = new Set<string>()
  const answer = before.find(({ role }) => role === 'assistant')
  const calls = messages.flatMap(partsOf).filter((part) => part.type === 'tool-call')
  return {
    question: last ? firstChars(messageText(last), longestMessage, cuts, 'your message') : '',
    earlier: earlierMessages(before, cuts),
    lastAnswer: answer && messageText(answer).slice(0, longestMessage),
    results: resultsOf(messages.slice(at + 1), cuts),
    unreadable: last?.role === 'user' ? unreadableParts(last.content) : [],
    callIds: new Set(calls.map(({ callId }) => callId)),
    cuts: [...cuts],
  }
}

function earlierMessages(before: readonly Message[], cuts: Set<string>): string[] {
  let left = longestEarlier
  return before.flatMap((message) => {
    if (message.role !== 'user') return []
    const what = 'an earlier message, and 64,000 of all'
    const text = firstChars(messageText(message), Math.min(longestMessage, left), cuts, what)
    left -= text.length
    return text === '' ? [] : [text]
  })
}

function unreadableParts(content: string | readonly { type: string; name?: string }[]): string[] {
  const parts = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
  return parts.map(({ type, name }) => (name === undefined ? `the ${type}` : `the ${type} "${name}"`))
}

function resultsOf(turn: readonly Message[], cuts: Set<string>): ToolResult[] {
  const calls = turn.flatMap(partsOf).filter((part) => part.type === 'tool-call')
  // The loop gives arguments to tools as objects alone.
  const inputs = new Map(calls.map(({ callId, input }) => [callId, input as Input]))
  let left = longestResults
  const results = turn.toReversed().flatMap((message): ToolResult[] => {
    if (message.role !== 'tool') return []
    const whole = messageText(message)
    const text = firstBytes(whole, Math.min(longestResult, left))
    left -= Buffer.byteLength(text)
    if (text.length < whole.length) cuts.add(`the first 64 KB of what ${message.name} gave`)
    // Another model of this kind, called as a tool, introduces itself too.
    const plain = text.replaceAll(`${introduction} `, '').trim()
    const { name, isError = false } = message
    return [{ name, input: inputs.get(message.callId) ?? {}, text: plain, isError }]
  })
  return results.reverse()
}

function partsOf(message: Message): readonly AssistantPart[] {
  return message.role === 'assistant' ? message.content : []
}

function messageText({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function firstChars(text: string, count: number, cuts: Set<string>, what: string): string {
  if (text.length <= count) return text
  cuts.add(`the first 4,000 characters of ${what}`)
  // Without half of a character.
  return text.slice(0, count).replace(/[\uD800-\uDBFF]$/, '')
}

function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes))).read)
}
