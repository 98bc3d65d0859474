import type { JSONValue, Message, ToolMessage, UserMessage } from '@agentkit/core'
import { sizeOf } from './bound-request.ts'
import { type Asked, splitPassages } from './passages.ts'
import type { PlannedCall } from './plan-calls.ts'

/** A result of this turn, with the call that it answers. */
export type TurnResult = { call: PlannedCall; message: ToolMessage }

/** What a request's messages say, apart. */
export type Conversation = Asked & {
  /** The user's last message, its text parts joined. */
  text: string
  /** What of the last message cannot be read: images and files. */
  unreadable: string[]
  /** Earlier messages of the user, the latest first. */
  earlier: string[]
  system: string[]
  /** Calls of earlier turns, the latest first. */
  earlierCalls: PlannedCall[]
  /** What the assistant said before this turn; `undefined` at a conversation's beginning. */
  lastAnswer: string | undefined
  /** Calls that this turn has made, with their results. */
  results: TurnResult[]
  /** Results of earlier turns, the latest first. */
  earlierResults: TurnResult[]
  callIds: Set<string>
}

export function readConversation(messages: readonly Message[]): Conversation {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, Math.max(0, lastUser))
  const user = messages[lastUser]
  const text = user?.role === 'user' ? textOf(user) : ''
  const answers = before.filter((message) => message.role === 'assistant')
  return {
    ...splitPassages(text),
    text,
    unreadable: user?.role === 'user' ? unreadableParts(user) : [],
    earlier: before
      .filter((message) => message.role === 'user')
      .map(textOf)
      .reverse(),
    system: messages.filter((message) => message.role === 'system').map(({ content }) => content),
    earlierCalls: callsOf(before)
      .map(({ call }) => call)
      .reverse(),
    lastAnswer:
      answers.length === 0
        ? undefined
        : answers
            .at(-1)
            ?.content.map((part) => (part.type === 'text' ? part.text : ''))
            .join(''),
    results: resultsOf(messages.slice(lastUser + 1)),
    earlierResults: resultsOf(before).reverse(),
    callIds: new Set(callsOf(messages).map(({ callId }) => callId)),
  }
}

function textOf({ content }: UserMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function unreadableParts({ content }: UserMessage): string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    if (part.type === 'text') return []
    return [part.type === 'file' && part.name ? `the file "${part.name}"` : `the ${part.type}`]
  })
}

function callsOf(messages: readonly Message[]): { callId: string; call: PlannedCall }[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return []
    return message.content.flatMap((part) => {
      if (part.type !== 'tool-call') return []
      return [{ callId: part.callId, call: { name: part.name, input: asInput(part.input) } }]
    })
  })
}

function asInput(input: JSONValue): PlannedCall['input'] {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}
}

function resultsOf(turn: readonly Message[]): TurnResult[] {
  const calls = new Map(callsOf(turn).map(({ callId, call }) => [callId, call]))
  return turn.flatMap((message) => {
    if (message.role !== 'tool') return []
    return [{ call: calls.get(message.callId) ?? { name: message.name, input: {} }, message }]
  })
}

/** What a tool gave, as plain data: JSON where it is JSON, `null` for no result, `undefined` for "done". */
export function resultValue({ content }: ToolMessage): JSONValue | undefined {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const trimmed = text.trim()
  if (trimmed === 'done') return undefined
  if (trimmed === '' || trimmed === 'no result') return null
  if (!/^(?:[[{"]|-?\d|true$|false$|null$)/.test(trimmed)) return trimmed
  try {
    // What JSON.parse gives is a JSON value.
    const value = JSON.parse(trimmed) as JSONValue
    // What is too deep is text: what walks data does not look at the stack.
    if (sizeOf(value, Infinity) === Infinity) return trimmed
    // Digits that a number would change (an id, an amount in wei) stay text.
    return typeof value === 'number' && String(value) !== trimmed ? trimmed : value
  } catch {
    return trimmed
  }
}
