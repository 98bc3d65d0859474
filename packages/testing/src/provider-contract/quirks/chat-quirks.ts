import type { JSONValue } from '@agentkit/core'
import type { FakeWire } from '../../fake-provider/wires/script.ts'
import { holding, type Quirk } from './quirk.ts'

const wires: readonly FakeWire[] = ['openai-chat', 'azure', 'groq', 'mistral']
const done = 'data: [DONE]\n\n'

type Delta = { [field: string]: JSONValue }

function chunk(delta: Delta | null, finish_reason: string | null = null, more: Delta = {}): JSONValue {
  const choice = { index: 0, ...(delta && { delta }), finish_reason }
  return { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice], ...more }
}

const called = (...tool_calls: JSONValue[]): JSONValue => chunk({ tool_calls })
const ended = chunk({}, 'tool_calls')

/** Answers of Chat Completions servers. */
export const chatQuirks: readonly Quirk[] = [
  {
    name: 'tool calls may be counted from 1, and repeat their ids (Q8)',
    wires,
    turn: {
      frames: [
        called({ index: 1, id: 'aaaaaaaaa', type: 'function', function: { name: 'one', arguments: '{"a"' } }),
        called({ index: 1, id: 'aaaaaaaaa', function: { name: '', arguments: ':1}' } }),
        called({ index: 2, id: 'bbbbbbbbb', type: 'function', function: { name: 'two', arguments: '' } }),
        ended,
        done,
      ],
    },
    expected: {
      calls: [
        ['one', { a: 1 }],
        ['two', {}],
      ],
      reason: 'tool-calls',
    },
  },
  {
    name: 'tool calls may have no index, several in a delta (Q8)',
    wires,
    turn: {
      frames: [
        called(
          { id: 'aaaaaaaaa', function: { name: 'one', arguments: '{}' } },
          { id: 'bbbbbbbbb', function: { name: 'two', arguments: '{"b":2}' } },
        ),
        ended,
        done,
      ],
    },
    expected: {
      calls: [
        ['one', {}],
        ['two', { b: 2 }],
      ],
    },
  },
  {
    name: 'later deltas of a call may have no name (Q8, Q51)',
    wires,
    turn: {
      frames: [
        called({ index: 0, id: 'aaaaaaaaa', function: { name: 'one', arguments: '' } }),
        called({ index: 0, function: { arguments: '{"a":' } }),
        called({ index: 0, id: null, function: { name: null, arguments: '1}' } }),
        ended,
        done,
      ],
    },
    expected: { calls: [['one', { a: 1 }]] },
  },
  {
    name: 'arguments may be an object, null or empty (Q2, Q47)',
    wires,
    turn: {
      frames: [
        called(
          { index: 0, id: 'aaaaaaaaa', function: { name: 'one', arguments: { a: [1] } } },
          { index: 1, id: 'bbbbbbbbb', function: { name: 'two', arguments: null } },
          { index: 2, id: 'ccccccccc', function: { name: 'three', arguments: '' } },
        ),
        ended,
        done,
      ],
    },
    expected: {
      calls: [
        ['one', { a: [1] }],
        ['two', {}],
        ['three', {}],
      ],
    },
  },
  {
    name: 'a stop may follow tool calls (Q9)',
    wires,
    turn: {
      frames: [
        called({ index: 0, id: 'aaaaaaaaa', function: { name: 'one', arguments: '{}' } }),
        chunk({}, 'stop'),
        done,
      ],
    },
    expected: { calls: [['one', {}]], reason: 'tool-calls' },
  },
  {
    name: 'chunks may have no choices, no delta, or null for either (Q27)',
    wires,
    turn: {
      frames: [
        { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
        { choices: null },
        chunk(null, null, { content_filter_results: {} }),
        chunk({ role: 'assistant', content: null }),
        chunk({ content: 'Hi' }),
        chunk({}, 'stop'),
        done,
      ],
    },
    expected: { text: 'Hi', reason: 'stop' },
  },
  {
    name: 'a filter may end the answer (Q27)',
    wires,
    turn: { frames: [chunk({ content: 'Hi' }), chunk({}, 'content_filter'), done] },
    expected: { text: 'Hi', reason: 'content-filter' },
  },
  {
    name: 'usage is kept when a later chunk has none (Q17)',
    wires,
    turn: {
      frames: [
        chunk({ content: 'Hi' }, null, { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } }),
        chunk({}, 'stop', { usage: null }),
        { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
        done,
      ],
    },
    expected: { text: 'Hi', usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 } },
  },
  {
    name: 'an answer may end at its bound, with another finish reason',
    wires: ['openai-chat', 'mistral'],
    turn: { frames: [chunk({ content: 'Hi' }), chunk({}, 'model_length'), done] },
    expected: { text: 'Hi', reason: 'length' },
  },
  {
    name: 'the stream may end without [DONE] after a finish reason',
    wires,
    turn: { frames: [chunk({ content: 'Hi' }), chunk({}, 'stop')] },
    expected: { text: 'Hi', reason: 'stop' },
  },
  {
    name: 'text, usage and [DONE] without a finish reason are complete, with a warning (Q10)',
    wires,
    turn: {
      frames: [chunk({ content: 'Hi' }), chunk({}, null, { usage: { prompt_tokens: 3, completion_tokens: 1 } }), done],
    },
    expected: { text: 'Hi', reason: 'stop', usage: { totalTokens: 4 }, warning: /no reason/ },
  },
  {
    name: 'whole calls and [DONE] without a finish reason are complete, with a warning (Q10)',
    wires,
    turn: { frames: [called({ index: 0, id: 'aaaaaaaaa', function: { name: 'one', arguments: '{"a":1}' } }), done] },
    expected: { calls: [['one', { a: 1 }]], reason: 'tool-calls', warning: /no reason/ },
  },
  {
    name: 'text without [DONE] and without a finish reason is incomplete (Q10)',
    wires,
    turn: { frames: [chunk({ content: 'Hi' })] },
    expected: { text: 'Hi', error: { code: 'incomplete-stream', retryable: true } },
  },
  {
    name: 'half of a call and [DONE] without a finish reason are incomplete (Q10)',
    wires,
    turn: { frames: [called({ index: 0, id: 'aaaaaaaaa', function: { name: 'one', arguments: '{"a"' } }), done] },
    expected: { error: { code: 'incomplete-stream', retryable: true } },
  },
  {
    name: 'an error may be reported in the middle, in any of its shapes (Q14, Q30, Q49)',
    wires,
    turn: {
      frames: [chunk({ content: 'Hi' }), { object: 'error', message: 'Overloaded now', type: 'overloaded_error' }],
    },
    expected: { text: 'Hi', error: { code: 'overloaded', message: holding('Overloaded now') } },
  },
  {
    name: 'compatible servers send their reasoning in other fields',
    wires: ['openai-chat'],
    turn: {
      frames: [
        chunk({ reasoning: 'Hm. ' }),
        chunk({ reasoning_content: 'So.' }),
        chunk({ content: 'Hi' }),
        chunk({}, 'stop'),
        done,
      ],
    },
    expected: { reasoning: 'Hm. So.', text: 'Hi' },
  },
  {
    name: 'usage may be in x_groq (Q55)',
    wires: ['groq'],
    turn: {
      frames: [
        chunk({ content: 'Hi' }),
        chunk({}, 'stop', { x_groq: { id: 'r', usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } } }),
        done,
      ],
    },
    expected: { text: 'Hi', usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 } },
  },
  {
    name: 'a call that the server could not parse is invalid-tool-call (Q52)',
    wires: ['groq'],
    turn: {
      frames: [
        chunk({ reasoning: 'Hm.' }),
        `event: error\ndata: ${JSON.stringify({ error: { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed', failed_generation: '<function=weather{oops', status_code: 400 } })}\n\n`,
      ],
    },
    reasons: true,
    expected: { reasoning: 'Hm.', error: { code: 'invalid-tool-call', cause: holding('<function=weather{oops') } },
  },
  {
    name: 'thinking may be in chunks of content (Q46)',
    wires: ['openai-chat', 'mistral'],
    turn: {
      frames: [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: ' So.' }], closed: true }] }),
        chunk({ content: [{ type: 'text', text: 'Hi' }] }),
        chunk({ content: ' there' }),
        chunk({}, 'stop', { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } }),
        done,
      ],
    },
    reasons: true,
    expected: { reasoning: 'Hm. So.', text: 'Hi there' },
  },
]
