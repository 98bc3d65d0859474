import type { JSONValue } from '@agentkit/core'
import type { FakeWire } from '../fake-provider/wires/script.ts'

type Frames = Generator<JSONValue | string>
type Fields = { [field: string]: JSONValue }

/** Answers beyond all limits, in the frames of one wire. */
export type EndlessAnswers = {
  /** One call with endless arguments. */
  arguments(): Frames
  /** This many calls, then the end of the answer. */
  calls(count: number): Frames
  /** Endless reasoning. */
  reasoning(): Frames
}

const piece = 'x'.repeat(20_000)

function* forever(frame: JSONValue | string): Frames {
  while (true) yield frame
}

/** The calls of an answer, by their indexes. */
function* numbered(count: number, frames: (index: number) => Iterable<JSONValue | string>): Frames {
  for (let index = 0; index < count; index++) yield* frames(index)
}

const chunk = (delta: Fields, finish_reason: string | null = null): JSONValue => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const chatCall = (index: number, text: string): JSONValue =>
  chunk({ tool_calls: [{ index, id: `call${index}`, type: 'function', function: { name: 'act', arguments: text } }] })

const chat = (reasoning: Fields): EndlessAnswers => ({
  *arguments() {
    yield chatCall(0, '{"text":"')
    yield* forever(chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }))
  },
  *calls(count) {
    yield* numbered(count, (index) => [chatCall(index, '{}')])
    yield chunk({}, 'tool_calls')
    yield 'data: [DONE]\n\n'
  },
  reasoning: () => forever(chunk(reasoning)),
})

const responsesCall = (index: number): Fields => ({
  type: 'function_call',
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: 'act',
  arguments: '',
})
const added = (output_index: number, item: Fields): JSONValue => ({
  type: 'response.output_item.added',
  output_index,
  item,
})

const responses: EndlessAnswers = {
  *arguments() {
    yield added(0, responsesCall(0))
    const type = 'response.function_call_arguments.delta'
    yield* forever({ type, output_index: 0, item_id: 'fc_0', delta: piece })
  },
  *calls(count) {
    yield* numbered(count, (index) => {
      const item = { ...responsesCall(index), arguments: '{}' }
      return [added(index, responsesCall(index)), { type: 'response.output_item.done', output_index: index, item }]
    })
    yield { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } }
  },
  *reasoning() {
    yield added(0, { type: 'reasoning', id: 'rs_1', summary: [] })
    const type = 'response.reasoning_summary_text.delta'
    yield* forever({ type, output_index: 0, item_id: 'rs_1', summary_index: 0, delta: piece })
  },
}

const usage = { input_tokens: 9, output_tokens: 1 }
const begun: JSONValue = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null, usage },
}
const block = (index: number, content_block: Fields): JSONValue => ({
  type: 'content_block_start',
  index,
  content_block,
})
const toolUse = (index: number): JSONValue =>
  block(index, { type: 'tool_use', id: `toolu_${index}`, name: 'act', input: {} })

const anthropic: EndlessAnswers = {
  *arguments() {
    yield begun
    yield toolUse(0)
    const delta = { type: 'input_json_delta', partial_json: piece }
    yield* forever({ type: 'content_block_delta', index: 0, delta })
  },
  *calls(count) {
    yield begun
    yield* numbered(count, (index) => [toolUse(index), { type: 'content_block_stop', index }])
    yield { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage }
    yield { type: 'message_stop' }
  },
  *reasoning() {
    yield begun
    yield block(0, { type: 'thinking', thinking: '', signature: '' })
    yield* forever({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: piece } })
  },
}

const candidate = (part: Fields, finishReason?: string): JSONValue => ({
  candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...(finishReason && { finishReason }) }],
})

const gemini: EndlessAnswers = {
  *arguments() {
    yield candidate({ functionCall: { name: 'act', willContinue: true } })
    const partialArgs = [{ jsonPath: '$.text', stringValue: piece, willContinue: true }]
    yield* forever(candidate({ functionCall: { partialArgs, willContinue: true } }))
  },
  *calls(count) {
    yield* numbered(count, () => [candidate({ functionCall: { name: 'act', args: {} } })])
    yield candidate({ text: '' }, 'STOP')
  },
  reasoning: () => forever(candidate({ text: piece, thought: true })),
}

const line = (message: Fields, more: Fields = { done: false }): JSONValue => ({
  model: 'm',
  created_at: '2026-11-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  ...more,
})

const ollama: EndlessAnswers = {
  // A call is sent whole, in one line.
  *arguments() {
    yield '{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"act","arguments":{"text":"'
    yield* forever(piece)
  },
  *calls(count) {
    yield* numbered(count, () => [line({ tool_calls: [{ function: { name: 'act', arguments: {} } }] })])
    yield line({}, { done: true, done_reason: 'stop' })
  },
  reasoning: () => forever(line({ thinking: piece })),
}

export const endlessAnswers: Readonly<Record<FakeWire, EndlessAnswers>> = {
  'openai-chat': chat({ reasoning_content: piece }),
  azure: chat({ reasoning_content: piece }),
  mistral: chat({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }] }),
  groq: chat({ reasoning: piece }),
  'openai-responses': responses,
  anthropic,
  gemini,
  ollama,
}
