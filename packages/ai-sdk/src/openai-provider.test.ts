import { Agent, type AgentKitError, type ModelEvent, tool } from '@agentkit/core'
import { type FakeTurn, fakeProvider } from '@agentkit/testing'
import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fromAISDK } from './index.ts'

const apiKey = 'test-key-5f3a9c27d1'

/** One call of a model of `@ai-sdk/openai`, on a server that plays this turn. */
async function ask(kind: 'chat' | 'responses', turn: FakeTurn) {
  await using server = await fakeProvider(`openai-${kind}`, [turn])
  const model = fromAISDK(createOpenAI({ baseURL: server.url, apiKey })[kind]('gpt-4.1'))
  const events: ModelEvent[] = []
  let error: AgentKitError | undefined
  try {
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    for await (const event of model.stream({ messages }, new AbortController().signal)) events.push(event)
  } catch (thrown) {
    error = thrown as AgentKitError
  }
  return { events, error, requests: server.requests.length }
}

describe.each(['chat', 'responses'] as const)('a model of @ai-sdk/openai, %s', (kind) => {
  it('answers an agent, with tools', async () => {
    await using server = await fakeProvider(`openai-${kind}`, [
      { toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
      { text: 'Five.' },
    ])
    const add = tool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number().optional() }),
      execute: ({ a, b = 0 }) => a + b,
    })
    const model = fromAISDK(createOpenAI({ baseURL: server.url, apiKey })[kind]('gpt-4.1'))
    expect(model.id).toBe(`openai.${kind}/gpt-4.1`)
    const result = await new Agent({ name: 'Clerk', functions: [add], model }).stream('Add 2 and 3.').result
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Five.', steps: 2 })
    expect(result.usage.totalTokens).toBeGreaterThan(0)
  })

  it('gives structured output, also by a schema that strict providers refuse', async () => {
    await using server = await fakeProvider(`openai-${kind}`, [{ text: '{"city":"Oslo"}' }])
    const output = z.object({ city: z.string(), note: z.string().optional() })
    const model = fromAISDK(createOpenAI({ baseURL: server.url, apiKey })[kind]('gpt-4.1'))
    const result = await new Agent({ name: 'Clerk', functions: [], output, model }).stream('Where?').result
    expect(result.output).toEqual({ city: 'Oslo' })
  })

  it.each<[number, object]>([
    [401, { code: 'auth', retryable: false }],
    [404, { code: 'model-not-found', retryable: false }],
    [429, { code: 'rate-limit', retryable: true }],
    [500, { code: 'provider-error', retryable: true }],
    [503, { code: 'overloaded', retryable: true }],
  ])('fails with the code of the status %i, after one request and without its key', async (status, expected) => {
    const { error, requests } = await ask(kind, {
      status,
      message: `The key ${apiKey} failed.`,
      headers: { 'retry-after': '2' },
    })
    expect(error).toMatchObject({ ...expected, status, provider: `openai.${kind}`, model: 'gpt-4.1' })
    expect(requests).toBe(1)
    expect(error?.retryAfterMs).toBe(2000)
    expect(JSON.stringify([error, error?.message, error?.cause, error?.stack])).not.toContain(apiKey)
  })

  it('fails with `network` when the connection breaks, and keeps the received part', async () => {
    const { error, events } = await ask(kind, { text: 'Hello, world.', fault: 'cut' })
    expect(error).toMatchObject({ code: 'network', retryable: true })
    expect(events[0]).toMatchObject({ type: 'text-delta' })
  })
})
