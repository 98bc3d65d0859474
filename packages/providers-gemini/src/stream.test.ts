import { AgentKitError, type ModelEvent } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { candidate, googleError } from './__fixtures__/loopback.ts'
import { errorContext } from './errors.ts'
import { GeminiReader } from './stream.ts'

/** Reads chunks, and the end after them. */
function read(chunks: unknown[]): ModelEvent[] {
  const reader = new GeminiReader(errorContext('m', { secrets: ['secret'] }))
  for (const chunk of chunks) reader.read({ event: '', data: JSON.stringify(chunk) })
  reader.finish()
  return reader.take()
}

function errorOf(chunks: unknown[]): AgentKitError {
  try {
    read(chunks)
  } catch (error) {
    if (error instanceof AgentKitError) return error
  }
  throw new Error('It did not fail with an error of ours.')
}

const finishOf = (events: ModelEvent[]) => events.find((event) => event.type === 'finish')
const text = (said: string, rest: object = {}) => ({ text: said, ...rest })
const calling = (functionCall: object, rest: object = {}) => ({ functionCall, ...rest })

describe('an answer', () => {
  it('is emitted as it arrives', () => {
    expect(
      read([
        candidate([text('Hm.', { thought: true })]),
        candidate([text('Hel')]),
        candidate([text('lo')], 'STOP'),
        { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 } },
      ]),
    ).toEqual([
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      {
        type: 'finish',
        reason: 'stop',
        usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
        message: {
          v: 1,
          role: 'assistant',
          model: 'gemini/m',
          content: [
            { type: 'reasoning', text: 'Hm.' },
            { type: 'text', text: 'Hello' },
          ],
        },
      },
    ])
  })

  it('with calls finishes with tool-calls, each with an id of its own (Q7, Q9)', () => {
    const events = read([
      candidate([calling({ name: 'add', args: { a: 1 } }), calling({ name: 'add', args: { a: 1 } })], 'STOP'),
    ])
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? event.callId : []))
    expect(new Set(ids).size).toBe(2)
    expect(finishOf(events)).toMatchObject({ reason: 'tool-calls' })
  })

  it('keeps existing ids, and accepts missing arguments as none (Q2)', () => {
    expect(read([candidate([calling({ id: 'fc-1', name: 'now' })], 'STOP')])[0]).toEqual({
      type: 'tool-call',
      callId: 'fc-1',
      name: 'now',
      input: {},
    })
  })

  it('keeps each signature with its part (Q58)', () => {
    const events = read([
      candidate([text('So.', { thought: true, thoughtSignature: 's0' })]),
      candidate([text('a')]),
      candidate([text('b')]),
      candidate([text('', { thoughtSignature: 's1' })]),
      candidate([text('c', { thoughtSignature: 's2' })]),
      candidate([calling({ name: 'add', args: {} }, { thoughtSignature: 's3' }), calling({ name: 'add', args: {} })]),
      candidate([{ thoughtSignature: 's4' }], 'STOP'),
    ])
    const opaque = (thoughtSignature: string) => ({ opaque: { owner: 'gemini/m', data: { thoughtSignature } } })
    expect(finishOf(events)?.message.content).toEqual([
      { type: 'reasoning', text: 'So.', ...opaque('s0') },
      { type: 'text', text: 'ab' },
      { type: 'text', text: '', ...opaque('s1') },
      { type: 'text', text: 'c', ...opaque('s2') },
      expect.objectContaining({ type: 'tool-call', ...opaque('s3') }),
      expect.not.objectContaining({ opaque: expect.anything() }),
      { type: 'text', text: '', ...opaque('s4') },
    ])
  })

  it('puts together calls that come in pieces (Q68)', () => {
    const events = read([
      candidate([calling({ name: 'move', id: '1', willContinue: true }, { thoughtSignature: 's' })]),
      candidate([
        calling({ partialArgs: [{ jsonPath: '$.to', stringValue: 'No', willContinue: true }], willContinue: true }),
      ]),
      candidate([calling({ partialArgs: [{ jsonPath: '$.to', stringValue: 'rth' }], willContinue: true })]),
      candidate([calling({})]),
      candidate([calling({ name: 'stop', willContinue: true })]),
      candidate([calling({ name: 'wait', args: { seconds: 1 } })], 'STOP'),
    ])
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [[event.name, event.input]] : []))).toEqual([
      ['move', { to: 'North' }],
      ['stop', {}],
      ['wait', { seconds: 1 }],
    ])
    expect(finishOf(events)?.message.content[0]).toMatchObject({
      callId: '1',
      opaque: { data: { thoughtSignature: 's' } },
    })
  })

  it('does not take half of the arguments for all of them (Q68)', () => {
    const events = read([
      candidate([calling({ name: 'move', willContinue: true })]),
      candidate(
        [calling({ partialArgs: [{ jsonPath: '$.to', stringValue: 'No' }], willContinue: true })],
        'MAX_TOKENS',
      ),
    ])
    expect(events[0]).toMatchObject({ name: 'move', input: undefined, inputText: '{"to":"No"' })
    expect(finishOf(events)).toMatchObject({ reason: 'length' })
  })

  it('warns once of each kind of part that no request asked for', () => {
    const events = read([
      candidate([{ executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' } }]),
      candidate([{ executableCode: { code: '2' } }, text('2')], 'STOP'),
    ])
    expect(events.flatMap((event) => (event.type === 'warning' ? event.message : []))).toEqual([
      expect.stringContaining('executableCode'),
      expect.stringContaining('codeExecutionResult'),
    ])
  })

  it.each(['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult', 'inlineData'])(
    'holds no part for a signed "%s", and warns of it (Q58)',
    (kind) => {
      const signed = { [kind]: { id: '1' }, thoughtSignature: 's' }
      const events = read([candidate([signed, { ...signed, thought: true }, text('2')], 'STOP')])
      expect(events).toMatchObject([
        { type: 'warning', message: expect.stringContaining(kind) },
        { type: 'text-delta', text: '2' },
        { type: 'finish', reason: 'stop' },
      ])
      expect(finishOf(events)?.message.content).toEqual([{ type: 'text', text: '2' }])
    },
  )

  it('keeps the signature of a part that holds nothing but metadata', () => {
    const events = read([candidate([{ partMetadata: { a: 1 }, thoughtSignature: 's' }], 'STOP')])
    expect(finishOf(events)?.message.content).toMatchObject([{ text: '', opaque: { data: { thoughtSignature: 's' } } }])
  })

  it('may come as one document, or as a list', () => {
    const chunks = [candidate([text('a')]), candidate([text('b')], 'STOP')]
    expect(finishOf(read([chunks]))).toMatchObject({ message: { content: [{ text: 'ab' }] } })
  })

  it('ends at the end that a gateway reports', () => {
    const reader = new GeminiReader(errorContext('m', { secrets: [] }))
    expect(reader.read({ event: '', data: '[DONE]' })).toBe(true)
  })
})

describe('usage', () => {
  const ends = candidate([text('a')], 'STOP')

  it('has no counts that are negative or no numbers', () => {
    const usageMetadata = { promptTokenCount: -3, candidatesTokenCount: 2, totalTokenCount: '5' }
    expect(finishOf(read([ends, { usageMetadata }]))?.usage).toEqual({ outputTokens: 2 })
  })

  it("counts the tokens of thoughts and of the server's tools (Q64)", () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 20,
      totalTokenCount: 38,
    }
    expect(finishOf(read([ends, { usageMetadata }]))).toMatchObject({
      usage: { inputTokens: 15, cachedInputTokens: 4, outputTokens: 23, reasoningTokens: 20, totalTokens: 38 },
    })
  })

  it('is the last report, and nothing erases it (Q17)', () => {
    const events = read([
      { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1 } },
      ends,
      { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 7 } },
      { usageMetadata: { promptTokenCount: null, candidatesTokenCount: 0 } },
    ])
    expect(finishOf(events)).toMatchObject({ usage: { inputTokens: 10, outputTokens: 7, totalTokens: 17 } })
  })

  it.each<[string, number[][], number[]]>([
    [
      'no thoughts in the last one',
      [
        [66, 21, 78, 21, 186],
        [66, 21, 78, 0, 165],
      ],
      [87, 78, 165],
    ],
    [
      'no use of tools in the last one',
      [
        [66, 21, 0, 0, 87],
        [66, 0, 78, 21, 165],
      ],
      [66, 99, 165],
    ],
    [
      'no prompt in the last one',
      [
        [87, 0, 5, 0, 92],
        [0, 0, 99, 0, 165],
      ],
      [66, 99, 165],
    ],
    [
      'no prompt, which did not change',
      [
        [66, 0, 5, 0, 71],
        [0, 0, 99, 0, 165],
      ],
      [66, 99, 165],
    ],
    [
      'no output in the last one',
      [
        [66, 0, 5, 0, 71],
        [66, 0, 0, 0, 165],
      ],
      [66, 99, 165],
    ],
    [
      'nothing but a total',
      [
        [66, 0, 99, 0, 165],
        [0, 0, 0, 0, 100],
      ],
      [66, 99, 165],
    ],
    [
      'an output that became nothing',
      [
        [66, 0, 99, 0, 165],
        [66, 0, 0, 0, 66],
      ],
      [66, 99, 165],
    ],
  ])('mixes no two snapshots: %s (Q17)', (_name, snapshots, [inputTokens, outputTokens, totalTokens]) => {
    const names = [
      'promptTokenCount',
      'toolUsePromptTokenCount',
      'candidatesTokenCount',
      'thoughtsTokenCount',
      'totalTokenCount',
    ]
    const chunks = snapshots.map((counts) => ({
      usageMetadata: Object.fromEntries(counts.flatMap((count, index) => (count > 0 ? [[names[index], count]] : []))),
    }))
    const usage = { inputTokens, outputTokens, totalTokens }
    expect(finishOf(read([...chunks, ends]))).toMatchObject({ usage })
  })

  it('keeps the count of cached tokens while the prompt is the same (Q17)', () => {
    const first = { promptTokenCount: 10, cachedContentTokenCount: 8, totalTokenCount: 10 }
    const last = (promptTokenCount: number) => ({
      promptTokenCount,
      candidatesTokenCount: 2,
      totalTokenCount: promptTokenCount + 2,
    })
    const usageAfter = (prompt: number) =>
      finishOf(read([{ usageMetadata: first }, { usageMetadata: last(prompt) }, ends]))?.usage
    expect(usageAfter(10)).toMatchObject({ cachedInputTokens: 8 })
    expect(usageAfter(5)).not.toHaveProperty('cachedInputTokens')
  })

  it('is absent when it is not reported', () => {
    expect(finishOf(read([ends]))).toMatchObject({ usage: {} })
  })
})

describe('the end', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ...['LANGUAGE', 'BLOCKLIST', 'MODEL_ARMOR', 'IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'].map(
      (reason) => [reason, 'content-filter'],
    ),
    ...['IMAGE_OTHER', 'NO_IMAGE'].map((reason) => [reason, 'content-filter']),
  ])('%s is %s', (finishReason, reason) => {
    const events = read([candidate([text('a')], finishReason)])
    expect(finishOf(events)).toMatchObject({ reason })
    expect(events).toHaveLength(2)
  })

  it.each([
    ['CONTINUATION', 'length'],
    ['OTHER', 'stop'],
    ['NEWLY_INVENTED', 'stop'],
  ])('%s is %s, with a warning', (finishReason, reason) => {
    const events = read([candidate([text('a')], finishReason)])
    expect(events[1]).toMatchObject({ type: 'warning' })
    expect(finishOf(events)).toMatchObject({ reason })
  })

  it.each(['MAX_TOKENS', 'SAFETY'])('%s may leave the answer empty', (finishReason) => {
    expect(finishOf(read([candidate([], finishReason)]))).toMatchObject({ message: { content: [] } })
  })

  it('of a blocked prompt is content-filter, with why (Q67)', () => {
    const events = read([{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } }])
    expect(events).toMatchObject([
      { type: 'warning', message: expect.stringContaining('SAFETY') },
      { type: 'finish', reason: 'content-filter', usage: { inputTokens: 4 } },
    ])
  })

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    '%s is an invalid call, with what the model wrote (Q61)',
    (finishReason) => {
      expect(errorOf([candidate([], finishReason, 'Malformed function call: print(add(')])).toMatchObject({
        code: 'invalid-tool-call',
        provider: 'gemini',
        model: 'm',
        message: expect.stringContaining(finishReason),
        cause: { finishReason, failedGeneration: 'Malformed function call: print(add(' },
      })
    },
  )

  it.each([
    ['nothing', []],
    ['only thoughts', [text('Hm.', { thought: true })]],
    ['only a signature', [text('', { thoughtSignature: 's' })]],
  ])('without a word, after %s, has a warning (Q61)', (_name, parts) => {
    const events = read([candidate(parts, 'STOP')])
    expect(events.at(-2)).toMatchObject({ type: 'warning', message: expect.stringContaining('without a word') })
    expect(finishOf(events)).toMatchObject({ reason: 'stop' })
  })

  it('without a word and for no known reason is a failure that may pass (Q61)', () => {
    expect(errorOf([candidate([], 'OTHER')])).toMatchObject({ code: 'provider-error', retryable: true })
  })

  it('MALFORMED_RESPONSE is a malformed stream', () => {
    expect(errorOf([candidate([text('a')], 'MALFORMED_RESPONSE')])).toMatchObject({
      code: 'malformed-stream',
      retryable: true,
    })
  })

  it('of an answer with a message and a code beside it is not an error', () => {
    const events = read([{ ...candidate([text('a')], 'STOP'), message: 'Fine.', code: 0 }])
    expect(finishOf(events)).toMatchObject({ reason: 'stop' })
  })

  it('that never comes is an incomplete stream (Q10)', () => {
    expect(errorOf([candidate([text('a')])])).toMatchObject({ code: 'incomplete-stream', retryable: true })
    expect(errorOf([])).toMatchObject({ code: 'incomplete-stream' })
  })
})

describe('an error in the stream (Q14)', () => {
  const overloaded = googleError(503, 'UNAVAILABLE', 'The model is overloaded.')

  it.each([
    ['as a chunk', overloaded],
    ['in a list', [overloaded]],
    ['with its fields at the top', overloaded.error],
  ])('%s is the error that it says', (_name, chunk) => {
    expect(errorOf([candidate([text('a')]), chunk])).toMatchObject({
      code: 'overloaded',
      status: 503,
      retryable: true,
      cause: { type: 'UNAVAILABLE' },
    })
  })

  it('reports the wait that the server asks for (Q65)', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2.5s' }]
    expect(errorOf([googleError(429, 'RESOURCE_EXHAUSTED', 'Too many.', details)])).toMatchObject({
      code: 'rate-limit',
      retryAfterMs: 2500,
    })
  })
})
