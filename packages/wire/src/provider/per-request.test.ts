import type { Embedder, Model, ModelEvent, ModelStream } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSettled, type PerRequest, perRequest } from './per-request.ts'

type Options = {
  apiKey?: PerRequest<string> | undefined
  headers?: PerRequest<Record<string, string>> | undefined
  client?: object | undefined
}

type Made = { readonly id: string; model(id: string, options?: object): Model; embedder(id: string): Embedder }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Answers with the key that it was made with; counts how often it is made. */
function factory(made: unknown[] = []): (options: Options) => Made {
  return (options) => {
    if (!isSettled(options)) return perRequest(options, factory(made))
    made.push(options.apiKey)
    const model = (id: string, timeoutMs = 0): Model => ({
      id: `test/${id}`,
      info: { contextWindow: 8 },
      stream: () => burst([`${options.apiKey} ${timeoutMs}`, options.headers?.['x-turn'] ?? 'no header']),
      withDefaultTimeout: (milliseconds) => model(id, milliseconds),
    })
    return {
      id: 'test',
      model: (id) => model(id),
      embedder: (id) => ({
        id: `test/${id}`,
        dimensions: 1,
        embed: async (texts, _signal, task) =>
          texts.map(() => Float32Array.of(options.apiKey?.length ?? 0, task ? 1 : 0)),
      }),
    }
  }
}

/** After the first one, each event is read without a promise. */
function burst(texts: string[]): ModelStream {
  const events = texts.map((text): ModelEvent => ({ type: 'text-delta', text }))
  const iterator = {
    [Symbol.asyncIterator]: () => iterator,
    async next(): Promise<IteratorResult<ModelEvent>> {
      const value = events.shift()
      return value ? { done: false, value } : { done: true, value: undefined }
    },
    ready: () => events.shift(),
  }
  return iterator
}

const { signal } = new AbortController()

async function read(model: Model, until = signal): Promise<string[]> {
  const texts: string[] = []
  const stream = model.stream({ messages: [] }, until)
  for await (const event of stream) {
    for (let next: ModelEvent | undefined = event; next; next = stream.ready?.()) {
      if (next.type === 'text-delta') texts.push(next.text)
    }
  }
  return texts
}

/** Gives k1, k2, … */
function keys(): () => string {
  let count = 0
  return () => `k${++count}`
}

describe('a provider with functions for its key and headers', () => {
  it('calls each of them once before each request, and no sooner', async () => {
    const apiKey = vi.fn(keys())
    const headers = vi.fn(async () => ({ 'x-turn': `turn ${apiKey.mock.calls.length}` }))
    const provider = factory()({ apiKey, headers })
    const model = provider.model('one')
    expect(model).toMatchObject({ id: 'test/one', info: { contextWindow: 8 } })
    expect(apiKey).not.toHaveBeenCalled()
    expect(await read(model)).toEqual(['k1 0', 'turn 1'])
    expect(await read(model)).toEqual(['k2 0', 'turn 2'])
    expect(headers).toHaveBeenCalledTimes(2)
  })

  it('keeps its results for a pair of values, the last 20 of them', async () => {
    const made: unknown[] = []
    const given = ['a', 'a', 'b', 'a', ...Array.from({ length: 20 }, (_, index) => `k${index}`), 'a']
    const left = [...given]
    const model = factory(made)({ apiKey: () => left.shift() ?? '' }).model('one')
    for (const key of given) expect((await read(model))[0]).toBe(`${key} 0`)
    expect(made.filter((key) => key === 'a')).toHaveLength(2)
    expect(made.filter((key) => key === 'b')).toHaveLength(1)
  })

  it('passes a default timeout and the events that have arrived on', async () => {
    const model = factory()({ apiKey: keys() }).model('one').withDefaultTimeout?.(5)
    if (!model) throw new Error('The model takes no default timeout.')
    const stream = model.stream({ messages: [] }, signal)
    expect(stream.ready?.()).toBeUndefined()
    const iterator = stream[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ value: { text: 'k1 5' } })
    expect(stream.ready?.()).toMatchObject({ text: 'no header' })
    expect(await iterator.next()).toMatchObject({ done: true })
  })

  it('gives embedders a key for each call', async () => {
    const embedder = factory()({ apiKey: async () => 'four' }).embedder('small')
    expect(embedder).toMatchObject({ id: 'test/small', dimensions: 1 })
    expect(await embedder.embed(['a'], signal, 'query')).toEqual([Float32Array.of(4, 1)])
  })

  it('leaves a client of the user with its own', async () => {
    const apiKey = vi.fn(keys())
    await read(factory()({ apiKey, client: {} }).model('one'))
    expect(apiKey).not.toHaveBeenCalled()
  })
})

describe('a function of the user that gives no value', () => {
  const callee = { provider: 'test', model: 'one' }

  it.each<[string, Options, object]>([
    [
      'throws',
      { apiKey: () => Promise.reject(new Error('The vault is sealed.')) },
      { code: 'auth', message: 'The function `apiKey` failed: The vault is sealed.' },
    ],
    // JavaScript callers may throw anything.
    [
      'throws a text',
      {
        headers: () => {
          throw 'sealed'
        },
      },
      { code: 'auth', message: 'The function `headers` failed: sealed' },
    ],
    [
      'gives a blank key',
      { apiKey: () => ' ' },
      { code: 'invalid-config', message: 'The function `apiKey` must return a text, and returned another value.' },
    ],
    [
      'gives numbers',
      { headers: () => ({ 'x-turn': 5 }) as never }, // as JavaScript callers may
      { code: 'invalid-config', message: expect.stringContaining('`headers` must return an object of texts') },
    ],
  ])('fails the request when it %s', async (_what, options, error) => {
    await expect(read(factory()(options).model('one'))).rejects.toMatchObject({ ...error, ...callee, retryable: false })
  })

  it('quotes no key of the request before', async () => {
    const keys = ['key-of-the-vault-1']
    const apiKey = (): string => {
      const key = keys.pop()
      if (key === undefined) throw new Error('key-of-the-vault-1 cannot be renewed.')
      return key
    }
    const model = factory()({ apiKey }).model('one')
    await read(model)
    await expect(read(model)).rejects.toThrow('The function `apiKey` failed: [redacted] cannot be renewed.')
  })

  it('has 60 s', async () => {
    const failure = read(factory()({ apiKey: () => new Promise<string>(() => {}) }).model('one')).catch(
      (error) => error,
    )
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failure).toMatchObject({ code: 'timeout', retryable: true, ...callee })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends with the caller, and is not called after that', async () => {
    const apiKey = vi.fn(() => new Promise<string>(() => {}))
    const caller = new AbortController()
    const model = factory()({ apiKey }).model('one')
    const failure = read(model, caller.signal).catch((error) => error)
    caller.abort()
    expect(await failure).toMatchObject({ code: 'aborted' })
    await expect(read(model, caller.signal)).rejects.toMatchObject({ code: 'aborted', ...callee })
    expect(apiKey).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
