import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AgentKitError, type Message, type Model, type ModelEvent, type ModelInfo } from '@agentkit/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scriptedModel } from '../scripted-model.ts'
import { ask, question } from './__fixtures__/ask.ts'
import { temporaryFiles } from './__fixtures__/temporary-files.ts'
import { readCassette } from './read-cassette.ts'
import { record } from './record.ts'

const newFile = temporaryFiles()
const { signal } = new AbortController()
afterEach(() => void vi.unstubAllEnvs())

describe('record', () => {
  it('refuses a value that is not a path', () => {
    expect(() => record(scriptedModel(['Hi.']), '')).toThrow(/takes the path of a file/)
  })

  it('answers like the model', async () => {
    const turns = [{ text: 'Hello there', reasoning: 'Hm.', toolCalls: [{ name: 'wave' }], warnings: ['No.'] }]
    expect(await ask(record(scriptedModel(turns), newFile()), 'Hi')).toEqual(await ask(scriptedModel(turns), 'Hi'))
  })

  it('refuses a value that is no Model, such as the name of one', () => {
    const name = 'openai/gpt-5.4-mini' as unknown as Model // as JavaScript passes it
    expect(() => record(name, newFile())).toThrow('record(model, file) takes a Model')
  })

  it('writes a file that is easy to read and to compare in git', async () => {
    const file = newFile()
    const model = record(scriptedModel([{ text: 'It is sunny.', deltas: 2 }], { info: { contextWindow: 8000 } }), file)
    const weather = { name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object' } }
    await ask(model, question('Weather in Oslo?', { tools: [weather], temperature: 0 }))
    expect(readFileSync(file, 'utf8')).toBe(`{ "agentkit": "cassette", "version": 1 }
{ "model": "test/scripted", "info": { "contextWindow": 8000 } }
{
  "call": 1,
  "model": "test/scripted",
  "request": {
    "messages": [{ "content": "Weather in Oslo?", "role": "user" }],
    "temperature": 0,
    "tools": [{ "description": "Tells the weather.", "inputSchema": { "type": "object" }, "name": "weather" }]
  },
  "events": [
    [
      { "type": "text-delta", "text": "It is " },
      { "type": "text-delta", "text": "sunny." },
      {
        "type": "finish",
        "reason": "stop",
        "usage": { "inputTokens": 10, "outputTokens": 5, "totalTokens": 15 },
        "message": {
          "v": 1,
          "role": "assistant",
          "content": [{ "type": "text", "text": "It is sunny." }],
          "model": "test/scripted"
        }
      }
    ]
  ],
  "at": "1-2"
}
`)
  })

  it('keeps events that arrived at once together, and later ones separate', async () => {
    const file = newFile()
    const model: Model = {
      id: 'test/bursts',
      async *stream() {
        yield { type: 'text-delta', text: 'a' }
        yield { type: 'text-delta', text: 'b' }
        await nextTurn()
        yield { type: 'text-delta', text: 'c' }
      },
    }
    await ask(record(model, file), 'Hi')
    const [call] = readCassette(file).calls
    expect(call?.events.map((burst) => burst.map((event) => 'text' in event && event.text))).toEqual([
      ['a', 'b'],
      ['c'],
    ])
  })

  it('separates events that arrived at once when another call emitted in between', async () => {
    const file = newFile()
    const model: Model = {
      id: 'test/turns',
      async *stream() {
        for (const text of ['a', 'b']) yield { type: 'text-delta', text }
      },
    }
    const recorded = record(model, file)
    await Promise.all([ask(recorded, 'One'), ask(recorded, 'Two')])
    expect(readCassette(file).calls.map(({ at }) => at)).toEqual(['1 3 5', '2 4 6'])
  })

  it('yields events as soon as the model does', async () => {
    const file = newFile()
    const events: ModelEvent[] = [
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: 'b' },
    ]
    const stream = {
      [Symbol.asyncIterator]: () => stream,
      next: async (): Promise<IteratorResult<ModelEvent>> => {
        const value = events.shift()
        return value ? { done: false, value } : { done: true, value: undefined }
      },
      ready: () => events.shift(),
    }
    const recorded = record({ id: 'test/ready', stream: () => stream }, file).stream(question('Hi'), signal)
    const iterator = recorded[Symbol.asyncIterator]()
    await iterator.next()
    expect(recorded.ready?.()).toEqual({ type: 'text-delta', text: 'b' })
    expect(recorded.ready?.()).toBeUndefined()
    await iterator.next()
    expect(readCassette(file).calls[0]?.events.flat()).toHaveLength(2)
  })

  it('writes the metadata of a model at its first call, also when it is known late', async () => {
    const file = newFile()
    const scripted = scriptedModel(['One'])
    const late: Model & { info?: ModelInfo } = {
      id: 'test/late',
      stream: scripted.stream,
      async load() {
        late.info = { contextWindow: 9 }
      },
    }
    const model = record(late, file)
    expect(model.info).toBeUndefined()
    await model.load?.()
    expect(model.info).toEqual({ contextWindow: 9 })
    await ask(model, 'Hi')
    expect(readCassette(file).models).toEqual([{ model: 'test/late', info: { contextWindow: 9 } }])
  })

  it('waits for the events of a model as long as the model asks for, and as the configuration says', async () => {
    const file = newFile()
    const longest: number[] = []
    const timed = (eventTimeoutMs: number): Model => ({
      ...scriptedModel([String(eventTimeoutMs)]),
      eventTimeoutMs,
      withDefaultTimeout(timeoutMs) {
        longest.push(timeoutMs)
        return timed(timeoutMs)
      },
    })
    const model = record(timed(5), file)
    const longer = model.withDefaultTimeout?.(300_000) ?? model
    expect([model.eventTimeoutMs, longer.eventTimeoutMs, longest]).toEqual([5, 300_000, [300_000]])
    await ask(longer, 'Hi')
    expect(readCassette(file).calls).toHaveLength(1)
    expect(record(scriptedModel([]), file)).not.toHaveProperty('withDefaultTimeout')
  })

  it('writes the metadata of a model once', async () => {
    const file = newFile()
    const model = record(scriptedModel(['One', 'Two'], { info: { contextWindow: 9 } }), file)
    await ask(model, 'Hi')
    await ask(model, 'Hi')
    expect(readFileSync(file, 'utf8').match(/contextWindow/g)).toHaveLength(1)
  })

  it('writes the metadata of fallback models too: a run may depend on it', async () => {
    const file = newFile()
    const asked = record(scriptedModel(['One'], { id: 'test/a', info: {} }), file)
    record(scriptedModel([], { id: 'test/b', info: { contextWindow: 9 } }), file)
    await ask(asked, 'Hi')
    expect(readCassette(file).models.map(({ model }) => model)).toEqual(['test/a', 'test/b'])
  })

  it('records several models and concurrent calls into one file, in the order of the requests', async () => {
    const file = newFile()
    const slow = record(scriptedModel([{ text: 'Slow', delayMs: 5 }], { id: 'test/slow' }), file)
    const fast = record(scriptedModel(['Fast'], { id: 'test/fast' }), file)
    await Promise.all([ask(slow, 'Hi'), ask(fast, 'Hi')])
    const { calls } = readCassette(file)
    expect(calls.map(({ call, model }) => [call, model])).toEqual([
      [1, 'test/slow'],
      [2, 'test/fast'],
    ])
  })

  it('overwrites the file, but continues it with `append`', async () => {
    const file = newFile()
    await ask(record(scriptedModel(['One']), file), 'One?')
    const old = readFileSync(file, 'utf8')
    const added = newFile()
    const fresh = newFile()
    for (const copy of [added, fresh]) {
      await ask(record(scriptedModel(['x']), `${copy}.folder`), 'x')
      writeFileSync(copy, old, { flag: 'w' })
    }
    await ask(record(scriptedModel(['Two']), added, { append: true }), 'Two?')
    await ask(record(scriptedModel(['Two']), fresh), 'Two?')
    expect(readCassette(added).calls.map(({ call, at }) => [call, at])).toEqual([
      [1, '1-2'],
      [2, '3-4'],
    ])
    expect(readCassette(fresh).calls.map(({ request }) => request.messages[0]?.content)).toEqual(['Two?'])
  })

  it('creates a missing file with `append` too', async () => {
    const file = newFile()
    await ask(record(scriptedModel(['One']), file, { append: true }), 'One?')
    expect(readCassette(file).calls).toHaveLength(1)
  })

  it('reports that the file cannot be written, before the model is called', async () => {
    const scripted = scriptedModel(['One'])
    const file = newFile()
    await ask(record(scriptedModel(['x']), file), 'x')
    const answer = ask(record(scripted, `${file}/below-a-file`), 'Hi')
    await expect(answer).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining(dirname(file)) })
    expect(scripted.requests).toEqual([])
  })

  it.each(['read', 'left', 'aborted'])('reports that an answer that is %s cannot be written', async (how) => {
    const file = newFile()
    const returned = vi.fn()
    const model: Model = {
      id: 'test/two',
      async *stream() {
        try {
          yield { type: 'text-delta', text: 'Hi' }
          yield { type: 'finish', reason: 'stop', usage: {}, message: { v: 1, role: 'assistant', content: [] } }
        } finally {
          returned()
        }
      },
    }
    const stop = new AbortController()
    const events = record(model, file).stream({ messages: [] }, stop.signal)[Symbol.asyncIterator]()
    await events.next()
    rmSync(dirname(file), { recursive: true })
    const warned = once(process, 'warning')
    const problem = { code: 'storage', message: `The cassette ${file} cannot be written: ENOENT.` }
    if (how === 'aborted') {
      stop.abort()
      expect(String(await warned)).toContain(problem.message)
      return
    }
    const answer = how === 'left' ? events.return?.() : events.next().then(() => events.next())
    await expect(answer).rejects.toMatchObject(problem)
    expect(returned).toHaveBeenCalled()
  })

  it.each([
    [
      'an AgentKitError',
      new AgentKitError('rate-limit', 'Slow down.', { status: 429, retryAfterMs: 20, usage: { inputTokens: 3 } }),
      {
        error: {
          code: 'rate-limit',
          message: 'Slow down.',
          retryable: true,
          retryAfterMs: 20,
          status: 429,
          usage: { inputTokens: 3 },
        },
      },
    ],
    [
      'the error of an SDK',
      Object.assign(new Error('fetch failed', { cause: new TypeError('other side closed') }), {
        name: 'APIError',
        status: 502,
        headers: { authorization: 'secret' },
      }),
      {
        thrown: {
          name: 'APIError',
          message: 'fetch failed',
          status: 502,
          cause: { name: 'TypeError', message: 'other side closed' },
        },
      },
    ],
  ])('records %s as plain data', async (_, error, recorded) => {
    const file = newFile()
    await expect(ask(record(scriptedModel([error]), file), 'Hi')).rejects.toBe(error)
    expect(readCassette(file).calls[0]).toMatchObject(recorded)
    expect(readFileSync(file, 'utf8')).not.toContain('authorization')
  })

  it('records an error that is its own cause', async () => {
    const file = newFile()
    const error = new Error('Round and round')
    error.cause = error
    await expect(ask(record(scriptedModel([error]), file), 'Hi')).rejects.toBe(error)
    expect(readCassette(file).calls[0]?.thrown?.message).toBe('Round and round')
  })

  it('receives nothing of a call after its abort', async () => {
    const file = newFile()
    const abort = new AbortController()
    const iterator = record(scriptedModel(['One']), file)
      .stream(question('Hi'), abort.signal)
      [Symbol.asyncIterator]()
    await iterator.next()
    abort.abort()
    await expect(iterator.next()).rejects.toMatchObject({ code: 'aborted' })
    await iterator.return?.()
    expect(readCassette(file).calls.map(({ left, error }) => [typeof left, error])).toEqual([['number', undefined]])
  })

  it('records the events before an abort at once, even when the model ignores it', async () => {
    const file = newFile()
    const abort = new AbortController()
    const deaf: Model = {
      id: 'test/deaf',
      async *stream() {
        yield { type: 'text-delta', text: 'One' }
        await new Promise(() => {})
      },
    }
    const iterator = record(deaf, file).stream(question('Hi'), abort.signal)[Symbol.asyncIterator]()
    await iterator.next()
    void iterator.next()
    abort.abort()
    expect(readCassette(file).calls[0]).toMatchObject({
      events: [[{ type: 'text-delta', text: 'One' }]],
      left: expect.any(Number),
    })
  })

  it('records that the reader left, unless the answer was complete', async () => {
    const file = newFile()
    const model = record(scriptedModel([{ text: 'One two' }, { text: 'Three' }]), file)
    for await (const _ of model.stream(question('Hi'), signal)) break
    for await (const event of model.stream(question('Hi'), signal)) if (event.type === 'finish') break
    const [left, complete] = readCassette(file).calls
    expect(left).toHaveProperty('left')
    expect(complete).not.toHaveProperty('left')
  })

  it('records nothing of a call that is aborted before it starts', async () => {
    const file = newFile()
    const model = record(scriptedModel(['One', 'Two']), file)
    await expect(ask(model, 'Hi', AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    await ask(model, 'Hi')
    expect(readCassette(file).calls).toHaveLength(1)
  })

  it('records violations of the contract of a model unchanged', async () => {
    const file = newFile()
    const broken: unknown[] = [undefined, { type: 'text-delta' }, { type: 'text-delta', text: 'a' }]
    const model: Model = {
      id: 'test/broken',
      async *stream() {
        yield* broken as ModelEvent[] // what a model in JavaScript may emit
      },
    }
    await ask(record(model, file), 'Hi')
    expect(readCassette(file).calls[0]?.events.flat()).toEqual([null, ...broken.slice(1)])
  })

  it('records an answer without a finish event unchanged', async () => {
    const file = newFile()
    await ask(record({ id: 'test/quiet', async *stream() {} }, file), 'Hi')
    expect(readCassette(file).calls[0]).toEqual({
      call: 1,
      model: 'test/quiet',
      request: { messages: [{ role: 'user', content: 'Hi' }] },
      events: [],
      at: '1',
    })
  })
})

describe('a cassette has no secrets', () => {
  it('in requests, answers, calls and errors', async () => {
    vi.stubEnv('SHOP_PASSWORD', 'open sesame')
    const file = newFile()
    const secret = 'open sesame'
    const input = { deep: [{ text: `say ${secret}` }] }
    const failing = new AgentKitError('auth', `Wrong: ${secret}`)
    const model = record(
      scriptedModel([{ text: `It is ${secret}.`, deltas: 1, toolCalls: [{ name: 'open', input }] }, failing]),
      file,
    )
    await ask(model, question(`The password is ${secret}, the key sk-abcdefghijkl.`))
    await ask(model, 'Again').catch(() => {})
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain(secret)
    expect(text).not.toContain('sk-abcdef')
    expect(text).toContain('The password is [redacted], the key [redacted].')
    expect(text).toContain('"message": "Wrong: [redacted]"')
    expect(text).toContain('[{ "text": "say [redacted]" }]')
  })

  it('in an error of another library, and in its causes', async () => {
    vi.stubEnv('SHOP_PASSWORD', 'open sesame')
    const file = newFile()
    const cause = new Error('The key sk-abcdefghijkl is unknown.')
    const foreign = Object.assign(new Error('Wrong: open sesame', { cause }), { status: 401 })
    await ask(record(scriptedModel([() => foreign]), file), 'Hello').catch(() => {})
    const text = readFileSync(file, 'utf8')
    expect(text).not.toMatch(/open sesame|sk-abcdef/)
    expect(text).toContain('"message": "Wrong: [redacted]"')
    expect(text).toContain('The key [redacted] is unknown.')
  })

  it('that arrive in pieces', async () => {
    const file = newFile()
    const text = 'The key is sk-abcdefghijkl, keep it.'
    await ask(record(scriptedModel([{ text, reasoning: text, deltas: 9 }]), file), 'Key?')
    const events = readCassette(file).calls.flatMap(({ events }) => events.flat())
    for (const type of ['text-delta', 'reasoning-delta'] as const) {
      const pieces = events.filter((event) => event.type === type)
      expect(pieces).toHaveLength(9)
      expect(pieces.map((event) => 'text' in event && event.text).join('')).toBe('The key is [redacted], keep it.')
    }
  })

  it('that arrive in pieces of the arguments of calls, each on its own', async () => {
    const file = newFile()
    const input = { text: 'The key is sk-abcdefghijkl, keep it.' }
    const call = { name: 'answer', input }
    const tools = [{ name: 'answer', description: 'Takes the answer.', inputSchema: {} }]
    const model = record(scriptedModel([{ toolCalls: [call, call], deltas: 9 }]), file)
    await ask(model, question('Key?', { tools, answerTool: 'answer' }))
    const events = readCassette(file).calls.flatMap(({ events }) => events.flat())
    const pieces = events.filter((event) => event.type === 'tool-input-delta')
    expect(pieces).toHaveLength(16)
    const clean = JSON.stringify({ text: 'The key is [redacted], keep it.' })
    for (const [, own] of Map.groupBy(pieces, ({ callId }) => callId)) {
      expect(own.map(({ text }) => text).join('')).toBe(clean)
    }
  })

  it('and keeps texts separate, for any content', async () => {
    const file = newFile()
    await ask(record(scriptedModel(['Ok']), file), 'a\u0000\u0001\u0000b sk-abcdefghijkl')
    expect(readCassette(file).calls[0]?.request.messages[0]?.content).toBe('a\u0000\u0001\u0000b [redacted]')
  })

  it('but keeps the names of tools and calls of any form', async () => {
    const file = newFile()
    const tools = [{ name: 'pk_generator_of_keys', description: 'Makes keys.', inputSchema: {} }]
    const call = { name: 'pk_generator_of_keys', callId: 'sk-call-000001' }
    const toolCalls = [{ ...call, input: { name: 'sk-secret-000001' } }]
    const messages: Message[] = [
      { role: 'user', content: 'Make one' },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
      { role: 'tool', ...call, content: 'Made.' },
    ]
    await ask(record(scriptedModel([{ toolCalls }]), file), { messages, tools })
    const text = readFileSync(file, 'utf8')
    expect(text.match(/pk_generator_of_keys/g)).toHaveLength(5)
    expect(text.match(/"callId": "sk-call-000001"/g)).toHaveLength(4)
    expect(text).not.toContain('sk-secret')
  })

  it('and contains hashes of files and opaque data', async () => {
    const file = newFile()
    const image = 'iVBORw0KGgo'.repeat(1000)
    const opaque = { owner: 'test/scripted', data: { signature: 'c2lnbmVk'.repeat(100) } }
    const request = question('', {
      messages: [
        { role: 'user', content: [{ type: 'image', base64: image, mediaType: 'image/png' }] },
        { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.', opaque }] },
        { role: 'user', content: 'And?' },
      ],
    })
    await ask(record(scriptedModel(['A picture.']), file), request)
    expect(readCassette(file).calls[0]?.request.messages).toMatchObject([
      { content: [{ base64: expect.stringMatching(/^sha256:[0-9a-f]{32}$/) }] },
      { content: [{ opaque: { owner: 'test/scripted', data: expect.stringMatching(/^sha256:/) } }] },
      {},
    ])
  })
})
