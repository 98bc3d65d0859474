import type { JSONValue } from '@agentkit/core'
import { holding, type Quirk } from './quirk.ts'

type Fields = { [field: string]: JSONValue }

/** Anthropic's events name themselves twice. */
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

/** What Anthropic's servers do. */
export const anthropicQuirks: readonly Quirk[] = [
  {
    name: 'a call without arguments has one empty piece of them (Q2)',
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
    name: 'a call may be whole when it begins (Q2)',
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
    name: 'the counts of the end hold, with what the cache held (Q17, Q42)',
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
    name: 'a message may begin again (Q40)',
    wires: ['anthropic'],
    turn: { frames: [begun(), ...textBlock(0, 'Lost. '), begun(), ...textBlock(0, 'Hi'), ...ended('end_turn')] },
    expected: { text: 'Lost. Hi', kept: 'Hi', reason: 'stop' },
  },
  {
    name: 'an overload may come in the middle (Q37)',
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
    name: 'a refusal may say nothing (Q39)',
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
    name: 'an end without message_stop is none (Q10)',
    wires: ['anthropic'],
    turn: { frames: [begun(), ...textBlock(0, 'Hi')] },
    expected: { text: 'Hi', error: { code: 'incomplete-stream' } },
  },
]

const part = (parts: Fields[], finishReason?: string, more: Fields = {}): JSONValue => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
  ...more,
})

/** What Gemini's servers do. */
export const geminiQuirks: readonly Quirk[] = [
  {
    name: 'calls have no ids, and finish with STOP (Q7, Q9)',
    wires: ['gemini'],
    turn: {
      frames: [
        part([{ functionCall: { name: 'one', args: { a: 1 } } }, { functionCall: { name: 'one' } }]),
        part([{ text: '' }], 'STOP'),
      ],
    },
    expected: {
      calls: [
        ['one', { a: 1 }],
        ['one', {}],
      ],
      reason: 'tool-calls',
    },
  },
  {
    name: 'thoughts count as output, and the last counts hold (Q17, Q64)',
    wires: ['gemini'],
    turn: {
      frames: [
        part([{ text: 'Hm.', thought: true }], undefined, {
          usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
        }),
        part([{ text: 'Hi' }], 'STOP', {
          usageMetadata: {
            promptTokenCount: 9,
            cachedContentTokenCount: 4,
            candidatesTokenCount: 2,
            thoughtsTokenCount: 5,
            totalTokenCount: 16,
          },
        }),
      ],
    },
    expected: {
      reasoning: 'Hm.',
      text: 'Hi',
      usage: { inputTokens: 9, cachedInputTokens: 4, outputTokens: 7, reasoningTokens: 5, totalTokens: 16 },
    },
  },
  {
    name: 'a call that it could not write is told as one (Q61)',
    wires: ['gemini'],
    turn: {
      frames: [
        {
          candidates: [
            {
              content: {},
              finishReason: 'MALFORMED_FUNCTION_CALL',
              finishMessage: 'Malformed function call: weather(oops',
            },
          ],
        },
      ],
    },
    expected: { error: { code: 'invalid-tool-call', cause: holding('weather(oops') } },
  },
  {
    name: 'a blocked prompt has no candidate (Q67)',
    wires: ['gemini'],
    turn: {
      frames: [
        {
          promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
          usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
        },
      ],
    },
    expected: { text: '', reason: 'content-filter' },
  },
  {
    name: 'a filter may end the answer',
    wires: ['gemini'],
    turn: { frames: [part([{ text: 'Hi' }], 'SAFETY')] },
    expected: { text: 'Hi', reason: 'content-filter' },
  },
  {
    name: 'arguments may come in pieces (Q68)',
    wires: ['gemini'],
    turn: {
      frames: [
        part([{ functionCall: { name: 'weather', willContinue: true } }]),
        part([
          {
            functionCall: {
              partialArgs: [{ jsonPath: '$.city', stringValue: 'Os', willContinue: true }],
              willContinue: true,
            },
          },
        ]),
        part([
          {
            functionCall: {
              partialArgs: [
                { jsonPath: '$.city', stringValue: 'lo' },
                { jsonPath: '$.days', numberValue: 3 },
              ],
              willContinue: true,
            },
          },
        ]),
        part([{ functionCall: {} }], 'STOP'),
      ],
    },
    expected: { calls: [['weather', { city: 'Oslo', days: 3 }]], reason: 'tool-calls' },
  },
  {
    name: 'an error may come in the middle (Q14)',
    wires: ['gemini'],
    turn: {
      frames: [
        part([{ text: 'Hi' }]),
        { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
      ],
    },
    expected: { text: 'Hi', error: { code: 'overloaded', retryable: true } },
  },
  {
    name: 'code that it ran is a warning',
    wires: ['gemini'],
    turn: { frames: [part([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }, { text: 'Hi' }], 'STOP')] },
    expected: { text: 'Hi', warning: /executableCode/ },
  },
]

const line = (message: Fields, more: Fields = { done: false }): JSONValue => ({
  model: 'm',
  created_at: '2026-11-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  ...more,
})
const over = (more: Fields = {}): JSONValue =>
  line({}, { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 2, ...more })

/** What Ollama's servers do. */
export const ollamaQuirks: readonly Quirk[] = [
  {
    name: 'the same call twice has no ids (Q69)',
    wires: ['ollama'],
    turn: {
      frames: [
        line({
          tool_calls: [
            { function: { name: 'one', arguments: { a: 1 } } },
            { function: { name: 'one', arguments: { a: 1 } } },
          ],
        }),
        over(),
      ],
    },
    expected: {
      calls: [
        ['one', { a: 1 }],
        ['one', { a: 1 }],
      ],
      reason: 'tool-calls',
    },
  },
  {
    name: 'arguments may be text, null or absent (Q78)',
    wires: ['ollama'],
    turn: {
      frames: [
        line({
          tool_calls: [
            { function: { name: 'one', arguments: '{"a":1}' } },
            { function: { name: 'two', arguments: null } },
            { function: { name: 'three' } },
          ],
        }),
        over(),
      ],
    },
    expected: {
      calls: [
        ['one', { a: 1 }],
        ['two', {}],
        ['three', {}],
      ],
    },
  },
  {
    name: 'counts may be absent (Q78)',
    wires: ['ollama'],
    turn: { frames: [line({ content: 'Hi' }), line({}, { done: true, done_reason: 'stop', eval_count: 2 })] },
    expected: { text: 'Hi', usage: { outputTokens: 2 } },
  },
  {
    name: 'a broken line ends the answer (Q73)',
    wires: ['ollama'],
    turn: { frames: [line({ content: 'Hi' }), '{"model": oops}\n', over()] },
    expected: { text: 'Hi', error: { code: 'malformed-stream' } },
  },
  {
    name: 'an error may be a line (Q74)',
    wires: ['ollama'],
    turn: {
      frames: [line({ content: 'Hi' }), { error: 'an error was encountered while running the model: CUDA error' }],
    },
    expected: { text: 'Hi', error: { code: 'provider-error', message: holding('CUDA error') } },
  },
  {
    name: 'a model that is not there has its hint (Q77)',
    wires: ['ollama'],
    turn: { status: 404, body: { error: 'model "qwen3" not found, try pulling it first' } },
    expected: { error: { code: 'model-not-found', message: holding('ollama pull') } },
  },
  {
    name: 'a model without tools says so (Q75)',
    wires: ['ollama'],
    turn: { status: 400, body: { error: 'registry.ollama.ai/library/gemma3:latest does not support tools' } },
    expected: { error: { status: 400, retryable: false, message: holding('does not support tools Choose a model') } },
  },
  {
    name: 'an answer may end at its bound',
    wires: ['ollama'],
    turn: { frames: [line({ content: 'Hi' }), over({ done_reason: 'length' })] },
    expected: { text: 'Hi', reason: 'length', usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11 } },
  },
  {
    name: 'an end without done is none (Q10)',
    wires: ['ollama'],
    turn: { frames: [line({ content: 'Hi' })] },
    expected: { text: 'Hi', error: { code: 'incomplete-stream' } },
  },
]
