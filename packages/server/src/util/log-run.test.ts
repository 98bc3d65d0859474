import { once } from 'node:events'
import { Agent, AgentKitError, memorySessions } from '@agentkit/core'
import { setTracer, type Tracer } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { until } from '../__fixtures__/requests.ts'
import { ask, heldTool, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'
import { serve } from '../serve.ts'
import type { LogEntry } from './log.ts'

const stored = storedAgents()

it('logs a line for a run, or for its failure, with the ids of request, run and trace, and without content', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const tracer: Pick<Tracer, 'start' | 'continueTrace'> = {
    continueTrace: (_header, work) => work(),
    start: () => ({ id: `00-${traceId}-b7ad6b7169203331-01`, within: (work) => work(), link() {}, end() {} }),
  }
  const entries: LogEntry[] = []
  const failure = new AgentKitError('auth', 'confidential refusal', { retryable: false })
  const answer = { text: 'confidential answer', usage: { inputTokens: 4, outputTokens: 2 } }
  const { agent } = stored([answer, failure, failure, failure])
  const app = createApp(agent, { log: (entry) => entries.push(entry) })
  const remove = setTracer(tracer as Tracer) // no header is asked for
  try {
    const good = await app.request('/api/v1/chat', ask('confidential question', {}, { 'x-request-id': 'req-1' }))
    await good.text()
    await (await app.request('/api/v1/chat', ask('Again', {}, { 'x-request-id': 'req-2' }))).text()
    const streamed = ask('Again', {}, { 'x-request-id': 'req-3', accept: 'text/event-stream' })
    await (await app.request('/api/v1/chat', streamed)).text()
    const kept = ask('Again', { resumable: 'true' }, { 'x-request-id': 'req-4', accept: 'text/event-stream' })
    await (await app.request('/api/v1/chat', kept)).text()
    await new Promise(setImmediate)
  } finally {
    remove()
  }
  const ids = { trace_id: traceId, run_id: expect.stringMatching(/^run_/) }
  const [first, ...others] = entries
  expect(first).toEqual({
    ...{ time: expect.any(String), level: 'info', message: 'A run has ended.', request_id: 'req-1', ...ids },
    ...{ finish_reason: 'stop', duration_ms: expect.any(Number), input_tokens: 4, output_tokens: 2 },
  })
  expect(others).toMatchObject([
    { level: 'error', request_id: 'req-2', code: 'auth', ...ids },
    { level: 'error', request_id: 'req-3', code: 'auth', ...ids },
    { level: 'error', request_id: 'req-4', code: 'auth', ...ids },
  ])
  expect(others).toHaveLength(3)
  expect(JSON.stringify(first)).not.toContain('confidential')
})

it.each([
  ['whose failure is the answer of a 4xx', { 'x-request-id': 'req-1' }, { level: 'error', code: 'content-filter' }],
  ['streamed', { 'x-request-id': 'req-1', accept: 'text/event-stream' }, { level: 'error', code: 'content-filter' }],
])('logs a run %s', async (_name, headers, expected) => {
  const entries: LogEntry[] = []
  const failure = new AgentKitError('content-filter', 'refused', { retryable: false })
  const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel([failure]) })
  const app = createApp(agent, { log: (entry) => entries.push(entry) })
  await (await app.request('/api/v1/chat', ask('Hi', {}, headers))).text()
  await until(() => entries.length > 0)
  expect(entries).toMatchObject([
    { ...expected, message: 'A run has failed.', request_id: 'req-1', finish_reason: 'error' },
  ])
})

it.each([
  ['whole', 'false', 'application/json'],
  ['streamed', 'false', 'text/event-stream'],
  ['streamed and resumable', 'true', 'text/event-stream'],
])('logs with a failed request what its run has used: %s', async (_name, resumable, accept) => {
  const entries: LogEntry[] = []
  const failure = new AgentKitError('auth', 'refused', { retryable: false })
  const called = { toolCalls: [{ name: 'pay' }], usage: { inputTokens: 4, outputTokens: 2 } }
  const { agent } = stored([called, failure], { functions: [] })
  const app = createApp(agent, { log: (entry) => entries.push(entry) })
  await (await app.request('/api/v1/chat', ask('Hi', { resumable }, { accept }))).text()
  await until(() => entries.length > 0)
  expect(entries).toMatchObject([
    { level: 'error', code: 'auth', status: 502, finish_reason: 'error', input_tokens: 4, output_tokens: 2 },
  ])
})

it('logs a run that was cancelled once, and as no failure', async () => {
  const entries: LogEntry[] = []
  const hangs = async (_request: unknown, signal: AbortSignal): Promise<string> => {
    await once(signal, 'abort')
    throw new AgentKitError('aborted', 'aborted')
  }
  const { agent } = stored([hangs])
  // The answer begins with the first heartbeat, as the model says nothing.
  const app = createApp(agent, { log: (entry) => entries.push(entry), limits: { heartbeatMs: 20 } })
  const response = await app.request('/api/v1/chat', ask('Hi', {}, { accept: 'text/event-stream' }))
  await agent.cancel(response.headers.get('x-run-id') ?? '')
  await response.text()
  await until(() => entries.length > 0)
  expect(entries).toMatchObject([{ level: 'info', message: 'A run has ended.', finish_reason: 'aborted' }])
})

it.each(['false', 'true'])('logs no run that is refused as its session is busy, resumable: %s', async (resumable) => {
  const entries: LogEntry[] = []
  const { wait, begun, release } = heldTool()
  const { agent } = stored([{ toolCalls: [{ name: 'wait' }] }, 'Done.'], { functions: [wait], onBusy: 'reject' })
  const app = createApp(agent, { log: (entry) => entries.push(entry) })
  const first = app.request('/api/v1/chat', ask('Hi'))
  await begun
  const streamed = await app.request('/api/v1/chat_stream', ask('Hi', { resumable }))
  expect(await streamed.text()).toContain('session-busy')
  release()
  expect(await (await first).text()).toBe('Done.')
  await new Promise(setImmediate)
  expect(entries).toMatchObject([{ level: 'info', message: 'A run has ended.' }])
})

it('logs no run that was refused before it began', async () => {
  const entries: LogEntry[] = []
  const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel([]), sessions: memorySessions() })
  const app = createApp(agent, { log: (entry) => entries.push(entry) })
  const response = await app.request('/api/v1/chat', ask('Hi', { replaces: 'run_unknown' }))
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    detail: expect.stringContaining('replaces'),
    errors: [{ path: ['replaces'] }],
  })
  await new Promise(setImmediate)
  expect(entries).toEqual([])
})

it('logs no run that is left to the next server', async () => {
  const entries: LogEntry[] = []
  const { wait, begun, release } = heldTool()
  const { agent, sessions } = stored([{ toolCalls: [{ name: 'wait' }] }], { functions: [wait] })
  const server = await serve(agent, { port: 0, log: (entry) => entries.push(entry) })
  const fields = { resumable: 'true' }
  const response = await fetch(`${server.url}/api/v1/chat_stream`, ask('Hi', fields))
  const runId = response.headers.get('x-run-id') ?? ''
  await begun
  const closed = server.close()
  release()
  await Promise.all([closed, response.text()])
  expect((await sessions.runs?.read(runId))?.record.status).toBe('running')
  expect(entries).toEqual([])
})

it.each(['application/json', 'text/event-stream'])(
  'logs a failure once of a run that a decision has continued (%s)',
  async (accept) => {
    const entries: LogEntry[] = []
    const failure = new AgentKitError('auth', 'refused', { retryable: false })
    const { agent } = stored([payTurn, failure])
    const app = createApp(agent, { log: (entry) => entries.push(entry) })
    const asked = await app.request('/api/v1/chat', ask('Pay', { resumable: 'true' }, { accept: 'application/json' }))
    const { run_id, approvals } = (await asked.json()) as { run_id: string; approvals: { approval_id: string }[] }
    const decision = await app.request(`/api/v1/runs/${run_id}/approvals/${approvals[0]?.approval_id}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', accept, 'x-request-id': 'req-decision' } },
      body: JSON.stringify({ user_id: 'ada', approve: true }),
    })
    await decision.text()
    await until(() => entries.length > 1)
    await new Promise(setImmediate)
    expect(entries).toMatchObject([
      { level: 'info', message: 'A run waits for approval.' },
      { level: 'error', message: 'A run has failed.', code: 'auth', run_id, request_id: 'req-decision' },
    ])
  },
)

it('logs the path of a failed request without control characters, also by a logger of the application', async () => {
  const log: LogEntry[] = []
  const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel([]), sessions: memorySessions() })
  const app = createApp(agent, { log: (entry) => void log.push(entry) })
  app.get('/reports/:name', () => {
    throw new Error('The disk is full.')
  })
  expect((await app.request('/reports/caf%C3%A9%0A%1B%5B31m%C2%9B%E2%80%AE')).status).toBe(500)
  expect(log.map(({ path }) => path)).toEqual(['/reports/café\\u000a\\u001b[31m\\u009b\\u202e'])
})
