import { getEventListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { AgentKitError, type ModelEvent } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { bodyOf, callee, context, errorOf, stalledBody, timeouts } from '../__fixtures__/streams.ts'
import { networkError, providerError } from '../errors/provider-error.ts'
import { ChatReader } from '../openai/chat-reader.ts'
import { type ModelCall, ModelStream } from './model-stream.ts'

const hello = text('Hel') + text('lo')
const end = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

function text(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
}

function stream(send: ModelCall['send'], more: Partial<ModelCall> = {}): ModelStream {
  return new ModelStream({
    ...callee,
    signal: new AbortController().signal,
    timeouts,
    warnings: [],
    send,
    reader: new ChatReader(context),
    toError: (error) => networkError(error, context) ?? providerError({ message: String(error) }, context),
    ...more,
  })
}

const answer = (body: ReadableStream<Uint8Array>) => () => Promise.resolve(new Response(body))

describe('ModelStream', () => {
  it('emits warnings, deltas and one finish, last', async () => {
    const events = await Array.fromAsync(stream(answer(bodyOf(hello, end)), { warnings: ['careful'] }))
    expect(events.map(({ type }) => type)).toEqual(['warning', 'text-delta', 'text-delta', 'finish'])
  })

  it('fails with `malformed-stream` on a field of the wrong type', async () => {
    const odd = 'data: {"choices":[{"delta":{"tool_calls":{"index":0}}}]}\n\n'
    const events = stream(answer(bodyOf(text('Hi'), odd, end)))
    expect(await events.next()).toMatchObject({ value: { text: 'Hi' } })
    expect(await errorOf(Array.fromAsync(events))).toMatchObject({ code: 'malformed-stream', retryable: true })
  })

  it('does not count the loading of the SDK as silence, but can be aborted meanwhile', async () => {
    const timeouts = { firstByteTimeoutMs: 20, idleTimeoutMs: 20 }
    const loaded = stream(answer(bodyOf(hello, end)), { timeouts, load: () => wait(60) })
    expect((await Array.fromAsync(loaded)).at(-1)).toMatchObject({ type: 'finish' })
    const controller = new AbortController()
    const never = stream(answer(bodyOf(end)), { signal: controller.signal, load: () => new Promise(() => {}) })
    const failed = errorOf(Array.fromAsync(never))
    await wait(0)
    controller.abort()
    expect(await failed).toMatchObject({ code: 'aborted' })
  })

  it('fails like a call when the SDK cannot be loaded', async () => {
    const send = (): never => {
      throw new Error('It was sent.')
    }
    const failed = Array.fromAsync(stream(send, { load: () => Promise.reject(new TypeError('fetch failed')) }))
    expect(await errorOf(failed)).toMatchObject({ code: 'network' })
  })

  it('adds the request id to a failure in the middle', async () => {
    const send = () => Promise.resolve(new Response(bodyOf(text('Hi')), { headers: { 'x-request-id': 'req_1' } }))
    expect(await errorOf(Array.fromAsync(stream(send)))).toMatchObject({
      code: 'incomplete-stream',
      requestId: 'req_1',
    })
  })

  it('sends nothing before it is iterated', async () => {
    let sent = false
    const events = stream(() => {
      sent = true
      return Promise.resolve(new Response(bodyOf(end)))
    })
    expect(sent).toBe(false)
    await events.next()
    expect(sent).toBe(true)
  })

  it('emits no warning when the signal has already aborted', async () => {
    const call = stream(answer(bodyOf(end)), { signal: AbortSignal.abort(), warnings: ['careful'] })
    expect(await errorOf(call.next())).toMatchObject({ code: 'aborted' })
  })

  it('sends nothing when the signal has already aborted', async () => {
    let sent = false
    const send = () => {
      sent = true
      return Promise.resolve(new Response(bodyOf(end)))
    }
    const error = await errorOf(Array.fromAsync(stream(send, { signal: AbortSignal.abort() })))
    expect(error).toMatchObject({ code: 'aborted', ...callee })
    expect(sent).toBe(false)
  })

  it('fails with `timeout` when the signal aborted with one', async () => {
    const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    const error = await errorOf(Array.fromAsync(stream(answer(bodyOf(end)), { signal })))
    expect(error).toMatchObject({ code: 'timeout', ...callee })
  })

  it('fails with a first-byte `timeout` when the request hangs, even if it ignores the signal', async () => {
    const send = () => new Promise<Response>(() => {})
    const error = await errorOf(Array.fromAsync(stream(send, { timeouts: { ...timeouts, firstByteTimeoutMs: 20 } })))
    expect(error).toMatchObject({ code: 'timeout', phase: 'first-byte', retryable: true, ...callee })
  })

  it('counts headers without a byte as silence before the first byte', async () => {
    const { body, cancelled } = stalledBody()
    const call = stream(answer(body), { timeouts: { ...timeouts, firstByteTimeoutMs: 20 } })
    expect(await errorOf(Array.fromAsync(call))).toMatchObject({ code: 'timeout', phase: 'first-byte' })
    expect(cancelled()).toBe(true)
  })

  it('fails with `timeout` when the answer stalls, after the events before', async () => {
    const { body, cancelled } = stalledBody(hello)
    const call = stream(answer(body), { timeouts: { ...timeouts, idleTimeoutMs: 20 } })
    const events: ModelEvent[] = []
    const error = await errorOf(async () => {
      for await (const event of call) events.push(event)
    })
    expect(error).toMatchObject({ code: 'timeout', phase: 'idle', retryable: true })
    expect(events).toHaveLength(2)
    expect(cancelled()).toBe(true)
  })

  it('does not treat a slow reader as a silent server', async () => {
    const call = stream(answer(bodyOf(hello, end)), { timeouts: { ...timeouts, idleTimeoutMs: 20 } })
    const types: string[] = []
    for await (const { type } of call) {
      types.push(type)
      await wait(50)
    }
    expect(types.at(-1)).toBe('finish')
  })

  it('fails with `aborted` in mid-stream, without the buffered events, and closes the body', async () => {
    const { body, cancelled } = stalledBody(hello)
    const controller = new AbortController()
    const call = stream(answer(body), { signal: controller.signal })
    await call.next()
    controller.abort()
    expect(await errorOf(call.next())).toMatchObject({ code: 'aborted', ...callee })
    expect(cancelled()).toBe(true)
  })

  it('fails with `aborted` while it waits for bytes', async () => {
    const { body } = stalledBody(text('Hel'))
    const controller = new AbortController()
    const call = stream(answer(body), { signal: controller.signal })
    await call.next()
    const waiting = errorOf(call.next())
    controller.abort()
    expect(await waiting).toMatchObject({ code: 'aborted' })
    expect(await call.next()).toEqual({ done: true, value: undefined })
  })

  it('closes a response that arrives after the abort', async () => {
    const { body, cancelled } = stalledBody()
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<Response>()
    const waiting = errorOf(Array.fromAsync(stream(() => promise, { signal: controller.signal })))
    controller.abort()
    expect(await waiting).toMatchObject({ code: 'aborted' })
    resolve(new Response(body))
    await wait(5)
    expect(cancelled()).toBe(true)
  })

  it('closes the body when its reader stops', async () => {
    const { body, cancelled } = stalledBody(hello)
    for await (const _event of stream(answer(body))) break
    expect(cancelled()).toBe(true)
  })

  it('lets its reader stop while it waits for bytes', async () => {
    const { body, cancelled } = stalledBody(text('Hel'))
    const call = stream(answer(body))
    await call.next()
    const waiting = errorOf(call.next())
    await call.return?.()
    expect(await waiting).toMatchObject({ code: 'aborted' })
    expect(cancelled()).toBe(true)
  })

  it('leaves no listener on the signal of the caller', async () => {
    const { signal } = new AbortController()
    const call = stream(answer(bodyOf(hello, end)), { signal })
    await call.next()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await Array.fromAsync(call)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('reads a complete answer to its end, so that its socket is reused', async () => {
    const { body, cancelled } = stalledBody(hello, end)
    await Array.fromAsync(stream(answer(body)))
    expect(cancelled()).toBe(false)
    await wait(1100)
    expect(cancelled()).toBe(true)
  })

  it('emits the events before a broken frame, and then fails', async () => {
    const events: ModelEvent[] = []
    const error = await errorOf(async () => {
      for await (const event of stream(answer(bodyOf(`${hello}data: {"choices\n\n`)))) events.push(event)
    })
    expect(events).toHaveLength(2)
    expect(error).toMatchObject({ code: 'malformed-stream', retryable: true })
  })

  it.each([
    ['without a finish', hello],
    ['in the middle of an event', `${hello}data: {"choi`],
    ['in the middle of an event after the finish', `${end.replace('data: [DONE]\n\n', '')}data: {"usage":{"pro`],
    ['at once', ''],
  ])('fails with `incomplete-stream` when the answer ends %s', async (_name, body) => {
    const error = await errorOf(Array.fromAsync(stream(answer(bodyOf(body)))))
    expect(error).toMatchObject({ code: 'incomplete-stream', retryable: true, ...callee })
  })

  it('accepts a last event without its blank line', async () => {
    const events = await Array.fromAsync(stream(answer(bodyOf(`${hello}data: {"choices":[{"finish_reason":"stop"}]}`))))
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  })

  it('fails with `network` when the connection breaks', async () => {
    let read = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (read++ === 0) controller.enqueue(new TextEncoder().encode(hello))
        else
          controller.error(new TypeError('terminated', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) }))
      },
    })
    const error = await errorOf(Array.fromAsync(stream(answer(body))))
    expect(error).toMatchObject({ code: 'network', retryable: true, ...callee })
  })

  it('keeps an AgentKitError of the request', async () => {
    const failure = new AgentKitError('missing-package', 'Install it.')
    expect(await errorOf(Array.fromAsync(stream(() => Promise.reject(failure))))).toBe(failure)
  })

  it('emits nothing after its end', async () => {
    const call = stream(answer(bodyOf(hello, end)))
    expect(await Array.fromAsync(call)).toHaveLength(3)
    expect(await call.next()).toEqual({ done: true, value: undefined })
    expect(call.ready()).toBeUndefined()
  })

  it('fails once, after the events that came before', async () => {
    const call = stream(answer(bodyOf(text('a'), 'data: {"choices\n\n')))
    expect(await call.next()).toMatchObject({ value: { text: 'a' } })
    const [failed, after] = await Promise.allSettled([call.next(), call.next()])
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'malformed-stream' } })
    expect(after).toMatchObject({ status: 'fulfilled', value: { done: true } })
  })

  it('returns the events that have arrived without a promise, and none after an abort', async () => {
    const controller = new AbortController()
    const call = stream(answer(bodyOf(text('a') + text('b') + text('c'), end)), { signal: controller.signal })
    expect(call.ready()).toBeUndefined()
    expect(await call.next()).toMatchObject({ value: { text: 'a' } })
    expect(call.ready()).toMatchObject({ text: 'b' })
    controller.abort()
    expect(call.ready()).toBeUndefined()
    expect(await errorOf(call.next())).toMatchObject({ code: 'aborted' })
    expect(await call.next()).toEqual({ done: true, value: undefined })
  })

  it('keeps the order for concurrent reads', async () => {
    const call = stream(answer(bodyOf(text('a') + text('b'), text('c'), end)))
    const asked = await Promise.all([call.next(), call.next(), call.next(), call.next(), call.next()])
    expect(asked.map(({ value }) => value?.text ?? value?.type)).toEqual(['a', 'b', 'c', 'finish', undefined])
  })
})
