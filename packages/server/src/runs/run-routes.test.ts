import { Agent, memorySessions, Swarm } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { expectProblem } from '../__fixtures__/requests.ts'
import { ask, heldTool, locate, locateTurn, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const storedAgent = storedAgents()
const quiet = { log: () => {} }
const json = { accept: 'application/json' }

describe('GET /api/v1/runs/{id}', () => {
  it('shows a run that has ended', async () => {
    const { agent } = storedAgent(['Hello.'])
    const app = createApp(agent, quiet)
    const answer = await app.request('/api/v1/chat', ask('Hi'))
    const runId = answer.headers.get('x-run-id')
    const response = await app.request(`/api/v1/runs/${runId}?user_id=ada`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      run_id: runId,
      agent_id: 'test',
      user_id: 'ada',
      session_id: 'first',
      status: 'done',
      finish_reason: 'stop',
      answer: 'Hello.',
      error: null,
      approvals: [],
      usage: expect.objectContaining({ input_tokens: expect.any(Number) }),
      cost: null,
      sources: [],
      attempts: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      ended_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('shows the failure of a run in our own sentence', async () => {
    const { agent } = storedAgent([new Error('boom sk-1234567890abcdef')])
    const app = createApp(agent, quiet)
    const answer = await app.request('/api/v1/chat', ask('Hi'))
    const body = await (await app.request(`/api/v1/runs/${answer.headers.get('x-run-id')}?user_id=ada`)).json()
    expect(body).toMatchObject({ status: 'failed', finish_reason: 'error', error: { code: 'provider-error' } })
    expect(body.error).toEqual({ code: 'provider-error', detail: 'The model provider failed.' })
  })

  it('counts what the members of a swarm have used that wait', async () => {
    const { sessions } = storedAgent([])
    const agents = [new Agent({ name: 'Clerk', functions: [locate], model: scriptedModel([locateTurn]) })]
    const model = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Look.' } }] }])
    const swarm = new Swarm({ name: 'Team', agents, model, sessions })
    const worker = await swarm.work()
    const { runId } = await swarm.enqueue('Look.', { userId: 'ada' })
    const { usage } = await swarm.result(runId)
    await worker.close()
    const response = await createApp(swarm, quiet).request(`/api/v1/runs/${runId}?user_id=ada`)
    expect(usage.totalTokens).toBe(30)
    expect(await response.json()).toMatchObject({ status: 'waiting', usage: { total_tokens: 30 } })
  })

  it('shows the approvals of a run that waits', async () => {
    const { agent } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { run_id, approvals } = await (await app.request('/api/v1/chat', ask('Pay', {}, json))).json()
    expect(approvals).toEqual([
      {
        approval_id: expect.stringMatching(/^apr_[A-Za-z0-9]{22}$/),
        call_id: expect.any(String),
        name: 'pay',
        input: { amount: 5 },
        kind: 'approval',
        path: null,
        started_at: null,
      },
    ])
    const body = await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()
    expect(body).toMatchObject({ status: 'waiting', finish_reason: 'approval', approvals, ended_at: null })
  })

  it('shows what a resumable run has used and cost so far', async () => {
    const { wait, begun, release } = heldTool()
    const prices = { 'test/scripted': { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' } }
    const { agent } = storedAgent([{ toolCalls: [{ name: 'wait', input: {} }] }, 'Done.'], {
      functions: [wait],
      prices,
    })
    const app = createApp(agent, quiet)
    const answer = app.request('/api/v1/chat', ask('Wait', { resumable: 'true' }, json))
    await begun
    const { runs } = await (await app.request('/api/v1/runs?user_id=ada')).json()
    const path = `/api/v1/runs/${runs[0].run_id}?user_id=ada`
    const running = await (await app.request(path)).json()
    expect(running).toMatchObject({ status: 'running', usage: { input_tokens: 10, output_tokens: 5 } })
    expect(running.cost).toBeCloseTo(0.00006, 10)
    const { turns } = await (await app.request('/api/v1/sessions/first/turns?user_id=ada')).json()
    expect(turns).toMatchObject([{ cost: running.cost }])
    release()
    expect((await (await answer).json()).cost).toBeCloseTo(0.00012, 10)
  })

  it.each([
    ['an unknown run', '/api/v1/runs/run_unknown?user_id=ada', 404, 'not-found'],
    ["another user's run", '/api/v1/runs/RUN?user_id=eve', 404, 'not-found'],
    ['no user', '/api/v1/runs/RUN', 422, 'missing-field'],
    ['a run id that is none', `/api/v1/runs/${'x'.repeat(5_000)}?user_id=ada`, 404, 'not-found'],
    ['an id with a NUL', '/api/v1/runs/a%00?user_id=ada', 404, 'not-found'],
  ])('answers %s with a problem', async (_name, path, status, code) => {
    const { agent } = storedAgent(['Hello.'])
    const app = createApp(agent, quiet)
    const runId = (await app.request('/api/v1/chat', ask('Hi'))).headers.get('x-run-id')
    await expectProblem(await app.request(path.replace('RUN', runId ?? '')), status, code)
  })

  it("answers another agent's run in the same store as an unknown one", async () => {
    const { agent, sessions } = storedAgent(['Hello.'])
    const runId = (await createApp(agent).request('/api/v1/chat', ask('Hi'))).headers.get('x-run-id')
    const other = createApp(storedAgent([], { id: 'other', sessions }).agent)
    const [known, unknown] = [runId, 'run_unknown'].map((id) => other.request(`/api/v1/runs/${id}?user_id=ada`))
    const { request_id: _, ...body } = await expectProblem((await known) as Response, 404, 'not-found')
    expect(await (await unknown)?.json()).toMatchObject(body)
  })

  it('answers 400 where the sessions keep no runs', async () => {
    const app = createApp(fakeAgent())
    for (const path of ['/api/v1/runs/run_1', '/api/v1/runs/run_1/events']) {
      await expectProblem(await app.request(`${path}?user_id=ada`), 400, 'unsupported')
    }
  })
})

describe('GET /api/v1/runs', () => {
  it('lists the runs of a user, newest first, in pages, without answers', async () => {
    const { agent } = storedAgent(['One.', 'Two.', 'Three.', 'Other.'])
    const app = createApp(agent, quiet)
    const ids: (string | null)[] = []
    for (const word of ['One?', 'Two?', 'Three?']) {
      ids.unshift((await app.request('/api/v1/chat', ask(word))).headers.get('x-run-id'))
    }
    await app.request('/api/v1/chat', ask('Other?', { user_id: 'eve' }))
    const all = await (await app.request('/api/v1/runs?user_id=ada')).json()
    expect(all.runs.map((run: { run_id: string }) => run.run_id)).toEqual(ids)
    expect(all.next).toBeNull()
    expect(all.runs[0]).not.toHaveProperty('answer')
    const first = await (await app.request('/api/v1/runs?user_id=ada&limit=2')).json()
    expect(first.next).toBe(ids[1])
    const second = await (await app.request(`/api/v1/runs?user_id=ada&limit=2&after=${first.next}`)).json()
    expect(second.runs.map((run: { run_id: string }) => run.run_id)).toEqual([ids[2]])
    expect(second.next).toBeNull()
  })

  it('names a parameter that is sent twice', async () => {
    const { agent } = storedAgent([])
    const response = await createApp(agent, quiet).request('/api/v1/runs?user_id=ada&limit=1&limit=2')
    const { detail } = await expectProblem(response, 422, 'invalid-field')
    expect(detail).toBe('The parameter limit is sent more than once.')
  })

  it('is the inbox of approvals', async () => {
    const { agent } = storedAgent(['One.', payTurn])
    const app = createApp(agent, quiet)
    await app.request('/api/v1/chat', ask('One?'))
    const { run_id } = await (await app.request('/api/v1/chat', ask('Pay', { session_id: 'second' }, json))).json()
    const { runs } = await (await app.request('/api/v1/runs?user_id=ada&status=waiting')).json()
    expect(runs).toMatchObject([{ run_id, status: 'waiting', approvals: [{ name: 'pay' }] }])
    const ofSession = await (await app.request('/api/v1/runs?user_id=ada&session_id=first')).json()
    expect(ofSession.runs).toMatchObject([{ session_id: 'first', status: 'done' }])
  })

  it('lists the runs of all users for a token that may act for any', async () => {
    const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }
    const { agent } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, { ...quiet, auth: { tokens } })
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    await app.request('/api/v1/chat', ask('Hi', {}, as('the-token-of-ada')))
    await app.request('/api/v1/chat', ask('Hi', { user_id: 'eve' }, as('the-token-of-all')))
    const usersOf = async (path: string, token: string): Promise<string[]> => {
      const { runs } = await (await app.request(path, { headers: as(token) })).json()
      return runs.map((run: { user_id: string }) => run.user_id)
    }
    expect(await usersOf('/api/v1/runs', 'the-token-of-all')).toEqual(['eve', 'ada'])
    expect(await usersOf('/api/v1/runs?user_id=eve', 'the-token-of-all')).toEqual(['eve'])
    expect(await usersOf('/api/v1/runs', 'the-token-of-ada')).toEqual(['ada'])
    const others = await app.request('/api/v1/runs?user_id=eve', { headers: as('the-token-of-ada') })
    await expectProblem(others, 404, 'not-found')
  })

  it.each([
    ['no user', '', 422, 'missing-field'],
    ['another status', '?user_id=ada&status=open', 422, 'invalid-field'],
    ['a limit of 0', '?user_id=ada&limit=0', 422, 'invalid-field'],
    ['a limit of 1,001', '?user_id=ada&limit=1001', 422, 'invalid-field'],
    ['a limit that is not a number', '?user_id=ada&limit=ten', 422, 'invalid-field'],
  ])('answers %s with a problem', async (_name, query, status, code) => {
    const { agent } = storedAgent([])
    await expectProblem(await createApp(agent).request(`/api/v1/runs${query}`), status, code)
  })

  it('answers 400 where the sessions keep no runs', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel([]), sessions: memorySessions() })
    const response = await createApp(agent).request('/api/v1/runs?user_id=ada')
    const { detail } = await expectProblem(response, 400, 'unsupported')
    expect(detail).toMatch(/^This server keeps no runs/)
  })
})

describe('POST /api/v1/runs', () => {
  it.each([
    ['without runs', memorySessions()],
    ['in memory', sqliteSessions(':memory:')],
  ])('is not supported by a store %s', async (_, sessions) => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel([]), sessions })
    await expectProblem(await createApp(agent).request('/api/v1/runs', ask('Hi')), 400, 'unsupported')
  })
})

describe('POST /api/v1/runs/{id}/cancel', () => {
  it('ends a run that waits, and changes nothing when it has ended', async () => {
    const { agent, paid } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { run_id } = await (await app.request('/api/v1/chat', ask('Pay', {}, json))).json()
    const cancel = () => app.request(`/api/v1/runs/${run_id}/cancel?user_id=ada`, { method: 'POST' })
    for (const response of [await cancel(), await cancel()]) {
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ run_id, status: 'failed', finish_reason: 'aborted', approvals: [] })
    }
    expect(paid).toEqual([])
  })

  it("answers another user's run with 404", async () => {
    const { agent } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { run_id } = await (await app.request('/api/v1/chat', ask('Pay', {}, json))).json()
    await expectProblem(
      await app.request(`/api/v1/runs/${run_id}/cancel?user_id=eve`, { method: 'POST' }),
      404,
      'not-found',
    )
    expect(await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()).toMatchObject({ status: 'waiting' })
  })
})
