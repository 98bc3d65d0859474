import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { AgentKitError, type Message, type ModelEvent } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { type Answer, answers, chatDelta, json, loopback, sse, streaming } from './__fixtures__/loopback.ts'
import type { OpenAIOptions } from './connection.ts'
import { type OpenAIModelOptions, openai } from './provider.ts'

const apiKey = 'test-key-5f3a9c'
const messages: Message[] = [{ role: 'user', content: 'hi' }]

type Call = OpenAIOptions & OpenAIModelOptions & { id?: string; signal?: AbortSignal }

function stream({ id = 'm', signal, firstByteTimeoutMs, idleTimeoutMs, ...options }: Call): AsyncIterable<ModelEvent> {
  return openai({ apiKey, ...options })
    .model(id, { ...(firstByteTimeoutMs && { firstByteTimeoutMs }), ...(idleTimeoutMs && { idleTimeoutMs }) })
    .stream({ messages }, signal ?? new AbortController().signal)
}

async function errorOf(events: AsyncIterable<ModelEvent>): Promise<AgentKitError> {
  try {
    await Array.fromAsync(events)
  } catch (error) {
    if (error instanceof AgentKitError) return error
    throw new Error('It failed with an error that is not ours.', { cause: error })
  }
  throw new Error('It did not fail.')
}

describe.each(answers)('a model on the $api wire', ({ api, path, text }) => {
  const whole: Answer = (response) => streaming(response).end(text)

  it('streams an answer', async () => {
    await using server = await loopback(whole)
    const events = await Array.fromAsync(stream({ baseURL: server.baseURL, api }))
    expect(events).toEqual([
      { type: 'text-delta', text: 'grüße ' },
      { type: 'text-delta', text: '🦊' },
      {
        type: 'finish',
        reason: 'stop',
        usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
        message: { v: 1, role: 'assistant', model: 'openai/m', content: [{ type: 'text', text: 'grüße 🦊' }] },
      },
    ])
    expect(server.requests).toMatchObject([
      { path, headers: { authorization: `Bearer ${apiKey}` }, body: { model: 'm', stream: true } },
    ])
  })

  it('reads it one byte at a time, with CRLF', async () => {
    await using server = await loopback(async (response) => {
      streaming(response)
      response.socket?.setNoDelay(true)
      for (const byte of Buffer.from(text.replaceAll('\n', '\r\n'))) {
        response.write(Uint8Array.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const events = await Array.fromAsync(stream({ baseURL: server.baseURL, api }))
    expect(events.at(-1)).toMatchObject({ message: { content: [{ text: 'grüße 🦊' }] } })
  })

  it('uses its sockets again for the next calls', async () => {
    await using server = await loopback(whole)
    const model = openai({ apiKey, baseURL: server.baseURL, api }).model('m')
    for (let call = 0; call < 9; call++) await Array.fromAsync(model.stream({ messages }, new AbortController().signal))
    expect(server.requests).toHaveLength(9)
    // Node's fetch itself takes a second one, when the first is not quite free yet.
    expect(server.sockets()).toBeLessThanOrEqual(2)
  })

  it('fails with `incomplete-stream` when the answer ends before its finish (Q10)', async () => {
    const half = text.slice(0, text.indexOf('🦊'))
    await using server = await loopback((response) => streaming(response).end(half))
    expect(await errorOf(stream({ baseURL: server.baseURL, api }))).toMatchObject({
      code: 'incomplete-stream',
      retryable: true,
      provider: 'openai',
      model: 'm',
    })
  })

  it('fails with `malformed-stream` on a broken event, and closes the socket', async () => {
    await using server = await loopback((response) => streaming(response).write('data: {"type: oops}\n\n'))
    expect(await errorOf(stream({ baseURL: server.baseURL, api }))).toMatchObject({ code: 'malformed-stream' })
    await server.closed
  })

  it('fails with `malformed-stream` on a page of HTML', async () => {
    await using server = await loopback((response) => response.writeHead(200).end('<html>Hello</html>'))
    expect(await errorOf(stream({ baseURL: server.baseURL, api }))).toMatchObject({ code: 'malformed-stream' })
  })

  it('fails with `incomplete-stream` on an answer without a body', async () => {
    await using server = await loopback((response) => response.writeHead(204).end())
    expect(await errorOf(stream({ baseURL: server.baseURL, api }))).toMatchObject({ code: 'incomplete-stream' })
  })

  it('fails on an error event in mid-stream, after the earlier events (Q14)', async () => {
    const error = { type: 'error', error: { message: 'boom', type: 'server_error', code: 'server_error' } }
    const half = text.slice(0, text.indexOf('\n\n', text.indexOf('grüße')) + 2)
    await using server = await loopback((response) => streaming(response).end(half + sse(error)))
    const received: ModelEvent[] = []
    const failed = (async () => {
      for await (const event of stream({ baseURL: server.baseURL, api })) received.push(event)
    })()
    await expect(failed).rejects.toMatchObject({ code: 'provider-error', retryable: true })
    expect(received).toEqual([{ type: 'text-delta', text: 'grüße ' }])
  })

  it('fails with `network` when the socket is reset', async () => {
    await using server = await loopback(async (response) => {
      streaming(response).write(text.slice(0, 80))
      await wait(20)
      response.socket?.resetAndDestroy()
    })
    expect(await errorOf(stream({ baseURL: server.baseURL, api }))).toMatchObject({ code: 'network', retryable: true })
  })

  it('fails with `timeout` when the server never answers, and closes the socket', async () => {
    await using server = await loopback(() => {})
    const error = await errorOf(stream({ baseURL: server.baseURL, api, firstByteTimeoutMs: 100 }))
    expect(error).toMatchObject({
      code: 'timeout',
      phase: 'first-byte',
      retryable: true,
      provider: 'openai',
      model: 'm',
    })
    await server.closed
  })

  it('fails with `timeout` when the answer stalls (Q13), and closes the socket', async () => {
    await using server = await loopback((response) => streaming(response).write(text.slice(0, 80)))
    const error = await errorOf(stream({ baseURL: server.baseURL, api, idleTimeoutMs: 50 }))
    expect(error).toMatchObject({ code: 'timeout', phase: 'idle', retryable: true })
    await server.closed
  })

  it('fails with `aborted` before the headers, and closes the socket (Q11)', async () => {
    const controller = new AbortController()
    await using server = await loopback(() => controller.abort())
    const error = await errorOf(stream({ baseURL: server.baseURL, api, signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted', retryable: false })
    await server.closed
  })

  it('fails with `aborted` in mid-stream, and closes the socket (Q11)', async () => {
    await using server = await loopback((response) => streaming(response).write(text.slice(0, text.indexOf('🦊'))))
    const controller = new AbortController()
    const aborted = (async () => {
      for await (const _event of stream({ baseURL: server.baseURL, api, signal: controller.signal })) controller.abort()
    })()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    await server.closed
  })

  it('closes the socket when its reader leaves (Q12)', async () => {
    await using server = await loopback((response) => streaming(response).write(text.slice(0, text.indexOf('🦊'))))
    for await (const _event of stream({ baseURL: server.baseURL, api })) break
    await server.closed
  })

  it('sends nothing when the signal has ended already', async () => {
    await using server = await loopback(whole)
    const error = await errorOf(stream({ baseURL: server.baseURL, api, signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ code: 'aborted' })
    expect(server.requests).toEqual([])
  })

  it('tries once: retries are for the caller', async () => {
    await using server = await loopback(json(500, { error: { message: 'boom' } }))
    const error = await errorOf(stream({ baseURL: server.baseURL, api }))
    expect(error).toMatchObject({ code: 'provider-error', retryable: true, status: 500, requestId: 'req_1' })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['401', 401, { code: 'invalid_api_key' }, 'auth', 'Set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or pass apiKey.'],
    ['a quota (Q15)', 429, { code: 'insufficient_quota' }, 'quota', ''],
    ['an overflow (Q16)', 400, { code: 'context_length_exceeded' }, 'context-overflow', ''],
    ['an unknown model', 404, { code: 'model_not_found' }, 'model-not-found', ''],
    ['a filter', 400, { code: 'content_filter' }, 'content-filter', ''],
    ['a bad request', 400, { type: 'invalid_request_error' }, 'bad-request', ''],
    ['503', 503, {}, 'overloaded', ''],
  ])('classifies %s', async (_name, status, fields, code, fix) => {
    await using server = await loopback(json(status, { error: { message: 'boom', ...fields } }))
    const error = await errorOf(stream({ baseURL: server.baseURL, api }))
    expect(error).toMatchObject({ code, status, provider: 'openai', model: 'm', requestId: 'req_1' })
    expect(error.message).toContain('boom')
    expect(error.message).toContain(fix)
  })

  it('says the reason of a gateway that names its errors beside it', async () => {
    await using server = await loopback(json(400, { error: 'Bad Request', message: 'The field is unknown.' }))
    const error = await errorOf(stream({ baseURL: server.baseURL, api: 'chat' }))
    expect(error.message).toBe('openai refused the request (400): The field is unknown.')
  })

  it('names the nearest of the known models, also through a gateway, unless the server has a name', async () => {
    await using server = await loopback(json(404, { error: { message: 'No such model.', code: 'model_not_found' } }))
    const id = 'gpt-5.4-mni'
    const error = await errorOf(stream({ baseURL: server.baseURL, api, id }))
    expect(error.message).toContain('Did you mean "gpt-5.4-mini"?')
    const named = await errorOf(stream({ baseURL: server.baseURL, api, id, name: 'xai' }))
    expect(named.message).not.toContain('Did you mean')
  })

  it('reports the wait that the server asks for', async () => {
    await using server = await loopback(json(429, { error: { message: 'slow down' } }, { 'retry-after': '7' }))
    const error = await errorOf(stream({ baseURL: server.baseURL, api }))
    expect(error).toMatchObject({ code: 'rate-limit', retryable: true, retryAfterMs: 7000 })
  })

  it('shows no secret in any error (Q22)', async () => {
    const headers = { 'x-auth-token': 'header-secret-77' }
    const echoed = `bad key ${apiKey}, ${headers['x-auth-token']}`
    const server = await loopback(json(401, { error: { message: echoed, param: echoed } }))
    const refused = await errorOf(stream({ baseURL: server.baseURL, api, headers }))
    await server[Symbol.asyncDispose]()
    const unreachable = await errorOf(stream({ baseURL: server.baseURL, api, headers }))
    for (const error of [refused, unreachable]) {
      const shown = [JSON.stringify(error), String(error), error.stack, inspect(error, { depth: 20, showHidden: true })]
      expect(shown.join()).not.toMatch(/test-key-5f3a9c|header-secret-77/)
    }
    expect(unreachable).toMatchObject({
      code: 'network',
      retryable: true,
      message: expect.stringContaining('Check the address'),
    })
  })
})

describe('a model on the chat wire', () => {
  it('reads a completion of a server that does not stream', async () => {
    const completion = { choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
    await using server = await loopback(json(200, completion))
    expect(await Array.fromAsync(stream({ baseURL: server.baseURL }))).toMatchObject([
      { text: 'Hi' },
      { type: 'finish' },
    ])
  })

  it('fails on an error that came with the status 200', async () => {
    await using server = await loopback(json(200, { error: { message: 'boom', code: 'insufficient_quota' } }))
    expect(await errorOf(stream({ baseURL: server.baseURL }))).toMatchObject({ code: 'quota', retryable: false })
  })

  it('speaks to a foreign model as every server understands, and to one of OpenAI as OpenAI wants (Q26)', async () => {
    await using server = await loopback((response) => streaming(response).end(answers[0]?.text))
    const provider = openai({ baseURL: server.baseURL })
    const request = { messages: [{ role: 'system', content: 'Be brief.' } as const, ...messages], maxOutputTokens: 99 }
    for (const id of ['qwen3', 'gpt-5.2'])
      await Array.fromAsync(provider.model(id).stream(request, new AbortController().signal))
    expect(server.requests).toMatchObject([
      { body: { max_tokens: 99, messages: [{ role: 'system' }, { role: 'user' }] } },
      { body: { max_completion_tokens: 99, messages: [{ role: 'developer' }, { role: 'user' }] } },
    ])
  })

  it('hints at the other API when the server asks for it', async () => {
    const message = 'This is not supported in v1/chat/completions. Use v1/responses instead.'
    await using server = await loopback(json(400, { error: { message } }))
    expect((await errorOf(stream({ baseURL: server.baseURL }))).message).toContain("Set api: 'responses'.")
  })

  it('emits warnings before the answer (Q21)', async () => {
    await using server = await loopback((response) => streaming(response).end(answers[0]?.text))
    const model = openai({ baseURL: server.baseURL }).model('o3')
    const events = await Array.fromAsync(model.stream({ messages, temperature: 1 }, new AbortController().signal))
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('temperature') })
    expect(server.requests[0]?.body).not.toHaveProperty('temperature')
  })

  it('keeps up with thousands of small events', async () => {
    const events = [...Array.from({ length: 5000 }, () => chatDelta('ab')), { choices: [{ finish_reason: 'stop' }] }]
    await using server = await loopback((response) => streaming(response).end(sse(...events)))
    const finish = (await Array.fromAsync(stream({ baseURL: server.baseURL }))).at(-1)
    expect(finish).toMatchObject({ message: { content: [{ text: 'ab'.repeat(5000) }] } })
  })
})

describe('a model on the responses wire', () => {
  it('says which API to take when the server has no Responses', async () => {
    await using server = await loopback(json(404, { detail: 'Not Found' }))
    const error = await errorOf(stream({ baseURL: server.baseURL, api: 'responses' }))
    expect(error).toMatchObject({ code: 'bad-request', status: 404, message: expect.stringContaining("api: 'chat'") })
  })

  it('does not blame the API for an unknown model', async () => {
    await using server = await loopback(json(404, { error: { message: 'boom', code: 'model_not_found' } }))
    const error = await errorOf(stream({ baseURL: server.baseURL, api: 'responses' }))
    expect(error).toMatchObject({ code: 'model-not-found', message: expect.not.stringContaining("api: 'chat'") })
  })

  it("suggests the nearest of OpenAI's models for one of its names, also behind a gateway", async () => {
    await using server = await loopback(json(404, { error: { message: 'boom', code: 'model_not_found' } }))
    const of = async (id: string): Promise<string> => (await errorOf(stream({ baseURL: server.baseURL, id }))).message
    expect(await of('gpt-5.4-mimi')).toContain('boom. Did you mean "gpt-5.4-mini"?')
    expect(await of('llama-4-mini')).not.toContain('Did you mean')
  })

  it('gives reasoning back in the next turn, to its own model only (Q5, Q23)', async () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
    const call = { type: 'function_call', call_id: 'call_1', name: 'now', arguments: '{}' }
    const turn = sse(
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 1, item: call },
      { type: 'response.completed', response: { status: 'completed' } },
    )
    await using server = await loopback((response) => streaming(response).end(turn))
    const provider = openai({ baseURL: server.baseURL, api: 'responses' })
    const { signal } = new AbortController()
    const first = await Array.fromAsync(provider.model('gpt-5').stream({ messages }, signal))
    const finish = first.at(-1)
    if (finish?.type !== 'finish') throw new Error('The finish comes last.')
    const next: Message[] = [
      ...messages,
      finish.message,
      { role: 'tool', callId: 'call_1', name: 'now', content: 'noon' },
    ]
    await Array.fromAsync(provider.model('gpt-5').stream({ messages: next }, signal))
    await Array.fromAsync(provider.model('gpt-5-mini').stream({ messages: next }, signal))
    const types = server.requests.map(({ body }) => (body.input as { type: string }[]).map(({ type }) => type))
    expect(types.slice(1)).toEqual([
      ['message', 'reasoning', 'function_call', 'function_call_output'],
      ['message', 'function_call', 'function_call_output'],
    ])
    expect(server.requests[1]?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  })
})
