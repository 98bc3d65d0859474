import { Agent, tool, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from './__fixtures__/fake-agent.ts'
import { chatRequest, expectHealthy, expectProblem, validFields } from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'
import type { Auth } from './guards/auth.ts'
import type { ServerOptions } from './options.ts'
import { serve } from './serve.ts'
import type { LogEntry } from './util/log.ts'

const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }

describe('routes', () => {
  it.each([undefined, null, {}, 'agent', () => {}])('require an agent, not %o', (agent) => {
    expect(() => createApp(agent as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it('require the agent of a workflow', async () => {
    const steps = workflow({ name: 'Report' }).step((text) => text)
    const error = { code: 'invalid-argument', message: expect.stringContaining('`workflow.asAgent()`') }
    expect(() => createApp(steps as never)).toThrow(expect.objectContaining(error))
    await expect(serve(steps as never, { port: 0 })).rejects.toMatchObject(error)
    expect((await createApp(steps.asAgent()).request('/health')).status).toBe(200)
  })

  it("answers with the agent's sample prompts", async () => {
    const response = await createApp(fakeAgent()).request('/api/v1/sample_prompts')
    expect(await response.json()).toEqual({ sample_prompts: ['What can you do?'] })
  })

  it('ignores a trailing slash', async () => {
    const app = createApp(fakeAgent())
    expect((await app.request('/api/v1/sample_prompts/')).status).toBe(200)
    expect((await app.request('/health/')).status).toBe(200)
    expect((await app.request('/api/v1/chat/', chatRequest())).status).toBe(200)
  })

  it('starts runs that belong to no other run, whichever one the app is called within', async () => {
    const inner = new Agent({ name: 'Inner', model: scriptedModel(['Hello.']) })
    const app = createApp(inner)
    const ask = tool({
      name: 'ask',
      description: 'Asks the other agent.',
      input: { type: 'object' },
      execute: async () => (await app.request('/api/v1/chat', chatRequest())).text(),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }])
    const outer = new Agent({ name: 'Outer', functions: [ask], model, budget: { modelCalls: 1 } })
    const { messages, finishReason } = await outer.stream('Ask.').result
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'Hello.' })
    expect(finishReason).toBe('budget')
  })

  it('45 answers an unknown path with 404', async () => {
    await expectProblem(await createApp(fakeAgent()).request('/api/v2/chat'), 404, 'not-found')
  })

  it.each([
    ['DELETE', '/api/v1/chat', 'POST, OPTIONS'],
    ['GET', '/api/v1/chat', 'POST, OPTIONS'],
    ['PUT', '/api/v1/chat_stream', 'POST, OPTIONS'],
    ['POST', '/api/v1/sample_prompts', 'GET, HEAD, OPTIONS'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
  ])('45 answers %s %s with 405 and Allow', async (method, path, allow) => {
    const response = await createApp(fakeAgent()).request(path, { method })
    await expectProblem(response, 405, 'method-not-allowed')
    expect(response.headers.get('allow')).toBe(allow)
  })

  it('63 answers HEAD without a body and OPTIONS with the allowed methods', async () => {
    const app = createApp(fakeAgent())
    const head = await app.request('/health', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await app.request('/api/v1/chat', { method: 'HEAD' })).status).toBe(405)
    const options = await app.request('/api/v1/chat', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
  })

  it('works below a path of another app', async () => {
    const { Hono } = await import('hono')
    const outer = new Hono().route('/agent', createApp(fakeAgent(), { auth: { tokens } }))
    expect((await outer.request('/agent/health')).status).toBe(200)
    expect((await outer.request('/agent/api/v1/sample_prompts')).status).toBe(401)
    const refused = await outer.request('/agent/v1/models')
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
  })

  it.each([
    ['GET', '/docs/', 200],
    ['GET', '/health/', 200],
    ['GET', '/api/v1/info/', 200],
    ['GET', '/api/v1/sessions/?user_id=ada', 200],
    ['GET', '/api/v1/runs/run_1/?user_id=ada', 400], // This store has no runs.
    ['POST', '/api/v1/health/', 404],
    ['DELETE', '/api/v1/chat/', 405],
    ['POST', '/', 404],
  ])('ignores a trailing slash below a path of another app: %s %s', async (method, path, status) => {
    const { Hono } = await import('hono')
    const outer = new Hono().route('/agent', createApp(fakeAgent()))
    expect((await outer.request(`/agent${path}`, { method })).status).toBe(status)
  })

  it('asks for a token below a path of another app, with a trailing slash too', async () => {
    const { Hono } = await import('hono')
    const outer = new Hono().route('/agent', createApp(fakeAgent(), { auth: { tokens } }))
    expect((await outer.request('/agent/api/v1/sessions/')).status).toBe(401)
    const info = (headers: Record<string, string>) => outer.request('/agent/api/v1/info/', { headers })
    expect(await (await info({})).json()).toEqual({ auth: true, name: 'Fake' })
    expect(await (await info({ authorization: 'Bearer the-token-of-ada' })).json()).toMatchObject({ user_id: 'ada' })
  })

  it.each([
    ['an error', new Error('secret /etc/path'), 'Error: secret /etc/path'],
    ['a text', 'secret /etc/path', 'secret /etc/path'],
    ['nothing', undefined, undefined],
  ])('hides internal failures that throw %s, and logs them', async (_, thrown, error) => {
    const logged: LogEntry[] = []
    const agent = fakeAgent()
    Object.defineProperty(agent, 'samplePrompts', {
      get() {
        throw thrown
      },
    })
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    const problem = await expectProblem(await app.request('/api/v1/sample_prompts'), 500, 'internal-error')
    expect(JSON.stringify(problem)).not.toContain('/etc/path')
    expect(logged).toMatchObject([{ code: 'internal-error', method: 'GET' }])
    expect(logged[0]?.error).toBe(error)
  })
})

describe('every answer', () => {
  it.each(['/health', '/nowhere'])('of %s has a request id and secure headers', async (path) => {
    const { headers } = await createApp(fakeAgent()).request(path)
    expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['abc_DEF-123', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['a b', false],
    ['<script>', false],
  ])('carries the request id %s of the client: %s', async (id, kept) => {
    const response = await createApp(fakeAgent()).request('/health', { headers: { 'x-request-id': id } })
    expect(response.headers.get('x-request-id') === id).toBe(kept)
  })
})

describe('auth', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('34 requires a token, on unknown paths too, but not on /health', async () => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    for (const path of ['/api/v1/chat', '/api/v1/sample_prompts', '/nowhere', '//health', '/health/x']) {
      const response = await app.request(path)
      await expectProblem(response, 401, 'unauthorized')
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    await expectHealthy(app)
  })

  it.each([
    ['a wrong token', '/api/v1/chat', bearer('wrong')],
    ['a token in the query', '/api/v1/chat?token=the-token-of-ada&access_token=the-token-of-ada', {}],
    ['a token in the query beside a valid one', '/api/v1/chat?access_token=x', bearer('the-token-of-ada')],
    ['a token in the query by another name', '/api/v1/chat?a=b&API%5fkey=x', bearer('the-token-of-ada')],
    ['another scheme', '/api/v1/chat', { authorization: 'Basic the-token-of-ada' }],
    ['a token with something after it', '/api/v1/chat', bearer('the-token-of-ada x')],
    ['the name of a property', '/api/v1/chat', bearer('constructor')],
  ])('35 refuses %s with the same answer', async (_name, path, headers) => {
    const agent = fakeAgent()
    const app = createApp(agent, { auth: { tokens } })
    const refused = await expectProblem(await app.request(path, chatRequest(validFields, headers)), 401, 'unauthorized')
    const without = await expectProblem(await app.request('/api/v1/chat', chatRequest()), 401, 'unauthorized')
    expect({ ...refused, request_id: '' }).toEqual({ ...without, request_id: '' })
    expect(agent.calls).toHaveLength(0)
  })

  it('35 refuses a token in the query of every route, but no other parameter', async () => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    const headers = bearer('the-token-of-ada')
    await expectProblem(await app.request('/api/v1/info?token=the-token-of-ada', { headers }), 401, 'unauthorized')
    await expectProblem(await app.request('/api/v1/sample_prompts?token=x', { headers }), 401, 'unauthorized')
    expect((await app.request('/api/v1/sample_prompts?user_id=ada&q=token', { headers })).status).toBe(200)
  })

  it.each([
    ['its own user', 'the-token-of-ada', 'ada', 200],
    ['another user', 'the-token-of-ada', 'bob', 404],
    ['any user, by *', 'the-token-of-all', 'bob', 200],
  ])('lets a token act for %s', async (_name, token, user_id, status) => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    const response = await app.request('/api/v1/chat', chatRequest({ ...validFields, user_id }, bearer(token)))
    expect(response.status).toBe(status)
  })

  it('calls a function', async () => {
    const auth = async (token: string) => (token === 'good' ? { userId: 'ada' } : undefined)
    const app = createApp(fakeAgent(), { auth })
    expect((await app.request('/api/v1/chat', chatRequest(validFields, bearer('good')))).status).toBe(200)
    expect((await app.request('/api/v1/chat', chatRequest(validFields, bearer('bad')))).status).toBe(401)
  })

  it.each([
    ['{ userId: null }', { userId: null }, '(null)'],
    ["{ userId: '' }", { userId: '' }, '(an empty string)'],
    ['{ userId: 5 }', { userId: 5 }, '(number)'],
    ['a user id of two lines', { userId: 'ada\nbob' }, 'control characters'],
    ['{}', {}, '(undefined)'],
    ['a mayApprove that is a string', { userId: 'ada', mayApprove: 'no' }, '`mayApprove` that is a string'],
    ["''", '', 'a string'],
    ['5', 5, 'a number'],
    ['true', true, 'a boolean'],
  ])('refuses a token for which the function returns %s, and logs it once', async (_name, found, fault) => {
    const logged: LogEntry[] = []
    const agent = fakeAgent()
    const auth = (async () => found) as unknown as Auth
    const app = createApp(agent, { auth, log: (entry) => logged.push(entry) })
    const response = await app.request('/api/v1/chat', chatRequest(validFields, bearer('some-token-of-someone')))
    await expectProblem(response, 401, 'unauthorized')
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(logged).toMatchObject([{ status: 401, code: 'unauthorized', message: expect.stringContaining(fault) }])
    expect(JSON.stringify(logged)).not.toContain('some-token-of-someone')
    expect(agent.calls).toHaveLength(0)
  })

  it.each([undefined, null])('logs nothing for a token that the function returns %s for', async (found) => {
    const logged: LogEntry[] = []
    const auth = (async () => found) as unknown as Auth
    const app = createApp(fakeAgent(), { auth, log: (entry) => logged.push(entry) })
    await expectProblem(await app.request('/api/v1/chat', chatRequest(validFields, bearer('x'))), 401, 'unauthorized')
    expect(logged).toEqual([])
  })

  it('refuses requests when the function fails', async () => {
    const auth = () => Promise.reject('no directory')
    const response = await createApp(fakeAgent(), { auth, log: () => {} }).request(
      '/api/v1/chat',
      chatRequest(validFields, bearer('x')),
    )
    await expectProblem(response, 500, 'internal-error')
  })

  it('answers in time when the function hangs', async () => {
    const app = createApp(fakeAgent(), { auth: () => new Promise(() => {}), limits: { headersMs: 50 }, log: () => {} })
    const response = await app.request('/api/v1/chat', chatRequest(validFields, bearer('x')))
    const { detail } = await expectProblem(response, 504, 'timeout')
    expect(detail).toBe('The token could not be verified in time.')
    await expectHealthy(app)
  })

  it("redacts the token in the function's error from the log", async () => {
    const logged: LogEntry[] = []
    const auth = (token: string) => Promise.reject(new Error(`cannot read "${token}"`))
    const app = createApp(fakeAgent(), { auth, log: (entry) => logged.push(entry) })
    const response = await app.request('/api/v1/chat', chatRequest(validFields, bearer('token-of-someone')))
    await expectProblem(response, 500, 'internal-error')
    expect(logged).toMatchObject([{ error: 'Error: cannot read "[redacted]"' }])
  })
})

describe('host', () => {
  it.each(['localhost', 'localhost:8000', '127.0.0.1:1', '[::1]:8000', 'LOCALHOST:80'])('accepts %s', async (host) => {
    expect((await createApp(fakeAgent()).request('/health', { headers: { host } })).status).toBe(200)
  })

  it.each(['evil.com', 'evil.com:8000', '127.0.0.1.evil.com', 'localhost.evil.com', 'localhost.', '10.0.0.1', ''])(
    '38 refuses "%s" on a loopback bind',
    async (host) => {
      await expectProblem(
        await createApp(fakeAgent()).request('/health', { headers: { host } }),
        403,
        'host-not-allowed',
      )
    },
  )

  const hostStatus = async (options: ServerOptions, host: string): Promise<number> =>
    (await createApp(fakeAgent(), options).request('/health', { headers: { host } })).status

  it('accepts the allowed names too, in any case and on any port', async () => {
    const options = { allowedHosts: ['Agent.example.com', 'bücher.example', '::2'] }
    for (const host of [
      'agent.example.com',
      'AGENT.example.com:8443',
      'xn--bcher-kva.example',
      '[::2]:80',
      'localhost',
    ]) {
      expect([host, await hostStatus(options, host)]).toEqual([host, 200])
    }
    for (const host of ['example.com', 'agent.example.com.evil.com', 'x.agent.example.com']) {
      expect([host, await hostStatus(options, host)]).toEqual([host, 403])
    }
  })

  it('accepts only the allowed names on a public address', async () => {
    const options = { host: '0.0.0.0', auth: { tokens }, allowedHosts: ['agent.example.com'] }
    expect(await hostStatus(options, 'agent.example.com:8000')).toBe(200)
    for (const host of ['localhost', '0.0.0.0', '10.0.0.1', 'evil.com']) {
      expect([host, await hostStatus(options, host)]).toEqual([host, 403])
    }
  })

  it.each([{}, { host: '0.0.0.0', auth: { tokens }, allowedHosts: ['agent.example.com'] }])(
    'explains how to allow a name: %j',
    async (options) => {
      const response = await createApp(fakeAgent(), options).request('/health', { headers: { host: 'evil.com' } })
      const { detail } = await expectProblem(response, 403, 'host-not-allowed')
      expect(detail).toContain('`allowedHosts` (`allowed_hosts` in a [server] table)')
    },
  )

  it('accepts any name on a public address', async () => {
    const app = createApp(fakeAgent(), { host: '0.0.0.0', auth: { tokens } })
    expect((await app.request('/health', { headers: { host: 'agent.example.com' } })).status).toBe(200)
  })
})

describe('origin', () => {
  it.each([
    ['39 another origin', { origin: 'http://evil.com' }, 403],
    ['39 another port', { origin: 'http://localhost:3000' }, 403],
    ['39 an opaque origin', { origin: 'null' }, 403],
    ['39 a cross-site request without Origin', { 'sec-fetch-site': 'cross-site' }, 403],
    ['39 a same-site request without Origin', { 'sec-fetch-site': 'same-site' }, 403],
    ['39 its own origin', { origin: 'http://localhost' }, 200],
    ['39 its own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['39 no browser', {}, 200],
    ['a link on a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
  ])('%s: %j → %i', async (_name, headers, status) => {
    const agent = fakeAgent()
    const response = await createApp(agent).request('/api/v1/chat', chatRequest(validFields, headers))
    expect(response.status).toBe(status)
    expect(agent.calls).toHaveLength(status === 200 ? 1 : 0)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  const preflight = (origin: string, asked = 'authorization') => ({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
  })

  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  it.each([
    ['/docs', 'GET', link, false],
    ['/docs/', 'GET', link, false],
    ['/', 'GET', link, false],
    ['/', 'GET', { ...link, 'sec-fetch-site': 'same-site' }, false],
    ['/docs', 'GET', { ...link, 'sec-fetch-dest': 'iframe' }, true],
    ['/docs', 'GET', { ...link, 'sec-fetch-mode': 'no-cors' }, true],
    ['/docs', 'POST', link, true],
    ['/openapi.json', 'GET', link, true],
    ['/health', 'GET', link, true],
    ['/api/v1/sample_prompts', 'GET', link, true],
    ['/api/v1/chat_history', 'GET', link, true],
  ])('lets links on other sites lead to pages only: %s', async (path, method, headers, isRefused) => {
    const { Hono } = await import('hono')
    const app = createApp(fakeAgent())
    const outer = new Hono().route('/agent', createApp(fakeAgent()))
    for (const response of [
      app.request(path, { method, headers }),
      outer.request(`/agent${path}`, { method, headers }),
    ]) {
      const { status } = await response
      expect(status === 403).toBe(isRefused)
    }
  })

  it.each([
    ['https://agent.example.com', 'agent.example.com:443', 200],
    ['http://agent.example.com', 'agent.example.com:80', 200],
    ['https://agent.example.com:8443', 'agent.example.com:8443', 200],
    ['https://agent.example.com', 'agent.example.com:80', 403],
    ['https://agent.example.com', 'agent.example.com:8443', 403],
    ['https://agent.example.com:8443', 'agent.example.com:443', 403],
  ])('takes %s for the origin of the host %s: %i', async (origin, host, status) => {
    const app = createApp(fakeAgent(), { allowedHosts: ['agent.example.com'] })
    expect((await app.request('/health', { headers: { origin, host } })).status).toBe(status)
  })

  it('names the option that allows pages of another origin, and says that a page from a file has no origin', async () => {
    const detailOf = async (origin: string) => {
      const response = await createApp(fakeAgent()).request('/health', { headers: { origin } })
      return (await expectProblem(response, 403, 'cross-origin')).detail
    }
    expect(await detailOf('http://localhost:5173')).toContain('`cors: { origins: ["https://app.example.com"] }`')
    expect(await detailOf('null')).toBe(
      'A page that is opened as a file, or in a sandboxed frame, has no origin and may not call this server. Serve it over http.',
    )
  })

  it('refuses the origin "null", for any allowed origins', async () => {
    for (const cors of [undefined, '*', ['https://app.example.com']]) {
      const app = createApp(fakeAgent(), cors === undefined ? {} : { cors })
      await expectProblem(await app.request('/health', { headers: { origin: 'null' } }), 403, 'cross-origin')
      expect((await app.request('/api/v1/chat', preflight('null'))).status).toBe(403)
    }
  })

  it('names the methods and headers that pages may send and read', async () => {
    const app = createApp(fakeAgent(), { cors: { origins: ['https://app.example.com'] } })
    const asked = 'content-type, X-Stainless-Lang,x-stainless-retry-count, x-stainless-a b, x-evil'
    const { headers } = await app.request('/api/v1/chat', preflight('https://app.example.com', asked))
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE')
    expect(headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, last-event-id, idempotency-key, x-request-id, x-session-id, x-user-id, ' +
        'mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, a2a-version, a2a-extensions, user-agent, ' +
        'x-stainless-lang, x-stainless-retry-count',
    )
    expect(headers.get('access-control-expose-headers')).toBe(
      'location, retry-after, x-request-id, x-run-id, idempotency-replayed, x-vercel-ai-ui-message-stream',
    )
    expect(headers.get('vary')).toBe('origin, access-control-request-headers')
  })

  it('echoes a bounded number of headers', async () => {
    const app = createApp(fakeAgent(), { cors: '*' })
    const asked = Array.from({ length: 100 }, (_, index) => `x-stainless-${index}`).join(',')
    const { headers } = await app.request('/api/v1/chat', preflight('https://app.example.com', asked))
    expect(headers.get('access-control-allow-headers')?.match(/x-stainless-/g)).toHaveLength(32)
  })

  it('40 answers the preflight of a foreign origin without Access-Control headers', async () => {
    for (const cors of [undefined, ['https://app.example.com']]) {
      const app = createApp(fakeAgent(), cors ? { cors } : {})
      const response = await app.request('/api/v1/chat', preflight('http://evil.com'))
      expect(response.status).toBe(403)
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('allows a configured origin, before it checks the token', async () => {
    const app = createApp(fakeAgent(), { cors: ['https://app.example.com'], auth: { tokens } })
    const allowed = await app.request('/api/v1/chat', preflight('https://app.example.com'))
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull()
    const refused = await app.request('/api/v1/chat', chatRequest(validFields, { origin: 'https://app.example.com' }))
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(refused.headers.get('vary')).toBe('origin')
  })

  it('allows a configured origin to send credentials, where that is configured', async () => {
    const app = createApp(fakeAgent(), { cors: { origins: ['https://app.example.com'], credentials: true } })
    const answers = [
      await app.request('/api/v1/chat', preflight('https://app.example.com')),
      await app.request('/api/v1/chat', chatRequest(validFields, { origin: 'https://app.example.com' })),
    ]
    const sent = answers.map(({ headers }) => headers.get('access-control-allow-credentials'))
    expect(sent).toEqual(['true', 'true'])
  })

  it('allows every origin when that is configured', async () => {
    const response = await createApp(fakeAgent(), { cors: '*' }).request(
      '/api/v1/chat',
      chatRequest(validFields, { origin: 'http://any.com' }),
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('headers', () => {
  const length = 200_000
  const names = [
    'authorization',
    'host',
    'origin',
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'access-control-request-headers',
    'accept',
    'content-type',
    'content-length',
    'idempotency-key',
    'last-event-id',
    'x-request-id',
  ]
  const fillings = [' ', 'a', ',', ', ', ';', '; for=', '%', '[', ':', '1.', 'q=', 'a/b;q=0.1,', '"', '=']

  it.each(names)('64 are read in linear time: %s', async (name) => {
    const app = createApp(fakeAgent(), {
      auth: { tokens },
      cors: '*',
      trustedProxies: ['10.0.0.0/8'],
      log: () => {},
    })
    const incoming = { socket: { remoteAddress: '10.0.0.1' }, httpVersion: '1.1' } as never
    for (const filling of fillings) {
      const value = `Bearer ${filling.repeat(length / filling.length)}!`
      const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' }
      const startedAt = performance.now()
      for (const headers of [{ [name]: value }, { ...preflight, [name]: value }]) {
        await app.request('/health', { headers }, { incoming })
        await app.request('/api/v1/chat', { headers, method: 'OPTIONS' }, { incoming })
        await app.request(
          '/api/v1/chat',
          chatRequest(validFields, { authorization: 'Bearer the-token-of-ada', ...headers }),
          { incoming },
        )
      }
      // Linear reading takes some milliseconds; quadratic reading of so much takes a minute.
      expect([filling, performance.now() - startedAt < 20_000]).toEqual([filling, true])
    }
  })
})
