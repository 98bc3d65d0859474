import { AgentKitError, type SessionStore } from '@agentkit/core'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { expectProblem, until } from '../__fixtures__/requests.ts'
import { ask, eventsIn, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const storedAgent = storedAgents()
const quiet = { log: () => {} }
const resumable = { resumable: 'true' }

async function untilEnded(sessions: SessionStore, runId: string): Promise<void> {
  let status: string | undefined
  await until(() => {
    void sessions.runs?.read(runId).then((stored) => {
      status = stored?.record.status
    })
    return status === 'done' || status === 'failed'
  })
}

function eventsOf(
  app: Hono,
  runId: string | null,
  query = '',
  headers: Record<string, string> = {},
): Promise<Response> {
  return Promise.resolve(app.request(`/api/v1/runs/${runId}/events?user_id=ada${query}`, { headers }))
}

/** Reads a stream until its text has what is looked for. */
async function readUntil(
  response: Response,
  wanted: string,
): Promise<{ text: string; rest(): Promise<string>; leave(): Promise<void> }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(wanted)) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) throw new Error(`The stream ended without ${wanted}: ${text}`)
    text += value
  }
  const rest = async (): Promise<string> => {
    let more = ''
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return more
      more += value
    }
  }
  return { text, rest, leave: async () => void (await reader?.cancel()) }
}

describe('a resumable chat', () => {
  it('streams events whose numbers begin at 1, and they can be read again', async () => {
    const { agent } = storedAgent(['Hello there.'])
    const app = createApp(agent, quiet)
    const response = await app.request('/api/v1/chat_stream', ask('Hi', resumable))
    const runId = response.headers.get('x-run-id')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const body = await response.text()
    const events = eventsIn(body)
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
    expect(events.at(0)?.type).toBe('run-start')
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'Hello there.' })
    const again = await eventsOf(app, runId)
    expect(again.headers.get('x-run-id')).toBe(runId)
    expect(eventsIn(await again.text())).toEqual(events)
    expect(eventsIn(await (await eventsOf(app, runId, '', { 'last-event-id': '2' })).text())).toEqual(events.slice(2))
    expect(eventsIn(await (await eventsOf(app, runId, '&after=3')).text())).toEqual(events.slice(3))
    expect(eventsIn(await (await eventsOf(app, runId, '&after=1', { 'last-event-id': '3' })).text())).toEqual(
      events.slice(3),
    )
    const last = String(events.at(-1)?.id)
    expect((await eventsOf(app, runId, '', { 'last-event-id': last })).status).toBe(204)
  })

  it('ends with `run-end` when its session is deleted', async () => {
    const { agent } = storedAgent([() => new Promise<never>(() => {})])
    const app = createApp(agent, quiet)
    const response = await app.request('/api/v1/chat_stream', ask('Hi', { ...resumable, session_id: 'gone' }))
    const { text, rest } = await readUntil(response, 'step-start')
    expect((await app.request('/api/v1/sessions/gone?user_id=ada', { method: 'DELETE' })).status).toBe(204)
    const events = eventsIn(text + (await rest()))
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'aborted', error: { code: 'aborted' } })
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
  })

  it('ends without `run-end` where its events are removed while they are read', async () => {
    const { agent, sessions } = storedAgent([{ text: 'word '.repeat(40_000), deltas: 600 }])
    const app = createApp(agent, quiet)
    const response = await app.request('/api/v1/chat_stream', ask('Hi', resumable))
    const runId = response.headers.get('x-run-id')
    expect(eventsIn(await response.text()).at(-1)?.type).toBe('run-end')
    const { text, rest } = await readUntil(await eventsOf(app, runId), 'text-delta')
    await sessions.runs?.prune({ eventsMs: 1 })
    const events = eventsIn(text + (await rest()))
    expect(events.map(({ type }) => type)).not.toContain('run-end')
    const again = await eventsOf(app, runId, '', { 'last-event-id': String(events.at(-1)?.id) })
    expect(await expectProblem(again, 410, 'stream-expired')).toMatchObject({ oldest: null })
  })

  it('sends the headers as soon as the run has an id, and continues when its client leaves', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent } = storedAgent([() => promise])
    const app = createApp(agent, quiet)
    const response = await app.request('/api/v1/chat_stream', ask('Hi', resumable))
    expect(response.status).toBe(200)
    const runId = response.headers.get('x-run-id')
    const { leave } = await readUntil(response, 'step-start')
    await leave()
    const follower = await readUntil(await eventsOf(app, runId), 'step-start')
    resolve('Hello.')
    expect(follower.text + (await follower.rest())).toContain('"finishReason":"stop"')
    const body = await (await app.request(`/api/v1/runs/${runId}?user_id=ada`)).json()
    expect(body).toMatchObject({ status: 'done', answer: 'Hello.' })
  })

  it('ends its stream with the failure of its run, in our own sentence', async () => {
    const { agent } = storedAgent([new Error('boom sk-1234567890abcdef')])
    const response = await createApp(agent, quiet).request('/api/v1/chat_stream', ask('Hi', resumable))
    expect(response.status).toBe(200)
    const body = await response.text()
    expect(eventsIn(body).at(-1)?.data).toMatchObject({
      finishReason: 'error',
      error: { code: 'provider-error', message: 'The model provider failed.' },
    })
    expect(body).not.toContain('boom')
  })

  it('ends its stream with a run-end where the run could not begin', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model } = storedAgent([() => promise], { onBusy: 'reject' })
    const app = createApp(agent, quiet)
    const busy = app.request('/api/v1/chat', ask('Hi'))
    await until(() => model.requests.length > 0)
    const response = await app.request('/api/v1/chat_stream', ask('Hi', resumable))
    expect(eventsIn(await response.text())).toMatchObject([
      { data: { type: 'run-end', error: { code: 'session-busy' } } },
    ])
    resolve('Done.')
    await busy
  })

  it('ends its stream when the run waits; opened with that id, it stays until the run continues', async () => {
    const { agent, paid } = storedAgent([payTurn, 'Paid.'])
    const app = createApp(agent, { ...quiet, limits: { heartbeatMs: 20 } })
    const response = await app.request('/api/v1/chat_stream', ask('Pay', resumable))
    const runId = response.headers.get('x-run-id')
    const first = eventsIn(await response.text())
    expect(first.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'approval' })
    const { approvalId } = first.find(({ type }) => type === 'approval-request')?.data ?? {}
    const last = String(first.at(-1)?.id)
    const follower = await readUntil(await eventsOf(app, runId, '', { 'last-event-id': last }), ': keep-alive')
    const decision = {
      method: 'POST',
      body: '{"user_id":"ada","approve":true}',
      headers: { 'content-type': 'application/json' },
    }
    expect((await app.request(`/api/v1/runs/${runId}/approvals/${approvalId}`, decision)).status).toBe(200)
    const second = eventsIn(await follower.rest())
    expect(second.at(0)?.type).toBe('run-start')
    expect(second.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'Paid.' })
    expect(second.every(({ id }) => id > Number(last))).toBe(true)
    expect(paid).toEqual([5])
    const all = eventsIn(await (await eventsOf(app, runId)).text())
    expect(all).toEqual(first)
  })

  it('is 400 where the sessions keep no runs', async () => {
    const { memorySessions } = await import('@agentkit/core')
    const { agent } = storedAgent([], { sessions: memorySessions() })
    const app = createApp(agent, quiet)
    for (const path of ['/api/v1/chat', '/api/v1/chat_stream']) {
      await expectProblem(await app.request(path, ask('Hi', resumable)), 400, 'unsupported')
    }
  })

  it('is not bound by the deadline of runs that a connection waits for', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { agent, model } = storedAgent([() => promise])
    const app = createApp(agent, { ...quiet, limits: { deadlineMs: 30 } })
    const answer = app.request('/api/v1/chat', ask('Hi', resumable))
    await until(() => model.requests.length > 0)
    await new Promise((later) => setTimeout(later, 60))
    resolve('Hello.')
    expect(await (await answer).text()).toBe('Hello.')
  })

  it('has a deadline of its own', async () => {
    const { agent } = storedAgent([
      (_request, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
    const app = createApp(agent, { ...quiet, limits: { backgroundMs: 30 } })
    await expectProblem(await app.request('/api/v1/chat', ask('Hi', resumable)), 504, 'timeout')
  })

  it('drops a client that does not read; the run does not wait for it, and the rest can be read later', async () => {
    const { agent, sessions } = storedAgent([{ text: 'x'.repeat(1024 * 1024), deltas: 500 }])
    const app = createApp(agent, { ...quiet, limits: { stalledMs: 600_000 } })
    let isDropped = false
    const outgoing = {
      destroy: () => {
        isDropped = true
      },
    }
    const response = await app.request('/api/v1/chat_stream', ask('Hi', resumable), { outgoing })
    const runId = response.headers.get('x-run-id') ?? ''
    const { text, rest } = await readUntil(response, 'text-delta')
    await untilEnded(sessions, runId)
    await until(() => isDropped)
    const received = eventsIn(text + (await rest()))
    const last = received.at(-1)?.id ?? 0
    expect(received.some(({ type }) => type === 'run-end')).toBe(false)
    const events = eventsIn(await (await eventsOf(app, runId, `&after=${last}`)).text())
    expect(events.at(0)?.id).toBe(last + 1)
    expect(events.at(-1)?.type).toBe('run-end')
  })

  it('sends everything to a client that reads slowly', async () => {
    const { agent } = storedAgent([{ text: 'x'.repeat(1024 * 1024), deltas: 500 }])
    const response = await createApp(agent, quiet).request('/api/v1/chat_stream', ask('Hi', resumable))
    let body = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      body += chunk
      await new Promise((later) => setTimeout(later, 20))
    }
    expect(eventsIn(body).at(-1)?.type).toBe('run-end')
  })
})

describe('GET /api/v1/runs/{id}/events', () => {
  it('answers HEAD with the headers alone, and follows nothing', async () => {
    const { agent } = storedAgent([payTurn])
    const app = createApp(agent, { ...quiet, limits: { stalledMs: 10 } })
    const runId = (await app.request('/api/v1/chat', ask('Pay', resumable))).headers.get('x-run-id')
    let isDropped = false
    const outgoing = {
      destroy: () => {
        isDropped = true
      },
    }
    const path = `/api/v1/runs/${runId}/events?user_id=ada`
    const response = await app.request(path, { method: 'HEAD' }, { outgoing })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    // A stream that is followed drops its client, who reads nothing.
    await new Promise((later) => setTimeout(later, 50))
    expect(isDropped).toBe(false)
  })

  it('is 404 for a run that keeps no events, and for one of another user', async () => {
    const { agent } = storedAgent(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    const plain = (await app.request('/api/v1/chat', ask('Hi'))).headers.get('x-run-id')
    await expectProblem(await eventsOf(app, plain), 404, 'not-found')
    const kept = (await app.request('/api/v1/chat', ask('Hi', resumable))).headers.get('x-run-id')
    await expectProblem(await app.request(`/api/v1/runs/${kept}/events?user_id=eve`), 404, 'not-found')
    await expectProblem(await eventsOf(app, 'run_unknown'), 404, 'not-found')
  })

  it.each(['abc', '-1', '1.5', '', ' 1', '1e3', '99999', '9'.repeat(400)])('is 400 for the event %j', async (id) => {
    const { agent } = storedAgent(['One.'])
    const app = createApp(agent, quiet)
    const runId = (await app.request('/api/v1/chat', ask('Hi', resumable))).headers.get('x-run-id')
    const inQuery = await eventsOf(app, runId, `&after=${encodeURIComponent(id)}`)
    expect((await expectProblem(inQuery, 400, 'invalid-field')).detail).toMatch(/^after must /)
    if (id.trim() !== id) return
    const inHeader = await eventsOf(app, runId, '', { 'last-event-id': id })
    expect((await expectProblem(inHeader, 400, 'invalid-field')).detail).toMatch(/^Last-Event-ID must /)
  })

  it('is 410 with the oldest event that is kept, or null', async () => {
    const { agent, sessions } = storedAgent(['One.'])
    const app = createApp(agent, quiet)
    const runId = (await app.request('/api/v1/chat', ask('Hi', resumable))).headers.get('x-run-id')
    // Repeats until a millisecond has passed since the end of the run.
    while (await sessions.runs?.eventRange(runId ?? '')) await sessions.runs?.prune({ eventsMs: 1 })
    for (const query of ['', '&after=0', '&after=1']) {
      const problem = await expectProblem(await eventsOf(app, runId, query), 410, 'stream-expired')
      expect(problem).toMatchObject({ oldest: null })
    }
    const { lastSeq } = (await sessions.runs?.read(runId ?? '')) ?? {}
    expect((await eventsOf(app, runId, `&after=${lastSeq}`)).status).toBe(204)
  })

  it('continues after the last event of a run that is retried once its events were removed', async () => {
    const broken = new AgentKitError('auth', 'No key.', { retryable: false })
    const { agent, sessions } = storedAgent([broken, 'Done.'])
    const app = createApp(agent, quiet)
    const { runId } = await agent.enqueue('Hi', { userId: 'ada', sessionId: 's' })
    const worker = await agent.work()
    await agent.result(runId).catch(() => {})
    await untilEnded(sessions, runId)
    const { lastSeq = 0 } = (await sessions.runs?.read(runId)) ?? {}
    while (await sessions.runs?.eventRange(runId)) await sessions.runs?.prune({ eventsMs: 1 })
    await agent.retry(runId)
    expect((await agent.result(runId)).text).toBe('Done.')
    await worker.close()
    const events = eventsIn(await (await eventsOf(app, runId, `&after=${lastSeq}`)).text())
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run-start', 'run-end'])
    const followed = []
    for await (const { seq } of agent.follow(runId, { after: lastSeq })) followed.push(seq)
    expect(followed).toEqual(events.map(({ id }) => id))
    const problem = await expectProblem(await eventsOf(app, runId, `&after=${lastSeq - 1}`), 410, 'stream-expired')
    expect(problem).toMatchObject({ oldest: events[0]?.id })
    const missed = agent.follow(runId, { after: lastSeq - 1 })[Symbol.asyncIterator]()
    await expect(missed.next()).rejects.toMatchObject({ code: 'not-found' })
  })
})
