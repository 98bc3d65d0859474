import { describe, expect, it } from 'vitest'
import { fakeAgent, text } from '../__fixtures__/fake-agent.ts'
import { chatRequest, expectProblem, until } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'

const anyToken = 'token-for-any-user-0001'
const adasToken = 'token-of-ada-00000001'
const auth = { tokens: { [anyToken]: '*', [adasToken]: 'ada' } }
const usage = { inputTokens: 11, outputTokens: 7 }

describe('/metrics', () => {
  it('is not there until `metrics` is true', async () => {
    await expectProblem(await createApp(fakeAgent()).request('/metrics'), 404, 'not-found')
  })

  it('shows requests by route and status, runs, tokens and cost', async () => {
    const agent = fakeAgent([
      text('Hi'),
      { type: 'run-end', finishReason: 'stop', text: 'Hi', usage, cost: { usd: 0.25 } },
    ])
    const app = createApp(agent, { metrics: true })
    for (let index = 0; index < 2; index++) expect((await app.request('/api/v1/chat', chatRequest())).status).toBe(200)
    await app.request('/api/v1/chat', { method: 'POST' })
    await app.request('/secret-path-of-a-client')
    const response = await app.request('/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const body = await response.text()
    for (const line of [
      'agentkit_http_requests_total{method="POST",route="/api/v1/chat",status="200"} 2',
      'agentkit_http_requests_total{method="POST",route="/api/v1/chat",status="415"} 1',
      'agentkit_http_requests_total{method="GET",route="other",status="404"} 1',
      'agentkit_places_taken 0',
      'agentkit_runs_settled_total 2',
      'agentkit_tokens_total{kind="input"} 22',
      'agentkit_tokens_total{kind="output"} 14',
      'agentkit_cost_usd_total 0.5',
    ]) {
      expect(body.split('\n')).toContain(line)
    }
    expect(body).not.toMatch(/secret|ada|first/)
  })

  it('counts a client that has left before its answer as 499', async () => {
    const agent = fakeAgent(['hang'])
    const app = createApp(agent, { metrics: true, log: () => {} })
    const client = new AbortController()
    const left = app.request('/api/v1/chat', { ...chatRequest(), signal: client.signal })
    await until(() => agent.calls.length > 0)
    client.abort()
    await left
    const body = await (await app.request('/metrics')).text()
    expect(body).toContain('agentkit_http_requests_total{method="POST",route="/api/v1/chat",status="499"} 1')
  })

  it('counts a run that has a place while it executes', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const app = createApp(fakeAgent([{ until: promise }, text('Hi')]), { metrics: true })
    const answer = app.request('/api/v1/chat', chatRequest())
    await expect.poll(async () => (await app.request('/metrics')).text()).toContain('agentkit_places_taken 1')
    resolve()
    await answer
  })

  it('with tokens is for those of any user: for others it does not exist', async () => {
    const app = createApp(fakeAgent(), { metrics: true, auth })
    const get = (token?: string): Response | Promise<Response> =>
      app.request('/metrics', token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
    expect((await get(anyToken)).status).toBe(200)
    await expectProblem(await get(adasToken), 404, 'not-found')
    await expectProblem(await get(), 401, 'unauthorized')
  })

  it('is described in /openapi.json where it is served', async () => {
    const paths = async (metrics: boolean): Promise<string[]> => {
      const response = await createApp(fakeAgent(), { metrics }).request('/openapi.json')
      return Object.keys(((await response.json()) as { paths: object }).paths)
    }
    expect(await paths(true)).toContain('/metrics')
    expect(await paths(false)).not.toContain('/metrics')
  })
})
