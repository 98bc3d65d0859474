import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { expectProblem } from '../__fixtures__/requests.ts'
import { ask, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const storedAgent = storedAgents()
const quiet = { log: () => {} }
const usage = { inputTokens: 10, outputTokens: 2 }
const tokenOf = (user: string): string => `${user}-0123456789abcdef`
const figures = { runs: 2, input_tokens: 20, output_tokens: 4, cost: null }

describe('GET /api/v1/usage', () => {
  it('sums the runs of a user by day, model and session, as JSON and CSV', async () => {
    const { agent } = storedAgent([
      { text: 'One.', usage },
      { text: 'Two.', usage },
      { text: 'Three.', usage },
    ])
    const app = createApp(agent, quiet)
    await app.request('/api/v1/chat', ask('Hi'))
    await app.request('/api/v1/chat', ask('Hi', { session_id: '=cmd("x")' }))
    await app.request('/api/v1/chat', ask('Hi', { user_id: 'bob' }))
    const read = async (search: string): Promise<unknown> => (await app.request(`/api/v1/usage?${search}`)).json()

    const day = new Date().toISOString().slice(0, 10)
    expect(await read('user_id=ada')).toEqual({ rows: [{ day, ...figures }], total: figures })
    expect(await read('user_id=ada&by=model')).toMatchObject({ rows: [{ model: 'test/scripted', ...figures }] })
    expect(await read(`user_id=ada&to=${day}`)).toEqual({
      rows: [],
      total: { runs: 0, input_tokens: 0, output_tokens: 0, cost: null },
    })
    const csv = await app.request('/api/v1/usage?user_id=ada&by=session', { headers: { accept: 'text/csv' } })
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(await csv.text()).toBe(
      [
        'user_id,session_id,runs,input_tokens,output_tokens,cost',
        `ada,"'=cmd(""x"")",1,10,2,`,
        'ada,first,1,10,2,',
        '',
      ].join('\r\n'),
    )
  })

  it.each([
    ['text/csv', 'text/csv'],
    ['Text/CSV; charset=utf-8', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv;q=0.5, application/json;q=0.1', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['text/csv;q=0, */*', 'application/json'],
    ['application/json, text/csv;q=0.1', 'application/json'],
    ['text/html,*/*;q=0.8', 'application/json'],
    ['x-text/csv-like', 'application/json'],
  ])('answers `Accept: %s` with %s', async (accept, type) => {
    const { agent } = storedAgent([])
    const answer = await createApp(agent, quiet).request('/api/v1/usage?user_id=ada', { headers: { accept } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')?.split(';')[0]).toBe(type)
  })

  it("shows one's own, and all users' with a token for any user", async () => {
    const { agent } = storedAgent([
      { text: 'One.', usage },
      { text: 'Two.', usage },
    ])
    const app = createApp(agent, {
      ...quiet,
      auth: { tokens: { [tokenOf('ada')]: 'ada', [tokenOf('bob')]: 'bob', [tokenOf('all')]: '*' } },
    })
    const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${tokenOf(token)}` })
    await app.request('/api/v1/chat', ask('Hi', { user_id: 'ada' }, as('ada')))
    await app.request('/api/v1/chat', ask('Hi', { user_id: 'bob' }, as('bob')))
    const totalOf = async (token: string, search = ''): Promise<number> => {
      const answer = await app.request(`/api/v1/usage${search}`, { headers: as(token) })
      return (await answer.json()).total.runs
    }
    expect(await totalOf('ada')).toBe(1)
    expect(await totalOf('all')).toBe(2)
    expect(await totalOf('all', '?user_id=bob')).toBe(1)
    const foreign = await app.request('/api/v1/usage?user_id=bob', { headers: as('ada') })
    await expectProblem(foreign, 404, 'not-found')
  })

  it.each(['by=week', 'from=yesterday', 'from=2026-13-01', 'to=2026-02-31', 'from=2026-11-24T99:00Z'])(
    'refuses %s',
    async (search) => {
      const { agent } = storedAgent([])
      const answer = await createApp(agent, quiet).request(`/api/v1/usage?user_id=ada&${search}`)
      await expectProblem(answer, 422, 'invalid-field')
    },
  )

  it('refuses a range with too many runs', async () => {
    const { agent, sessions } = storedAgent([])
    const runs = Object.assign(Object.create(sessions.runs ?? null), { usage: async () => undefined })
    const app = createApp(Object.assign(Object.create(agent), { sessions: { ...sessions, runs } }), quiet)
    await expectProblem(await app.request('/api/v1/usage?user_id=ada'), 422, 'invalid-field')
  })

  it('refuses a range with too many rows', async () => {
    const { agent, sessions } = storedAgent([])
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `s${index}`, runs: 1, usage: {} }))
    let count = 10_000
    const runs = Object.assign(Object.create(sessions.runs ?? null), { usage: async () => rows(count) })
    const app = createApp(Object.assign(Object.create(agent), { sessions: { ...sessions, runs } }), quiet)
    const path = '/api/v1/usage?user_id=ada&by=session'
    expect((await app.request(path)).status).toBe(200)
    count++
    const { detail } = await expectProblem(await app.request(path), 422, 'invalid-field')
    expect(detail).toContain('more than 10000 rows')
  })

  it('needs a store that sums usage', async () => {
    const { agent, sessions } = storedAgent([])
    const runs = Object.assign(Object.create(sessions.runs ?? null), { usage: undefined })
    const app = createApp(Object.assign(Object.create(agent), { sessions: { ...sessions, runs } }), quiet)
    await expectProblem(await app.request('/api/v1/usage?user_id=ada'), 400, 'unsupported')
  })

  it('needs a store that keeps runs', async () => {
    const answer = await createApp(fakeAgent(), quiet).request('/api/v1/usage?user_id=ada')
    await expectProblem(answer, 400, 'unsupported')
  })
})
