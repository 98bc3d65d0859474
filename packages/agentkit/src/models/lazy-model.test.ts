import { AgentKitError, type Model, type ModelEvent } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { lazyModel } from './lazy-model.ts'

const request = { messages: [] }
const { signal } = new AbortController()
const finish: ModelEvent = { type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content: [] } }

/** A model that records its streams and whether they were closed. */
function fakeModel(): Model & { opened: AsyncIterable<ModelEvent>[]; closed: number } {
  const fake = {
    id: 'fake/one',
    info: { contextWindow: 7 },
    opened: [] as AsyncIterable<ModelEvent>[],
    closed: 0,
    stream: () => {
      const events = stream()
      fake.opened.push(events)
      return events
    },
  }
  async function* stream(): AsyncGenerator<ModelEvent> {
    try {
      yield { type: 'text-delta', text: 'Hi' }
      yield finish
    } finally {
      fake.closed++
    }
  }
  return fake
}

describe('lazyModel', () => {
  it('loads at the first event and then emits the same events', async () => {
    let loads = 0
    const lazy = lazyModel('fake/one', async () => {
      loads++
      return fakeModel()
    })
    const stream = lazy.stream(request, signal)
    expect(loads).toBe(0)
    expect(lazy.info).toBeUndefined()
    expect(await Array.fromAsync(stream)).toEqual([{ type: 'text-delta', text: 'Hi' }, finish])
    expect(loads).toBe(1)
    expect(lazy.info).toEqual({ contextWindow: 7 })
  })

  it("returns the loaded model's own streams", async () => {
    const fake = fakeModel()
    const lazy = lazyModel('fake/one', async () => fake)
    await lazy.load()
    expect(lazy.stream(request, signal)).toBe(fake.opened[0])
  })

  it('loads once for concurrent calls', async () => {
    let loads = 0
    const lazy = lazyModel('fake/one', async () => {
      loads++
      return fakeModel()
    })
    await Promise.all([lazy.load(), Array.fromAsync(lazy.stream(request, signal)), lazy.load()])
    expect(loads).toBe(1)
  })

  it('closes the stream when its reader leaves', async () => {
    const fake = fakeModel()
    const lazy = lazyModel('fake/one', async () => fake)
    for await (const _ of lazy.stream(request, signal)) break
    expect(fake.closed).toBe(1)
  })

  it('opens no stream when its reader leaves before the first event', async () => {
    const fake = fakeModel()
    const lazy = lazyModel('fake/one', async () => fake)
    const reader = lazy.stream(request, signal)[Symbol.asyncIterator]()
    expect(await reader.return?.()).toEqual({ done: true, value: undefined })
    expect(fake.opened).toEqual([])
  })

  it('opens one stream for several calls of next() before it is loaded', async () => {
    const fake = fakeModel()
    const reader = lazyModel('fake/one', async () => fake)
      .stream(request, signal)
      [Symbol.asyncIterator]()
    const events = await Promise.all([reader.next(), reader.next(), reader.next()])
    expect(events.map(({ done }) => done)).toEqual([false, false, true])
    expect(fake.opened).toHaveLength(1)
  })

  it('reads no event when its reader leaves while the model loads', async () => {
    const streams: string[] = []
    const model: Model = {
      id: 'fake/one',
      async *stream() {
        streams.push('opened')
        yield finish
      },
    }
    const reader = lazyModel('fake/one', async () => model)
      .stream(request, signal)
      [Symbol.asyncIterator]()
    const pending = reader.next()
    await reader.return?.()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(streams).toEqual([])
  })

  it('tries again after a failed load', async () => {
    let loads = 0
    const lazy = lazyModel('fake/one', async () => {
      loads++
      if (loads === 1) throw new AgentKitError('missing-package', 'Install it.')
      return fakeModel()
    })
    await expect(Array.fromAsync(lazy.stream(request, signal))).rejects.toMatchObject({ code: 'missing-package' })
    expect(await Array.fromAsync(lazy.stream(request, signal))).toHaveLength(2)
  })
})
