import { readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Agent, type Worker, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { Hono } from 'hono'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeAgent } from '../__fixtures__/fake-agent.ts'
import { folderKnowledge } from '../__fixtures__/folder-knowledge.ts'
import { chatData, chatRequest, expectProblem, validFields } from '../__fixtures__/requests.ts'
import { eventsIn, payTurn, type StoredAgent, storedAgents } from '../__fixtures__/stored-agent.ts'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { createApp } from '../create-app.ts'

const open = storedAgents()
const folder = testFolder()
const patiently = { timeout: 30_000 }
const dayMs = 24 * 3_600_000
const workers: Worker[] = []
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.close()
})

type App = ReturnType<typeof createApp>

async function work({ agent }: StoredAgent): Promise<void> {
  workers.push(await agent.work())
}

function enqueue(
  content: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): RequestInit {
  return chatRequest({ ...validFields, chat_data: chatData({ role: 'user', content }), ...fields }, headers)
}

async function enqueued(app: App, request: RequestInit): Promise<{ id: string; response: Response }> {
  const response = await app.request('/api/v1/runs', request)
  expect(response.status).toBe(202)
  const { run_id } = (await response.clone().json()) as { run_id: string }
  return { id: run_id, response }
}

async function runOf(app: App, id: string): Promise<Record<string, unknown>> {
  return (await app.request(`/api/v1/runs/${id}?user_id=ada`)).json() as Promise<Record<string, unknown>>
}

async function statusOf(app: App, id: string): Promise<unknown> {
  return (await runOf(app, id)).status
}

describe('POST /api/v1/runs', () => {
  it.each([
    ['/agent', '/agent'],
    ['/the%20agent', '/the%20agent'],
    ['', ''],
    ['//elsewhere.example', ''],
    [undefined, ''],
  ])('names the run below the path that Express has removed: %s', async (baseUrl, prefix) => {
    const app = createApp(open([]).agent)
    const response = await app.request('/api/v1/runs', enqueue('Write'), { incoming: { url: '/api/v1/runs', baseUrl } })
    const { run_id } = (await response.json()) as { run_id: string }
    expect(response.headers.get('location')).toBe(`${prefix}/api/v1/runs/${run_id}`)
  })

  it('names the run below a path of another app', async () => {
    const outer = new Hono().route('/agent', createApp(open([]).agent))
    const response = await outer.request('/agent/api/v1/runs', enqueue('Write'))
    const location = response.headers.get('location')
    expect(location).toMatch(/^\/agent\/api\/v1\/runs\/run_/)
    expect((await outer.request(`${location}?user_id=ada`)).status).toBe(200)
  })

  it('stores a run, and a worker begins it', async () => {
    const stored = open(['The report.'])
    const app = createApp(stored.agent)
    const { id, response } = await enqueued(app, enqueue('Write the report'))
    expect(await response.json()).toEqual({ run_id: id, status: 'queued' })
    expect(response.headers.get('location')).toBe(`/api/v1/runs/${id}`)
    expect(response.headers.get('x-run-id')).toBe(id)
    expect(await runOf(app, id)).toMatchObject({
      ...{ run_id: id, user_id: 'ada', session_id: 'first', status: 'queued', finish_reason: null, answer: null },
      ...{ attempts: 0, started_at: null, ended_at: null },
    })
    await work(stored)
    await expect.poll(() => statusOf(app, id), patiently).toBe('done')
    expect(await runOf(app, id)).toMatchObject({ answer: 'The report.', finish_reason: 'stop', attempts: 1 })
    const history = await app.request('/api/v1/chat_history?user_id=ada&session_id=first')
    expect(await history.json()).toMatchObject([{ message: 'Write the report' }, { message: 'The report.' }])
  })

  it('takes JSON too', async () => {
    const app = createApp(open([]).agent)
    const body = { user_id: 'ada', session_id: 'first', messages: [{ role: 'user', content: 'Hi' }] }
    const request = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const { id } = await enqueued(app, request)
    const list = await app.request('/api/v1/runs?user_id=ada&status=queued')
    expect(await list.json()).toMatchObject({ runs: [{ run_id: id, status: 'queued' }], next: null })
  })

  it('has its address below a base path of other letters', async () => {
    const app = createApp(open([]).agent, { basePath: '/日本' })
    const response = await app.request('/日本/api/v1/runs', enqueue('Hi'))
    expect(response.status).toBe(202)
    const location = response.headers.get('location') ?? ''
    expect(await (await app.request(`${location}?user_id=ada`)).json()).toMatchObject({ status: 'queued' })
  })

  it('takes a text that was cut within a character, as a chat does', async () => {
    const { agent } = open(['Hello.'])
    const app = createApp(agent, { log: () => {} })
    await enqueued(app, enqueue('Hi \ud83d', { session_id: 'second' }))
    expect((await app.request('/api/v1/chat', enqueue('Hi \ud83d'))).status).toBe(200)
    const history = await app.request('/api/v1/chat_history?user_id=ada&session_id=first')
    expect(await history.json()).toMatchObject([{ message: 'Hi \ufffd' }, { message: 'Hello.' }])
  })

  it('takes files as a chat does, in a body above the limit of one without', async () => {
    const { agent } = open([], { knowledge: folderKnowledge(folder.path) })
    const app = createApp(agent, { limits: { bodyBytes: 50_000 } })
    const form = new FormData()
    for (const [name, value] of Object.entries(validFields)) form.append(name, value)
    form.append('files', new File(['x'.repeat(100_000)], 'long.txt'))
    const sent = new Response(form)
    const body = await sent.arrayBuffer()
    const type = sent.headers.get('content-type') ?? ''
    const headers = { 'content-type': type, 'content-length': String(body.byteLength) }
    await enqueued(app, { method: 'POST', body, headers })
    expect(readdirSync(folder.path)).toEqual(['long.txt'])
  })

  it.each([
    ['no session', { session_id: '' }, 422, 'invalid-field'],
    ['no question', { chat_data: '{"messages":[]}' }, 400, 'malformed-chat-data'],
    ['a run of another session as `replaces`', { replaces: 'run_unknown' }, 404, 'not-found'],
  ])('refuses %s', async (_, fields, status, code) => {
    const app = createApp(open([]).agent)
    const problem = await expectProblem(await app.request('/api/v1/runs', enqueue('Hi', fields)), status, code)
    if ('replaces' in fields) expect(problem.errors).toMatchObject([{ path: ['replaces'] }])
  })

  it('refuses a message that is too large to be stored with its run, and says how large it may be', async () => {
    const { agent } = open([])
    const app = createApp(agent)
    const messages = [{ role: 'user', content: 'x'.repeat(1_048_577) }]
    const body = JSON.stringify({ user_id: 'ada', session_id: 'first', messages })
    const headers = { 'content-type': 'application/json' }
    const problem = await expectProblem(
      await app.request('/api/v1/runs', { method: 'POST', body, headers }),
      413,
      'invalid-argument',
    )
    expect(problem.detail).toMatch(/has 1048579 bytes as JSON; a background run takes at most 1048576\. Send less text/)
    expect(await agent.runs()).toEqual([])
  })

  it('needs sessions that keep background runs', async () => {
    await expectProblem(await createApp(fakeAgent()).request('/api/v1/runs', enqueue('Hi')), 400, 'unsupported')
    // The steps of a workflow are not stored.
    const writer = new Agent({ name: 'Writer', model: scriptedModel([]) })
    const flow = workflow({ sessions: open([]).sessions })
      .step(writer)
      .asAgent()
    const problem = await expectProblem(
      await createApp(flow).request('/api/v1/runs', enqueue('Hi')),
      400,
      'unsupported',
    )
    expect(problem.detail).toContain('no background runs')
  })

  it('refuses more queued runs than the limit, to be sent again later', async () => {
    const app = createApp(open([]).agent, { limits: { userQueued: 1 } })
    await enqueued(app, enqueue('One'))
    const response = await app.request('/api/v1/runs', enqueue('Two', { session_id: 'second' }))
    await expectProblem(response, 503, 'overloaded')
    expect(response.headers.get('retry-after')).toBe('5')
    await enqueued(app, enqueue('Other', { user_id: 'bob' }))
  })

  it('refuses a user whose runs have used up the day', async () => {
    const { agent } = open([{ text: 'Hi.', usage: { inputTokens: 60, outputTokens: 60 } }])
    const app = createApp(agent, { limits: { userDailyTokens: 100 } })
    expect((await app.request('/api/v1/chat', enqueue('Hi'))).status).toBe(200)
    await expectProblem(await app.request('/api/v1/runs', enqueue('Again')), 429, 'budget')
  })
})

describe('an Idempotency-Key of a background run', () => {
  it('is one run, in any state', async () => {
    const stored = open(['The report.'])
    const app = createApp(stored.agent)
    const headers = { 'idempotency-key': 'key-1' }
    const first = await enqueued(app, enqueue('Write', {}, headers))
    await work(stored)
    await expect.poll(() => statusOf(app, first.id), patiently).toBe('done')
    const { id, response } = await enqueued(app, enqueue('Write', {}, headers))
    expect(id).toBe(first.id)
    expect(await response.json()).toEqual({ run_id: id, status: 'queued' })
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(response.headers.get('location')).toBe(`/api/v1/runs/${id}`)
  })

  it('is refused for another message', async () => {
    const app = createApp(open([]).agent)
    const headers = { 'idempotency-key': 'key-1' }
    await enqueued(app, enqueue('Write', {}, headers))
    await expectProblem(await app.request('/api/v1/runs', enqueue('Else', {}, headers)), 422, 'idempotency-key-reused')
  })

  it('finds the run whose answer was not stored, as its process died', async () => {
    const { agent } = open([])
    const { answers } = agent.sessions.runs ?? expect.unreachable()
    const app = createApp(agent)
    const headers = { 'idempotency-key': 'key-1' }
    const first = await enqueued(app, enqueue('Write', {}, headers))
    // Simulates a process that has stored only the run.
    const store = answers.reserve
    answers.reserve = async () => undefined
    const { id } = await enqueued(app, enqueue('Write', {}, headers))
    answers.reserve = store
    expect(id).toBe(first.id)
  })

  it('begins another run when the answer of the first is no longer kept, and finds that one again', async () => {
    const stored = open(['One.', 'Two.', 'Three.'])
    const { answers, prune } = stored.sessions.runs ?? expect.unreachable()
    const app = createApp(stored.agent)
    const headers = { 'idempotency-key': 'k'.repeat(255) }
    await work(stored)
    const ids: string[] = []
    const database = new DatabaseSync(stored.path)
    for (const _day of [1, 2, 3]) {
      const { id, response } = await enqueued(app, enqueue('Write', {}, headers))
      expect(response.headers.get('idempotency-replayed')).toBeNull()
      const { reserve } = answers
      answers.reserve = async () => undefined
      expect((await enqueued(app, enqueue('Write', {}, headers))).id).toBe(id)
      answers.reserve = reserve
      await expect.poll(() => statusOf(app, id), patiently).toBe('done')
      ids.push(id)
      database.exec(
        `UPDATE runs SET ended_at = ended_at - ${dayMs + 1}; UPDATE answers SET created_at = created_at - ${dayMs + 1}`,
      )
      await prune({ answersMs: dayMs })
    }
    database.close()
    expect(new Set(ids).size).toBe(3)
  })
})

describe('a background run over HTTP', () => {
  it('is followed from the start, also while it is queued', async () => {
    const stored = open(['The report.'])
    const app = createApp(stored.agent)
    const { id } = await enqueued(app, enqueue('Write'))
    const response = await app.request(`/api/v1/runs/${id}/events?user_id=ada`)
    expect(response.status).toBe(200)
    await work(stored)
    const events = eventsIn(await response.text())
    expect(events.at(0)).toMatchObject({ id: 1, type: 'run-start' })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', data: { text: 'The report.' } })
    const again = await app.request(`/api/v1/runs/${id}/events?user_id=ada`)
    expect(eventsIn(await again.text())).toEqual(events)
  })

  it('is cancelled while it is queued', async () => {
    const app = createApp(open([]).agent)
    const { id } = await enqueued(app, enqueue('Write'))
    const response = await app.request(`/api/v1/runs/${id}/cancel?user_id=ada`, { method: 'POST' })
    expect(await response.json()).toMatchObject({ status: 'failed', finish_reason: 'aborted' })
  })

  it('waits for an approval, and is continued by a worker once it is decided', async () => {
    const stored = open([payTurn, 'Paid.'])
    const app = createApp(stored.agent)
    await work(stored)
    const { id } = await enqueued(app, enqueue('Pay 5'))
    await expect.poll(() => statusOf(app, id), patiently).toBe('waiting')
    expect(stored.paid).toEqual([])
    const [{ approval_id } = { approval_id: '' }] = (await runOf(app, id)).approvals as { approval_id: string }[]
    const decision = JSON.stringify({ user_id: 'ada', approve: true })
    const response = await app.request(`/api/v1/runs/${id}/approvals/${approval_id}`, {
      ...{ method: 'POST', body: decision },
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    })
    expect(eventsIn(await response.text()).at(-1)).toMatchObject({ type: 'run-end', data: { text: 'Paid.' } })
    expect(stored.paid).toEqual([5])
    expect(await runOf(app, id)).toMatchObject({ status: 'done', answer: 'Paid.' })
  })

  it('is of its user alone', async () => {
    const tokens = { 'token-of-ada-00000001': 'ada', 'token-of-bob-00000001': 'bob' }
    const app = createApp(open([]).agent, { auth: { tokens } })
    const { id } = await enqueued(app, enqueue('Write', {}, { authorization: 'Bearer token-of-ada-00000001' }))
    const headers = { authorization: 'Bearer token-of-bob-00000001' }
    for (const path of [`/api/v1/runs/${id}`, `/api/v1/runs/${id}/events`]) {
      await expectProblem(await app.request(path, { headers }), 404, 'not-found')
    }
  })

  it('is deleted with its session, also while it is queued', async () => {
    const app = createApp(open([]).agent)
    const { id } = await enqueued(app, enqueue('Write'))
    const response = await app.request('/api/v1/sessions/first?user_id=ada', { method: 'DELETE' })
    expect(response.status).toBe(204)
    await expectProblem(await app.request(`/api/v1/runs/${id}?user_id=ada`), 404, 'not-found')
  })
})
