import { writeFileSync } from 'node:fs'
import { AgentKitError, type JSONValue, type Message, type Model, type ModelRequest } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ScriptedModelOptions, type ScriptedTurn, scriptedModel } from '../scripted-model.ts'
import { ask, question, textOf } from './__fixtures__/ask.ts'
import { temporaryFiles } from './__fixtures__/temporary-files.ts'
import { readCassette } from './read-cassette.ts'
import { record } from './record.ts'
import { replay } from './replay.ts'

const newFile = temporaryFiles()

/** A cassette with these requests and answers. */
async function recorded(
  exchanges: readonly (readonly [string | ModelRequest, ScriptedTurn])[],
  options?: ScriptedModelOptions,
): Promise<string> {
  const file = newFile()
  const model = record(
    scriptedModel(
      exchanges.map(([, turn]) => turn),
      options,
    ),
    file,
  )
  for (const [request] of exchanges) await ask(model, request).catch(() => {})
  return file
}

async function recordedFor(group: string): Promise<string> {
  const file = newFile()
  await ask(record(scriptedModel(['Yes']), file, { group }), 'Hi')
  return file
}

async function failureOf(answer: Promise<unknown>): Promise<AgentKitError> {
  return answer.then(
    () => expect.unreachable('it did not fail'),
    (error) => error,
  )
}

describe('replay', () => {
  it('answers by the request, in any order', async () => {
    const model = replay(await recorded([['One?', '1'], ['Two?', '2']])) // biome-ignore format: pairs
    expect(await textOf(model, 'Two?')).toBe('2')
    expect(await textOf(model, 'One?')).toBe('1')
  })

  it('has the id and metadata of the recorded model', async () => {
    const options = { id: 'test/a', info: { contextWindow: 9, nativeOutput: 'always' as const } }
    expect(replay(await recorded([['Hi', 'Ho']], options))).toMatchObject(options)
  })

  it('answers equal requests in the recorded order, including failures', async () => {
    const busy = new AgentKitError('overloaded', 'Busy.', { status: 503, retryAfterMs: 7 })
    const file = await recorded([['Hi', busy], ['Hi', 'First'], ['Hi', 'Second']]) // biome-ignore format: triples
    const model = replay(file)
    expect(await failureOf(ask(model, 'Hi'))).toMatchObject({ code: 'overloaded', status: 503, retryAfterMs: 7 })
    expect(await textOf(model, 'Hi')).toBe('First')
    expect(await textOf(model, 'Hi')).toBe('Second')
    const { code, message, retryable } = await failureOf(ask(model, 'Hi'))
    expect({ code, retryable }).toEqual({ code: 'not-found', retryable: false })
    expect(message).toContain('has this request to "test/scripted" 3 times, and it was made once more.')
    expect(await failureOf(ask(replay(file), 'Hi')), 'each replay starts at the first call').toMatchObject({
      code: 'overloaded',
    })
  })

  it('answers a group with its own calls, and with those of no group', async () => {
    const file = newFile()
    for (const [group, answer] of [
      ['a', 'Of a'],
      [undefined, 'Of none'],
      ['b', 'Of b'],
    ] as const) {
      await ask(record(scriptedModel([answer]), file, group === undefined ? {} : { group }), 'Hi')
    }
    const cassette = replay(file)
    const [a, b] = [{ group: 'a' }, { group: 'b' }].map((options) => cassette.model('test/scripted', options)) as [
      Model,
      Model,
    ]
    expect([await textOf(b, 'Hi'), await textOf(b, 'Hi'), await textOf(a, 'Hi')]).toEqual(['Of none', 'Of b', 'Of a'])
    expect((await failureOf(ask(a, 'Hi'))).message).toContain('2 times, and it was made once more.')
    const ofB = replay(await recordedFor('b')).model('test/scripted', { group: 'c' })
    expect((await failureOf(ask(ofB, 'Hi'))).message).toContain(
      'has this request to "test/scripted" of another group only.',
    )
    expect((await failureOf(ask(ofB, 'Ho'))).message).toContain('+ "Ho"')
    expect(() => cassette.model('test/scripted', { grop: 'a' } as object)).toThrow('Did you mean `replay.model.group`?')
  })

  it('throws the error of an SDK with all fields that a run looks at', async () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    const error = Object.assign(new TypeError('fetch failed', { cause }), { status: 502, statusCode: 502 })
    const model = replay(await recorded([['Hi', error]]))
    const { name, message, status, statusCode, cause: because } = (await failureOf(ask(model, 'Hi'))) as never
    expect({ name, message, status, statusCode }).toEqual({
      name: 'TypeError',
      message: 'fetch failed',
      status: 502,
      statusCode: 502,
    })
    expect(because).toMatchObject({ message: 'reset', code: 'ECONNRESET' })
  })

  it.each<[string, Partial<ModelRequest>, Partial<ModelRequest>]>([
    ['the order of keys', { temperature: 0, stop: ['x'] }, { stop: ['x'], temperature: 0 }],
    ['the bound of an answer, which a budget lowers', { maxOutputTokens: 900 }, { maxOutputTokens: 500 }],
    ['ids of calls', { messages: afterCall('call_a8f3c2d1') }, { messages: afterCall('toolu_01') }],
    ['short ids of calls', { messages: afterCall('1') }, { messages: afterCall('2') }],
    [
      'ids of calls that begin others',
      { messages: afterCall('call_a8f3', 'call_a8f3c2') },
      { messages: afterCall('call_0001', 'call_0002') },
    ],
    [
      'how opaque data was stored',
      { messages: thoughts({ a: 1, b: 'sk-abcdefghijkl' }) },
      { messages: thoughts({ b: '[redacted]', a: 1 }) },
    ],
    [
      'a version of messages',
      { messages: [{ v: 1, role: 'user', content: 'Hi' }] },
      { messages: [{ role: 'user', content: 'Hi' }] },
    ],
    ['whether the answer is shown while it is written', { answerTool: 'final_answer' }, {}],
    ['an option without a value', { temperature: undefined as never }, {}],
  ])('takes requests for the same that differ in %s', async (_, one, other) => {
    expect(await textOf(replay(await recorded([[question('Hi', one), 'Yes']])), question('Hi', other))).toBe('Yes')
  })

  it.each<[string, Partial<ModelRequest>, Partial<ModelRequest>]>([
    ['what was said', {}, { messages: [{ role: 'user', content: 'Hello' }] }],
    ['a schema', { output: { type: 'object' } }, { output: { type: 'object', required: ['a'] } }],
    ['a tool', { tools: [{ name: 'a', description: 'A', inputSchema: {} }] }, {}],
    ['a temperature', { temperature: 0 }, { temperature: 1 }],
    ['which call has which result', { messages: afterCalls('a', 'b') }, { messages: afterCalls('b', 'a') }],
    [
      'a picture',
      { messages: [{ role: 'user', content: [{ type: 'image', base64: 'AAAA' }] }] },
      { messages: [{ role: 'user', content: [{ type: 'image', base64: 'BBBB' }] }] },
    ],
    ['opaque data', { messages: thoughts('one') }, { messages: thoughts('two') }],
  ])('distinguishes requests that differ in %s', async (_, one, other) => {
    const model = replay(await recorded([[question('Hi', one), 'Yes']]))
    expect(await failureOf(ask(model, question('Hi', other)))).toMatchObject({ code: 'not-found' })
  })

  it('prefers the identical call among equivalent ones', async () => {
    const model = replay(
      await recorded([
        [question('Hi', { messages: afterCall('call_1') }), 'First'],
        [question('Hi', { messages: afterCall('call_2') }), 'Second'],
      ]),
    )
    expect(await textOf(model, question('Hi', { messages: afterCall('call_2') }))).toBe('Second')
    expect(await textOf(model, question('Hi', { messages: afterCall('call_3') }))).toBe('First')
  })

  it('matches a request with a secret, also with another secret', async () => {
    vi.stubEnv('SHOP_TOKEN', 'open sesame')
    const file = await recorded([['My token: open sesame', 'Thanks']])
    vi.stubEnv('SHOP_TOKEN', 'abracadabra')
    expect(await textOf(replay(file), 'My token: abracadabra')).toBe('Thanks')
    vi.unstubAllEnvs()
  })

  it('compares requests after `normalize`, recorded ones too', async () => {
    const normalize = (request: ModelRequest): ModelRequest => ({
      ...request,
      messages: request.messages.map((message) => ({
        ...message,
        content: JSON.parse(JSON.stringify(message.content).replace(/\d{4}-\d\d-\d\d/, 'today')),
      })),
    })
    const file = await recorded([['It is 2026-11-22.', 'Sunday']])
    expect(await textOf(replay(file, { normalize }), 'It is 2027-01-03.')).toBe('Sunday')
    const normalized = newFile()
    await ask(record(scriptedModel(['Sunday']), normalized, { normalize }), 'It is 2026-11-22.')
    expect(readCassette(normalized).calls[0]?.request.messages[0]?.content).toBe('It is today.')
  })

  it('refuses unknown options, and a `normalize` that returns nothing', async () => {
    const file = await recorded([['x', 'y']])
    const misspelt = { normalise: (request: ModelRequest) => request } as object
    expect(() => replay(file, misspelt)).toThrow('Unknown option `replay.normalise`. Did you mean `replay.normalize`?')
    const changing = (request: ModelRequest): void => void delete request.temperature
    const normalize = changing as unknown as (request: ModelRequest) => ModelRequest // as JavaScript passes it
    expect(() => replay(file, { normalize })).toThrow('`normalize` returned no request.')
  })

  it('yields events of one burst at once, and none of them after an abort', async () => {
    const file = await recorded([['Hi', { text: 'abc', deltas: 3 }], ['Hi', { text: 'abc', deltas: 3 }]]) // biome-ignore format: pairs
    const model = replay(file)
    const abort = new AbortController()
    const stream = model.stream(question('Hi'), abort.signal)
    const iterator = stream[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ value: { text: 'a' } })
    expect(stream.ready?.()).toMatchObject({ text: 'b' })
    abort.abort()
    expect(stream.ready?.()).toBeUndefined()
    await expect(iterator.next()).rejects.toMatchObject({ code: 'aborted' })
    expect(await iterator.next()).toMatchObject({ done: true })
  })

  it('uses up no call for one that is aborted before it starts', async () => {
    const model = replay(await recorded([['Hi', 'Ho']]))
    expect(await failureOf(ask(model, 'Hi', AbortSignal.abort()))).toMatchObject({ code: 'aborted' })
    expect(await textOf(model, 'Hi')).toBe('Ho')
  })
})

describe('replay of several models', () => {
  const both = async (): Promise<string> => {
    const file = newFile()
    await ask(record(scriptedModel(['A'], { id: 'test/a' }), file), 'Hi')
    await ask(record(scriptedModel(['B'], { id: 'test/b', info: { contextWindow: 9 } }), file), 'Hi')
    return file
  }

  it('has each by its id, and is the first one itself', async () => {
    const cassette = replay(await both())
    expect(cassette.id).toBe('test/a')
    expect(cassette.model('test/b')).toMatchObject({ id: 'test/b', info: { contextWindow: 9 } })
    expect(await textOf(cassette.model('test/b'), 'Hi')).toBe('B')
    expect(await textOf(cassette, 'Hi')).toBe('A')
  })

  it('replays each call once, whichever model sends the request', async () => {
    const cassette = replay(await both())
    await ask(cassette.model('test/a'), 'Hi')
    expect(await failureOf(ask(cassette.model('test/a'), 'Hi'))).toMatchObject({ code: 'not-found' })
  })

  it('blocks no call on one that is left earlier than in the recording', async () => {
    const file = newFile()
    const slow = record(scriptedModel([{ text: 'abc', delayMs: 3 }], { id: 'test/a' }), file)
    const slower = record(scriptedModel([{ text: 'abc', delayMs: 9 }], { id: 'test/b' }), file)
    await Promise.all([ask(slow, 'Hi'), ask(slower, 'Hi')])
    // To wait for what never comes would take a timer.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const cassette = replay(file)
    const other = ask(cassette.model('test/b'), 'Hi')
    for await (const _ of cassette.model('test/a').stream(question('Hi'), new AbortController().signal)) break
    expect(await other).toHaveLength(4)
    vi.useRealTimers()
  })

  it('lists the models', async () => {
    expect(await failureOf(ask(replay(await both()).model('test/c'), 'Hi'))).toMatchObject({
      code: 'not-found',
      provider: 'test',
      model: 'c',
      message: expect.stringContaining('has no call of "test/c", but of test/a, test/b.'),
    })
  })
})

describe('a request that was not recorded', () => {
  const messageOf = async (model: Model, request: string | ModelRequest): Promise<string> => {
    const { message } = await failureOf(ask(model, request))
    return message.slice(message.indexOf('test.cassette') + 'test.cassette'.length)
  }

  it('is reported with the nearest one', async () => {
    const tools = [{ name: 'weather', description: 'Tells the weather.', inputSchema: {} }]
    const file = await recorded([
      ['What is a Merkle tree?', 'A tree'],
      [question('What is the weather in Oslo?', { tools }), 'Sunny'],
    ])
    const asked = question('What is the weather in Bergen?', { tools: [], temperature: 0 })
    expect(await messageOf(replay(file), asked)).toBe(` has no answer of "test/scripted" to this request. \
The nearest is call 2; it differs in (- recorded, + asked):
  messages[0].content
    - "What is the weather in Oslo?"
    + "What is the weather in Bergen?"
  tools[0]
    - {"description":"Tells the weather.","inputSchema":{},"name":"weather"}
    + (nothing)
  temperature
    - (nothing)
    + 0
If that is right, record it again: record(model, ${JSON.stringify(file)}), or agentkit record.`)
  })

  it('shows long texts from their first difference on', async () => {
    const long = 'All work and no play makes Jack a dull boy. '.repeat(20)
    const message = await messageOf(replay(await recorded([[`${long}Yes.${long}`, 'Ok']])), `${long}No.${long}`)
    expect(message).toContain('- "…y makes Jack a dull boy. Yes.All work')
    expect(message).toContain('+ "…y makes Jack a dull boy. No.All work')
    expect(Math.max(...message.split('\n').map((line) => line.length))).toBeLessThan(250)
  })

  it('shows few of many differences', async () => {
    const many = (count: number, word: string): Partial<ModelRequest> => ({
      stop: Array.from({ length: count }, (_, index) => `${word}${index}`),
    })
    const message = await messageOf(
      replay(await recorded([[question('Hi', many(9, 'a')), 'Ok']])),
      question('Hi', many(9, 'b')),
    )
    expect(message.match(/^ {2}stop/gm)).toHaveLength(6)
    expect(message).toContain('… and 3 more differences')
  })

  it('prefers a call that has not been replayed', async () => {
    const model = replay(await recorded([['Hi', 'Ho'], ['Ha', 'Ho']])) // biome-ignore format: pairs
    await ask(model, 'Hi')
    expect(await messageOf(model, 'Hu')).toContain('The nearest is call 2')
  })
})

describe('a cassette', () => {
  const write = async (text: string): Promise<string> => {
    const file = await recorded([['x', 'y']])
    writeFileSync(file, text)
    return file
  }
  const head = '{ "agentkit": "cassette", "version": 1 }\n'

  it('that is missing is an error that says how to record it', () => {
    expect(() => replay('not/there.cassette')).toThrow(
      expect.objectContaining({
        code: 'not-found',
        message:
          'There is no cassette not/there.cassette. Record it: record(model, "not/there.cassette"), or agentkit record.',
      }),
    )
  })

  it.each([
    ['is empty', '', 'unreadable-file', 'line 1 is not JSON'],
    ['is something else', '{"a": 1}', 'unreadable-file', 'line 1 is not the head of a cassette'],
    ['has no calls', `${head}{ "model": "a/b" }\n`, 'not-found', 'has no calls'],
    ['was cut', `${head}{\n  "call": 1,\n`, 'unreadable-file', 'line 2 is not JSON'],
    ['has a conflict of git', `${head}<<<<<<< HEAD\n`, 'unreadable-file', 'line 1 is not JSON'],
    ['has an entry of another kind', `${head}{ "model": "a/b" }\n{\n"b": 1}`, 'unreadable-file', 'line 3 is neither'],
    ['has half a call', `${head}{ "model": "a/b", "call": 1, "at": "1" }\n`, 'not-found', 'has no calls'],
    ['is of a newer version', head.replace('1', '2'), 'unsupported', 'has version 2. Update @agentkit/testing'],
  ])('that %s says so', async (_, text, code, problem) => {
    const file = await write(text)
    expect(() => replay(file)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(problem) }))
  })

  it('with other line ends from git is the same', async () => {
    const file = await recorded([['Hi', 'Ho']])
    const { calls } = readCassette(file)
    writeFileSync(file, `${head}${JSON.stringify(calls[0], null, 2)}\n`.replaceAll('\n', '\r\n'))
    expect(await textOf(replay(file), 'Hi')).toBe('Ho')
  })
})

describe('a recorded call that was aborted', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  async function abortedCall(): Promise<Model> {
    const file = newFile()
    const model = record(scriptedModel([{ text: 'abc', deltas: 3 }]), file)
    for await (const _ of model.stream(question('Hi'), new AbortController().signal)) break
    return replay(file)
  }

  it('continues until it is aborted again', async () => {
    const abort = new AbortController()
    const iterator = (await abortedCall()).stream(question('Hi'), abort.signal)[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ value: { text: 'a' } })
    const next = iterator.next()
    abort.abort()
    await expect(next).rejects.toMatchObject({ code: 'aborted' })
  })

  it('reports that it is not', async () => {
    const model = await abortedCall()
    const failure = failureOf(ask(model, 'Hi'))
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { timeout: 60_000 })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await failure).toMatchObject({ code: 'not-found', message: expect.stringMatching(/it was aborted/) })
  })
})

/** @param named by the result; a short id is not searched in texts */
function afterCall(callId: string, named = callId.length < 8 ? 'none' : callId): Message[] {
  const ids = [callId, ...(named === callId || named === 'none' ? [] : [named])]
  return [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', callId: id, name: 'look', input: {} })) },
    ...ids.map((id): Message => ({ role: 'tool', callId: id, name: 'look', content: `To read on, name ${named}` })),
  ]
}

function afterCalls(one: string, other: string): Message[] {
  const call = (callId: string) => ({ type: 'tool-call' as const, callId, name: 'look', input: {} })
  return [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [call('a'), call('b')] },
    { role: 'tool', callId: one, name: 'look', content: 'One' },
    { role: 'tool', callId: other, name: 'look', content: 'Two' },
  ]
}

function thoughts(data: JSONValue): Message[] {
  return [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm', opaque: { owner: 'test/scripted', data } }] },
    { role: 'user', content: 'And?' },
  ]
}
