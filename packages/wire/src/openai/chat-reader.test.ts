import { describe, expect, it, vi } from 'vitest'
import { context, errorOf, readAll } from '../__fixtures__/streams.ts'
import { ChatReader } from './chat-reader.ts'

const stop = { choices: [{ delta: {}, finish_reason: 'stop' }] }
const toolCalls = { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }

function delta(fields: object): object {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }] }
}

function call(index: number | undefined, id: string | undefined, name?: string, text?: unknown): object {
  const called = { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) }
  return { ...(index !== undefined && { index }), ...(id !== undefined && { id }), type: 'function', function: called }
}

function read(...chunks: unknown[]) {
  return readAll(new ChatReader(context), chunks)
}

function callsOf(...chunks: unknown[]) {
  return read(...chunks, toolCalls).flatMap((event) =>
    event.type === 'tool-call' ? [{ callId: event.callId, name: event.name, input: event.input }] : [],
  )
}

describe('ChatReader', () => {
  it('reads text, reasoning of either name, and usage', () => {
    const events = read(
      delta({ role: 'assistant', content: '', refusal: null }),
      delta({ reasoning_content: 'h' }),
      delta({ reasoning: 'm' }),
      delta({ content: 'Hi' }),
      stop,
      {
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 2,
          total_tokens: 11,
          prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      },
      '[DONE]',
    )
    expect(events).toEqual([
      { type: 'reasoning-delta', text: 'h' },
      { type: 'reasoning-delta', text: 'm' },
      { type: 'text-delta', text: 'Hi' },
      {
        type: 'finish',
        reason: 'stop',
        usage: {
          inputTokens: 9,
          outputTokens: 2,
          totalTokens: 11,
          cachedInputTokens: 4,
          cacheWriteTokens: 1,
          reasoningTokens: 1,
        },
        message: {
          v: 1,
          role: 'assistant',
          model: 'acme/small',
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'Hi' },
          ],
        },
      },
    ])
  })

  it('joins calls from pieces in any order', () => {
    const calls = callsOf(
      delta({ tool_calls: [call(0, 'a', 'echo', ''), call(1, 'b', 'add', '')] }),
      delta({ tool_calls: [call(1, undefined, undefined, '{"x"'), call(0, undefined, undefined, '{"t":')] }),
      delta({ tool_calls: [call(0, undefined, undefined, '"y"}'), call(1, undefined, undefined, ':1}')] }),
    )
    expect(calls).toEqual([
      { callId: 'a', name: 'echo', input: { t: 'y' } },
      { callId: 'b', name: 'add', input: { x: 1 } },
    ])
  })

  it.each([
    ['an index that begins at 1', [call(1, 'a', 'echo', '{"x":'), call(1, undefined, undefined, '1}')]],
    ['no index, the id in each piece', [call(undefined, 'a', 'echo', '{"x":'), call(undefined, 'a', undefined, '1}')]],
    [
      'no index, the id in the first piece only',
      [call(undefined, 'a', 'echo', '{"x":'), call(undefined, undefined, undefined, '1}')],
    ],
    ['id and name in each piece', [call(0, 'a', 'echo', '{"x":'), call(0, 'a', 'echo', '1}')]],
    ['an empty name in later pieces', [call(0, 'a', 'echo', '{"x":'), call(0, '', '', '1}')]],
    ['arguments as an object', [call(0, 'a', 'echo', { x: 1 })]],
    [
      'the name in each piece, and neither index nor id',
      [call(undefined, undefined, 'echo', '{"x":'), call(undefined, undefined, 'echo', '1}')],
    ],
    ['the name in each piece, and no id', [call(0, '', 'echo', '{"x":'), call(0, '', 'echo', '1}')]],
    ['the index in the first piece only', [call(0, 'a', 'echo', '{"x":'), call(undefined, 'a', undefined, '1}')]],
    ['the whole call again at the end', [call(0, 'a', 'echo', '{"x":1}'), call(undefined, 'a', 'echo', '{"x":1}')]],
    ['another id in each piece', [call(0, 'a', 'echo', '{"x":'), call(0, 'z', undefined, '1}')]],
  ])('reads one call with %s (Q8)', (_name, pieces) => {
    const chunks = pieces.map((piece) => delta({ tool_calls: [piece] }))
    expect(callsOf(...chunks)).toEqual([
      { callId: expect.stringMatching(/^(?:a|call_.*)$/), name: 'echo', input: { x: 1 } },
    ])
  })

  it.each([
    ['the same index', [call(0, 'a', 'echo', '{}'), call(0, 'b', 'echo', '{}')]],
    ['no index', [call(undefined, 'a', 'echo', '{}'), call(undefined, 'b', 'echo', '{}')]],
    ['neither index nor id', [call(undefined, undefined, 'echo', '{}'), call(undefined, undefined, 'echo', '{}')]],
    ['the same id', [call(0, 'a', 'echo', '{}'), call(1, 'a', 'echo', '{}')]],
    ['the same index and no ids', [call(0, '', 'echo', '{"x":1}'), call(0, '', 'echo', '{"x":2}')]],
    ['the same index, no ids and other names', [call(0, '', 'echo', ''), call(0, '', 'add', '{}')]],
    ['the same index and "null" as ids', [call(0, 'null', 'echo', '{}'), call(0, 'null', 'echo', '{}')]],
    ['no index and "null" as ids', [call(undefined, 'null', 'echo', {}), call(undefined, 'null', 'echo', {})]],
    ['the same id and no index', [call(undefined, 'a', 'echo', '{"x":1}'), call(undefined, 'a', 'echo', '{"x":2}')]],
    ['the same id, no index and other names', [call(undefined, 'a', 'echo', '{}'), call(undefined, 'a', 'add', '{}')]],
    ['empty ids', [call(0, '', 'echo', '{}'), call(1, '', 'echo', '{}')]],
  ])('reads two calls with %s (Q7, Q8)', (_name, pieces) => {
    const calls = callsOf(delta({ tool_calls: pieces }))
    expect(calls).toHaveLength(2)
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2)
    expect(calls.every(({ callId, input }) => callId !== '' && callId !== 'null' && input !== undefined)).toBe(true)
  })

  it('reads calls that come without a list, as TGI before 3.2 sends them (Q8)', () => {
    const begin = delta({ tool_calls: call(0, '', 'echo', '') })
    const end = delta({ tool_calls: call(0, '', undefined, '{"x":1}') })
    expect(callsOf(begin, end)).toMatchObject([{ name: 'echo', input: { x: 1 } }])
    expect(() => read(delta({ tool_calls: {} }))).toThrow(TypeError)
  })

  it('finishes with tool-calls when the server reports stop (Q9)', () => {
    expect(read(delta({ tool_calls: [call(0, 'a', 'now', '')] }), stop).at(-1)).toMatchObject({ reason: 'tool-calls' })
  })

  it('accepts chunks without choices, without delta and with null fields (Q27)', () => {
    const events = read(
      { choices: [], prompt_filter_results: [] },
      { choices: null },
      { choices: [{ content_filter_results: {} }] },
      { choices: [{ delta: null }] },
      delta({ content: null, tool_calls: null }),
      delta({ content: 'Hi' }),
      stop,
    )
    expect(events).toHaveLength(2)
  })

  it('emits a refusal as text and finishes with content-filter (Q28)', () => {
    const events = read(delta({ refusal: 'No' }), delta({ refusal: '.' }), stop)
    expect(events.at(-1)).toMatchObject({
      reason: 'content-filter',
      message: { content: [{ type: 'text', text: 'No.' }] },
    })
  })

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos', 'stop'],
    ['constructor', 'stop'],
  ])('maps the finish reason %s to %s', (finish_reason, reason) => {
    expect(read({ choices: [{ delta: { content: 'x' }, finish_reason }] }).at(-1)).toMatchObject({ reason })
  })

  it.each([
    ['a placeholder first', ['{}', '{"x":', '1}']],
    ['all of them twice', ['', '{"x":1}', '{"x":1}']],
    ['braces in a text', ['{"x":1,"y":"{}', '{}"}']],
  ])('puts arguments together that come with %s (Q8)', (_name, pieces) => {
    const chunks = pieces.map((piece, index) =>
      delta({ tool_calls: [call(0, index === 0 ? 'a' : undefined, index === 0 ? 'echo' : undefined, piece)] }),
    )
    const events = read(...chunks, stop)
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([{ callId: 'a', input: { x: 1 } }])
  })

  it('reads two arguments in one call separately', () => {
    const chunks = [call(0, 'a', 'echo', '{"x":1}'), call(0, undefined, undefined, '{"x":2}')]
    const events = read(...chunks.map((each) => delta({ tool_calls: [each] })), stop)
    expect(events[0]).toMatchObject({ type: 'tool-call', inputText: '{"x":1}{"x":2}', invalid: expect.any(String) })
  })

  it('does not read the arguments again at each piece', () => {
    const { trim } = String.prototype
    let characters = 0
    vi.spyOn(String.prototype, 'trim').mockImplementation(function (this: string) {
      characters += this.length
      return trim.call(this)
    })
    const pieces = Array.from({ length: 500 }, (_, index) => call(0, 'a', index === 0 ? 'echo' : undefined, '{"x":'))
    read(...pieces.map((piece) => delta({ tool_calls: [piece] })), toolCalls)
    vi.restoreAllMocks()
    expect(characters).toBeLessThan(20_000)
  })

  it.each(['{"x":', '{"x":{}', '    '])('does not read them again where each piece of %j repeats the name', (text) => {
    let characters = 0
    for (const method of ['trim', 'trimStart', 'trimEnd'] as const) {
      const original = String.prototype[method]
      vi.spyOn(String.prototype, method).mockImplementation(function (this: string) {
        characters += this.length
        return original.call(this)
      })
    }
    // Two pieces alike would be taken for a call that is listed again.
    const pieces = Array.from({ length: 500 }, (_, index) => call(0, 'a', 'echo', index === 0 ? ' ' : text))
    read(...pieces.map((piece) => delta({ tool_calls: [piece] })), toolCalls)
    vi.restoreAllMocks()
    expect(characters).toBeLessThan(50_000)
  })

  describe('a whole message after its deltas, as MiniMax ends a stream', () => {
    const last = (message: object) => ({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    })

    it('repeats nothing, and has the usage', () => {
      const streamed = [
        delta({ role: 'assistant', reasoning_content: 'Hm.' }),
        delta({ content: 'Hel' }),
        delta({ content: 'lo' }),
      ]
      const events = read(...streamed, last({ content: 'Hello', reasoning_content: 'Hm.' }))
      expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual(['Hm.', 'Hel', 'lo', 'finish'])
      expect(events.at(-1)).toMatchObject({
        usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
        message: { content: [{ text: 'Hm.' }, { text: 'Hello' }] },
      })
    })

    it('repeats no call, also where its id came late', () => {
      const tool_calls = [{ id: 'late', function: { name: 'echo', arguments: '{"x":1}' } }]
      const streamed = delta({ tool_calls: [call(0, undefined, 'echo', '{"x":1}')] })
      const events = read(streamed, last({ content: '', tool_calls }))
      expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([{ input: { x: 1 } }])
    })

    it('adds the calls that came in no delta, and is all of it after none', () => {
      const message = { content: 'Hi', tool_calls: [{ id: 'a', function: { name: 'echo', arguments: '{}' } }] }
      for (const streamed of [[delta({ content: 'Hi' })], [delta({ role: 'assistant', content: '' })], []]) {
        const events = read(...streamed, last(message))
        expect(events).toMatchObject([{ text: 'Hi' }, { type: 'tool-call', callId: 'a' }, { reason: 'tool-calls' }])
      }
    })
  })

  it('keeps the last reported usage, and fields that a later one omits (Q17)', () => {
    const events = read(
      { ...stop, usage: { prompt_tokens: 5, completion_tokens: 1 } },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } },
      { choices: [], usage: null },
      { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } },
    )
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 } })
  })

  it('reports no usage that the server did not report (Q17)', () => {
    expect(read(delta({ content: 'x' }), stop).at(-1)).toHaveProperty('usage', {})
  })

  it.each([-1, 1e308, '5'])('takes %j as no number of tokens', (tokens) => {
    const events = read(delta({ content: 'x' }), {
      ...stop,
      usage: { prompt_tokens: tokens, completion_tokens: tokens },
    })
    expect(events.at(-1)).toHaveProperty('usage', {})
  })

  it('reads usage where Groq and Moonshot put it', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }
    expect(read({ ...stop, x_groq: { usage } }).at(-1)).toMatchObject({ usage: { totalTokens: 6 } })
    expect(read({ choices: [{ finish_reason: 'stop', usage }] }).at(-1)).toMatchObject({ usage: { totalTokens: 6 } })
  })

  it.each([
    ['executed_tools', [{ index: 0, type: 'search', arguments: '{"query":"Oslo"}' }]],
    ['images', [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]],
    ['audio', { id: 'a', data: 'UklGRg==' }],
    ['function_call', { name: 'get', arguments: '{}' }],
  ])('warns once of %s, which was not requested', (item, value) => {
    const events = read(
      delta({ content: 'A', [item]: value }),
      delta({ [item]: value }),
      ...[null, [], {}].map((empty) => delta({ content: 'B', [item]: empty })),
      stop,
    )
    expect(events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))).toEqual([
      `The server added a "${item}" to the answer: it was left out.`,
    ])
    expect(read(delta({ content: 'A', [item]: null }), delta({ [item]: [] }), stop)).not.toContainEqual(
      expect.objectContaining({ type: 'warning' }),
    )
  })

  it('warns once of unrequested content parts', () => {
    const content = [{ type: 'text', text: 'Hi' }, { type: 'reference', reference_ids: [1] }, { type: 'text' }]
    const events = read(delta({ content }), delta({ content: [{ type: 'reference' }] }), stop)
    expect(events).toMatchObject([
      { text: 'Hi' },
      { type: 'warning', message: expect.stringContaining('"reference"') },
      { message: { content: [{ type: 'text', text: 'Hi' }] } },
    ])
  })

  it('reads a complete completion', () => {
    const message = { role: 'assistant', content: 'Hi', tool_calls: [call(undefined, 'a', 'echo', '{"x":1}')] }
    const events = read({ object: 'chat.completion', choices: [{ message, finish_reason: 'tool_calls' }], usage: {} })
    expect(events).toMatchObject([{ text: 'Hi' }, { callId: 'a', input: { x: 1 } }, { reason: 'tool-calls' }])
  })

  it.each([
    ['an error frame', { error: { message: 'boom', type: 'server_error' } }, 'provider-error'],
    ['an error frame with a status', { error: { message: 'boom', code: 429 } }, 'rate-limit'],
    ['an error frame that is text', { error: 'boom' }, 'provider-error'],
    [
      'a choice with an error',
      { choices: [{ finish_reason: 'error', error: { message: 'boom', code: 502 } }] },
      'provider-error',
    ],
    ['an object of the type error', { object: 'error', message: 'boom' }, 'provider-error'],
  ])('fails on %s (Q14)', async (_name, chunk, code) => {
    const error = await errorOf(() => read(delta({ content: 'Hi' }), chunk))
    expect(error).toMatchObject({ code, retryable: true, provider: 'acme', model: 'small' })
    expect(String(error)).toContain('boom')
  })

  it('fails on an event that is named error', async () => {
    const reader = new ChatReader(context)
    const frame = { event: 'error', data: '{"message":"boom"}' }
    expect(await errorOf(() => reader.read(frame))).toMatchObject({ code: 'provider-error' })
  })

  it.each([
    ['prompt is too long', 'context-overflow', 'prompt is too long'],
    ['"Internal Server Error"', 'provider-error', 'Internal Server Error'],
    ['', 'provider-error', 'it gave no reason.'],
  ])('fails with the plain text %j of an event that is named error', async (data, code, message) => {
    const failing = errorOf(() => new ChatReader(context).read({ event: 'error', data }))
    expect(await failing).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it("fails with Groq's reason for an early stop", async () => {
    expect(await errorOf(() => read({ choices: [], x_groq: { error: 'over_capacity' } }))).toMatchObject({
      code: 'overloaded',
      retryable: true,
    })
  })

  it('fails on the finish reason error', async () => {
    expect(await errorOf(() => read({ choices: [{ finish_reason: 'error' }] }))).toMatchObject({
      code: 'provider-error',
    })
  })

  it.each(['abort', 'insufficient_system_resource'])(
    'misses the rest of an answer that ends by %s (Q10)',
    async (reason) => {
      const chunks = [delta({ content: 'Hi' }), { choices: [{ delta: {}, finish_reason: reason }] }, '[DONE]']
      expect(await errorOf(() => read(...chunks))).toMatchObject({ code: 'incomplete-stream', retryable: true })
    },
  )

  it.each(['{"choices"', 'null', '"text"', '[1'])('rejects %s as malformed', async (chunk) => {
    expect(await errorOf(() => read(chunk))).toMatchObject({ code: 'malformed-stream', retryable: true })
  })

  const usageOnly = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } }
  const whole = call(0, 'a', 'echo', '{"x":1}')
  const warning = { type: 'warning', message: expect.stringContaining('no reason for the end') }

  it('takes white space after [DONE] for a part of it', () => {
    const chunks = [delta({ content: 'Hi' }), { choices: [{ delta: {}, finish_reason: 'stop' }] }, '[DONE] \t']
    expect(read(...chunks).at(-1)).toMatchObject({ reason: 'stop' })
    expect(() => read(...chunks.slice(0, 2), '[DONE]x')).toThrow('not a JSON object')
  })

  it('treats text, usage and [DONE] without a finish reason as `stop`, with a warning (Q10)', () => {
    const events = read(delta({ content: 'Hi' }), usageOnly, '[DONE]')
    const finish = { reason: 'stop', usage: { totalTokens: 6 }, message: { content: [{ text: 'Hi' }] } }
    expect(events).toMatchObject([{ text: 'Hi' }, warning, finish])
  })

  it('treats complete calls and [DONE] without a finish reason as `tool-calls`, with a warning (Q10)', () => {
    const events = read(delta({ content: 'Hi', tool_calls: [whole, call(1, 'b', 'now', '')] }), '[DONE]')
    const calls = [
      { callId: 'a', input: { x: 1 } },
      { callId: 'b', input: {} },
    ]
    expect(events).toMatchObject([{ text: 'Hi' }, warning, ...calls, { reason: 'tool-calls' }])
  })

  it('treats a refusal and [DONE] without a finish reason as `content-filter` (Q10, Q28)', () => {
    expect(read(delta({ refusal: 'No.' }), '[DONE]').at(-1)).toMatchObject({ reason: 'content-filter' })
  })

  it.each<[string, unknown[]]>([
    ['nothing', []],
    ['[DONE] alone', ['[DONE]']],
    ['usage and [DONE]', [usageOnly, '[DONE]']],
    ['reasoning and [DONE]', [delta({ reasoning: 'hm' }), '[DONE]']],
    ['text and usage', [delta({ content: 'Hi' }), usageOnly]],
    ['a whole call', [delta({ tool_calls: [whole] })]],
    [
      'half of a call and [DONE]',
      [delta({ content: 'Hi', tool_calls: [whole, call(1, 'b', 'echo', '{"x"')] }), '[DONE]'],
    ],
    ['a call without a name and [DONE]', [delta({ tool_calls: [call(0, 'a', '', '{}')] }), '[DONE]']],
  ])('rejects %s as incomplete (Q10)', async (_name, chunks) => {
    expect(await errorOf(() => read(...chunks))).toMatchObject({ code: 'incomplete-stream', retryable: true })
  })

  it('reads the first of several choices', () => {
    const choice = (index: number, content: string) => ({ choices: [{ index, delta: { content } }] })
    const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    const events = readAll(new ChatReader(context), [choice(0, 'a'), choice(1, 'b'), choice(0, 'c'), ended])
    expect(events.at(-1)).toMatchObject({ message: { content: [{ text: 'ac' }] } })
  })

  it('reports arguments that the longest answer cut off before their first character', () => {
    const length = { choices: [{ delta: {}, finish_reason: 'length' }] }
    expect(read(delta({ tool_calls: [call(0, 'a', 'delete', '')] }), length, '[DONE]')).toMatchObject([
      { type: 'tool-call', callId: 'a', name: 'delete', input: undefined, invalid: expect.stringMatching('cut off') },
      { type: 'finish', reason: 'length' },
    ])
  })
})

describe('arguments of the tool that takes the answer', () => {
  function draftsOf(...chunks: unknown[]): string[] {
    const events = readAll(new ChatReader(context, { answerTool: 'final' }), [...chunks, toolCalls])
    return events.flatMap((event) => (event.type === 'tool-input-delta' ? [`${event.callId} ${event.text}`] : []))
  }
  const more = (index: number, text: string): object => delta({ tool_calls: [call(index, undefined, undefined, text)] })

  it('are emitted while they are written, before the call', () => {
    const chunks = [delta({ tool_calls: [call(0, 'c', 'final', '')] }), more(0, '{"a":'), more(0, '1}'), toolCalls]
    const events = readAll(new ChatReader(context, { answerTool: 'final' }), chunks)
    expect(events.map(({ type }) => type)).toEqual(['tool-input-delta', 'tool-input-delta', 'tool-call', 'finish'])
    expect(draftsOf(...chunks.slice(0, -1))).toEqual(['c {"a":', 'c 1}'])
    expect(read(...chunks).map(({ type }) => type)).toEqual(['tool-call', 'finish'])
  })

  it.each<[string, unknown[], string[]]>([
    ['another tool', [delta({ tool_calls: [call(0, 'c', 'other', '{"a":1}')] })], []],
    ['a call without an id', [delta({ tool_calls: [call(0, undefined, 'final', '{"a":1}')] })], []],
    ['a call with the id null', [delta({ tool_calls: [call(0, 'null', 'final', '{"a":1}')] })], []],
    ['a second call', [delta({ tool_calls: [call(0, 'a', 'other', '{}'), call(1, 'c', 'final', '{"a":1}')] })], []],
    [
      'a call beside which another begins',
      [
        delta({ tool_calls: [call(0, 'c', 'final', '{"a"')] }),
        delta({ tool_calls: [call(1, 'd', 'other', '{}')] }),
        more(0, ':1}'),
      ],
      ['c {"a"'],
    ],
  ])('are those of one call: not of %s', (_, chunks, drafts) => {
    expect(draftsOf(...chunks)).toEqual(drafts)
  })
})
