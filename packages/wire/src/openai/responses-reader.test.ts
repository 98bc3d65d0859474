import { describe, expect, it } from 'vitest'
import { context, errorOf, readAll } from '../__fixtures__/streams.ts'
import { ResponsesReader } from './responses-reader.ts'

const owner = 'acme/small'
const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 3,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 12,
}
const completed = { type: 'response.completed', response: { status: 'completed', output: [], usage } }

function added(output_index: number, item: object): object {
  return { type: 'response.output_item.added', output_index, item }
}

function done(output_index: number, item: object): object {
  return { type: 'response.output_item.done', output_index, item }
}

function text(delta: string, output_index = 0): object {
  return { type: 'response.output_text.delta', output_index, delta }
}

function piece(output_index: number, delta: string, item_id = 'fc'): object {
  return { type: 'response.function_call_arguments.delta', output_index, item_id, delta }
}

function read(...events: unknown[]) {
  return readAll(new ResponsesReader(context), events)
}

describe('ResponsesReader', () => {
  it('reads reasoning, text, calls and usage', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'echo', arguments: '{"x":1}' }
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'gAAA',
    }
    const events = read(
      { type: 'response.created', response: {} },
      added(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'h' },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'm' },
      done(0, reasoning),
      added(1, { type: 'message', role: 'assistant', content: [] }),
      text('Hi', 1),
      { type: 'response.output_text.done', output_index: 1, text: 'Hi' },
      done(1, { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }),
      added(2, { ...call, arguments: '' }),
      piece(2, '{"x":'),
      piece(2, '1}'),
      { type: 'response.function_call_arguments.done', output_index: 2, arguments: '{"x":1}' },
      done(2, call),
      completed,
    )
    const { type: _type, ...data } = reasoning
    expect(events).toEqual([
      { type: 'reasoning-delta', text: 'h' },
      { type: 'reasoning-delta', text: 'm' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'tool-call', callId: 'call_1', name: 'echo', input: { x: 1 } },
      {
        type: 'finish',
        reason: 'tool-calls',
        usage: {
          inputTokens: 9,
          outputTokens: 3,
          totalTokens: 12,
          cachedInputTokens: 4,
          cacheWriteTokens: 0,
          reasoningTokens: 2,
        },
        message: {
          v: 1,
          role: 'assistant',
          model: owner,
          content: [
            { type: 'reasoning', text: 'hm', opaque: { owner, data } },
            { type: 'text', text: 'Hi' },
            { type: 'tool-call', callId: 'call_1', name: 'echo', input: { x: 1 } },
          ],
        },
      },
    ])
  })

  it('keeps encrypted reasoning without text, and no reasoning that cannot be sent back (Q24)', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [] }
    const kept = read(done(0, { ...item, encrypted_content: 'gAAA' }), text('Hi', 1), completed).at(-1)
    expect(kept).toMatchObject({
      message: { content: [{ type: 'reasoning', text: '', opaque: { owner } }, { text: 'Hi' }] },
    })
    expect(read(done(0, item), text('Hi', 1), completed).at(-1)).toMatchObject({
      message: { content: [{ type: 'text' }] },
    })
  })

  it('separates the paragraphs of a summary', () => {
    const part = (summary_index: number) => ({
      type: 'response.reasoning_summary_part.added',
      output_index: 0,
      summary_index,
    })
    const summary = (delta: string) => ({ type: 'response.reasoning_summary_text.delta', output_index: 0, delta })
    const events = read(part(0), summary('a'), part(1), summary('b'), completed)
    expect(events.at(-1)).toMatchObject({ message: { content: [{ type: 'reasoning', text: 'a\n\nb' }] } })
  })

  it('distinguishes calls by position, also when each event has another id', () => {
    const events = read(
      added(0, { type: 'function_call', id: 'x1', call_id: 'a', name: 'echo' }),
      added(1, { type: 'function_call', id: 'x2', call_id: 'b', name: 'add' }),
      piece(1, '{"y":', 'x3'),
      piece(0, '{"x":', 'x4'),
      piece(0, '1}', 'x5'),
      piece(1, '2}', 'x6'),
      done(0, { type: 'function_call', id: 'x7', call_id: 'a', name: 'echo' }),
      completed,
    )
    expect(events).toMatchObject([
      { callId: 'a', name: 'echo', input: { x: 1 } },
      { callId: 'b', name: 'add', input: { y: 2 } },
      { reason: 'tool-calls' },
    ])
  })

  it('distinguishes calls by id without a position', () => {
    const call = (id: string) => ({ type: 'function_call', id, call_id: id, name: 'echo', arguments: '{}' })
    const events = read(
      { type: 'response.output_item.done', item: call('a') },
      { type: 'response.output_item.done', item: call('b') },
      { ...completed, response: { output: [call('a'), call('b')] } },
    )
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([{ callId: 'a' }, { callId: 'b' }])
  })

  it.each<[string, object]>([
    ['neither a position nor an id, as from llama.cpp', {}],
    ['one position for all', { output_index: 0 }],
  ])('reads each item once where it has %s (Q8)', (_name, place) => {
    const call = (call_id: string, text: string) => ({ type: 'function_call', call_id, name: 'echo', arguments: text })
    const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi' }] }
    const calls = [call('fc_a', '{"x":1}'), call('fc_b', '{"y":2}')]
    const streamed = [
      { type: 'response.output_item.added', item: { ...message, content: [] } },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hi' },
      { type: 'response.output_item.done', item: message },
      ...calls.flatMap(({ call_id, arguments: text, ...rest }) => [
        { type: 'response.output_item.added', item: { ...rest, call_id, arguments: '' } },
        { type: 'response.function_call_arguments.delta', item_id: call_id, delta: text.slice(0, 3) },
        { type: 'response.function_call_arguments.delta', item_id: call_id, delta: text.slice(3) },
        { type: 'response.output_item.done', item: { ...rest, call_id, arguments: text } },
      ]),
    ].map((event) => ({ ...event, ...place }))
    for (const output of [[message, ...calls], []]) {
      const events = read(...streamed, { ...completed, response: { output } })
      expect(events).toMatchObject([
        { type: 'text-delta', text: 'Hi' },
        { type: 'tool-call', callId: 'fc_a', input: { x: 1 } },
        { type: 'tool-call', callId: 'fc_b', input: { y: 2 } },
        { type: 'finish', reason: 'tool-calls' },
      ])
    }
  })

  it('reads content without deltas from the items', () => {
    const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }
    expect(read(done(0, item), completed)[0]).toEqual({ type: 'text-delta', text: 'Hi' })
    expect(read({ ...completed, response: { output: [item] } })[0]).toEqual({ type: 'text-delta', text: 'Hi' })
  })

  it('reads reasoning that came without deltas and has no summary, as from vLLM', () => {
    const content = [{ type: 'reasoning_text', text: 'hm' }]
    const item = { type: 'reasoning', id: 'rs_1', summary: [], content }
    expect(read(done(0, item), completed)[0]).toEqual({ type: 'reasoning-delta', text: 'hm' })
    expect(read({ object: 'response', status: 'completed', output: [item] })[0]).toMatchObject({ text: 'hm' })
    const both = { ...item, summary: [{ type: 'summary_text', text: 'short' }] }
    expect(read(done(0, both), completed)[0]).toEqual({ type: 'reasoning-delta', text: 'short' })
  })

  describe('the output of the last event', () => {
    const message = (id: string | undefined, said: string) => ({
      type: 'message',
      ...(id !== undefined && { id }),
      content: [{ type: 'output_text', text: said }],
    })
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] }
    const call = (id: string) => ({ type: 'function_call', id, call_id: `call_${id}`, name: 'echo', arguments: '{}' })
    const search = { type: 'web_search_call', id: 'ws_1' }
    const hi = (id?: string) => [added(0, { ...message(id, ''), content: [] }), text('Hi')]
    const completedWith = (...output: object[]) => ({ ...completed, response: { output } })

    it.each<[string, object[], object[]]>([
      ['an item more before it', [...hi(), done(0, message(undefined, 'Hi'))], [search, message(undefined, 'Hi')]],
      ['an item more, and another id', [...hi('m1'), done(0, message('m1', 'Hi'))], [search, message('m2', 'Hi')]],
      ['an item more, and nothing but deltas', [text('Hi')], [search, message('m1', 'Hi')]],
      ['an item less', [added(0, search), text('Hi', 1)], [message('m1', 'Hi')]],
      ['a place that is another', [text('Hi', 7)], [message('m1', 'Hi')]],
      ['an id that only a delta had', [{ ...text('Hi', 3), item_id: 'm1' }], [message('m1', 'Hi')]],
    ])('repeats no text: %s', (_name, events, output) => {
      const emitted = read(...events, completedWith(...output))
      expect(emitted.filter(({ type }) => type === 'text-delta')).toEqual([{ type: 'text-delta', text: 'Hi' }])
      expect(emitted.at(-1)).toMatchObject({ message: { content: [{ type: 'text', text: 'Hi' }] } })
    })

    it('repeats no reasoning and no call, at any position', () => {
      const streamed = [
        { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'hm' },
        done(1, call('a')),
        piece(2, '{}', 'b'),
      ]
      const events = read(...streamed, completedWith(call('x'), message('m1', 'Hi'), call('b'), reasoning))
      expect(events.map(({ type }) => type)).toEqual([
        'reasoning-delta',
        'tool-call',
        'text-delta',
        'tool-call',
        'finish',
      ])
      expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([
        { callId: 'call_a' },
        { callId: 'call_b', input: {} },
      ])
    })

    it('adds items that were not streamed, also beside others of their type', () => {
      const events = read(
        text('a', 0),
        text('b', 1),
        completedWith(message('1', 'a'), message('2', 'b'), message('3', 'c')),
      )
      expect(events.at(-1)).toMatchObject({ message: { content: [{ text: 'abc' }] } })
      const byId = read({ ...text('b', 0), item_id: '2' }, completedWith(message('1', 'a'), message('2', 'b')))
      expect(byId.filter(({ type }) => type === 'text-delta')).toHaveLength(2)
    })
  })

  it('reads a complete response', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAA' },
      { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
      { type: 'function_call', call_id: 'a', name: 'echo', arguments: '' },
    ]
    const events = read({ object: 'response', status: 'completed', output, usage })
    expect(events.map(({ type }) => type)).toEqual(['reasoning-delta', 'text-delta', 'tool-call', 'finish'])
    expect(events[2]).toMatchObject({ input: {} })
  })

  it('reads arguments that a server sends as an object', () => {
    const item = { type: 'function_call', call_id: 'a', name: 'echo', arguments: { x: 1 } }
    const events = read({ type: 'response.output_item.done', output_index: 0, item }, completed)
    expect(events[0]).toMatchObject({ type: 'tool-call', input: { x: 1 } })
  })

  it('separates commentary and answer, each with its phase', () => {
    const message = (phase: string) => ({ type: 'message', phase, content: [] })
    const events = read(
      added(0, message('commentary')),
      text('a', 0),
      added(1, message('final_answer')),
      text('b', 1),
      completed,
    )
    expect(events.at(-1)).toMatchObject({
      message: {
        content: [
          { text: 'a', opaque: { owner, data: { phase: 'commentary' } } },
          { text: 'b', opaque: { owner, data: { phase: 'final_answer' } } },
        ],
      },
    })
  })

  it('emits a refusal as text and finishes with content-filter (Q28)', () => {
    const events = read({ type: 'response.refusal.delta', output_index: 0, delta: 'No.' }, completed)
    expect(events).toMatchObject([{ type: 'text-delta', text: 'No.' }, { reason: 'content-filter' }])
    const whole = read(done(0, { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }), completed)
    expect(whole).toMatchObject([{ type: 'text-delta', text: 'No.' }, { reason: 'content-filter' }])
  })

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    [undefined, 'length'],
  ])('maps an incomplete response for %s to %s (Q30)', (reason, finish) => {
    const response = { status: 'incomplete', incomplete_details: reason ? { reason } : null, usage }
    expect(read(text('Hi'), { type: 'response.incomplete', response }).at(-1)).toMatchObject({ reason: finish })
  })

  it('emits a truncated call as one that does not parse', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'echo' }
    const events = read(added(0, call), piece(0, '{"te'), { type: 'response.incomplete', response: {} })
    expect(events).toMatchObject([{ callId: 'a', input: undefined, inputText: '{"te' }, { reason: 'length' }])
  })

  it.each([
    ['a flat error event', { type: 'error', code: 'rate_limit_exceeded', message: 'boom' }, 'rate-limit', true],
    [
      'a nested one',
      { type: 'error', error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'boom' } },
      'rate-limit',
      true,
    ],
    [
      'a failed response',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'boom' } } },
      'provider-error',
      true,
    ],
    [
      'a failed response that would fail again',
      { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'boom' } } },
      'bad-request',
      false,
    ],
    ['an overflow', { type: 'error', code: 'context_length_exceeded', message: 'boom' }, 'context-overflow', false],
    ['an error without a type', { error: { message: 'boom' } }, 'provider-error', true],
  ])('fails on %s (Q14, Q30)', async (_name, event, code, retryable) => {
    const error = await errorOf(() => read(text('Hi'), event))
    expect(error).toMatchObject({ code, retryable, provider: 'acme', model: 'small' })
    expect(String(error)).toContain('boom')
  })

  it('fails on an event with the name of an error, of any type (Q14)', async () => {
    const context = { provider: 'acme', model: 'small', secrets: [] }
    const data = JSON.stringify({ code: 400, message: 'boom', type: 'exceed_context_size_error' })
    const error = await errorOf(() => Promise.resolve(new ResponsesReader(context).read({ event: 'error', data })))
    expect(error).toMatchObject({ code: 'context-overflow', status: 400 })
  })

  it('fails on a failed response without a reason', async () => {
    const error = await errorOf(() =>
      read({ type: 'response.failed', response: { status: 'failed', error: null, output: [] } }),
    )
    expect(error).toMatchObject({ code: 'provider-error', retryable: true })
  })

  it('warns once of unrequested items', () => {
    const item = { type: 'web_search_call', id: 'ws_1' }
    const events = read(added(0, item), done(0, item), added(1, item), done(1, item), text('Hi', 2), completed)
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { message: expect.stringContaining('web_search_call') },
    ])
  })

  it('warns of an item, and keeps the phase of one, that began without an event', () => {
    const message = { type: 'message', phase: 'commentary', content: [{ type: 'output_text', text: 'Hi' }] }
    const events = read(done(0, { type: 'web_search_call', id: 'ws_1' }), done(1, message), completed)
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('web_search_call') })
    expect(events.at(-1)).toMatchObject({
      message: { content: [{ text: 'Hi', opaque: { owner, data: { phase: 'commentary' } } }] },
    })
  })

  it('ignores unknown events', () => {
    expect(
      read({ type: 'response.in_progress' }, { type: 'keepalive' }, { type: 'toString' }, text('Hi'), completed),
    ).toHaveLength(2)
  })

  it.each([[[]], [[text('Hi')]], [[text('Hi'), '[DONE]']]])(
    'takes an answer without its end for incomplete (Q10)',
    async (events) => {
      expect(await errorOf(() => read(...events))).toMatchObject({ code: 'incomplete-stream', retryable: true })
    },
  )

  it('reports arguments that the longest answer cut off before their first character', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'delete', arguments: '' }
    const incomplete = {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [call], usage },
    }
    for (const ends of [[incomplete], [done(0, { ...call, status: 'incomplete' }), incomplete]])
      expect(read(added(0, call), ...ends)).toMatchObject([
        { type: 'tool-call', callId: 'call_1', input: undefined, invalid: expect.stringMatching('cut off') },
        { type: 'finish', reason: 'length' },
      ])
  })
})

it('counts the arguments of calls that have them at their begin and never end', () => {
  const item = { type: 'function_call', name: 'act', arguments: 'x'.repeat(1_000_000) }
  const begun = [0, 1, 2].map((index) => added(index, { ...item, id: `f${index}`, call_id: `c${index}` }))
  expect(() => read(...begun)).toThrow('2097152 characters of tool calls')
})

describe('arguments of the tool that takes the answer', () => {
  const answer = { type: 'function_call', id: 'fc', call_id: 'c', name: 'final', arguments: '' }
  const ended = { ...answer, arguments: '{"a":1}' }
  const finished = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' }
  function typesOf(answerTool: string, ...events: unknown[]): string[] {
    const read = readAll(new ResponsesReader(context, { answerTool }), [...events, completed])
    return read.map((event) => (event.type === 'tool-input-delta' ? `${event.callId} ${event.text}` : event.type))
  }

  it.each<[string, unknown[], string[]]>([
    ['in pieces', [added(0, answer), piece(0, '{"a":'), piece(0, '1}'), finished], ['c {"a":', 'c 1}']],
    ['with a rest at the end', [added(0, answer), piece(0, '{"a":'), finished], ['c {"a":', 'c 1}']],
    ['without pieces', [added(0, answer), finished], ['c {"a":1}']],
    ['in the call alone', [added(0, answer)], []],
    ['in an item that no event has begun', [piece(0, '{"a":1}')], []],
  ])('are emitted while they are written: %s', (_, events, drafts) => {
    expect(typesOf('final', ...events, done(0, ended))).toEqual([...drafts, 'tool-call', 'finish'])
    expect(typesOf('other', ...events, done(0, ended))).toEqual(['tool-call', 'finish'])
  })

  it('are no answer beside another call', () => {
    const other = { type: 'function_call', id: 'fd', call_id: 'd', name: 'other', arguments: '{}' }
    const after = [added(0, answer), piece(0, '{"a":'), added(1, other), piece(0, '1}'), done(1, other), done(0, ended)]
    expect(typesOf('final', ...after)).toEqual(['c {"a":', 'tool-call', 'tool-call', 'finish'])
    const before = [added(0, other), done(0, other), added(1, answer), piece(1, '{"a":1}'), done(1, ended)]
    expect(typesOf('final', ...before)).toEqual(['tool-call', 'tool-call', 'finish'])
  })
})
