import type { JSONValue } from '@agentkit/core'
import type { Quirk } from './quirk.ts'

type Fields = { [field: string]: JSONValue }

/** Anthropic's events have their name twice. */
function event(type: string, more: Fields = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
}

const begun = (usage: Fields = { input_tokens: 9, output_tokens: 1 }): string =>
  event('message_start', {
    message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null, usage },
  })
const block = (index: number, content_block: Fields, ...deltas: Fields[]): string[] => [
  event('content_block_start', { index, content_block }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
]
const textBlock = (index: number, text: string): string[] =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text })
const ended = (stop_reason: string, usage: Fields = { output_tokens: 5 }, more: Fields = {}): string[] => [
  event('message_delta', { delta: { stop_reason, stop_sequence: null, ...more }, usage }),
  event('message_stop'),
]

/** Answers of Anthropic's servers. */
export const anthropicQuirks: readonly Quirk[] = [
  {
    name: 'a call without arguments has one empty piece (Q2)',
    wires: ['anthropic'],
    turn: {
      frames: [
        begun(),
        ...block(
          0,
          { type: 'tool_use', id: 'toolu_1', name: 'ping', input: {} },
          { type: 'input_json_delta', partial_json: '' },
        ),
        ...ended('tool_use'),
      ],
    },
    expected: { calls: [['ping', {}]], reason: 'tool-calls' },
  },
  {
    name: 'a call may have its input in content_block_start (Q2)',
    wires: ['anthropic'],
    turn: {
      frames: [
        begun(),
        ...block(0, { type: 'tool_use', id: 'toolu_1', name: 'one', input: { a: 1 } }),
        ...ended('tool_use'),
      ],
    },
    expected: { calls: [['one', { a: 1 }]], reason: 'tool-calls' },
  },
  {
    name: 'blocks may be counted from 1, with pings between (Q8)',
    wires: ['anthropic'],
    turn: { frames: [begun(), event('ping'), ...textBlock(1, 'Hi'), event('ping'), ...ended('end_turn')] },
    expected: { text: 'Hi', reason: 'stop' },
  },
  {
    name: 'the final counts win, with the cache counts of the start (Q17, Q42)',
    wires: ['anthropic'],
    turn: {
      frames: [
        begun({ input_tokens: 43, output_tokens: 1, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000 }),
        ...textBlock(0, 'Hi'),
        ...ended('end_turn', { input_tokens: 61, output_tokens: 5, output_tokens_details: { thinking_tokens: 2 } }),
      ],
    },
    expected: {
      text: 'Hi',
      usage: {
        inputTokens: 1161,
        cachedInputTokens: 1000,
        cacheWriteTokens: 100,
        outputTokens: 5,
        reasoningTokens: 2,
        totalTokens: 1166,
      },
    },
  },
  {
    name: 'a message may restart (Q40)',
    wires: ['anthropic'],
    turn: { frames: [begun(), ...textBlock(0, 'Lost. '), begun(), ...textBlock(0, 'Hi'), ...ended('end_turn')] },
    expected: { text: 'Lost. Hi', kept: 'Hi', reason: 'stop' },
  },
  {
    name: 'an overload may be reported in the middle (Q37)',
    wires: ['anthropic'],
    turn: {
      frames: [
        begun(),
        ...textBlock(0, 'Hi'),
        event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
      ],
    },
    expected: { text: 'Hi', error: { code: 'overloaded', retryable: true } },
  },
  {
    name: 'a refusal may have no text (Q39)',
    wires: ['anthropic'],
    turn: {
      frames: [
        begun(),
        ...ended('refusal', { output_tokens: 1 }, { stop_details: { type: 'refusal', category: 'bio' } }),
      ],
    },
    expected: { text: '', reason: 'content-filter' },
  },
  {
    name: 'redacted thinking is kept (Q36)',
    wires: ['anthropic'],
    turn: {
      frames: [
        begun(),
        ...block(0, { type: 'redacted_thinking', data: 'EnCrYpTeD' }),
        ...textBlock(1, 'Hi'),
        ...ended('end_turn'),
      ],
    },
    reasons: true,
    expected: { text: 'Hi', holds: 'EnCrYpTeD', reason: 'stop' },
  },
  {
    name: "a server's own tool is a warning",
    wires: ['anthropic'],
    turn: {
      frames: [
        begun(),
        ...block(
          0,
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '{"query":"x"}' },
        ),
        ...textBlock(1, 'Hi'),
        ...ended('end_turn'),
      ],
    },
    expected: { text: 'Hi', calls: [], warning: /server_tool_use|web_search/ },
  },
  {
    name: 'a stream without message_stop is incomplete (Q10)',
    wires: ['anthropic'],
    turn: { frames: [begun(), ...textBlock(0, 'Hi')] },
    expected: { text: 'Hi', error: { code: 'incomplete-stream' } },
  },
]
