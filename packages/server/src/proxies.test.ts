import type { IncomingMessage } from 'node:http'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from './__fixtures__/fake-agent.ts'
import { expectProblem, openSocket } from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'
import type { ServerOptions } from './options.ts'
import { serve } from './serve.ts'
import type { LogEntry } from './util/log.ts'

const auth = { tokens: { 'the-token-of-all': '*' } }
const authorization = 'Bearer the-token-of-all'

type Headers = Record<string, string>

/** A GET that has arrived from an address. */
function get(app: Hono, path: string, headers: Headers = {}, remoteAddress = '127.0.0.1'): Promise<Response> {
  const incoming = { socket: { remoteAddress }, httpVersion: '1.1' } as unknown as IncomingMessage // what guards read
  return Promise.resolve(app.request(path, { headers }, { incoming }))
}

const proxied: Headers[] = [
  { forwarded: 'for=192.0.2.1' },
  { 'x-forwarded-for': '192.0.2.1' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-anything': '' },
  { 'x-real-ip': '192.0.2.1' },
  { via: '1.1 proxy' },
]

describe('a server without auth', () => {
  it.each(proxied)('refuses a request of a proxy: %j', async (headers) => {
    for (const options of [{}, { trustedProxies: ['127.0.0.1'] }]) {
      const response = await get(createApp(fakeAgent(), options), '/health', headers)
      const { detail } = await expectProblem(response, 403, 'proxy-not-configured')
      expect(detail).toContain('`auth`')
    }
  })

  it('refuses it before it looks at the host name', async () => {
    const headers = { host: 'agent.example.com', 'x-forwarded-for': '192.0.2.1' }
    await expectProblem(await get(createApp(fakeAgent()), '/health', headers), 403, 'proxy-not-configured')
  })

  it('refuses HTTP/1.0, which proxies speak', async () => {
    const server = await serve(fakeAgent(), { port: 0 })
    const { socket, closed } = await openSocket(server.url)
    socket.write('GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n')
    const answer = await closed
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer).toContain('proxy-not-configured')
    await server.close()
  })

  it.each<ServerOptions>([{ auth }, { allowUnauthenticated: true }])(
    'is one without either confirmation: %j is served',
    async (options) => {
      const app = createApp(fakeAgent(), options)
      for (const headers of proxied) expect((await get(app, '/health', headers)).status).toBe(200)
    },
  )
})

describe('a trusted proxy', () => {
  /** The address of the client, as a failed request logs it. */
  const clientOf = async (headers: Headers, peer: string, trustedProxies?: string[]): Promise<string | undefined> => {
    const logged: LogEntry[] = []
    const agent = fakeAgent()
    Object.defineProperty(agent, 'samplePrompts', {
      get() {
        throw new Error('broken')
      },
    })
    const log = (entry: LogEntry) => void logged.push(entry)
    const app = createApp(agent, { auth, log, ...(trustedProxies && { trustedProxies }) })
    await get(app, '/api/v1/sample_prompts', { authorization, ...headers }, peer)
    return logged[0]?.client
  }
  const trusted = ['10.0.0.0/8', 'fd00::/8']

  it.each([
    ['the address of the connection', {}, '192.0.2.1', '192.0.2.1'],
    ['a mapped address of the connection', {}, '::ffff:192.0.2.1', '192.0.2.1'],
    ['no header of another peer', { 'x-forwarded-for': '1.1.1.1' }, '192.0.2.1', '192.0.2.1'],
    ['the address that it forwards', { 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1', '192.0.2.7'],
    ['the rightmost that is no proxy', { 'x-forwarded-for': '1.1.1.1, 192.0.2.7, 10.9.9.9' }, '10.0.0.1', '192.0.2.7'],
    ['the first of proxies alone', { 'x-forwarded-for': '10.1.1.1, 10.2.2.2' }, '10.0.0.1', '10.1.1.1'],
    ['none before what is not an address', { 'x-forwarded-for': '1.1.1.1, unknown, 10.2.2.2' }, '10.0.0.1', '10.2.2.2'],
    ['an IPv6 address with a port', { 'x-forwarded-for': '[2001:db8::1]:4711' }, 'fd00::1', '2001:db8::1'],
    [
      'what Forwarded says',
      { forwarded: 'for=1.1.1.1, for="[2001:db8::1]:4711";proto=https' },
      '10.0.0.1',
      '2001:db8::1',
    ],
    [
      'X-Forwarded-For before it',
      { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '192.0.2.7' },
      '10.0.0.1',
      '192.0.2.7',
    ],
  ])('makes the client %s', async (_name, headers: Headers, peer, client) => {
    expect(await clientOf(headers, peer, trusted)).toBe(client)
  })

  it('is none by default', async () => {
    expect(await clientOf({ 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1')).toBe('127.0.0.1')
  })

  const app = createApp(fakeAgent(), {
    auth,
    host: '0.0.0.0',
    trustedProxies: trusted,
    allowedHosts: ['agent.example.com'],
  })

  it.each([
    ['a name that is allowed', { host: '10.0.0.5:8000', 'x-forwarded-host': 'agent.example.com' }, 200],
    ['another name', { host: 'agent.example.com', 'x-forwarded-host': 'evil.com' }, 403],
    ['another name among others', { 'x-forwarded-host': 'evil.com, agent.example.com' }, 403],
    ['no name', { host: '10.0.0.5:8000' }, 403],
  ])('forwards %s: %j → %i', async (_name, headers: Headers, status) => {
    expect((await get(app, '/health', headers, '10.0.0.1')).status).toBe(status)
  })

  it('is the only one whose host name counts', async () => {
    const headers = { host: '10.0.0.5:8000', 'x-forwarded-host': 'agent.example.com' }
    await expectProblem(await get(app, '/health', headers, '192.0.2.1'), 403, 'host-not-allowed')
  })

  it('says which origin is its own', async () => {
    const headers = { host: '10.0.0.5:8000', 'x-forwarded-host': 'agent.example.com', authorization }
    const statusOf = async (origin: string) =>
      (await get(app, '/api/v1/sample_prompts', { ...headers, origin }, '10.0.0.1')).status
    expect(await statusOf('https://agent.example.com')).toBe(200)
    expect(await statusOf('http://10.0.0.5:8000')).toBe(403)
  })
})

describe('the base path', () => {
  const app = createApp(fakeAgent(), { basePath: '/team/agent', auth })

  it.each([
    ['/team/agent/health', 200],
    ['/team/agent/health/', 200],
    ['/team/%61gent/health', 200],
    ['/team/agent/he%61lth', 200],
    ['/team/agent/api/v1/sample_prompts', 401],
    ['/team/agent/nowhere', 401],
    ['/health', 404],
    ['/agent/health', 404],
    ['/team/agents/health', 404],
    ['/team/agenthealth', 404],
    ['/team%2Fagent/health', 404],
    ['/team/%2561gent/health', 404],
    ['/team/agent/../health', 404],
    ['/team/agent/%2e%2e/health', 404],
    ['//team/agent/health', 404],
    ['/team/agent//health', 401],
    ['/team', 404],
    ['/TEAM/agent/health', 404],
  ])('is matched by whole segments, decoded once: %s → %i', async (path, status) => {
    const response = await get(app, path)
    expect(response.status).toBe(status)
    if (status === 404) await expectProblem(response, 404, 'not-found')
  })

  it('may have letters of any alphabet', async () => {
    const bücher = createApp(fakeAgent(), { basePath: '/bücher' })
    expect((await get(bücher, '/b%C3%BCcher/health')).status).toBe(200)
  })
})
