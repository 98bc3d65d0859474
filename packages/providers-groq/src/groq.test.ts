import type { Message, ModelEvent, ModelRequest } from '@agentkit/core'
import { type FakeScript, fakeProvider } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { groq } from './provider.ts'

const apiKey = 'gsk-test-5f3a9c'
const user: Message = { role: 'user', content: 'hi' }
const search = {
  name: 'search',
  description: 'Search.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
}

/** The answers of a server with Groq's checks to these requests, one after the other. */
async function ask(script: FakeScript, requests: readonly ModelRequest[], model = 'openai/gpt-oss-120b') {
  await using server = await fakeProvider('groq', script)
  const answers: { events: ModelEvent[]; error?: unknown }[] = []
  for (const request of requests) {
    const events: ModelEvent[] = []
    try {
      const stream = groq({ apiKey, baseURL: server.url }).model(model).stream(request, new AbortController().signal)
      for await (const event of stream) events.push(event)
      answers.push({ events })
    } catch (error) {
      answers.push({ events, error })
    }
  }
  return { answers, requests: server.requests }
}

function messageOf(events: readonly ModelEvent[] | undefined): Message {
  const last = events?.at(-1)
  if (last?.type !== 'finish') throw new Error('It did not finish.')
  return last.message
}

describe('groq and a server that checks', () => {
  it.each(['openai/gpt-oss-120b', 'qwen/qwen3.6-27b', 'llama-3.3-70b-versatile'])(
    'continues with the text, reasoning and calls of %s (Q53, Q55)',
    async (model) => {
      const script: FakeScript = [
        { reasoning: 'Hm.', text: 'Looking.', toolCalls: [{ name: 'search', input: { q: 'a' } }, { name: 'search' }] },
        'Found it.',
      ]
      const first = await ask([...script], [{ messages: [user], tools: [search], reasoning: 'high' }], model)
      const said = messageOf(first.answers[0]?.events)
      const results = said.role === 'assistant' ? said.content.filter((part) => part.type === 'tool-call') : []
      expect(results).toHaveLength(2)
      const messages: Message[] = [
        user,
        said,
        ...results.map(({ callId, name }): Message => ({ role: 'tool', callId, name, content: 'b' })),
      ]
      const { answers } = await ask(['Found it.'], [{ messages, tools: [search] }], model)
      expect(answers[0]?.events.at(-1)).toMatchObject({
        reason: 'stop',
        message: { content: [{ type: 'text', text: 'Found it.' }] },
        usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      })
    },
  )

  it('takes over from others, with their ids, names, signatures and images (Q1, Q3, Q5, Q7, Q18, Q57)', async () => {
    const opaque = { owner: 'gemini/g', data: { thoughtSignature: 'x' } }
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'image', base64: 'iVBORw0KGgo=' }] },
      {
        role: 'assistant',
        model: 'gemini/g',
        content: [
          { type: 'reasoning', text: 'Hm.', opaque },
          { type: 'text', text: ' ', opaque },
          { type: 'tool-call', callId: `fc_${'x'.repeat(400)}|1`, name: 'old.tool', input: {}, opaque },
          { type: 'tool-call', callId: 'call_2', name: 'search', input: { q: '\ud83e' } },
        ],
      },
      { role: 'tool', callId: 'call_2', name: 'search', content: [{ type: 'image', base64: 'iVBORw0KGgo=' }] },
      { role: 'tool', callId: 'nobody', name: 'search', content: 'lost' },
      { role: 'user', content: ' ' },
      { role: 'user', content: 'go on\ud83e' },
    ]
    const { answers } = await ask(['Fine.'], [{ messages, tools: [search] }])
    expect(answers[0]?.error).toBeUndefined()
    expect(answers[0]?.events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  })

  it.each([
    [{ toolCalls: [{ name: 'search', inputText: '{"q": ' }] }, { input: undefined, inputText: '{"q": ' }],
    [{ toolCalls: [{ name: 'search', inputText: '' }] }, { input: {} }],
  ])('reports arguments as they are: %o (Q2)', async (turn, call) => {
    const { answers } = await ask([turn], [{ messages: [user], tools: [search] }])
    expect(answers[0]?.events).toContainEqual(expect.objectContaining({ type: 'tool-call', name: 'search', ...call }))
  })

  it.each([
    ['cut', 'network'],
    ['early-eof', 'incomplete-stream'],
    ['eof-in-frame', 'incomplete-stream'],
    ['garbage-frame', 'malformed-stream'],
    ['error-frame', 'provider-error'],
    ['flat-error-frame', 'overloaded'],
    ['failed', 'invalid-tool-call'],
  ] as const)('fails when the stream does: %s is `%s` (Q10, Q14, Q52)', async (fault, code) => {
    const { answers, requests } = await ask([{ text: 'half', fault }], [{ messages: [user] }])
    expect(answers[0]?.error).toMatchObject({ code, provider: 'groq', model: 'openai/gpt-oss-120b' })
    expect(requests).toHaveLength(1)
  })

  it('sends one request, for any answer (Q15)', async () => {
    const { answers, requests } = await ask([{ status: 500 }], [{ messages: [user] }])
    expect(answers[0]?.error).toMatchObject({ code: 'provider-error', retryable: true, requestId: expect.any(String) })
    expect(requests).toHaveLength(1)
  })

  it('hangs up when the caller does, and when the reader leaves (Q11, Q12)', async () => {
    await using server = await fakeProvider('groq', [
      { text: 'half', fault: 'hang' },
      { text: 'half', fault: 'hang' },
    ])
    const model = groq({ apiKey, baseURL: server.url }).model('llama-3.1-8b-instant')
    const controller = new AbortController()
    const aborted = async (): Promise<void> => {
      for await (const _event of model.stream({ messages: [user] }, controller.signal)) controller.abort()
    }
    await expect(aborted()).rejects.toMatchObject({ code: 'aborted' })
    for await (const _event of model.stream({ messages: [user] }, new AbortController().signal)) break
    await Promise.all(server.requests.map(({ closed }) => closed))
    expect(server.requests.map((request) => request.aborted)).toEqual([true, true])
  })

  it('fails with `timeout` when the server is silent (Q13)', async () => {
    await using server = await fakeProvider('groq', [{ text: 'half', fault: 'hang' }])
    const model = groq({ apiKey, baseURL: server.url }).model('m', { idleTimeoutMs: 100 })
    const reading = async (): Promise<void> => {
      for await (const _event of model.stream({ messages: [user] }, new AbortController().signal));
    }
    await expect(reading()).rejects.toMatchObject({ code: 'timeout', phase: 'idle' })
  })
})
