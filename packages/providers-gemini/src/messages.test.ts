import type { AssistantPart, Message, ToolMessage } from '@agentkit/core'
import type { Content } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { geminiTraits } from './gemini-traits.ts'
import { toGeminiContents } from './messages.ts'

function contentsOf(messages: Message[], id = 'gemini-3.5-flash'): { contents: Content[] } {
  return { contents: toGeminiContents(messages, { owner: `gemini/${id}`, traits: geminiTraits(id) }) }
}

const user = (text: string): Message => ({ role: 'user', content: text })
const assistant = (...content: AssistantPart[]): Message => ({ role: 'assistant', content })
const call = (callId: string, rest: object = {}): AssistantPart => ({
  type: 'tool-call',
  callId,
  name: 'add',
  input: { a: 1 },
  ...rest,
})
const result = (callId: string, content: ToolMessage['content'], rest: object = {}): Message => ({
  role: 'tool',
  callId,
  name: 'add',
  content,
  ...rest,
})
const signed = (thoughtSignature: string, id = 'gemini-3.5-flash') => ({
  opaque: { owner: `gemini/${id}`, data: { thoughtSignature } },
})
const png = { type: 'image' as const, base64: 'iVBORw0KGgo=', mediaType: 'image/png' }

describe('turns', () => {
  it('have one role after the other (Q19)', () => {
    const { contents } = contentsOf([
      user('a'),
      user('b'),
      assistant({ type: 'text', text: 'c' }),
      assistant({ type: 'text', text: 'd' }),
      user('e'),
    ])
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
      { role: 'model', parts: [{ text: 'c' }, { text: 'd' }] },
      { role: 'user', parts: [{ text: 'e' }] },
    ])
  })

  it('begin and end with the user (Q4)', () => {
    const roles = (messages: Message[]) => contentsOf(messages).contents.map(({ role }) => role)
    expect(roles([assistant({ type: 'text', text: 'a' }), user('b')])).toEqual(['user', 'model', 'user'])
    expect(roles([user('a'), assistant({ type: 'text', text: 'b' })])).toEqual(['user', 'model', 'user'])
    expect(roles([])).toEqual(['user'])
  })

  it('have no blank text (Q1)', () => {
    const { contents } = contentsOf([
      user(' '),
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'a' },
        ],
      },
      assistant({ type: 'text', text: ' \n' }, call('1')),
      result('1', ''),
    ])
    expect(contents[0]).toEqual({ role: 'user', parts: [{ text: 'a' }] })
    expect(contents[1]?.parts).toHaveLength(1)
  })

  it('hold no half characters (Q18)', () => {
    const { contents } = contentsOf([
      user('a\ud800'),
      assistant(call('1', { input: { text: 'b\udfff' } })),
      result('1', 'c\ud800'),
    ])
    expect(JSON.stringify(contents)).not.toMatch(/\\ud[89a-f]/)
    expect(contents[1]?.parts?.[0]?.functionCall?.args).toEqual({ text: 'b\ufffd' })
  })

  it('leave the reasoning of others out, and their data (Q5)', () => {
    const foreign = { opaque: { owner: 'anthropic/claude', data: { signature: 'x' } } }
    const { contents } = contentsOf([
      user('a'),
      assistant({ type: 'reasoning', text: 'Hm.', ...foreign }, { type: 'text', text: 'b', ...foreign }),
      user('c'),
    ])
    expect(contents[1]).toEqual({ role: 'model', parts: [{ text: 'b' }] })
  })
})

describe('signatures (Q58)', () => {
  it('go back with the parts that they came with, in order', () => {
    const { contents } = contentsOf([
      user('a'),
      assistant(
        { type: 'reasoning', text: 'Hm.' },
        { type: 'reasoning', text: 'So.', ...signed('sig-0') },
        { type: 'text', text: 'b' },
        { type: 'text', text: '', ...signed('sig-1') },
        call('1', signed('sig-2')),
        call('2'),
      ),
      result('1', 'x'),
      result('2', 'y'),
    ])
    expect(contents[1]?.parts).toEqual([
      { text: 'So.', thought: true, thoughtSignature: 'sig-0' },
      { text: 'b' },
      { text: '', thoughtSignature: 'sig-1' },
      { functionCall: { id: '1', name: 'add', args: { a: 1 } }, thoughtSignature: 'sig-2' },
      { functionCall: { id: '2', name: 'add', args: { a: 1 } } },
    ])
  })

  it.each([
    ['missing', {}],
    ['of another model', signed('sig', 'gemini-3-flash-preview')],
    ['of another provider', { opaque: { owner: 'openai/gpt-5', data: { thoughtSignature: 'sig' } } }],
    ['unreadable', { opaque: { owner: 'gemini/gemini-3.5-flash', data: 'sig' } }],
  ])('that are %s are replaced on the first call of a turn', (_name, rest) => {
    const { contents } = contentsOf([user('a'), assistant(call('1', rest), call('2', rest)), result('1', 'x')])
    expect(contents[1]?.parts?.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ])
  })

  it('are replaced in each turn', () => {
    const { contents } = contentsOf([
      user('a'),
      assistant(call('1')),
      result('1', 'x'),
      assistant(call('2')),
      result('2', 'y'),
    ])
    const signatures = contents.flatMap(({ parts }) => parts?.map(({ thoughtSignature }) => thoughtSignature))
    expect(signatures.filter(Boolean)).toHaveLength(2)
  })

  it('are not made up for models that need none, but still go back', () => {
    const id = 'gemini-2.5-flash'
    const { contents } = contentsOf(
      [user('a'), assistant(call('1'), call('2', signed('sig', id))), result('1', 'x')],
      id,
    )
    expect(contents[1]?.parts).toEqual([
      { functionCall: { name: 'add', args: { a: 1 } } },
      { functionCall: { name: 'add', args: { a: 1 } }, thoughtSignature: 'sig' },
    ])
  })
})

describe('calls and results', () => {
  it('are in two contents, each call with one result (Q59)', () => {
    const { contents } = contentsOf([
      user('a'),
      assistant(call('1'), call('2')),
      result('2', 'second', { isError: true }),
      result('1', 'first'),
      user('b'),
    ])
    expect(contents.slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '1', name: 'add', response: { output: 'first' } } },
          { functionResponse: { id: '2', name: 'add', response: { error: 'second' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'b' }] },
    ])
  })

  it('are made whole: a call without a result, a result without a call (Q3)', () => {
    const { contents } = contentsOf([user('a'), result('0', 'orphan'), assistant(call('1')), user('b')])
    const responses = contents.flatMap(({ parts }) => parts?.flatMap(({ functionResponse }) => functionResponse ?? []))
    expect(responses).toEqual([{ id: '1', name: 'add', response: { error: expect.stringContaining('interrupted') } }])
  })

  it('have ids that are unique, and fit, since Gemini 3 (Q6, Q7)', () => {
    const long = 'x'.repeat(400)
    const { contents } = contentsOf([
      user('a'),
      assistant(call('call_0')),
      result('call_0', 'x'),
      assistant(call('call_0'), call(long)),
      result('call_0', 'y'),
      result(long, 'z'),
    ])
    const parts = contents.flatMap((content) => content.parts ?? [])
    const called = parts.flatMap(({ functionCall }) => functionCall?.id ?? [])
    expect(called).toEqual(['call_0', 'call_0_2', expect.stringMatching(/^call_\w{32}$/)])
    expect(parts.flatMap(({ functionResponse }) => functionResponse?.id ?? [])).toEqual(called)
  })

  it('have no ids before', () => {
    const { contents } = contentsOf([user('a'), assistant(call('1')), result('1', 'x')], 'gemini-2.5-flash')
    expect(JSON.stringify(contents)).not.toContain('"id"')
  })

  it('have names that Gemini takes, the same in both (Q62)', () => {
    const name = '1.parallel'
    const { contents } = contentsOf([user('a'), assistant(call('1', { name })), result('1', 'x', { name })])
    expect(contents[1]?.parts?.[0]?.functionCall?.name).toBe('_1_parallel')
    expect(contents[2]?.parts?.[0]?.functionResponse?.name).toBe('_1_parallel')
    const long = contentsOf([user('a'), assistant(call('1', { name: '1'.repeat(64) })), result('1', 'x')])
    expect(long.contents[1]?.parts?.[0]?.functionCall?.name).toHaveLength(64)
  })

  it('have arguments that are objects, even if another model wrote something else', () => {
    const { contents } = contentsOf([user('a'), assistant(call('1', { input: 'Rome' })), result('1', 'x')])
    expect(contents[1]?.parts?.[0]?.functionCall?.args).toEqual({ input: 'Rome' })
  })
})

describe('images in results (Q20)', () => {
  const conversation: Message[] = [
    user('a'),
    assistant(call('1'), call('2')),
    result('1', [{ type: 'text', text: 'See.' }, png]),
    result('2', 'y'),
  ]

  it('are held by the result since Gemini 3', () => {
    const { contents } = contentsOf(conversation)
    expect(contents).toHaveLength(3)
    expect(contents[2]?.parts?.[0]?.functionResponse).toEqual({
      id: '1',
      name: 'add',
      response: { output: 'See.\n[image: see the parts of this result]' },
      parts: [{ inlineData: { mimeType: 'image/png', data: png.base64 } }],
    })
  })

  it('are no part of a result where it cannot hold their kind', () => {
    const gif = { type: 'image' as const, base64: 'R0lGODlh', mediaType: 'image/gif' }
    const { contents } = contentsOf([user('a'), assistant(call('1')), result('1', [gif])])
    expect(contents[2]?.parts?.[0]?.functionResponse).not.toHaveProperty('parts')
  })

  it('follow in a content of their own before', () => {
    const { contents } = contentsOf(conversation, 'gemini-2.5-flash')
    expect(contents[2]?.parts?.map((part) => part.functionResponse?.response)).toEqual([
      { output: 'See.\n[image: see the next message]' },
      { output: 'y' },
    ])
    expect(contents[3]).toEqual({
      role: 'user',
      parts: [{ text: 'Returned by the tool "add":' }, { inlineData: { mimeType: 'image/png', data: png.base64 } }],
    })
  })

  it('follow when they are elsewhere', () => {
    const url = 'https://example.com/a.webp'
    const { contents } = contentsOf([user('a'), assistant(call('1')), result('1', [{ type: 'image', url }])])
    expect(contents[3]?.parts?.[1]).toEqual({ fileData: { fileUri: url, mimeType: 'image/webp' } })
  })
})

it('converts frozen messages once, and returns the same contents', () => {
  const messages = [
    user('a'),
    assistant(call('1', signed('s'))),
    result('1', 'x'),
    assistant({ type: 'text', text: 'b' }),
  ]
  const whole = [...messages, user('c')]
  const expected = contentsOf(whole).contents
  for (const message of whole) Object.freeze(message)
  const first = contentsOf(whole).contents
  const second = contentsOf([...whole, assistant({ type: 'text', text: 'd' }), user('e')]).contents
  expect(first).toEqual(expected)
  expect(second.slice(0, first.length)).toEqual(first)
  expect(second[1]).toBe(first[1])
})
