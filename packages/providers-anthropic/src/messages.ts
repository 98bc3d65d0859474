import { hash } from 'node:crypto'
import type { AssistantMessage, Message, ReasoningPart, ToolMessage } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import {
  argumentsObject,
  type CallIds,
  type ConversionCaches,
  continuePrompt,
  convertConversation,
  isBlank,
  partsOf,
  repairTranscript,
  wellFormed,
  wireToolName,
} from '@agentkit/wire'
import type {
  ContentBlockParam,
  RedactedThinkingBlockParam,
  ThinkingBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import type { Turn } from './types.ts'
import { type MediaBlock, userBlocks } from './user-blocks.ts'

/**
 * A conversation without its instructions as the Messages API takes it: users and assistants take turns, beginning and
 * ending with a user. What the API cannot carry is left out, with a warning.
 * @param owner `provider/model`: reasoning of any other owner is left out; all of it when empty
 */
export function toAnthropicTurns(
  messages: readonly Message[],
  owner: string,
  warnings: string[],
  ofRun?: Map<object, unknown>,
): Turn[] {
  const converted = convertConversation(
    messages,
    {
      key: owner,
      caches,
      ofRun,
      toWireId: anthropicCallId,
      convert: (part, ids, partWarnings) => convertPart(part, ids, owner, partWarnings),
    },
    warnings,
  )
  return takeTurns(converted)
}

/** The caches by owner, because the owner decides which opaque data is sent. */
const caches: ConversionCaches<Turn> = new Map()

/** The API takes letters, digits, `_` and `-`, and 64 of them. */
function anthropicCallId(callId: string): string {
  return /^[\w-]{1,64}$/.test(callId) ? callId : `call_${hash('sha256', callId).slice(0, 32)}`
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
      // Most models take no system message here, and the others not in every place.
      return isBlank(message.content)
        ? []
        : [{ type: 'text', text: `<system>\n${wellFormed(message.content)}\n</system>` }]
    case 'user':
      return userBlocks(partsOf(message.content))
    case 'assistant':
      return assistantBlocks(message, owner)
    case 'tool':
      return [toolResult(message, warnings)]
    default:
      return assertNever(message)
  }
}

function assistantBlocks({ content }: AssistantMessage, owner: string): ContentBlockParam[] {
  const all = content.flatMap((part): ContentBlockParam[] => {
    switch (part.type) {
      case 'text':
        return isBlank(part.text) ? [] : [{ type: 'text', text: wellFormed(part.text) }]
      case 'reasoning':
        return thinkingBlock(part, owner)
      case 'tool-call':
        return [
          { type: 'tool_use', id: part.callId, name: wireToolName(part.name), input: argumentsObject(part.input) },
        ]
      default:
        return assertNever(part)
    }
  })
  // The API refuses an answer that ends with thinking, as one that was cut off may, or that has nothing else.
  const blocks = all.slice(0, all.findLastIndex((block) => !isThinking(block)) + 1)
  // Thinking must keep its place; after it, the calls must come last.
  const afterThinking = blocks.findLastIndex(isThinking) + 1
  const rest = blocks.slice(afterThinking)
  return [
    ...blocks.slice(0, afterThinking),
    ...rest.filter(({ type }) => type !== 'tool_use'),
    ...rest.filter(({ type }) => type === 'tool_use'),
  ]
}

/** The data of a thinking block beside its text. The API accepts it only unchanged. */
export type ThinkingData = { signature: string } | { redacted: string }

/** The thinking block of a reasoning part; none for a part of another model. */
function thinkingBlock(
  { text, opaque }: ReasoningPart,
  owner: string,
): [] | [ThinkingBlockParam | RedactedThinkingBlockParam] {
  const data = opaque?.owner === owner ? opaque.data : undefined
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  if (typeof data.signature === 'string') return [{ type: 'thinking', thinking: text, signature: data.signature }]
  return typeof data.redacted === 'string' ? [{ type: 'redacted_thinking', data: data.redacted }] : []
}

function isThinking({ type }: ContentBlockParam): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

function toolResult({ callId, content, isError }: ToolMessage, warnings: string[]): ToolResultBlockParam {
  let blocks: MediaBlock[] = userBlocks(partsOf(content))
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

/** The placeholder of a user's turn where the API requires one. */
const between: Turn = { role: 'user', content: [{ type: 'text', text: continuePrompt }] }

/**
 * Joins consecutive turns of one role, so that all results of an answer's calls are in one turn, and makes a user's turn
 * precede each answer and end the conversation: newer models refuse to continue an answer, and older ones continue it
 * instead of starting another.
 */
function takeTurns(converted: readonly Turn[]): Turn[] {
  const turns: Turn[] = []
  for (const turn of converted) {
    const last = turns.at(-1)
    if (turn.role === 'assistant' && last?.role !== 'user') turns.push(between)
    // Converted turns are cached for the next request, and must not change.
    if (turn.role === 'user' && last?.role === 'user') {
      turns[turns.length - 1] = { role: 'user', content: [...last.content, ...turn.content] }
    } else turns.push(turn)
  }
  if (turns.at(-1)?.role !== 'user') turns.push(between)
  return turns
}
