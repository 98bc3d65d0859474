import type { RecordedCall } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { showCalls, showSum } from './show-cassette.ts'

const call: RecordedCall = { call: 1, model: 'test/a', request: { messages: [] }, events: [], at: '1' }

describe('showCalls', () => {
  it.each<[string, Partial<RecordedCall>, string]>([
    ['a failure', { error: { code: 'auth', message: 'No key.', retryable: false } }, 'failed: auth: No key.'],
    [
      'the error of an SDK',
      { thrown: { name: 'TypeError', message: 'fetch failed' } },
      'failed: TypeError: fetch failed',
    ],
    ['an abort', { left: 3 }, 'was left or aborted'],
    ['an end without a finish event', {}, 'ended without a finish event'],
    [
      'an answer without usage',
      { events: [[{ type: 'finish', reason: 'length', usage: {}, message: { role: 'assistant', content: [] } }]] },
      'length, ? tokens in, ? out',
    ],
    [
      'a call whose arguments do not parse',
      { events: [[{ type: 'tool-call', callId: 'a', name: 'look', input: undefined, inputText: '{' }]], left: 0 },
      '→ look({)\n   was left or aborted',
    ],
    [
      'parts that are not text',
      {
        request: { messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, { type: 'image' }] }] },
        left: 0,
      },
      'user: See [image]\n   was left or aborted',
    ],
    [
      'long texts on one line',
      { events: [[{ type: 'text-delta', text: 'word\n'.repeat(100) }]], left: 0 },
      `assistant: ${'word '.repeat(30)}`.slice(0, 109).concat('…\n   was left or aborted'),
    ],
  ])('shows %s', (_, more, lines) => {
    expect(showCalls({ models: [], calls: [{ ...call, ...more }] })).toBe(`1  test/a\n   ${lines}`)
  })
})

it('shows the name of a model in one line', () => {
  expect(showCalls({ models: [], calls: [{ ...call, model: 'a\nb', left: 0 }] })).toBe('1  a b\n   was left or aborted')
})

it.each([
  [[], '0 calls.'],
  [[call], '1 call of test/a.'],
  [[call, { ...call, model: 'test/b' }, call], '3 calls of test/a, test/b.'],
])('showSum counts calls', (calls, sum) => {
  expect(showSum({ models: [], calls })).toBe(sum)
})
