import { DatabaseSync } from 'node:sqlite'
import type { Agent } from '@agentkit/core'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { expectProblem, until } from '../__fixtures__/requests.ts'
import { ask, eventsIn, locate, locateTurn, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const storedAgent = storedAgents()
const quiet = { log: () => {} }
const json = { accept: 'application/json' }

type Waiting = {
  run_id: string
  approval_id: string
  decide(body: object, headers?: Record<string, string>): Promise<Response>
}

/** A run that waits for its approval. */
async function waitingRun(
  app: Hono,
  headers: Record<string, string> = {},
  fields: Record<string, string> = {},
): Promise<Waiting> {
  const answer = await (await app.request('/api/v1/chat', ask('Pay', fields, { ...json, ...headers }))).json()
  const { run_id, approvals } = answer
  const { approval_id } = approvals[0]
  return {
    run_id,
    approval_id,
    decide: async (body, more = {}) => {
      const init = {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers, ...more },
      }
      return app.request(`/api/v1/runs/${run_id}/approvals/${approval_id}`, init)
    },
  }
}

async function statusOf(agent: Agent, runId: string): Promise<string | undefined> {
  return (await agent.sessions.runs?.read(runId))?.record.status
}

async function untilEnded(agent: Agent, runId: string): Promise<void> {
  let status: string | undefined
  const look = async (): Promise<void> => {
    status = await statusOf(agent, runId)
  }
  await until(() => {
    void look()
    return status === 'done' || status === 'failed'
  })
}

describe('POST /api/v1/runs/{id}/approvals/{approval_id}', () => {
  it('answers with the run, which continues by itself', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, quiet)
    const { run_id, decide } = await waitingRun(app)
    const response = await decide({ user_id: 'ada', approve: true })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-run-id')).toBe(run_id)
    expect(await response.json()).toMatchObject({ run_id, approvals: [] })
    await untilEnded(agent, run_id)
    const body = await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()
    expect(body).toMatchObject({ status: 'done', finish_reason: 'stop', answer: 'Paid.', attempts: 2 })
    expect(paid).toEqual([5])
  })

  it('denies with a reason, which the model receives', async () => {
    const { agent, model, paid } = storedAgent([payTurn, 'Not paid.'])
    const app = createApp(agent, quiet)
    const { run_id, decide } = await waitingRun(app)
    expect((await decide({ user_id: 'ada', approve: false, reason: 'Too much.' })).status).toBe(200)
    await untilEnded(agent, run_id)
    expect(JSON.stringify(model.requests.at(-1))).toContain('Too much.')
    expect(paid).toEqual([])
  })

  it('refuses a second decision, and names the first', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, quiet)
    const { run_id, decide } = await waitingRun(app)
    const responses = await Promise.all([
      decide({ user_id: 'ada', approve: true }),
      decide({ user_id: 'ada', approve: false }),
    ])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    await untilEnded(agent, run_id)
    const late = await decide({ user_id: 'ada', approve: false })
    for (const response of [late, ...responses.filter(({ status }) => status === 409)]) {
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(response.headers.get('retry-after')).toBeNull()
      const { detail } = await expectProblem(response, 409, 'session-conflict')
      expect(detail).toMatch(/was (approved|denied) by ada at \d{4}-\d\d-\d\dT.*Z\. The first decision holds\./)
    }
    expect(paid.length).toBeLessThanOrEqual(1)
  })

  it('is 409 for a run that was cancelled, and for one that was replaced', async () => {
    const { agent } = storedAgent([payTurn, payTurn, 'Instead.'])
    const app = createApp(agent, quiet)
    const cancelled = await waitingRun(app)
    await app.request(`/api/v1/runs/${cancelled.run_id}/cancel?user_id=ada`, { method: 'POST' })
    const replaced = await waitingRun(app)
    expect((await app.request('/api/v1/chat', ask('Instead', { replaces: replaced.run_id }))).status).toBe(200)
    for (const { decide } of [cancelled, replaced]) {
      const response = await decide({ user_id: 'ada', approve: true })
      expect(response.headers.get('x-should-retry')).toBe('false')
      await expectProblem(response, 409, 'session-conflict')
    }
    const body = await (await app.request(`/api/v1/runs/${replaced.run_id}?user_id=ada`)).json()
    expect(body).toMatchObject({ replaced: true, status: 'failed' })
  })

  it('is 409 for a run that has ended with an approval that is open', async () => {
    const { agent, path } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { decide } = await waitingRun(app)
    const database = new DatabaseSync(path)
    database.exec("UPDATE runs SET status = 'done', finish_reason = 'stop'")
    database.close()
    const { detail } = await expectProblem(await decide({ user_id: 'ada', approve: true }), 409, 'session-conflict')
    expect(detail).toBe('The run has ended (stop).')
  })

  it('is 409 for an approval that has expired, and says when', async () => {
    const { agent, path } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { run_id, decide } = await waitingRun(app)
    const database = new DatabaseSync(path)
    database.exec('UPDATE runs SET waiting_since = 0')
    database.close()
    for (const _ of ['first', 'second']) {
      const response = await decide({ user_id: 'ada', approve: true })
      const { detail } = await expectProblem(response, 409, 'session-conflict')
      expect(detail).toMatch(/The approvals of the run .* expired at \d{4}-.*Z: `approvalDays` of its agent is 30/)
    }
    const body = await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()
    expect(body).toMatchObject({
      status: 'failed',
      error: { code: 'approval', detail: 'The run needed an approval, which was not given in time.' },
    })
  })

  it.each<[string, object | string, number, string]>([
    ['no decision', { user_id: 'ada' }, 422, 'missing-field'],
    ['no user', { approve: true }, 422, 'missing-field'],
    ['another user', { user_id: 'eve', approve: true }, 404, 'not-found'],
    ['a text as approve', { user_id: 'ada', approve: 'yes' }, 422, 'invalid-field'],
    ['an unknown field', { user_id: 'ada', approve: true, always: true }, 422, 'invalid-field'],
    ['a reason that is not text', { user_id: 'ada', approve: false, reason: 1 }, 422, 'invalid-field'],
    [
      'a reason of 10,001 characters',
      { user_id: 'ada', approve: false, reason: 'x'.repeat(10_001) },
      422,
      'invalid-field',
    ],
    ['a result of a call that needs approval', { user_id: 'ada', result: 'paid' }, 422, 'invalid-field'],
    ['a result with a denial', { user_id: 'ada', approve: false, result: 'paid' }, 422, 'invalid-field'],
  ])('answers %s with a problem', async (_name, body, status, code) => {
    const { agent, paid } = storedAgent([payTurn])
    const { decide, run_id } = await waitingRun(createApp(agent, quiet))
    await expectProblem(await decide(body as object), status, code)
    expect(await statusOf(agent, run_id)).toBe('waiting')
    expect(paid).toEqual([])
  })

  it.each<[string, object, number, string | undefined]>([
    ['takes a result that fits', { user_id: 'ada', result: { city: 'Oslo' } }, 200, undefined],
    ['takes no result that does not fit', { user_id: 'ada', result: { town: 'Oslo' } }, 400, 'invalid-argument'],
    ['takes a result with an approval', { user_id: 'ada', approve: true, result: { city: 'Oslo' } }, 200, undefined],
    ['takes no result with a denial', { user_id: 'ada', approve: false, result: { city: 'O' } }, 422, 'invalid-field'],
    [
      'takes no result with a reason',
      { user_id: 'ada', reason: 'I know', result: { city: 'O' } },
      422,
      'invalid-field',
    ],
    ['takes no approval', { user_id: 'ada', approve: true }, 422, 'invalid-field'],
    ['takes a denial', { user_id: 'ada', approve: false }, 200, undefined],
  ])('%s, for a call of a client tool', async (_, body, status, code) => {
    const { agent } = storedAgent([locateTurn, 'Oslo.'], { functions: [locate] })
    const { decide, run_id } = await waitingRun(createApp(agent, quiet))
    const response = await decide(body)
    if (code !== undefined) {
      await expectProblem(response, status, code)
      expect(await statusOf(agent, run_id)).toBe('waiting')
      return
    }
    expect(response.status).toBe(status)
    await untilEnded(agent, run_id)
    expect((await agent.result(run_id)).text).toBe('Oslo.')
  })

  it('refuses fields that do not go together, also after the decision', async () => {
    const { agent } = storedAgent([payTurn, 'Done.'])
    const { decide } = await waitingRun(createApp(agent, quiet))
    expect((await decide({ user_id: 'ada', approve: true })).status).toBe(200)
    const both = { user_id: 'ada', approve: false, result: 'paid' }
    await expectProblem(await decide(both), 422, 'invalid-field')
  })

  it('answers an unknown approval with 404', async () => {
    const { agent } = storedAgent([payTurn])
    const app = createApp(agent, quiet)
    const { run_id } = await waitingRun(app)
    const request = {
      method: 'POST',
      body: '{"user_id":"ada","approve":true}',
      headers: { 'content-type': 'application/json' },
    }
    await expectProblem(await app.request(`/api/v1/runs/${run_id}/approvals/apr_none`, request), 404, 'not-found')
  })

  it('belongs to services alone, where the server says so', async () => {
    const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, { ...quiet, auth: { tokens }, approvals: 'service' })
    const { decide, run_id } = await waitingRun(app, { authorization: 'Bearer the-token-of-ada' })
    await expectProblem(await decide({ approve: true }), 403, 'approval-not-allowed')
    expect(await statusOf(agent, run_id)).toBe('waiting')
    const service = { authorization: 'Bearer the-token-of-all' }
    expect((await decide({ user_id: 'ada', approve: true }, service)).status).toBe(200)
    await until(() => paid.length > 0)
  })

  it('belongs to services alone for the result of a client tool too', async () => {
    const tokens = { 'the-token-of-ada': 'ada', 'the-token-of-all': '*' }
    const { agent } = storedAgent([locateTurn, 'In Oslo.'], { functions: [locate] })
    const app = createApp(agent, { ...quiet, auth: { tokens }, approvals: 'service' })
    const { decide } = await waitingRun(app, { authorization: 'Bearer the-token-of-ada' })
    const result = { city: 'Oslo' }
    await expectProblem(await decide({ result }), 403, 'approval-not-allowed')
    const service = { authorization: 'Bearer the-token-of-all' }
    expect((await decide({ user_id: 'ada', result }, service)).status).toBe(200)
  })

  it('belongs to a user who may approve, where the server leaves it to services', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const auth = async (): Promise<{ userId: string; mayApprove: boolean }> => ({ userId: 'ada', mayApprove: true })
    const app = createApp(agent, { ...quiet, auth, approvals: 'service' })
    const { decide } = await waitingRun(app, { authorization: 'Bearer any' })
    expect((await decide({ approve: true })).status).toBe(200)
    await until(() => paid.length > 0)
  })

  it('continues a run after a restart', async () => {
    const { agent, path } = storedAgent([payTurn])
    const { run_id, approval_id } = await waitingRun(createApp(agent, quiet))
    const { agent: next, paid } = storedAgent(['Paid.'], { path })
    const app = createApp(next, quiet)
    const request = {
      method: 'POST',
      body: '{"user_id":"ada","approve":true}',
      headers: { 'content-type': 'application/json' },
    }
    const response = await app.request(`/api/v1/runs/${run_id}/approvals/${approval_id}`, request)
    expect(response.status).toBe(200)
    await untilEnded(next, run_id)
    expect(paid).toEqual([5])
    expect(await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()).toMatchObject({ answer: 'Paid.' })
  })

  it.each([{}, { resumable: 'true' }])('streams the further events of a run (%o)', async (fields) => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, quiet)
    const { run_id, decide } = await waitingRun(app, {}, fields)
    const response = await decide({ user_id: 'ada', approve: true }, { accept: 'text/event-stream' })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-run-id')).toBe(run_id)
    const events = eventsIn(await response.text())
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['run-start', 'tool-result', 'text-delta']))
    expect(events.at(0)?.type).toBe('run-start')
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'Paid.' })
    expect(paid).toEqual([5])
  })

  it('shows in the stream that a call was denied, without the reason', async () => {
    const { agent } = storedAgent([payTurn, 'Not paid.'])
    const { decide } = await waitingRun(createApp(agent, quiet))
    const denial = { user_id: 'ada', approve: false, reason: 'secret' }
    const body = await (await decide(denial, { accept: 'text/event-stream' })).text()
    const result = eventsIn(body).find(({ type }) => type === 'tool-result')
    expect(result?.data).toMatchObject({ isError: true, output: 'The call was denied.' })
    expect(body).not.toContain('secret')
  })

  it.each([{}, { resumable: 'true' }])('continues when the client leaves its stream (%o)', async (fields) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model, paid } = storedAgent([payTurn, () => promise])
    const app = createApp(agent, quiet)
    const { run_id, decide } = await waitingRun(app, {}, fields)
    const response = await decide({ user_id: 'ada', approve: true }, { accept: 'text/event-stream' })
    await until(() => model.requests.length > 1)
    await response.body?.cancel()
    resolve('Paid.')
    await untilEnded(agent, run_id)
    expect(await (await app.request(`/api/v1/runs/${run_id}?user_id=ada`)).json()).toMatchObject({ answer: 'Paid.' })
    expect(paid).toEqual([5])
  })

  it('replays the answer of the run to a stream with an Idempotency-Key whose events are not kept', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const { run_id, decide } = await waitingRun(createApp(agent, quiet))
    const headers = { accept: 'text/event-stream', 'idempotency-key': 'a' }
    const first = await decide({ user_id: 'ada', approve: true }, headers)
    expect(eventsIn(await first.text()).at(-1)?.data).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
    await untilEnded(agent, run_id)
    const again = await decide({ user_id: 'ada', approve: true }, headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(await again.json()).toMatchObject({ run_id, answer: 'Paid.', finish_reason: 'stop' })
    expect(paid).toEqual([5])
  })

  it('continues a run with several approvals when the last is decided', async () => {
    const twice = { toolCalls: [1, 2].map((amount) => ({ name: 'pay', input: { amount } })) }
    const { agent, paid } = storedAgent([twice, 'Paid.'])
    const app = createApp(agent, quiet)
    const { run_id, approvals } = await (await app.request('/api/v1/chat', ask('Pay', {}, json))).json()
    expect(approvals).toHaveLength(2)
    const decide = (approvalId: string) =>
      app.request(`/api/v1/runs/${run_id}/approvals/${approvalId}`, {
        method: 'POST',
        body: '{"user_id":"ada","approve":true}',
        headers: { 'content-type': 'application/json' },
      })
    const first = await (await decide(approvals[0].approval_id)).json()
    expect(first).toMatchObject({ status: 'waiting', approvals: [{ approval_id: approvals[1].approval_id }] })
    await decide(approvals[1].approval_id)
    await untilEnded(agent, run_id)
    expect(paid.sort()).toEqual([1, 2])
  })
})
