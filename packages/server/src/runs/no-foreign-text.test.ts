import { Agent, AgentKitError, type ErrorCode, memorySessions, Swarm, tool } from '@agentkit/core'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { ask, eventsIn, payTurn, storedAgents } from '../__fixtures__/stored-agent.ts'
import { createApp } from '../create-app.ts'

const storedAgent = storedAgents()
const secret = 'sk-1234567890abcdef at /etc/canary'
const readTurn: ScriptedTurn = { toolCalls: [{ name: 'read' }] }
const read = tool({
  name: 'read',
  description: 'Fails.',
  input: { type: 'object' },
  execute: () => {
    throw new Error(`ENOENT ${secret}`)
  },
})

it('55 shows no error text of a tool or a model, in any answer about a run', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Fails.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => {
      throw new Error(`EPERM ${secret}`)
    },
  })
  const { agent } = storedAgent([readTurn, payTurn, new Error(`boom ${secret}`)], { functions: [read, pay] })
  const app = createApp(agent, { log: () => {} })
  const bodies: string[] = []
  const send = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await app.request(path, init)
    bodies.push(`${path} ${await response.clone().text()} ${JSON.stringify([...response.headers])}`)
    return response
  }
  const keyed = ask('Read', { resumable: 'true' }, { 'idempotency-key': 'a' })
  const stream = await send('/api/v1/chat_stream', keyed)
  const runId = stream.headers.get('x-run-id')
  const events = eventsIn(await stream.text())
  expect(events.find(({ type }) => type === 'tool-result')?.data).toMatchObject({
    isError: true,
    output: 'A tool failed.',
  })
  const { approvalId } = events.find(({ type }) => type === 'approval-request')?.data ?? {}
  const own = `/api/v1/runs/${runId}`
  const decision = { method: 'POST', body: '{"user_id":"ada","approve":true}' }
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  await send(`${own}/approvals/${approvalId}`, { ...decision, headers })
  for (const path of [own, `${own}/events`, `${own}/events`, '/api/v1/runs']) {
    await send(`${path}?user_id=ada`)
  }
  await send(`${own}/events?user_id=ada&after=${events.at(-1)?.id}`)
  await send(`${own}/cancel?user_id=ada`, { method: 'POST' })
  await send(`${own}/approvals/${approvalId}`, { ...decision, headers })
  await send('/api/v1/chat_stream', keyed)
  expect((await send(`${own}?user_id=ada`)).status).toBe(200)
  const body = await (await app.request(`${own}?user_id=ada`)).json()
  expect(body).toMatchObject({
    status: 'failed',
    error: { code: 'provider-error', detail: 'The model provider failed.' },
  })
  for (const text of bodies) {
    for (const word of ['canary', 'sk-', 'ENOENT', 'EPERM', 'boom']) expect(text).not.toContain(word)
  }
})

it('55 shows no error text of a member in the task of the next one', async () => {
  const ben = scriptedModel(['Done.'])
  const agents = [
    new Agent({ name: 'Ann', functions: [], model: scriptedModel([new Error(`boom ${secret}`)]) }),
    new Agent({ name: 'Ben', functions: [], model: ben }),
  ]
  const swarm = new Swarm({ name: 'Team', agents, collaboration: ({ answers }) => ['ann', 'ben'][answers.length] })
  const response = await createApp(swarm, { log: () => {} }).request('/api/v1/chat_stream', ask('Read'))
  const text = await response.text()
  expect(eventsIn(text).at(-1)?.data).toMatchObject({ finishReason: 'stop', text: 'Done.' })
  expect(ben.requests[0]?.messages.at(-1)?.content).toBe('Read\n\nAnn has given no answer (failed).')
  for (const word of ['canary', 'sk-', 'boom']) expect(text).not.toContain(word)
})

const codes: ErrorCode[] = [
  ...(['auth', 'rate-limit', 'quota', 'overloaded', 'context-overflow', 'content-filter', 'model-not-found'] as const),
  ...([
    'bad-request',
    'invalid-tool-call',
    'provider-error',
    'network',
    'timeout',
    'malformed-stream',
    'budget',
  ] as const),
  ...(['invalid-config', 'invalid-argument', 'unsupported', 'not-found', 'session-conflict', 'storage'] as const),
]
const keyed = { 'content-type': 'application/json' }
const question = { role: 'user', content: 'Read' }
const agui = { threadId: 't', runId: 'r', messages: [{ id: 'm', ...question }], tools: [], context: [] }
const part = { type: 'text', text: 'Read' }
const rpc = { jsonrpc: '2.0', id: 1 }
const a2a = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Read' }] }
const asked: [string, string, object][] = [
  ['chat', '/api/v1/chat', { user_id: 'ada', session_id: 's', messages: [question] }],
  ['chat_stream', '/api/v1/chat_stream', { user_id: 'ada', session_id: 's', messages: [question] }],
  ['chat completions', '/v1/chat/completions', { model: 'guide', messages: [question] }],
  ['a stream of chat completions', '/v1/chat/completions', { model: 'guide', messages: [question], stream: true }],
  ['responses', '/v1/responses', { model: 'guide', input: 'Read' }],
  ['a stream of responses', '/v1/responses', { model: 'guide', input: 'Read', stream: true }],
  ['useChat', '/ui/chat', { id: 's', messages: [{ id: 'm', role: 'user', parts: [part] }] }],
  ['AG-UI', '/agui', agui],
  ['MCP', '/mcp', { ...rpc, method: 'tools/call', params: { name: 'ask_agent', arguments: { message: 'Read' } } }],
  ['A2A', '/a2a', { ...rpc, method: 'SendMessage', params: { message: a2a } }],
  ['a stream of A2A', '/a2a', { ...rpc, method: 'SendStreamingMessage', params: { message: a2a } }],
]

it.each(asked)('55 shows by %s no key and no address that an error or its causes name', async (_, path, body) => {
  const address = 'https://proxy-user:hunter2@gateway.internal/v1?key=abc123def456'
  for (const code of codes) {
    const cause = new Error(`fetch ${address}`, {
      cause: { config: { headers: { authorization: `Bearer ${secret}` } } },
    })
    const error = new AgentKitError(code, `acme refused ${secret} at ${address}`, { cause, retryable: false })
    const model = scriptedModel([error, error])
    const agent = new Agent({ name: 'Guide', model, sessions: memorySessions() })
    const app = createApp(agent, { log: () => {}, dialects: ['openai', 'ui', 'agui', 'mcp', 'a2a'] })
    const headers = { ...keyed, accept: 'application/json, text/event-stream', 'a2a-version': '1.0' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await app.request(path, init)
    const answer = `${await response.text()} ${JSON.stringify([...response.headers])}`
    expect(model.requests.length, answer).toBeGreaterThan(0)
    for (const word of ['canary', 'sk-', 'hunter2', 'gateway.internal', 'abc123'])
      expect(answer, code).not.toContain(word)
  }
})
