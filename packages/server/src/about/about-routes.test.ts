import { Agent, memorySessions, Swarm, tool, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { expectProblem, openSocket, rawChat, until } from '../__fixtures__/requests.ts'
import { storedAgents } from '../__fixtures__/stored-agent.ts'
import { type Capacity, createCapacity } from '../capacity/capacity.ts'
import { buildApp, createApp } from '../create-app.ts'
import { defaultLimits } from '../limits.ts'
import { checkOptions } from '../options.ts'
import { serve } from '../serve.ts'
import type { LogEntry } from '../util/log.ts'

const make = storedAgents()
const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const read = async (response: Response | Promise<Response>) => JSON.parse(await (await response).text())

const weather = tool({ name: 'weather', description: 'The weather.', input: { type: 'object' }, execute: () => 'dry' })
const model = () => scriptedModel([])

afterEach(() => void vi.useRealTimers())

describe('GET /api/v1/info', () => {
  it('describes an agent, without its instruction', async () => {
    const agent = new Agent({
      name: 'Weather Service',
      description: 'Knows the weather.',
      instruction: 'SECRET: answer briefly.',
      version: '7',
      functions: [weather],
      samplePrompts: ['Is it dry?'],
      budget: { tokens: 5, modelCalls: 3 },
      model: model(),
    })
    const info = await read(createApp(agent, { dialects: ['mcp'] }).request('/api/v1/info?user_id=bob'))
    const { limits, ...rest } = info
    expect(rest).toEqual({
      id: 'weather-service',
      name: 'Weather Service',
      description: 'Knows the weather.',
      version: '7',
      sample_prompts: ['Is it dry?'],
      members: [],
      tools: [{ name: 'weather', description: 'The weather.' }],
      budget: { tokens: 5, model_calls: 3 },
      accepts: { images: true, files: [] },
      dialects: ['mcp'],
      auth: false,
      user_id: 'bob',
      caller: { any_user: true, approve: false, upload: false, resume: false },
    })
    expect(limits).toMatchObject({ runs: 32, queued_runs: 256, user_daily_usd: null, body_bytes: 8_388_608 })
    expect(Object.keys(limits)).toHaveLength(Object.keys(defaultLimits).length)
    expect(JSON.stringify(info)).not.toContain('SECRET')
  })

  it('has null and empty lists for features that an agent lacks', async () => {
    const info = await read(createApp(fakeAgent()).request('/api/v1/info/'))
    expect(info).toMatchObject({
      description: null,
      version: null,
      members: [],
      tools: [],
      budget: null,
      user_id: null,
    })
    expect(info).toMatchObject({ accepts: { images: false, files: [] }, dialects: ['openai', 'ui'] })
  })

  it('lists the members of a swarm, and its own functions', async () => {
    const member = new Agent({ name: 'Analyst', description: 'Reads figures.', functions: [weather], model: model() })
    const swarm = new Swarm({ name: 'Team', agents: [member], functions: [weather], model: model() })
    const info = await read(createApp(swarm).request('/api/v1/info'))
    expect(info.members).toEqual([{ id: 'analyst', name: 'Analyst', description: 'Reads figures.' }])
    expect(info.tools).toEqual([{ name: 'weather', description: 'The weather.' }])
    expect(info).not.toHaveProperty('speaker')
  })

  it('names the agent whose text is the answer: of a sequence the last member, of a workflow itself', async () => {
    const member = new Agent({ name: 'Analyst', functions: [], model: model() })
    const sequence = new Swarm({ name: 'Team', collaboration: 'sequence', agents: [member], model: model() })
    const flow = workflow({ name: 'Flow' }).step(member).asAgent()
    const speakers = [sequence, flow].map((agent) => read(createApp(agent).request('/api/v1/info')))
    expect(await Promise.all(speakers)).toMatchObject([{ speaker: 'analyst' }, { speaker: 'flow' }])
  })

  it('has the tools and the file types of the knowledge', async () => {
    const search = tool({
      name: 'search_files',
      description: 'Searches.',
      input: { type: 'object' },
      execute: () => '',
    })
    const knowledge = {
      exts: ['.md', '.pdf'],
      tools: () => [search],
      sync: () => Promise.reject(new Error('not called')),
      files: async () => [],
      close: async () => {},
    }
    const agent = new Agent({ name: 'Docs', functions: [weather], model: model(), knowledge })
    const info = await read(createApp(agent).request('/api/v1/info'))
    expect(info.tools.map(({ name }: { name: string }) => name)).toEqual(['weather', 'search_files'])
    expect(info.accepts.files).toEqual(['.md', '.pdf'])
    knowledge.tools = () => {
      throw new Error('not loaded')
    }
    expect((await read(createApp(agent).request('/api/v1/info'))).tools).toHaveLength(1)
  })

  it('says only that a token is needed, and the name, without one', async () => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    for (const path of ['/api/v1/info', '/api/v1/info/', '/api/v1/info?user_id=ada&token=the-token-of-ada']) {
      expect(await read(app.request(path))).toEqual({ auth: true, name: 'Fake' })
    }
    await expectProblem(await app.request('/api/v1/info', bearer('a-wrong-token-of-ada')), 401, 'unauthorized')
    await expectProblem(await app.request('/api/v1/info', { method: 'POST' }), 405, 'method-not-allowed')
  })

  it.each([
    ['the-token-of-ada', '', 'ada'],
    ['the-token-of-ada', '?user_id=ada', 'ada'],
    ['the-token-of-all', '', null],
    ['the-token-of-all', '?user_id=bob', 'bob'],
  ])('names the user of %s%s: %s', async (token, query, user) => {
    const info = await read(createApp(fakeAgent(), { auth: { tokens } }).request(`/api/v1/info${query}`, bearer(token)))
    expect([info.auth, info.user_id]).toEqual([true, user])
  })

  it('lists the actions that the caller may take, so that a client need not try them', async () => {
    const { agent } = make([])
    const rightsOf = async (token: string | undefined, options = {}) => {
      const app = createApp(agent, { ...options, ...(token && { auth: { tokens } }) })
      return (await read(app.request('/api/v1/info', token ? bearer(token) : {}))).caller
    }
    const own = { any_user: false, approve: true, upload: false, resume: true }
    expect(await rightsOf(undefined)).toEqual({ ...own, any_user: true })
    expect(await rightsOf('the-token-of-ada')).toEqual(own)
    expect(await rightsOf('the-token-of-ada', { approvals: 'service' })).toEqual({ ...own, approve: false })
    expect(await rightsOf('the-token-of-all', { approvals: 'service' })).toEqual({ ...own, any_user: true })
  })

  it('lets no one decide or resume where the sessions store no runs', async () => {
    const { caller } = await read(createApp(fakeAgent()).request('/api/v1/info'))
    expect(caller).toEqual({ any_user: true, approve: false, upload: false, resume: false })
  })

  it("is 404 for another user's name", async () => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    await expectProblem(await app.request('/api/v1/info?user_id=bob', bearer('the-token-of-ada')), 404, 'not-found')
  })
})

describe('GET /ready', () => {
  it('is 200, without a token', async () => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    for (const path of ['/ready', '/ready/']) expect(await read(app.request(path))).toEqual({ status: 'ready' })
    const head = await app.request('/ready', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it.each([
    ['starts', (capacity: Capacity) => Object.assign(capacity, { isStarting: true })],
    ['drains', (capacity: Capacity) => capacity.runs.close()],
  ])('is 503 while the server %s', async (_name, change) => {
    const settings = checkOptions()
    const capacity = createCapacity(settings.limits, fakeAgent(), settings.rules)
    change(capacity)
    const response = await buildApp(fakeAgent(), settings, capacity).request('/ready')
    await expectProblem(response, 503, 'overloaded')
    expect(response.headers.get('retry-after')).toBe('1')
  })

  it('is 200 once the server listens, and 503 for a connection that is open when it is closed', async () => {
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const agent = fakeAgent([{ until: promise }])
    const server = await serve(agent, { port: 0 })
    expect(await read(fetch(`${server.url}/ready`))).toEqual({ status: 'ready' })
    const { socket, closed } = await openSocket(server.url)
    socket.write(rawChat(server.url))
    await until(() => agent.calls.length === 1)
    const closing = server.close()
    socket.write(`GET /ready HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`)
    end()
    expect(await closed).toMatch(/HTTP\/1\.1 503 .*The server is shutting down/s)
    await closing
  })

  it('is 503 without its store, and logs why', async () => {
    const logged: LogEntry[] = []
    const sessions = { ...memorySessions(), find: () => Promise.reject(new Error('disk /dev/sda')) }
    const agent = Object.assign(fakeAgent(), { sessions })
    const app = createApp(agent, { log: (entry) => logged.push(entry) })
    const response = await app.request('/ready')
    const problem = await expectProblem(response, 503, 'storage')
    expect(response.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify(problem)).not.toContain('/dev/sda')
    expect(logged).toMatchObject([{ code: 'storage', error: expect.stringContaining('/dev/sda') }])
  })

  it('is 503 when its store does not answer, and asks it once for all that wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const find = vi.fn(() => new Promise<never>(() => {}))
    const agent = Object.assign(fakeAgent(), { sessions: { ...memorySessions(), find } })
    const app = createApp(agent, { log: () => {} })
    const answers = [app.request('/ready'), app.request('/ready')]
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1))
    await vi.advanceTimersByTimeAsync(2_000)
    for (const answer of answers) await expectProblem(await answer, 503, 'storage')
  })
})

describe('paths without a token', () => {
  it.each([
    ['GET', '/', 200],
    ['GET', '/assets/x.js', 401],
    ['POST', '/', 401],
    ['GET', '/health', 200],
    ['GET', '/ready', 200],
    ['GET', '/docs', 401],
    ['GET', '/openapi.json', 401],
    ['GET', '/ready/x', 401],
    ['GET', '/api/v1/info/x', 401],
    ['GET', '/api/v1/sample_prompts', 401],
  ])('%s %s → %i', async (method, path, status) => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    expect((await app.request(path, { method })).status).toBe(status)
  })

  it.each(['/', '/health', '/ready', '/api/v1/info'])('%s is under the checks of host and origin', async (path) => {
    const app = createApp(fakeAgent(), { auth: { tokens } })
    const refused = async (headers: Record<string, string>, code: string) =>
      expectProblem(await app.request(path, { headers }), 403, code)
    await refused({ host: 'evil.com' }, 'host-not-allowed')
    await refused({ origin: 'https://evil.com' }, 'cross-origin')
  })
})
