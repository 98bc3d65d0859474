import type { JSONValue } from '@agentkit/core'
import { holding, type Quirk } from './quirk.ts'

type Fields = { [field: string]: JSONValue }

const part = (parts: Fields[], finishReason?: string, more: Fields = {}): JSONValue => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
  ...more,
})

/** Answers of Gemini's servers. */
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
    name: 'thoughts count as output, and the last counts win (Q17, Q64)',
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
    name: 'a malformed call is invalid-tool-call (Q61)',
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
    name: 'arguments may be streamed in pieces (Q68)',
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
    name: 'an error may be reported in the middle (Q14)',
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
    name: 'code that the server ran is a warning',
    wires: ['gemini'],
    turn: { frames: [part([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }, { text: 'Hi' }], 'STOP')] },
    expected: { text: 'Hi', warning: /executableCode/ },
  },
  ...['toolCall', 'toolResponse', 'executableCode'].map(
    (kind): Quirk => ({
      name: `a signed ${kind} of its own is a warning, and no empty text (Q58)`,
      wires: ['gemini'],
      turn: { frames: [part([{ [kind]: { id: '1' }, thoughtSignature: 'sig' }, { text: 'Hi' }], 'STOP')] },
      expected: { text: 'Hi', holds: '"content":[{"type":"text","text":"Hi"}]', warning: new RegExp(kind) },
    }),
  ),
  {
    name: 'usage is that of the last snapshot, which may lack what an earlier one had (Q17)',
    wires: ['gemini'],
    turn: {
      frames: [
        part([{ text: 'Hi' }], undefined, {
          usageMetadata: { promptTokenCount: 66, toolUsePromptTokenCount: 21, totalTokenCount: 87 },
        }),
        part([], 'STOP', { usageMetadata: { promptTokenCount: 66, candidatesTokenCount: 99, totalTokenCount: 165 } }),
      ],
    },
    expected: { usage: { inputTokens: 66, outputTokens: 99, totalTokens: 165 } },
  },
]
