import type { JSONValue } from '@agentkit/core'
import { holding, type Quirk } from './quirk.ts'

type Fields = { [field: string]: JSONValue }

const line = (message: Fields, more: Fields = { done: false }): JSONValue => ({
  model: 'm',
  created_at: '2026-11-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  ...more,
})
const over = (more: Fields = {}): JSONValue =>
  line({}, { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 2, ...more })

/** Answers of Ollama's servers. */
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
    name: 'a missing model has a hint (Q77)',
    wires: ['ollama'],
    turn: { status: 404, body: { error: 'model "qwen3" not found, try pulling it first' } },
    expected: { error: { code: 'model-not-found', message: holding('ollama pull') } },
  },
  {
    name: 'a model without tools has a hint (Q75)',
    wires: ['ollama'],
    turn: { status: 400, body: { error: 'registry.ollama.ai/library/gemma3:latest does not support tools' } },
    expected: { error: { status: 400, retryable: false, message: holding('does not support tools. Choose a model') } },
  },
  {
    name: 'an answer may end at its bound',
    wires: ['ollama'],
    turn: { frames: [line({ content: 'Hi' }), over({ done_reason: 'length' })] },
    expected: { text: 'Hi', reason: 'length', usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11 } },
  },
  {
    name: 'a stream without done is incomplete (Q10)',
    wires: ['ollama'],
    turn: { frames: [line({ content: 'Hi' })] },
    expected: { text: 'Hi', error: { code: 'incomplete-stream' } },
  },
]
