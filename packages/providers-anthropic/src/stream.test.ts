import type { ModelEvent } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { AnthropicReader } from './stream.ts'
import type { RenamedKeys } from './tools.ts'

const context = { provider: 'anthropic', model: 'claude-opus-5-5', secrets: [] }
const owner = 'anthropic/claude-opus-5-5'

type WireEvent = { [field: string]: unknown }

const begun: WireEvent = {
  type: 'message_start',
  message: { content: [], usage: { input_tokens: 9, output_tokens: 1 } },
}
const ended = (stop_reason: string, more: WireEvent = {}): WireEvent[] => [
  { type: 'message_delta', delta: { stop_reason, ...more }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
]
const block = (index: number, content_block: WireEvent, ...deltas: WireEvent[]): WireEvent[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const text = (index: number, ...texts: string[]): WireEvent[] =>
  block(index, { type: 'text', text: '' }, ...texts.map((text) => ({ type: 'text_delta', text })))
const call = (index: number, id: string, ...pieces: string[]): WireEvent[] =>
  block(
    index,
    { type: 'tool_use', id, name: 'weather', input: {} },
    ...pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  )

function read(
  events: readonly (WireEvent | string)[],
  renamed: RenamedKeys = new Map(),
  request: { answerTool?: string } = {},
): ModelEvent[] {
  const reader = new AnthropicReader(context, renamed, request)
  const isOver = events.some((event) => {
    const data = typeof event === 'string' ? event : JSON.stringify(event)
    return reader.read({ event: typeof event === 'string' ? '' : String(event.type), data })
  })
  expect(isOver).toBe(true)
  reader.finish()
  return reader.take()
}

function finishOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'finish' }> {
  const last = events.at(-1)
  if (last?.type !== 'finish') throw new Error('There is no finish.')
  return last
}

describe('AnthropicReader', () => {
  it('keeps thinking as it came, signed or redacted, with and without text (Q36)', () => {
    const events = read([
      begun,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: ' Hm' },
        { type: 'thinking_delta', thinking: '.\n' },
        { type: 'signature_delta', signature: 'sig-1' },
      ),
      ...block(1, { type: 'thinking', thinking: '', signature: '' }, { type: 'signature_delta', signature: 'sig-2' }),
      ...block(2, { type: 'redacted_thinking', data: 'secret' }),
      ...text(3, 'Hi'),
      ...block(4, { type: 'thinking', thinking: '', signature: 'sig-3' }),
      ...call(5, 'toolu_1', '{}'),
      ...ended('tool_use'),
    ])
    expect(finishOf(events).message.content).toEqual([
      { type: 'reasoning', text: ' Hm.\n', opaque: { owner, data: { signature: 'sig-1' } } },
      { type: 'reasoning', text: '', opaque: { owner, data: { signature: 'sig-2' } } },
      { type: 'reasoning', text: '', opaque: { owner, data: { redacted: 'secret' } } },
      { type: 'text', text: 'Hi' },
      { type: 'reasoning', text: '', opaque: { owner, data: { signature: 'sig-3' } } },
      { type: 'tool-call', callId: 'toolu_1', name: 'weather', input: {} },
    ])
  })

  it('keeps no redacted thinking without its data, which is refused when it goes back', () => {
    const events = read([begun, ...block(0, { type: 'redacted_thinking' }), ...text(1, 'Hi'), ...ended('end_turn')])
    expect(finishOf(events).message.content).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('keeps thinking without a signature apart from what follows', () => {
    const unsigned = block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Hm.' })
    const { content } = finishOf(
      read([begun, ...unsigned, ...block(1, { type: 'redacted_thinking', data: 'x' }), ...ended('end_turn')]),
    ).message
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning', text: '', opaque: { owner, data: { redacted: 'x' } } },
    ])
  })

  it.each([
    ['in pieces', call(0, 'a', '', '{"ci', 'ty":"Oslo"}'), { city: 'Oslo' }],
    ['not at all (Q2)', call(0, 'a', ''), {}],
    [
      'with the block',
      block(0, { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Oslo' } }),
      { city: 'Oslo' },
    ],
    ['without an end of the block', call(0, 'a', '{"city":"Oslo"}').slice(0, -1), { city: 'Oslo' }],
  ])('reads arguments that come %s', (_name, events, input) => {
    expect(read([begun, ...events, ...ended('tool_use')])).toMatchObject([
      { type: 'tool-call', callId: 'a', name: 'weather', input },
      { type: 'finish', reason: 'tool-calls' },
    ])
  })

  it.each([
    ['in an open block', call(0, 'a', '').slice(0, -1)],
    ['in a block that has ended', call(0, 'a', '')],
    ['in a block without deltas', call(0, 'a')],
  ])('reports arguments that the longest answer cut off before their first character, %s', (_name, events) => {
    expect(read([begun, ...events, ...ended('max_tokens')])).toMatchObject([
      {
        type: 'tool-call',
        callId: 'a',
        name: 'weather',
        input: undefined,
        inputText: '',
        invalid: expect.stringMatching('cut off'),
      },
      { type: 'finish', reason: 'length' },
    ])
  })

  it('reports arguments that do not parse, and reads the other calls (Q2, Q8)', () => {
    expect(read([begun, ...call(1, 'a', '{"city": oops'), ...call(2, 'a', '{}'), ...ended('tool_use')])).toMatchObject([
      { type: 'tool-call', callId: 'a', input: undefined, inputText: '{"city": oops', invalid: expect.any(String) },
      { type: 'tool-call', callId: expect.not.stringMatching(/^a$/), input: {} },
      { type: 'finish' },
    ])
  })

  it('loses no call where a server ends no block, and gives all of them one index (Q8)', () => {
    const unended = [...text(0, 'Hi'), ...call(0, 'a', '{"x":', '1}'), ...call(0, 'b', '{"y":2}')].filter(
      ({ type }) => type !== 'content_block_stop',
    )
    expect(read([begun, ...unended, ...ended('tool_use')])).toMatchObject([
      { type: 'text-delta', text: 'Hi' },
      { type: 'tool-call', callId: 'a', input: { x: 1 } },
      { type: 'tool-call', callId: 'b', input: { y: 2 } },
      { type: 'finish', reason: 'tool-calls' },
    ])
  })

  it('gives the keys of arguments the names that the tool has for them', () => {
    const renamed = new Map([['weather', new Map([['filter_id_', 'filter[id]']])]])
    expect(read([begun, ...call(0, 'a', '{"filter_id_":1}'), ...ended('tool_use')], renamed)).toMatchObject([
      { type: 'tool-call', input: { 'filter[id]': 1 } },
      { type: 'finish' },
    ])
  })

  it('begins again with another message_start, after any events (Q40)', () => {
    const cutShort = call(1, 'a', '{}').slice(0, -1)
    const first = { type: 'message_start', message: { usage: { input_tokens: 9, cache_read_input_tokens: 1000 } } }
    const finish = finishOf(
      read([first, ...text(0, 'Hal'), ...cutShort, begun, ...text(0, 'Hello'), ...ended('end_turn')]),
    )
    expect(finish).toMatchObject({ reason: 'stop', usage: { inputTokens: 9, outputTokens: 5, totalTokens: 14 } })
    expect(finish.message.content).toEqual([{ type: 'text', text: 'Hello' }])
    expect(finishOf(read([begun, begun, ...text(0, 'Hello'), ...ended('end_turn')])).message.content).toHaveLength(1)
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['a_new_reason', 'stop'],
  ])('stops at %s with "%s"', (stopReason, reason) => {
    expect(finishOf(read([begun, ...text(0, 'Hi'), ...ended(stopReason)])).reason).toBe(reason)
  })

  it('takes a full window without an answer for an overflow (Q16)', () => {
    const thought = block(0, { type: 'thinking', thinking: 'Hm.', signature: 'x' })
    expect(() => read([begun, ...thought, ...ended('model_context_window_exceeded')])).toThrow(
      expect.objectContaining({ code: 'context-overflow' }),
    )
  })

  it('reports that a paused answer is not complete (Q38)', () => {
    const events = read([begun, ...text(0, 'Let me see.'), ...ended('pause_turn')])
    expect(events).toContainEqual({ type: 'warning', message: expect.stringContaining('paused') })
    expect(finishOf(events).reason).toBe('stop')
  })

  it('warns why the model refused; the answer may be empty (Q39)', () => {
    const stop_details = { type: 'refusal', category: 'bio', explanation: 'It could do harm.' }
    const events = read([begun, ...ended('refusal', { stop_details })])
    expect(events).toMatchObject([
      { type: 'warning', message: 'The model refused to answer (bio). It could do harm.' },
      { type: 'finish', reason: 'content-filter', message: { content: [] } },
    ])
    const said = read([begun, ...text(0, 'I cannot.'), ...ended('refusal', { stop_details })])
    expect(finishOf(said).message.content).toEqual([{ type: 'text', text: 'I cannot.' }])
    expect(finishOf(read([begun, ...ended('refusal', { stop_details: null })])).message.content).toEqual([])
  })

  it('reads the content of the message at its start', () => {
    const content = [
      { type: 'code_execution_tool_result', content: {} },
      { type: 'tool_use', id: 'toolu_1', name: 'find', input: { id: 'c1' } },
    ]
    const message = { content, stop_reason: 'tool_use', usage: { input_tokens: 3, output_tokens: 1 } }
    expect(read([{ type: 'message_start', message }, { type: 'message_stop' }])).toMatchObject([
      { type: 'warning', message: expect.stringContaining('code_execution_tool_result') },
      { type: 'tool-call', callId: 'toolu_1', input: { id: 'c1' } },
      { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 3, outputTokens: 1 } },
    ])
  })

  it('warns once of each kind of block that no request asked for', () => {
    const search = (index: number): WireEvent[] =>
      block(
        index,
        { type: 'server_tool_use', id: 's', name: 'web_search' },
        { type: 'input_json_delta', partial_json: '{' },
      )
    const found = block(2, { type: 'web_search_tool_result', content: [] })
    const events = read([begun, ...search(0), ...search(1), ...found, ...text(3, 'Hi'), ...ended('end_turn')])
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2)
    expect(finishOf(events).message.content).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('reads a message that came whole', () => {
    const events = read([
      {
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Oslo' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 3, output_tokens: 4 },
      },
    ])
    expect(finishOf(events)).toMatchObject({
      reason: 'tool-calls',
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      message: {
        content: [
          { type: 'reasoning', text: 'Hm.', opaque: { owner, data: { signature: 'sig' } } },
          { type: 'text', text: 'Hi' },
          { type: 'tool-call', callId: 'a', input: { city: 'Oslo' } },
        ],
      },
    })
  })

  it('counts cache reads and writes as input, and keeps them after a later null (Q17, Q42)', () => {
    const start = {
      input_tokens: 43,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      output_tokens: 1,
    }
    const end = {
      input_tokens: 61,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: 0,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 2 },
    }
    const events = read([
      { type: 'message_start', message: { usage: start } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: end },
      { type: 'message_stop' },
    ])
    expect(finishOf(events).usage).toEqual({
      inputTokens: 1161,
      cachedInputTokens: 1000,
      cacheWriteTokens: 100,
      outputTokens: 5,
      reasoningTokens: 2,
      totalTokens: 1166,
    })
  })

  it('omits counts that the server does not report (Q17)', () => {
    expect(finishOf(read([{ type: 'message_start' }, ...text(0, 'Hi'), { type: 'message_stop' }])).usage).toEqual({})
  })

  it('takes `message_stop` without a reason for the end of a complete answer, with a warning (Q10)', () => {
    const warning = { type: 'warning', message: expect.stringContaining('no reason for the end') }
    const stop = { type: 'message_stop' }
    expect(read([begun, ...text(0, 'Hi'), stop])).toMatchObject([
      { type: 'text-delta', text: 'Hi' },
      warning,
      { type: 'finish', reason: 'stop' },
    ])
    expect(read([begun, ...call(0, 'a', '{"city":"Oslo"}'), stop])).toMatchObject([
      { type: 'tool-call', callId: 'a', input: { city: 'Oslo' } },
      warning,
      { type: 'finish', reason: 'tool-calls' },
    ])
  })

  it.each([
    ['nothing', []],
    ['thinking alone', block(0, { type: 'thinking', thinking: 'Hm.', signature: 'sig' })],
    ['a call that has not ended', call(0, 'a', '{"city":').slice(0, -1)],
    ['an answer that has begun again', [...text(0, 'Hi'), ...ended('end_turn').slice(0, 1), begun]],
  ])('misses the rest of an answer that stops without a reason after %s (Q10)', (_, events) => {
    const incomplete = expect.objectContaining({ code: 'incomplete-stream', retryable: true })
    expect(() => read([begun, ...events, { type: 'message_stop' }])).toThrow(incomplete)
  })

  it('fails for a stream that ends without a reason (Q10)', () => {
    const reader = new AnthropicReader(context, new Map())
    for (const event of [begun, ...text(0, 'Hi')]) reader.read({ event: '', data: JSON.stringify(event) })
    expect(() => reader.finish()).toThrow(expect.objectContaining({ code: 'incomplete-stream' }))
  })

  it.each([
    [
      'under its own type (Q14, Q37)',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'error',
    ],
    ['flat', { type: 'overloaded_error', message: 'Overloaded' }, 'error'],
    ['without a name', { error: { type: 'overloaded_error', message: 'Overloaded' } }, ''],
  ])('throws an error %s', (_name, event, name) => {
    const reader = new AnthropicReader(context, new Map())
    expect(() => reader.read({ event: name, data: JSON.stringify(event) })).toThrow(
      expect.objectContaining({ code: 'overloaded', retryable: true }),
    )
  })

  it.each([
    [
      'as Anthropic writes it',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi ü"}}',
      'Hi ü',
    ],
    ['padded', '{"type":"content_block_delta","index":12,"delta":{"type":"text_delta","text":"Hi"}      }', 'Hi'],
    [
      'with a line break',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\\nb"}}',
      'a\nb',
    ],
    [
      'with an escape',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\\n\\"b\\"\\u00fc"}}',
      'a\n"b"ü',
    ],
    [
      'with another field',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi","x":{}}}',
      'Hi',
    ],
    ['in another order', '{"index":0,"delta":{"text":"Hi","type":"text_delta"},"type":"content_block_delta"}', 'Hi'],
    ['with braces', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"}}"}}', '}}'],
  ])('reads a text delta %s', (_name, data, expected) => {
    const events = read([begun, data, ...ended('end_turn')])
    expect(events[0]).toEqual({ type: 'text-delta', text: expected })
  })

  it('takes no other event for a text delta, with any content', () => {
    const data = '{"type":"content_block_other","index":0,"delta":{"type":"text_delta","text":"Hi"}}'
    const events = read([begun, data, ...ended('end_turn')])
    expect(events.map(({ type }) => type)).toEqual(['finish'])
  })

  it.each([
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi" oops }}',
  ])('refuses a text delta that is broken: %s', (data) => {
    const reader = new AnthropicReader(context, new Map())
    expect(() => reader.read({ event: '', data })).toThrow(expect.objectContaining({ code: 'malformed-stream' }))
  })
})

it.each<[string, WireEvent]>([
  ['arguments', { type: 'tool_use', id: 'a', name: 'act', input: { a: 'x'.repeat(1_000_000) } }],
  ['signatures', { type: 'thinking', thinking: '', signature: 'x'.repeat(1_000_000) }],
  ['redacted thinking', { type: 'redacted_thinking', data: 'x'.repeat(1_000_000) }],
])('ends an answer of blocks that begin with %s and never end', (_what, content_block) => {
  const blocks = Array.from({ length: 20 }, (_, index) => ({ type: 'content_block_start', index, content_block }))
  expect(() => read([begun, ...blocks])).toThrow('more than any model writes')
})

describe('arguments of the tool that takes the answer', () => {
  const events = [begun, ...call(0, 'toolu_1', '{"city":', ' "Oslo"}'), ...ended('tool_use')]
  const draftsOf = (renamed: RenamedKeys, answerTool: string): ModelEvent[] =>
    read(events, renamed, { answerTool }).filter(({ type }) => type === 'tool-input-delta')

  it('are emitted while they are written', () => {
    expect(draftsOf(new Map(), 'weather')).toEqual([
      { type: 'tool-input-delta', callId: 'toolu_1', text: '{"city":' },
      { type: 'tool-input-delta', callId: 'toolu_1', text: ' "Oslo"}' },
    ])
    expect(draftsOf(new Map(), 'final_answer')).toEqual([])
  })

  it('are emitted whole where keys have other names in the API', () => {
    const renamed = new Map([['weather', new Map([['city', 'the city']])]])
    expect(draftsOf(renamed, 'weather')).toEqual([])
  })
})
