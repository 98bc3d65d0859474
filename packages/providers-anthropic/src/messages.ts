import { hash } from 'node:crypto'
import { type AssistantMessage, assertNever, type JSONValue, type Message, type ToolMessage } from '@agentkit/core'
import {
  argumentsText,
  type CallIds,
  type ConversationCache,
  type Convert,
  convertConversation,
  isBlank,
  repairTranscript,
  wellFormed,
  wireToolName,
} from '@agentkit/wire'
import type { ContentBlockParam, TextBlockParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages'
import { thinkingBlock } from './thinking-blocks.ts'
import type { Turn } from './types.ts'
import { type MediaBlock, userBlocks } from './user-blocks.ts'

/** A conversation as the Messages API takes it. */
export type Conversation = { system: TextBlockParam[]; turns: Turn[] }

/**
 * Maps a conversation: the system messages that stand first are the system prompt, and users and assistants take
 * turns, beginning and ending with a user. What this wire cannot carry is told in `warnings`.
 * @param owner `provider/model`: reasoning of any other owner is left out
 */
export function toConversation(messages: readonly Message[], owner: string, warnings: string[]): Conversation {
  const begins = messages.findIndex(({ role }) => role !== 'system')
  const start = begins === -1 ? messages.length : begins
  const convert: Convert<Turn> = (part, ids, told) => convertPart(part, ids, owner, told)
  const cache = caches.get(owner) ?? new WeakMap()
  caches.set(owner, cache)
  const converted = convertConversation(messages.slice(start), cache, toWireId, convert, warnings)
  return { system: systemPrompt(messages.slice(0, start)), turns: takeTurns(converted) }
}

/** By owner, which decides what opaque data is sent. */
const caches = new Map<string, ConversationCache<Turn>>()

/** The API takes letters, digits, `_` and `-`, and 64 of them. */
function toWireId(callId: string): string {
  return /^[\w-]{1,64}$/.test(callId) ? callId : `call_${hash('sha256', callId).slice(0, 32)}`
}

function systemPrompt(messages: readonly Message[]): TextBlockParam[] {
  const texts = messages.flatMap(({ role, content }) => (role === 'system' && !isBlank(content) ? [content] : []))
  return texts.length === 0 ? [] : [{ type: 'text', text: wellFormed(texts.join('\n\n')) }]
}

function convertPart(messages: readonly Message[], ids: CallIds, owner: string, warnings: string[]): Turn[] {
  return repairTranscript(messages, ids).flatMap((message): Turn[] => {
    const content = contentOf(message, owner, warnings)
    return content.length === 0 ? [] : [{ role: message.role === 'assistant' ? 'assistant' : 'user', content }]
  })
}

function contentOf(message: Message, owner: string, warnings: string[]): ContentBlockParam[] {
  switch (message.role) {
    case 'system':
      // Most models take no system message here, and those that do not in every place.
      return isBlank(message.content)
        ? []
        : [{ type: 'text', text: `<system>\n${wellFormed(message.content)}\n</system>` }]
    case 'user':
      return userBlocks(
        typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content,
        warnings,
      )
    case 'assistant':
      return assistantBlocks(message, owner)
    case 'tool':
      return [toolResult(message, warnings)]
    default:
      return assertNever(message)
  }
}

function assistantBlocks({ content }: AssistantMessage, owner: string): ContentBlockParam[] {
  const blocks = content.flatMap((part): ContentBlockParam[] => {
    switch (part.type) {
      case 'text':
        return isBlank(part.text) ? [] : [{ type: 'text', text: wellFormed(part.text) }]
      case 'reasoning':
        return thinkingBlock(part, owner)
      case 'tool-call':
        return [{ type: 'tool_use', id: part.callId, name: wireToolName(part.name), input: toInput(part.input) }]
      default:
        return assertNever(part)
    }
  })
  const thought = blocks.some(isThinking)
  // Reasoning alone is no answer, and would stand before the next one.
  if (thought && blocks.every(isThinking)) return []
  // What it thought is taken back only in its place; of any other answer the calls must come last.
  if (thought) return blocks
  return [...blocks.filter(({ type }) => type !== 'tool_use'), ...blocks.filter(({ type }) => type === 'tool_use')]
}

function isThinking({ type }: ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** The API takes objects alone. */
function toInput(input: JSONValue): unknown {
  const wellFormedInput: unknown = JSON.parse(argumentsText(input))
  const isObject = typeof wellFormedInput === 'object' && wellFormedInput !== null && !Array.isArray(wellFormedInput)
  return isObject ? wellFormedInput : { value: wellFormedInput }
}

function toolResult({ callId, content, isError }: ToolMessage, warnings: string[]): ToolResultBlockParam {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  let blocks: MediaBlock[] = userBlocks(parts, warnings)
  if (isError && blocks.some(({ type }) => type !== 'text')) {
    warnings.push('Anthropic takes no images in the result of a call that failed: they were left out.')
    blocks = blocks.map((block) => (block.type === 'text' ? block : { type: 'text', text: '[image left out]' }))
  }
  // A failure must have a reason.
  if (isError && blocks.length === 0) blocks = [{ type: 'text', text: 'The call failed.' }]
  const result: ToolResultBlockParam = { type: 'tool_result', tool_use_id: callId }
  const [first] = blocks
  if (first) result.content = blocks.length === 1 && first.type === 'text' ? first.text : blocks
  if (isError) result.is_error = true
  return result
}

/** What is said for a user where one has to speak and nobody did. */
const goOn: Turn = { role: 'user', content: [{ type: 'text', text: 'Continue.' }] }

/**
 * Joins what one side says in a row, so that all results of an answer's calls come in one turn, and lets a user speak
 * before each answer, and last: newer models refuse to go on with an answer, and older ones would not begin another.
 */
function takeTurns(converted: readonly Turn[]): Turn[] {
  const turns: Turn[] = []
  for (const turn of converted) {
    const last = turns.at(-1)
    if (turn.role === 'assistant' && last?.role !== 'user') turns.push(goOn)
    // Converted turns are kept for the next request, and so stay as they are.
    if (turn.role === 'user' && last?.role === 'user') {
      turns[turns.length - 1] = { role: 'user', content: [...last.content, ...turn.content] }
    } else turns.push(turn)
  }
  if (turns.at(-1)?.role !== 'user') turns.push(goOn)
  return turns
}
