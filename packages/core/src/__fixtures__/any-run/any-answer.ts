import type { ScriptedAnswer, ScriptedToolCall, ScriptedTurn } from '@agentkit/testing'
import { AgentKitError } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import type { ModelRequest } from '../../contracts/model.ts'
import type { Random } from '../random.ts'

/** The behaviour of a model, the same for all its answers. */
export type Mood = 'any' | 'stuck' | 'silent' | 'down'

/**
 * A random answer to a request: texts, calls, nothing, and every kind of failure.
 * @param nextId creates ids for calls
 * @param longest the maximum length of its text, in characters
 */
export function anyAnswer(
  random: Random,
  request: ModelRequest,
  mood: Mood,
  nextId: () => string,
  longest: number,
): ScriptedTurn {
  if (mood === 'down' || random.oneIn(9)) return anyError(random)
  if (mood === 'silent') return ''
  if (mood === 'stuck') return { toolCalls: [{ callId: nextId(), name: 'works', input: { n: 1 } }] }
  if (!request.tools && !request.output && random.oneIn(2)) return 'What was said so far, in short.'
  const answer: ScriptedAnswer = { toolCalls: anyCalls(random, request, nextId) }
  if (random.oneIn(2)) answer.text = anyText(random, request, longest)
  if (random.oneIn(5)) answer.reasoning = 'Some thoughts.'
  if (random.oneIn(6)) answer.finishReason = random.pick(['stop', 'length', 'content-filter', 'tool-calls'])
  if (random.oneIn(12)) answer.error = anyError(random)
  if (random.oneIn(5)) answer.delayMs = 1
  if (random.oneIn(8)) answer.warnings = ['Something was dropped.']
  return answer
}

function anyText(random: Random, { output }: ModelRequest, longest: number): string {
  if (output) return random.pick(['{"n": 1}', 'Here it is: {"n": 2}', '{"n": "one"}', 'No.'])
  const text = random.oneIn(6) ? 'A long story. '.repeat(300) : 'Some text.'
  return text.slice(0, longest)
}

function anyCalls(
  random: Random,
  { tools = [], toolChoice, messages }: ModelRequest,
  nextId: () => string,
): ScriptedToolCall[] {
  if (tools.length === 0 || random.oneIn(3)) return []
  const names = [...tools.map(({ name }) => name), 'unknown']
  const final = typeof toolChoice === 'object' || toolChoice === 'required' ? names.at(-2) : undefined
  if (final !== undefined && random.oneIn(3)) {
    return [{ callId: nextId(), name: final, input: { n: random.pick<JSONValue>([1, 1, 'one']) } }]
  }
  return Array.from({ length: random.oneIn(20) ? 12 : random.below(4) }, () => {
    const name = random.pick(names)
    // Sometimes an id of another message, or of another call of this one.
    const callId = random.oneIn(25) ? 'twice' : nextId()
    if (random.oneIn(10)) return { callId, name, inputText: '{"half' }
    const input: JSONValue = random.oneIn(8) ? { n: 'not a number' } : { n: random.below(3) }
    return { callId, name, input: name === 'read_tool_result' ? anyReading(random, messages) : input }
  })
}

function anyReading(random: Random, messages: ModelRequest['messages']): JSONValue {
  const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
  return { call_id: random.pick([...ids, 'none']), offset: random.below(3) * 2_000 }
}

const errors: readonly (() => Error)[] = [
  () => new AgentKitError('overloaded', 'Busy.', { retryable: true }),
  () => new AgentKitError('overloaded', 'Busy.', { retryable: true }),
  () => new AgentKitError('network', 'The connection was reset.', { retryable: true }),
  () => new AgentKitError('rate-limit', 'Too many.', { retryable: true, retryAfterMs: 1 }),
  () => new AgentKitError('rate-limit', 'Far too many.', { retryable: true, retryAfterMs: 120_000 }),
  () => new AgentKitError('invalid-tool-call', 'The model wrote a call that is none.'),
  () => new AgentKitError('context-overflow', 'Too long.'),
  () => new AgentKitError('model-not-found', 'There is no such model.'),
  () => new AgentKitError('quota', 'Out of money.'),
  () => new AgentKitError('auth', 'Who are you?'),
  () => new Error('down'),
]

function anyError(random: Random): Error {
  return random.pick(errors)()
}
