import { Agent } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import type { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { type Act, fakeAgent } from './__fixtures__/fake-agent.ts'
import { chatRequest, expectProblem, until, validFields } from './__fixtures__/requests.ts'
import { ask, payTurn, storedAgents } from './__fixtures__/stored-agent.ts'
import { createApp } from './create-app.ts'
import type { ServerOptions } from './options.ts'

const auth = { tokens: { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' } }
const storedAgent = storedAgents()
const limits = { userRuns: 1, userQueuedRuns: 1 }

function chat(app: Hono, user_id: string, token = 'the-token-of-all'): Promise<Response> {
  return Promise.resolve(
    app.request('/api/v1/chat', chatRequest({ ...validFields, user_id }, { authorization: `Bearer ${token}` })),
  )
}

/** An app whose runs end when `end` is called. */
function slowApp(options: ServerOptions) {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const agent = fakeAgent(() => [{ until: promise }])
  return { app: createApp(agent, options), agent, end }
}

it('48 answers 429 with Retry-After and RateLimit headers when the queue of a user is full, and serves others', async () => {
  const { app, agent, end } = slowApp({ auth, limits })
  const runs = ['the-token-of-ada', 'the-token-of-ada', 'the-token-of-all'].map((token) => chat(app, 'ada', token))
  // One runs, one waits, and one is refused.
  const refused = await Promise.race(runs)
  await expectProblem(refused.clone(), 429, 'rate-limit')
  for (const name of ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    expect([name, refused.headers.get(name)]).toEqual([name, expect.stringMatching(/^\d+$/)])
  }
  expect(refused.headers.get('ratelimit')).toBe('"user-runs";r=0;t=1')
  const other = chat(app, 'bob')
  await until(() => agent.calls.length === 2)
  expect(agent.calls.map(({ options }) => options.userId)).toEqual(['ada', 'bob'])
  end()
  expect((await Promise.all([...runs, other])).map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
})

it('bounds no user without auth, since user ids are not verified then', async () => {
  const { app, agent, end } = slowApp({ limits })
  const answers = ['ada', 'ada', 'ada'].map((user) => chat(app, user))
  await until(() => agent.calls.length === 3)
  end()
  for (const answer of answers) expect((await answer).status).toBe(200)
})

const spends = (totalTokens: number, usd: number): Act => ({
  type: 'run-end',
  finishReason: 'stop',
  text: 'Done.',
  usage: { totalTokens },
  cost: { usd },
})

it.each<[string, ServerOptions['limits']]>([
  ['tokens', { userDailyTokens: 100 }],
  ['dollars', { userDailyUsd: 0.5 }],
])('answers 429 budget until midnight UTC once the %s of a user are used up', async (_name, daily = {}) => {
  const app = createApp(
    fakeAgent(() => [spends(100, 0.5)]),
    { auth, limits: daily },
  )
  expect((await chat(app, 'ada')).status).toBe(200)
  // The run is counted when it has settled, which the answer does not wait for.
  let refused = await chat(app, 'ada')
  for (let tries = 0; refused.status !== 429 && tries < 100; tries++) refused = await chat(app, 'ada')
  const { detail } = await expectProblem(refused, 429, 'budget')
  expect(detail).toContain('(UTC)')
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(24 * 3600)
  expect((await chat(app, 'bob')).status).toBe(200)
})

it('counts a run once that continues after an approval', async () => {
  const { agent } = storedAgent([payTurn, 'Paid.', 'Two.', 'Three.'])
  // Each scripted answer has 15 tokens.
  const app = createApp(agent, { auth, metrics: true, log: () => {}, limits: { userDailyTokens: 60 } })
  const headers = { authorization: 'Bearer the-token-of-all' }
  const { run_id, approvals } = await (
    await app.request('/api/v1/chat', ask('Pay', {}, { ...headers, accept: 'application/json' }))
  ).json()
  const decision = {
    method: 'POST',
    body: '{"user_id":"ada","approve":true}',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
  }
  const path = `/api/v1/runs/${run_id}/approvals/${approvals[0].approval_id}`
  await (await app.request(path, decision)).text()
  await vi.waitFor(async () => {
    const metrics = await (await app.request('/metrics', { headers })).text()
    expect(metrics).toContain('agentkit_tokens_total{kind="input"} 20')
    expect(metrics).toContain('agentkit_tokens_total{kind="output"} 10')
  })
  expect((await chat(app, 'ada')).status).toBe(200)
  expect((await chat(app, 'ada')).status).toBe(200)
  await expectProblem(await chat(app, 'ada'), 429, 'budget')
})

it('counts the runs that the store has of this day, after a restart too', async () => {
  const sessions = sqliteSessions(':memory:')
  // Each scripted answer has 15 tokens.
  const appOf = (...turns: string[]) => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(turns), sessions })
    return createApp(agent, { auth, limits: { userDailyTokens: 30 } })
  }
  const first = appOf('One.', 'Two.')
  expect((await chat(first, 'ada')).status).toBe(200)
  expect((await chat(first, 'ada')).status).toBe(200)
  const second = appOf('Three.')
  await expectProblem(await chat(second, 'ada'), 429, 'budget')
  expect((await chat(second, 'bob')).status).toBe(200)
  await sessions.close()
})
