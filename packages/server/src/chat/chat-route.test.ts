import { AgentKitError, type Citation, type ErrorCode, type RunFinishReason } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { fakeAgent, plainRun, text } from '../__fixtures__/fake-agent.ts'
import { chatData, chatRequest, expectHealthy, expectProblem, until, validFields } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'
import type { LogEntry } from '../util/log.ts'

const quiet = { log: () => {} }

describe('answers', () => {
  it('answers in plain text by default', async () => {
    const response = await createApp(fakeAgent(plainRun)).request('/api/v1/chat', chatRequest())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe('Hello there.')
  })

  it('answers in JSON with every key in snake_case', async () => {
    const source: Citation = {
      file: 'a.pdf',
      pageEnd: 2,
      start: 0,
      end: 1,
      quote: 'q',
      chunkId: 'c',
      score: { fused: 1 },
    }
    const agent = fakeAgent([
      { type: 'run-end', finishReason: 'stop', text: 'Yes.', usage: { inputTokens: 3, cachedInputTokens: 1 } },
    ])
    const stream = agent.stream
    agent.stream = (input, options) => {
      const run = stream(input, options)
      const result = run.result.then((ended) => ({ ...ended, sources: [source], cost: { usd: 0.5 } }))
      return { ...run, result, [Symbol.asyncIterator]: run[Symbol.asyncIterator], cancel: run.cancel }
    }
    const response = await createApp(agent).request(
      '/api/v1/chat',
      chatRequest(validFields, { accept: 'application/json' }),
    )
    expect(await response.json()).toEqual({
      answer: 'Yes.',
      user_id: 'ada',
      session_id: 'first',
      run_id: 'run_fake',
      finish_reason: 'stop',
      usage: { input_tokens: 3, cached_input_tokens: 1 },
      cost: 0.5,
      sources: [{ file: 'a.pdf', page_end: 2, start: 0, end: 1, quote: 'q', chunk_id: 'c', score: { fused: 1 } }],
      approvals: [],
    })
  })

  it('has null for an unknown cost', async () => {
    const response = await createApp(fakeAgent()).request(
      '/api/v1/chat',
      chatRequest(validFields, { accept: 'application/json' }),
    )
    expect(await response.json()).toMatchObject({ cost: null, usage: {}, sources: [] })
  })

  it('streams one SSE event for each event of the run', async () => {
    const response = await createApp(fakeAgent(plainRun)).request(
      '/api/v1/chat',
      chatRequest(validFields, { accept: 'text/event-stream' }),
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const body = await response.text()
    expect(body.startsWith('retry: 2000\n\n')).toBe(true)
    expect(body).toContain(
      'event: text-delta\nid: 3\ndata: {"seq":3,"runId":"run_fake","path":["fake"],"type":"text-delta","text":"Hello"}\n\n',
    )
    expect(types(body)).toEqual(['run-start', 'step-start', 'text-delta', 'text-delta', 'run-end'])
  })

  it('streams events that are available at once in one chunk, and others as they arrive', async () => {
    const agent = fakeAgent([text('a'), { wait: 30 }, text('b'), text('c'), text('d'), { wait: 30 }, text('e')])
    const response = await createApp(agent).request('/api/v1/chat_stream', chatRequest())
    const received: string[] = []
    for await (const chunk of response.body ?? []) {
      const deltas = new TextDecoder().decode(chunk).matchAll(/"type":"text-delta","text":"(.)"/g)
      received.push([...deltas].map(([, delta]) => delta).join(''))
    }
    expect(received.filter((deltas) => deltas !== '')).toEqual(['a', 'bcd', 'e'])
  })

  it('streams from chat_stream by default', async () => {
    const app = createApp(fakeAgent(plainRun))
    const response = await app.request('/api/v1/chat_stream', chatRequest())
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(types(await response.text()).at(-1)).toBe('run-end')
    const plain = await app.request('/api/v1/chat_stream', chatRequest(validFields, { accept: 'text/plain' }))
    expect(await plain.text()).toBe('Hello there.')
  })

  it('refuses an Accept header without a supported format', async () => {
    const response = await createApp(fakeAgent()).request(
      '/api/v1/chat',
      chatRequest(validFields, { accept: 'image/png' }),
    )
    await expectProblem(response, 406, 'not-acceptable')
  })

  it.each(['length', 'content-filter', 'max-steps', 'budget', 'no-progress', 'approval'] as RunFinishReason[])(
    'answers 200 for a run that ends by %s',
    async (finishReason) => {
      const agent = fakeAgent([{ type: 'run-end', finishReason, text: '', usage: {} }])
      const response = await createApp(agent).request(
        '/api/v1/chat',
        chatRequest(validFields, { accept: 'application/json' }),
      )
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ finish_reason: finishReason, answer: '' })
    },
  )
})

describe('the input of the agent', () => {
  it('has the last message as the question and the earlier ones as history', async () => {
    const agent = fakeAgent()
    const chat_data = chatData(
      { role: 'assistant', content: 'Welcome! How can I help?' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'Three' },
    )
    await createApp(agent).request('/api/v1/chat', chatRequest({ ...validFields, chat_data }))
    expect(agent.calls[0]).toMatchObject({
      input: 'Three',
      options: {
        userId: 'ada',
        sessionId: 'first',
        history: [
          { v: 1, role: 'user', content: 'One' },
          { v: 1, role: 'assistant', content: [{ type: 'text', text: 'Two' }] },
        ],
      },
    })
  })

  it.each(['a', '😀', 'ش'])('accepts an id of 128 characters, of any script: %s', async (character) => {
    const request = chatRequest({ ...validFields, user_id: character.repeat(128) })
    expect((await createApp(fakeAgent(plainRun)).request('/api/v1/chat', request)).status).toBe(200)
  })

  it('removes one pair of double quotes around each form value', async () => {
    const agent = fakeAgent()
    const fields = { user_id: '"ada"', session_id: '""first""', chat_data: `"${validFields.chat_data}"` }
    const response = await createApp(agent).request('/api/v1/chat', chatRequest(fields))
    expect(response.status).toBe(200)
    expect(agent.calls[0]).toMatchObject({ input: 'Hi', options: { userId: 'ada', sessionId: '"first"' } })
  })

  it('ignores unknown fields and keys of any name', async () => {
    const agent = fakeAgent()
    const fields = {
      ...validFields,
      other: 'true',
      __proto__polluted: '1',
      constructor: 'x',
      chat_data:
        '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"messages":[{"role":"user","content":"Hi","__proto__":{"x":1}}]}',
    }
    const body = chatRequest(fields)
    body.body = String(body.body).replace('__proto__polluted', '__proto__')
    const response = await createApp(agent).request('/api/v1/chat', body)
    expect(response.status).toBe(200)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
    expect(agent.calls[0]?.input).toBe('Hi')
  })

  it('is the same from JSON as from a form', async () => {
    const agent = fakeAgent()
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: 'Three' },
    ]
    const body = JSON.stringify({ user_id: 'ada', session_id: 'first', messages, replaces: 'run_1' })
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const app = createApp(agent)
    const answer = await app.request('/api/v1/chat', { method: 'POST', body, headers })
    expect(await answer.text()).toBe('Hello.')
    const form = { ...validFields, chat_data: chatData(...messages), replaces: '"run_1"' }
    await app.request('/api/v1/chat', chatRequest(form))
    const [first, second] = agent.calls.map(({ input, options: { signal: _, timeoutMs: __, ...options } }) => [
      input,
      options,
    ])
    expect(first).toEqual(second)
    expect(first).toMatchObject(['Three', { userId: 'ada', sessionId: 'first', replaces: 'run_1' }])
  })

  it("has the token's user where the request names none", async () => {
    const agent = fakeAgent()
    const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }
    const app = createApp(agent, { auth: { tokens } })
    const { user_id: _, ...others } = validFields
    const as = (token: string): RequestInit => chatRequest(others, { authorization: `Bearer ${token}` })
    expect((await app.request('/api/v1/chat', as('the-token-of-ada'))).status).toBe(200)
    expect(agent.calls[0]?.options.userId).toBe('ada')
    await expectProblem(await app.request('/api/v1/chat', as('the-token-of-all')), 422, 'missing-field')
  })

  it('separates ("a", "b_c") from ("a_b", "c")', async () => {
    const agent = fakeAgent()
    const app = createApp(agent)
    await app.request('/api/v1/chat', chatRequest({ ...validFields, user_id: 'a', session_id: 'b_c' }))
    await app.request('/api/v1/chat', chatRequest({ ...validFields, user_id: 'a_b', session_id: 'c' }))
    expect(agent.calls.map(({ options }) => [options.userId, options.sessionId])).toEqual([
      ['a', 'b_c'],
      ['a_b', 'c'],
    ])
  })
})

describe('the id of the run', () => {
  it.each(['text/plain', 'application/json', 'text/event-stream'])('is a header of its answer (%s)', async (accept) => {
    const response = await createApp(fakeAgent()).request('/api/v1/chat', chatRequest(validFields, { accept }))
    expect(response.headers.get('x-run-id')).toBe('run_fake')
    expect(response.headers.get('x-request-id')).toBeTruthy()
  })

  it.each(['text/plain', 'text/event-stream'])('is a header of its problem (%s)', async (accept) => {
    const agent = fakeAgent([{ fail: new AgentKitError('network', 'reset') }])
    const response = await createApp(agent, quiet).request('/api/v1/chat', chatRequest(validFields, { accept }))
    expect(response.status).toBe(502)
    expect(response.headers.get('x-run-id')).toBe('run_fake')
  })

  it('is absent where no run has begun', async () => {
    const response = await createApp(fakeAgent()).request('/api/v1/chat', { method: 'POST' })
    expect(response.headers.get('x-run-id')).toBeNull()
  })
})

describe('failed runs', () => {
  const secret = 'sk-1234567890abcdef'
  const failures: [ErrorCode, number, string | null][] = [
    ['auth', 502, null],
    ['model-not-found', 502, null],
    ['bad-request', 502, null],
    ['provider-error', 502, null],
    ['network', 502, null],
    ['incomplete-stream', 502, null],
    ['malformed-stream', 502, null],
    ['invalid-tool-call', 502, null],
    ['quota', 502, null],
    ['rate-limit', 503, '5'],
    ['overloaded', 503, '5'],
    ['storage', 503, '5'],
    ['aborted', 503, null],
    ['timeout', 504, null],
    ['session-busy', 409, '1'],
    ['session-conflict', 409, '1'],
    ['context-overflow', 422, null],
    ['content-filter', 422, null],
    ['missing-key', 500, null],
    ['invalid-config', 500, null],
  ]

  it.each(failures)('answers a run that failed by %s with %i', async (code, status, retryAfter) => {
    const logged: LogEntry[] = []
    const agent = fakeAgent([{ fail: new AgentKitError(code, `no entry for ${secret} of /etc/passwd`) }])
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    for (const accept of ['text/plain', 'application/json', 'text/event-stream']) {
      const response = await app.request('/api/v1/chat', chatRequest(validFields, { accept }))
      const problem = await expectProblem(response, status, code)
      expect(response.headers.get('retry-after')).toBe(retryAfter)
      expect(JSON.stringify(problem)).not.toContain('no entry')
    }
    // A run that its session does not take has not begun.
    const lines = status === 409 ? 0 : 3
    await until(() => logged.length >= lines)
    expect(logged).toHaveLength(lines)
    expect(JSON.stringify(logged)).not.toContain(secret)
    await expectHealthy(app)
  })

  it("sends a provider's own Retry-After, in whole seconds", async () => {
    const agent = fakeAgent([{ fail: new AgentKitError('rate-limit', 'slow down', { retryAfterMs: 12_300 }) }])
    const response = await createApp(agent, quiet).request('/api/v1/chat', chatRequest())
    expect(response.headers.get('retry-after')).toBe('13')
  })

  it("54 redacts the key in a provider's refusal from the answer and the log", async () => {
    const logged: LogEntry[] = []
    const agent = fakeAgent([{ fail: new AgentKitError('auth', `Incorrect API key provided: ${secret}`) }])
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    const response = await app.request('/api/v1/chat', chatRequest())
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('sk-')
    expect(logged[0]).toMatchObject({
      status: 502,
      code: 'auth',
      error: 'auth: Incorrect API key provided: [redacted]',
    })
  })

  it("55 replaces a tool's error text with our own sentence", async () => {
    const agent = fakeAgent([
      { type: 'tool-result', callId: 'c', name: 'read', output: `ENOENT /etc/${secret}`, isError: true, durationMs: 1 },
      { type: 'tool-result', callId: 'd', name: 'read', output: 'fine', isError: false, durationMs: 1 },
    ])
    const response = await createApp(agent).request('/api/v1/chat_stream', chatRequest())
    const body = await response.text()
    expect(body).not.toContain(secret)
    expect(body).not.toContain('ENOENT')
    expect(body).toContain('"output":"A tool failed."')
    expect(body).toContain('"output":"fine"')
  })

  it.each([
    ['56 a model that throws an Error', { throwRaw: new Error(`${secret} at /srv/app.js`) }],
    ['56 a model that throws a value that is not an Error', { throwRaw: 'boom' }],
  ])('answers %s with 502 provider-error', async (_name, act) => {
    for (const accept of ['text/plain', 'application/json', 'text/event-stream']) {
      const response = await createApp(fakeAgent([act]), quiet).request(
        '/api/v1/chat',
        chatRequest(validFields, { accept }),
      )
      expect(JSON.stringify(await expectProblem(response, 502, 'provider-error'))).not.toContain(secret)
    }
  })

  it('57 ends a run at the deadline with 504', async () => {
    const agent = fakeAgent(['hang'])
    const app = createApp(agent, { ...quiet, limits: { deadlineMs: 30 } })
    for (const accept of ['text/plain', 'text/event-stream']) {
      await expectProblem(await app.request('/api/v1/chat', chatRequest(validFields, { accept })), 504, 'timeout')
    }
    expect(agent.calls.every(({ isAborted }) => isAborted)).toBe(true)
  })

  it('58 answers a failing storage with 503 and Retry-After', async () => {
    const agent = fakeAgent([{ fail: new AgentKitError('storage', 'database is locked') }])
    const response = await createApp(agent, quiet).request('/api/v1/chat', chatRequest())
    await expectProblem(response, 503, 'storage')
    expect(response.headers.get('retry-after')).toBe('5')
  })

  it.each(['text/plain', 'text/event-stream'])(
    '17 answers a full disk with 507, and then works again: %s',
    async (accept) => {
      const cause = Object.assign(new Error(`no space left on ${secret}`), { code: 'ENOSPC' })
      const full = new AgentKitError('storage', 'The session store failed.', { cause })
      const scripts = [[{ fail: full }], [text('Hello.')]]
      const app = createApp(
        fakeAgent(() => scripts.shift() ?? []),
        quiet,
      )
      const response = await app.request('/api/v1/chat', chatRequest(validFields, { accept }))
      const problem = await expectProblem(response, 507, 'insufficient-storage')
      expect(JSON.stringify(problem)).not.toContain(secret)
      expect((await app.request('/api/v1/chat', chatRequest())).status).toBe(200)
    },
  )

  it('answers an agent that refuses to start with its code', async () => {
    const agent = fakeAgent()
    agent.stream = () => {
      throw new AgentKitError('invalid-argument', 'secret words')
    }
    const response = await createApp(agent, quiet).request('/api/v1/chat', chatRequest())
    expect(JSON.stringify(await expectProblem(response, 400, 'invalid-argument'))).not.toContain('secret words')
  })

  it('ends a stream that has begun with a run-end with our sentence, and logs it', async () => {
    const logged: LogEntry[] = []
    const agent = fakeAgent([text('Half an ans'), { fail: new AgentKitError('network', `reset by ${secret}`) }])
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    const response = await app.request('/api/v1/chat_stream', chatRequest())
    expect(response.status).toBe(200)
    const body = await response.text()
    expect(types(body)).toEqual(['text-delta', 'run-end'])
    expect(body).toContain('"message":"The model provider could not be reached."')
    expect(body).not.toContain(secret)
    expect(logged).toMatchObject([{ code: 'network', path: '/api/v1/chat_stream' }])
  })

  it('ends a stream with a run-end even when the run throws a plain error', async () => {
    const agent = fakeAgent([text('Half'), { throwRaw: new Error(secret) }])
    const body = await (await createApp(agent, quiet).request('/api/v1/chat_stream', chatRequest())).text()
    expect(types(body)).toEqual(['text-delta', 'run-end'])
    expect(body).toContain('"seq":2')
    expect(body).toContain('"code":"provider-error"')
    expect(body).not.toContain(secret)
  })

  it('shows retries and fallbacks without the errors that led to them', async () => {
    const error = { code: 'network' as const, message: secret, retryable: true }
    const agent = fakeAgent([
      { type: 'step-restart', step: 1, error },
      { type: 'model-fallback', from: 'a/b', to: 'c/d', error },
      text('Hi'),
    ])
    const body = await (await createApp(agent).request('/api/v1/chat_stream', chatRequest())).text()
    expect(types(body)).toEqual(['step-restart', 'model-fallback', 'text-delta', 'run-end'])
    expect(body).not.toContain(secret)
  })

  it('continues the stream after a tool output that has no JSON form', async () => {
    const agent = fakeAgent([
      { type: 'tool-result', callId: 'c', name: 'count', output: 10n, isError: false, durationMs: 1 },
      text('Hi'),
    ])
    const body = await (await createApp(agent).request('/api/v1/chat_stream', chatRequest())).text()
    expect(types(body)).toEqual(['tool-result', 'text-delta', 'run-end'])
  })
})

describe('a client that leaves', () => {
  it.each(['text/plain', 'application/json', 'text/event-stream'])(
    'cancels a %s run before it has emitted anything',
    async (accept) => {
      const agent = fakeAgent(['hang'])
      const logged: LogEntry[] = []
      const controller = new AbortController()
      const request = { ...chatRequest(validFields, { accept }), signal: controller.signal }
      const answer = createApp(agent, { log: (entry) => logged.push(entry) }).request('/api/v1/chat', request)
      setTimeout(() => controller.abort(), 20)
      expect((await answer).status).toBe(503)
      expect(agent.calls[0]?.isAborted).toBe(true)
      await until(() => logged.length > 0)
      expect(logged).toMatchObject([{ level: 'info', finish_reason: 'aborted' }])
    },
  )

  it('cancels the run when it stops reading the stream, and no failure is logged', async () => {
    const agent = fakeAgent([text('Hi'), 'hang'])
    const logged: LogEntry[] = []
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    const response = await app.request('/api/v1/chat_stream', chatRequest())
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await until(() => agent.calls[0]?.ended === true)
    expect(agent.calls[0]?.isAborted).toBe(true)
    await until(() => logged.length > 0)
    expect(logged).toMatchObject([{ level: 'info', finish_reason: 'aborted' }])
  })
})

function types(body: string): string[] {
  return [...body.matchAll(/^event: (.*)$/gm)].map(([, type]) => type ?? '')
}
