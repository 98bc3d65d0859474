import type { JSONValue } from '@agentkit/core'
import { holding, type Quirk } from './quirk.ts'

type Fields = { [field: string]: JSONValue }

const message = (output_index: number, text: string): JSONValue[] => [
  {
    type: 'response.output_item.added',
    output_index,
    item: { type: 'message', id: `msg_${output_index}`, role: 'assistant', content: [] },
  },
  { type: 'response.output_text.delta', output_index, content_index: 0, item_id: `msg_${output_index}`, delta: text },
  {
    type: 'response.output_item.done',
    output_index,
    item: { type: 'message', id: `msg_${output_index}`, role: 'assistant', content: [{ type: 'output_text', text }] },
  },
]
const over = (type: string, response: Fields = {}): JSONValue => ({
  type: `response.${type}`,
  response: {
    id: 'resp_1',
    object: 'response',
    status: type,
    output: [],
    usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
    ...response,
  },
})

/** Answers of Responses API servers. */
export const responsesQuirks: readonly Quirk[] = [
  {
    name: 'the last event may list other items, with other ids, than were streamed: no text is repeated (Q8)',
    wires: ['openai-responses'],
    turn: {
      frames: [
        ...message(0, 'Hi'),
        over('completed', {
          output: [
            { type: 'reasoning', id: 'rs_1', summary: [] },
            { type: 'message', id: 'msg_9', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
          ],
        }),
      ],
    },
    expected: { text: 'Hi', reason: 'stop' },
  },
  {
    name: 'ids of items may change during the stream (Q8)',
    wires: ['openai-responses'],
    turn: {
      frames: [
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'one', arguments: '' },
        },
        { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_2', delta: '{"a"' },
        { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_3', delta: ':1}' },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'function_call', id: 'fc_4', call_id: 'call_1', name: 'one', arguments: '{"a":1}' },
        },
        over('completed'),
      ],
    },
    expected: { calls: [['one', { a: 1 }]], reason: 'tool-calls' },
  },
  {
    name: 'an answer may be incomplete at its bound (Q30)',
    wires: ['openai-responses'],
    turn: {
      frames: [...message(0, 'Hi'), over('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })],
    },
    expected: { text: 'Hi', reason: 'length', usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11 } },
  },
  {
    name: 'an answer may be incomplete by a filter (Q30)',
    wires: ['openai-responses'],
    turn: { frames: [...message(0, 'Hi'), over('incomplete', { incomplete_details: { reason: 'content_filter' } })] },
    expected: { text: 'Hi', reason: 'content-filter' },
  },
  {
    name: 'a response may fail (Q30)',
    wires: ['openai-responses'],
    turn: {
      frames: [...message(0, 'Hi'), over('failed', { error: { code: 'server_error', message: 'Sorry about that' } })],
    },
    expected: { text: 'Hi', error: { code: 'provider-error', retryable: true, message: holding('Sorry about that') } },
  },
  {
    name: 'an error may be flat or nested (Q30)',
    wires: ['openai-responses'],
    turn: {
      frames: [
        ...message(0, 'Hi'),
        {
          type: 'error',
          error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Too long' },
        },
      ],
    },
    expected: { text: 'Hi', error: { code: 'context-overflow' } },
  },
  {
    name: 'an error may have no type (Q30)',
    wires: ['openai-responses'],
    turn: { frames: [...message(0, 'Hi'), { error: { code: 'context_length_exceeded', message: 'Too long' } }] },
    expected: { text: 'Hi', error: { code: 'context-overflow' } },
  },
  {
    name: 'an error may be flat without a type (Q30)',
    wires: ['openai-responses'],
    turn: {
      frames: [...message(0, 'Hi'), { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null }],
    },
    expected: { text: 'Hi', error: { code: 'rate-limit', retryable: true } },
  },
  {
    name: 'a refusal becomes text (Q28)',
    wires: ['openai-responses'],
    turn: {
      frames: [
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1', content: [] } },
        { type: 'response.refusal.delta', output_index: 0, delta: 'I cannot.' },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'message', id: 'msg_1', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
        },
        over('completed'),
      ],
    },
    expected: { text: 'I cannot.', reason: 'content-filter' },
  },
  {
    name: 'items of the server’s own tools are a warning',
    wires: ['openai-responses'],
    turn: {
      frames: [
        { type: 'response.output_item.added', output_index: 0, item: { type: 'web_search_call', id: 'ws_1' } },
        ...message(1, 'Hi'),
        over('completed'),
      ],
    },
    expected: { text: 'Hi', warning: /web_search_call/ },
  },
  {
    name: 'a stream without a terminal event is incomplete (Q10)',
    wires: ['openai-responses'],
    turn: { frames: message(0, 'Hi') },
    expected: { text: 'Hi', error: { code: 'incomplete-stream' } },
  },
]
