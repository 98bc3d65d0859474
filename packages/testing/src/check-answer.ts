import { checkOptionNames, type ForeignWords, invalidArgument } from '@agentkit/core/internal'
import type { ScriptedAnswer, ScriptedToolCall } from './scripted-model.ts'

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

const callKeys = { name: true, input: true, callId: true, inputText: true } satisfies Record<
  keyof ScriptedToolCall,
  true
>

/** What other libraries call the parts of a call. */
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
  const { toolCalls = [] } = answer
  if (!Array.isArray(toolCalls)) throw invalidArgument(`\`${of}.toolCalls\` is a list of calls: [{ name, input }].`)
  for (const [index, call] of toolCalls.entries()) {
    checkOptionNames(call, callKeys, { code, of: `${of}.toolCalls[${index}]`, words: callWords })
  }
}
