import type { ModelEvent, ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { ask, finish, mockModel } from './__fixtures__/mock-models.ts'
import { fromAISDK } from './index.ts'

describe('an abort', () => {
  const request: ModelRequest = { messages: [{ role: 'user', content: 'Hello' }] }

  it.each<[string, unknown, string]>([
    ['for no reason', undefined, 'aborted'],
    ['by a timeout', new DOMException('late', 'TimeoutError'), 'timeout'],
  ])('before the call makes none: %s', async (_how, reason, code) => {
    const model = mockModel('v3', [[finish('stop')]])
    const { error } = await ask(model, {}, AbortSignal.abort(reason))
    expect(error).toMatchObject({ code, provider: 'mock-provider' })
    expect(model.doStreamCalls).toHaveLength(0)
  })

  it('ends a call that has not answered, even if the model ignores it', async () => {
    const controller = new AbortController()
    const model = mockModel('v3', [])
    let received: AbortSignal | undefined
    model.doStream = ({ abortSignal }: { abortSignal?: AbortSignal }) => {
      received = abortSignal
      queueMicrotask(() => controller.abort())
      return new Promise<never>(() => {})
    }
    expect((await ask(model, {}, controller.signal)).error).toMatchObject({ code: 'aborted' })
    expect(received?.aborted).toBe(true)
  })

  it('ends a stream that is silent, and closes it', async () => {
    const controller = new AbortController()
    const { promise: closed, resolve } = Promise.withResolvers<string>()
    const model = mockModel('v3', [])
    const stream = new ReadableStream({
      start: (parts) => parts.enqueue({ type: 'text-delta', id: '1', delta: 'Hi' }),
      cancel: () => resolve('closed'),
    })
    model.doStream = async () => ({ stream: stream as never })
    const events: ModelEvent[] = []
    const reading = (async () => {
      for await (const event of fromAISDK(model).stream(request, controller.signal)) {
        events.push(event)
        controller.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(events).toEqual([{ type: 'text-delta', text: 'Hi' }])
    expect(await closed).toBe('closed')
  })

  it('ends a stream of parts that are no events and never wait', async () => {
    const model = mockModel('v3', [])
    const pull = (parts: ReadableStreamDefaultController): void => parts.enqueue({ type: 'raw', rawValue: 1 })
    model.doStream = async () => ({ stream: new ReadableStream({ pull }) as never })
    const signal = AbortSignal.timeout(20)
    expect((await ask(model, {}, signal)).error).toMatchObject({ code: 'timeout' })
  })

  it('happens to the request when its reader leaves', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<boolean>()
    const model = mockModel('v3', [])
    model.doStream = async ({ abortSignal }: { abortSignal?: AbortSignal }) => {
      const start = (parts: ReadableStreamDefaultController): void =>
        parts.enqueue({ type: 'text-delta', id: '1', delta: 'Hi' })
      return { stream: new ReadableStream({ start, cancel: () => resolve(abortSignal?.aborted === true) }) as never }
    }
    for await (const _event of fromAISDK(model).stream(request, new AbortController().signal)) break
    expect(await closed).toBe(true)
  })

  it('is a timeout when the model is silent for longer than the agent allows', async () => {
    const model = mockModel('v3', [])
    model.doStream = () => new Promise<never>(() => {})
    const patient = fromAISDK(model).withDefaultTimeout?.(20)
    const reading = (async () => {
      for await (const _event of patient?.stream(request, new AbortController().signal) ?? []);
    })()
    await expect(reading).rejects.toMatchObject({ code: 'timeout', phase: 'first-byte' })
  })
})

describe('a file that the provider does not take', () => {
  it('is left out with a warning, and only then', async () => {
    const model = mockModel('v3', [])
    const kinds: string[][] = []
    model.doStream = async ({ prompt }: { prompt: unknown }) => {
      const types = (prompt as { content: { type: string; mediaType?: string }[] }[]).flatMap(({ content }) =>
        content.map(({ type, mediaType = '' }) => `${type} ${mediaType}`.trim()),
      )
      kinds.push(types)
      if (types.some((type) => type.endsWith('pdf'))) {
        throw Object.assign(new Error("'file part' functionality not supported."), {
          name: 'AI_UnsupportedFunctionalityError',
        })
      }
      return { stream: new ReadableStream({ start: (parts) => parts.enqueue(finish('stop')) }) as never }
    }
    const { events, error } = await ask(model, {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' },
            { type: 'file', base64: 'JVBERi0=', mediaType: 'application/pdf' },
          ],
        },
      ],
    })
    expect(error).toBeUndefined()
    expect(kinds).toEqual([
      ['file image/png', 'file application/pdf'],
      ['file image/png', 'text'],
    ])
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('does not read') })
  })
})
