import type { Message, ModelEvent, ModelRequest } from '@agentkit/core'
import { type FakeScript, fakeProvider } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import type { AzureOptions } from './connection.ts'
import { azure } from './provider.ts'

const apiKey = 'key-test-5f3a9c'
const user: Message = { role: 'user', content: 'hi' }
const search = {
  name: 'search',
  description: 'Search.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
}

const ways: [string, AzureOptions][] = [
  ['chat', {}],
  ['responses', { api: 'responses' }],
  ['chat of v1', { v1: true }],
  ['responses of v1', { v1: true, api: 'responses' }],
]

/** The answer of a resource to a request to the deployment `dep`. */
async function ask(script: FakeScript, request: ModelRequest, options: AzureOptions = {}) {
  await using server = await fakeProvider('azure', script)
  const events: ModelEvent[] = []
  const model = azure({ apiKey, endpoint: server.url, ...options }).model('dep', { model: 'gpt-5.1' })
  try {
    for await (const event of model.stream(request, new AbortController().signal)) events.push(event)
    return { events, requests: server.requests }
  } catch (error) {
    return { events, requests: server.requests, error }
  }
}

describe.each(ways)('azure and a server that checks: %s', (_name, options) => {
  it('continues with the text and calls of the model (Q27)', async () => {
    const toolCalls = [{ name: 'search', input: { q: 'a' } }, { name: 'search' }]
    const { events, error } = await ask([{ text: 'Hm.', toolCalls }], { messages: [user], tools: [search] }, options)
    expect(error).toBeUndefined()
    const finish = events.at(-1)
    if (finish?.type !== 'finish') throw new Error('It did not finish.')
    expect(finish).toMatchObject({ reason: 'tool-calls', usage: { inputTokens: expect.any(Number) } })
    const results = finish.message.content.flatMap((part): Message[] =>
      part.type === 'tool-call' ? [{ role: 'tool', callId: part.callId, name: part.name, content: 'b' }] : [],
    )
    expect(results).toHaveLength(2)
    const messages = [user, finish.message, ...results]
    const next = await ask(['Found it.'], { messages, tools: [search] }, options)
    expect(next.events.at(-1)).toMatchObject({
      reason: 'stop',
      message: { model: 'azure/dep', content: [{ type: 'text', text: 'Found it.' }] },
    })
  })

  it.each([
    ['cut', 'network'],
    ['early-eof', 'incomplete-stream'],
    ['eof-in-frame', 'incomplete-stream'],
    ['garbage-frame', 'malformed-stream'],
    ['error-frame', 'provider-error'],
  ] as const)('fails when the stream does: %s is `%s` (Q10, Q14)', async (fault, code) => {
    const { error, requests } = await ask([{ text: 'half', fault }], { messages: [user] }, options)
    expect(error).toMatchObject({ code, provider: 'azure', model: 'dep' })
    expect(requests).toHaveLength(1)
  })

  it('hangs up when the caller does (Q11)', async () => {
    await using server = await fakeProvider('azure', [{ text: 'half', fault: 'hang' }])
    const model = azure({ apiKey, endpoint: server.url, ...options }).model('dep')
    const controller = new AbortController()
    const aborted = async (): Promise<void> => {
      for await (const _event of model.stream({ messages: [user] }, controller.signal)) controller.abort()
    }
    await expect(aborted()).rejects.toMatchObject({ code: 'aborted' })
    await server.requests[0]?.closed
    expect(server.requests[0]?.aborted).toBe(true)
  })
})

describe('azure', () => {
  it.each([{}, { v1: true }])('embeds with the given deployment: %o', async (options) => {
    await using server = await fakeProvider('azure')
    const embedder = azure({ apiKey, endpoint: server.url, ...options }).embedder('small')
    const vectors = await embedder.embed(['a', 'b'], new AbortController().signal)
    expect(vectors).toHaveLength(2)
  })

  it('reports that Responses requires a newer version', async () => {
    const { error } = await ask(['x'], { messages: [user] }, { api: 'responses', apiVersion: '2024-10-21' })
    expect(error).toMatchObject({ code: 'bad-request', message: expect.stringContaining('and the apiVersion') })
  })
})
