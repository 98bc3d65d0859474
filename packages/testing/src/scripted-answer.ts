import type { JSONValue, ModelFinishReason, Usage } from '@agentkit/core'
import { checkOptionNames, type ForeignWords, invalidArgument } from '@agentkit/core/internal'

/** A tool call of a scripted answer. */
export type ScriptedToolCall = {
  name: string
  /** The arguments; `{}` when absent. */
  input?: JSONValue
  /** Generated, and unique in the model, when absent. */
  callId?: string
  /** Arguments that are invalid JSON, as the model wrote them: the call is emitted as an invalid one. */
  inputText?: string
}

/** One scripted answer. */
export type ScriptedAnswer = {
  text?: string
  reasoning?: string
  toolCalls?: readonly ScriptedToolCall[]
  /** `tool-calls` when there are any, otherwise `stop`. */
  finishReason?: ModelFinishReason
  /** `{ inputTokens: 10, outputTokens: 5, totalTokens: 15 }` when absent. */
  usage?: Usage
  /** The number of pieces of the text, of the reasoning and of an answer that is a tool's arguments; 3 when absent. */
  deltas?: number
  /** The delay before each event, in milliseconds. */
  delayMs?: number
  warnings?: readonly string[]
  /** Thrown instead of `finish`, after all other events. */
  error?: Error
}

const answerKeys = {
  text: true,
  reasoning: true,
  toolCalls: true,
  finishReason: true,
  usage: true,
  deltas: true,
  delayMs: true,
  warnings: true,
  error: true,
} satisfies Record<keyof ScriptedAnswer, true>

const usageKeys = {
  inputTokens: true,
  outputTokens: true,
  cachedInputTokens: true,
  cacheWriteTokens: true,
  reasoningTokens: true,
  totalTokens: true,
  estimated: true,
} satisfies Record<keyof Usage, true>

const callKeys = { name: true, input: true, callId: true, inputText: true } satisfies Record<
  keyof ScriptedToolCall,
  true
>

/** The names of the parts of a call in other libraries. */
const callWords: ForeignWords = {
  toolName: 'name',
  args: 'input',
  arguments: 'input',
  parameters: 'input',
  toolCallId: 'callId',
  id: 'callId',
}

/**
 * Refuses a misspelt answer: it would be an empty one, or a call without arguments. The compiler does not see one that a
 * function returns.
 *
 * @throws AgentKitError `invalid-argument`
 */
export function checkAnswer(answer: ScriptedAnswer, turn: number): void {
  const of = `turns[${turn}]`
  const code = 'invalid-argument'
  checkOptionNames(answer, answerKeys, { code, of, words: { content: 'text', tool_calls: 'toolCalls' } })
  const { toolCalls = [], usage } = answer
  if (usage !== undefined) checkOptionNames(usage, usageKeys, { code, of: `${of}.usage` })
  if (!Array.isArray(toolCalls)) throw invalidArgument(`\`${of}.toolCalls\` is a list of calls: [{ name, input }].`)
  for (const [index, call] of toolCalls.entries()) {
    checkOptionNames(call, callKeys, { code, of: `${of}.toolCalls[${index}]`, words: callWords })
  }
}
