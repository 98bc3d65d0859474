import { inspect } from 'node:util'
import type { Message, ModelEvent, ModelRequest } from '@agentkit/core'
import { type Answer, json, loopback } from '@agentkit/test-loopback'
import { describe, expect, it } from 'vitest'
import { done, errorOf, line, ndjson } from './__fixtures__/loopback.ts'
import { ollama } from './provider.ts'

const { signal } = new AbortController()
const messages: Message[] = [{ role: 'user', content: 'hi' }]

/** The events of one answer. */
async function answer(answer: Answer, request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  await using server = await loopback(answer)
  const model = ollama({ serverUrl: server.baseURL }).model('m')
  return await Array.fromAsync(model.stream({ messages, ...request }, signal))
}

describe('an answer', () => {
  const counts = { prompt_eval_count: 7, eval_count: 2 }
  const whole = [
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'text-delta', text: 'grüße ' },
    { type: 'text-delta', text: '🦊' },
    {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
      message: {
        v: 1,
        role: 'assistant',
        model: 'ollama/m',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'grüße 🦊' },
        ],
      },
    },
  ]
  const lines = [line({ thinking: 'hm' }), line({ content: 'grüße ' }), line({ content: '🦊' }), done(counts)]

  it('is streamed, with the reasoning of the model', async () => {
    expect(await answer(ndjson(...lines))).toEqual(whole)
  })

  it('is read one byte at a time, with empty lines (Q73)', async () => {
    const bytes = Buffer.from(lines.map((part) => `${JSON.stringify(part)}\r\n\n`).join(''))
    const slow: Answer = async (response) => {
      response.writeHead(200)
      response.socket?.setNoDelay(true)
      for (const byte of bytes) await new Promise((sent) => response.write(Buffer.of(byte), sent))
      response.end()
    }
    expect(await answer(slow)).toEqual(whole)
  })

  it('has no usage of counts that are negative or infinite', async () => {
    const body =
      '{"message":{"content":"a"},"done":true,"done_reason":"stop","prompt_eval_count":-3,"eval_count":1e400}'
    const events = await answer((response) => response.writeHead(200).end(body))
    expect(events.at(-1)).toMatchObject({ type: 'finish', message: { content: [{ type: 'text', text: 'a' }] } })
    expect(events.at(-1)).toHaveProperty('usage', {})
  })

  it('is read when it comes whole', async () => {
    const message = { role: 'assistant', content: 'hello', thinking: 'hm' }
    expect(await answer(json(200, { model: 'm', message, done: true, done_reason: 'stop' }))).toMatchObject([
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'hello' },
      { type: 'finish', reason: 'stop' },
    ])
  })

  it('without counts has no usage (Q78)', async () => {
    const events = await answer(ndjson(line({ content: 'x' }), done()))
    expect(events.at(-1)).toMatchObject({ usage: {} })
    expect(await answer(ndjson(done({ eval_count: 2 })))).toMatchObject([{ usage: { outputTokens: 2 } }])
  })

  it('may end at its bound', async () => {
    const events = await answer(ndjson(line({ content: 'x' }), done({ done_reason: 'length' })))
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' })
  })

  it('to a prompt that was cut is warned of (Q70)', async () => {
    const long: Message[] = [{ role: 'user', content: 'lorem ipsum '.repeat(4000) }]
    const events = await answer(ndjson(done({ prompt_eval_count: 2048 })), { messages: long })
    expect(events).toMatchObject([
      { type: 'warning', message: expect.stringContaining('contextWindow') },
      { type: 'finish' },
    ])
  })

  it.each([
    { what: 'was read', prompt_eval_count: 12_000 },
    { what: 'was cached', prompt_eval_count: 12 },
    { what: 'was not counted', prompt_eval_count: undefined },
  ])('to a long prompt that $what is not (Q70)', async ({ prompt_eval_count }) => {
    const long: Message[] = [{ role: 'user', content: 'lorem ipsum '.repeat(4000) }]
    expect(await answer(ndjson(done({ prompt_eval_count })), { messages: long })).toMatchObject([{ type: 'finish' }])
  })
})

describe('tool calls', () => {
  const look = (input: unknown, id?: string): object => ({
    ...(id !== undefined && { id }),
    function: { name: 'look', ...(input !== undefined && { arguments: input }) },
  })

  it('without ids get some, all different, and end the answer for them (Q9, Q69)', async () => {
    const same = look({ a: 1 })
    const events = await answer(ndjson(line({ tool_calls: [same, same] }), line({ tool_calls: [same] }), done()))
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []))
    expect(new Set(ids).size).toBe(3)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
  })

  it('keep the ids that they have, but one that is used twice (Q69)', async () => {
    const events = await answer(ndjson(line({ tool_calls: [look({}, 'a'), look({}, 'a')] }), done()))
    expect(events[0]).toMatchObject({ callId: 'a' })
    expect(events[1]).not.toMatchObject({ callId: 'a' })
  })

  it.each([
    { sent: { a: 1 }, read: { input: { a: 1 } } },
    { sent: '{"a":1}', read: { input: { a: 1 } } },
    { sent: null, read: { input: {} } },
    { sent: undefined, read: { input: {} } },
    { sent: '{"a":', read: { input: undefined, inputText: '{"a":', invalid: expect.any(String) } },
  ])('may have $sent for arguments (Q2, Q78)', async ({ sent, read }) => {
    const events = await answer(ndjson(line({ tool_calls: [look(sent), null] }), done()))
    expect(events[0]).toMatchObject({ type: 'tool-call', name: 'look', ...read })
  })
})

describe('a failure', () => {
  it.each([
    { status: 404, error: 'model "m" not found, try pulling it first', code: 'model-not-found', hint: 'ollama pull m' },
    { status: 400, error: '"m" does not support tools', code: 'bad-request', hint: 'ollama show' },
    { status: 400, error: '"m" does not support thinking', code: 'bad-request', hint: 'Leave `reasoning` out' },
    {
      status: 400,
      error: 'the input length exceeds the context length',
      code: 'context-overflow',
      hint: 'contextWindow',
    },
    { status: 401, error: 'unauthorized', code: 'auth', hint: 'OLLAMA_API_KEY' },
    { status: 503, error: 'server busy, please try again', code: 'overloaded', hint: 'busy' },
    { status: 500, error: 'model runner has unexpectedly stopped', code: 'provider-error', hint: 'stopped' },
  ])('with status $status is $code: $error (Q75, Q77)', async ({ status, error, code, hint }) => {
    const failure = await errorOf(answer(json(status, { error })))
    expect(failure).toMatchObject({ code, status, provider: 'ollama', model: 'm' })
    expect(failure.message).toContain(error)
    expect(failure.message).toContain(hint)
  })

  it('of a model that needs a subscription asks for no key', async () => {
    const error = 'this model requires a subscription, upgrade for access: https://ollama.com/upgrade'
    const { message } = await errorOf(answer(json(403, { error })))
    expect(message).toContain(error)
    expect(message).not.toContain('OLLAMA_API_KEY')
  })

  it('of a server that is not Ollama suggests to check its address', async () => {
    const plain: Answer = (response) => response.writeHead(404).end('404 page not found')
    expect((await errorOf(answer(plain))).message).toContain('serverUrl')
  })

  it('of a server that is not running says how to start it', async () => {
    const model = ollama({ serverUrl: 'http://127.0.0.1:9', apiKey: 'test-key' }).model('m')
    const error = await errorOf(Array.fromAsync(model.stream({ messages }, signal)))
    expect(error).toMatchObject({ code: 'network', retryable: true, provider: 'ollama', model: 'm' })
    expect(error.message).toContain('ollama serve')
    expect(inspect(error, { depth: 9 })).not.toContain('test-key')
  })

  it('in the middle of an answer is reported after the earlier events (Q74)', async () => {
    await using server = await loopback(ndjson(line({ content: 'x' }), { error: 'CUDA error' }))
    const events: ModelEvent[] = []
    const reading = (async () => {
      const model = ollama({ serverUrl: server.baseURL }).model('m')
      for await (const event of model.stream({ messages }, signal)) events.push(event)
    })()
    expect(await errorOf(reading)).toMatchObject({ code: 'provider-error', message: expect.stringContaining('CUDA') })
    expect(events).toEqual([{ type: 'text-delta', text: 'x' }])
  })

  it.each([
    {
      what: 'a line that is not JSON (Q73)',
      lines: [line({}), '{"message": oops}\n', done()],
      code: 'malformed-stream',
    },
    { what: 'an answer without an end (Q10)', lines: [line({ content: 'x' })], code: 'incomplete-stream' },
    { what: 'an answer that ends in a line (Q10)', lines: ['{"message":{"con'], code: 'incomplete-stream' },
    { what: 'no answer (Q10)', lines: [], code: 'incomplete-stream' },
    { what: 'a page of HTML', lines: ['<html>'], code: 'malformed-stream' },
  ])('is $what', async ({ lines, code }) => {
    expect(await errorOf(answer(ndjson(...lines)))).toMatchObject({ code, retryable: true })
  })
})

describe('a call that ends early', () => {
  const begun: Answer = (response) => {
    response.writeHead(200)
    response.write(`${JSON.stringify(line({ content: 'x' }))}\n`)
  }

  it('by its signal is aborted, and closes its socket (Q11)', async () => {
    await using server = await loopback(begun)
    const controller = new AbortController()
    const model = ollama({ serverUrl: server.baseURL }).model('m')
    const reading = (async () => {
      for await (const _event of model.stream({ messages }, controller.signal)) controller.abort()
    })()
    expect((await errorOf(reading)).code).toBe('aborted')
    await server.closed
  })

  it('by its reader closes its socket (Q12)', async () => {
    await using server = await loopback(begun)
    const model = ollama({ serverUrl: server.baseURL }).model('m')
    for await (const event of model.stream({ messages }, signal)) {
      expect(event).toEqual({ type: 'text-delta', text: 'x' })
      break
    }
    await server.closed
  })

  it('before it began makes no request', async () => {
    await using server = await loopback(ndjson(done()))
    const model = ollama({ serverUrl: server.baseURL }).model('m')
    expect((await errorOf(Array.fromAsync(model.stream({ messages }, AbortSignal.abort())))).code).toBe('aborted')
    expect(server.requests).toEqual([])
  })
})
