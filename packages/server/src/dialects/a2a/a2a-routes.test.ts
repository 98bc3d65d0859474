import { AgentKitError, type RunStore, type SessionStore } from '@agentkit/core'
import { A2AClient as A2AClient03 } from 'a2a-sdk03/client'
import { describe, expect, it, vi } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { expectHealthy } from '../../__fixtures__/requests.ts'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import type { LogEntry } from '../../util/log.ts'

const make = storedAgents()
const options = { log: () => {}, dialects: ['a2a'] } as const
const card = '/.well-known/agent-card.json'

type Sent = { headers?: Record<string, string>; version?: string | undefined }

function post(body: unknown, { headers = {}, version = '1.0' }: Sent = {}): RequestInit {
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const own = { 'content-type': 'application/json', ...(version !== '' && { 'a2a-version': version }) }
  return { method: 'POST', body: sent, headers: { ...own, ...headers } }
}

const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 7, method, params })
const message = (parts: unknown, more: object = {}) => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts, ...more },
})
const hi = call('SendMessage', message([{ text: 'Hi' }]))

describe('POST /a2a', () => {
  it.each([
    ['what is not JSON', '{', 400, -32700, null, 'JSON'],
    ['a batch', [hi], 400, -32600, null, 'batches'],
    ['another protocol', { ...hi, jsonrpc: '1.0' }, 400, -32600, 7, 'JSON-RPC 2.0'],
    ['no object', '7', 400, -32600, null, 'JSON-RPC 2.0'],
    ['a method that is not text', { ...hi, method: 5 }, 400, -32600, 7, 'JSON-RPC 2.0'],
    ['no id', { ...hi, id: undefined }, 400, -32600, null, 'id'],
    ['an unknown method', call('Ask', {}), 404, -32601, 7, 'SendMessage'],
    ['params that are a list', call('SendMessage', []), 422, -32602, 7, 'object'],
    ['no message', call('SendMessage', {}), 422, -32602, 7, 'Required: message'],
    ['no parts', call('SendMessage', message(undefined)), 422, -32602, 7, 'message.parts'],
    ['an empty text', call('SendMessage', message([{ text: ' ' }])), 422, -32602, 7, 'a text or a file'],
    ['a part that is empty', call('SendMessage', message([{}])), 422, -32602, 7, 'must have text, raw, url or data'],
    ['a message of an agent', call('SendMessage', message([], { role: 'ROLE_AGENT' })), 422, -32602, 7, 'ROLE_USER'],
    [
      'a context that is too long',
      call('SendMessage', message([{ text: 'Hi' }], { contextId: 'c'.repeat(129) })),
      422,
      -32602,
      7,
      'contextId',
    ],
    [
      'a context that no path can have',
      call('SendMessage', message([{ text: 'Hi' }], { contextId: '..' })),
      422,
      -32602,
      7,
      'must not be "." or ".."',
    ],
    ['raw that is no base64', call('SendMessage', message([{ raw: '?' }])), 422, -32602, 7, 'base64'],
    ['an address', call('SendMessage', message([{ url: 'https://example.com/a.png' }])), 415, -32005, 7, 'data URL'],
    ['push notifications', call('CreateTaskPushNotificationConfig', {}), 400, -32003, 7, 'push notifications'],
    [
      'an address for notifications',
      call('SendMessage', {
        ...message([{ text: 'Hi' }]),
        configuration: { taskPushNotificationConfig: { url: 'https://example.com' } },
      }),
      400,
      -32003,
      7,
      'push notifications',
    ],
    ['the extended card', call('GetExtendedAgentCard', {}), 400, -32004, 7, 'no extended card'],
    ['an unknown task', call('GetTask', { id: 'run_none' }), 404, -32001, 7, 'There is no such run.'],
    [
      'a message to an unknown task',
      call('SendMessage', message([{ text: 'Hi' }], { taskId: 'run_none' })),
      404,
      -32001,
      7,
      'no such run',
    ],
    ['no task', call('CancelTask', {}), 422, -32602, 7, 'Required: id'],
    ['an unknown task to follow', call('SubscribeToTask', { id: 'run_none' }), 404, -32001, 7, 'no such run'],
    ['a page that is too long', call('ListTasks', { pageSize: 101 }), 422, -32602, 7, 'pageSize'],
    ['a page of less than one', call('ListTasks', { pageSize: -1 }), 422, -32602, 7, 'pageSize'],
    ['half a task a page', call('ListTasks', { pageSize: 1.5 }), 422, -32602, 7, 'pageSize'],
    ['a page of a text', call('ListTasks', { pageSize: '5' }), 422, -32602, 7, 'pageSize'],
    ['a context that is not text', call('ListTasks', { contextId: 5 }), 422, -32602, 7, 'contextId'],
    [
      'decisions that are none',
      call('SendMessage', message([{ data: { approvals: 'yes' } }], { taskId: 'run_none' })),
      422,
      -32602,
      7,
      'must be an object of decisions',
    ],
    ['a page that is none', call('ListTasks', { pageToken: 'x' }), 422, -32602, 7, 'pageToken'],
    ['a state that is none', call('ListTasks', { status: 'working' }), 422, -32602, 7, 'status'],
    ['a number that is no state', call('ListTasks', { status: 9 }), 422, -32602, 7, 'status'],
    ['a time that is none', call('ListTasks', { statusTimestampAfter: 'x' }), 422, -32602, 7, 'statusTimestampAfter'],
  ])('with %s is an error of JSON-RPC under its status', async (_, body, status, code, id, sentence) => {
    const app = createApp(make([]).agent, options)
    const response = await app.request('/a2a', post(body))
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    const failure = await response.json()
    expect(failure).toMatchObject({ jsonrpc: '2.0', id, error: { code, message: expect.stringContaining(sentence) } })
    expect(failure.error.data[0]['@type']).toBe('type.googleapis.com/google.rpc.ErrorInfo')
    await expectHealthy(app)
  })

  it('names an error by the reason that the protocol has for it', async () => {
    const app = createApp(make([]).agent, options)
    const { error } = await (await app.request('/a2a', post(call('GetTask', { id: 'run_none' })))).json()
    expect(error.data).toMatchObject([{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }])
  })

  it('takes null for the default of a field, as JSON of the protocol does', async () => {
    const app = createApp(make(['Hello.']).agent, options)
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
    await app.request('/a2a', post(call('SendMessage', { message })))
    const absent = { contextId: null, pageSize: null, pageToken: null, status: null, statusTimestampAfter: null }
    const response = await app.request('/a2a', post(call('ListTasks', absent)))
    expect(await response.json()).toMatchObject({ result: { totalSize: 1, pageSize: 50, tasks: [{}] } })
  })

  it('takes the number of a state for its name, as JSON of the protocol does', async () => {
    const app = createApp(make(['Hello.']).agent, options)
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
    await app.request('/a2a', post(call('SendMessage', { message })))
    const totals = [3, 'TASK_STATE_COMPLETED', 0, 6, 'TASK_STATE_REJECTED'].map(async (status) => {
      const { result } = await (await app.request('/a2a', post(call('ListTasks', { status })))).json()
      return result.totalSize
    })
    expect(await Promise.all(totals)).toEqual([1, 1, 1, 0, 0])
  })

  it.each([
    ['no version', ''],
    ['version 0.3', '0.3'],
    ['version 2.0', '2.0'],
  ])('with %s is VersionNotSupported, for clients of A2A 0.3 too', async (_, version) => {
    const app = createApp(fakeAgent(), options)
    const old = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }
    const response = await app.request('/a2a', post(call('message/send', { message: old }), { version }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: -32009, message: expect.stringContaining('A2A 1.0'), data: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
    })
  })

  it.each(['SendMessage', 'SendStreamingMessage'])('logs a run that has failed once (%s)', async (method) => {
    const entries: LogEntry[] = []
    const { agent } = make([new AgentKitError('auth', 'refused', { retryable: false })])
    const app = createApp(agent, { ...options, log: (entry) => entries.push(entry) })
    const headers = { 'x-request-id': 'req-1' }
    const response = await app.request('/a2a', post({ ...hi, method }, { headers }))
    expect(await response.text()).toContain('TASK_STATE_FAILED')
    await new Promise(setImmediate)
    expect(entries).toMatchObject([{ level: 'error', code: 'auth', request_id: 'req-1' }])
  })

  it('gives the client of A2A 0.3 the sentence', async () => {
    const app = createApp(fakeAgent(), options)
    const fetchImpl = ((url: string, init?: RequestInit) => app.request(url, init)) as typeof fetch
    const client = await A2AClient03.fromCardUrl(`http://localhost${card}`, { fetchImpl })
    // The message lacks the constants that the SDK's types require.
    const old = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }
    const answer = await client.sendMessage({ message: old } as never).catch((error: Error) => error)
    expect(answer instanceof Error ? answer.message : JSON.stringify(answer)).toContain(
      'Clients of A2A 0.3 need an update',
    )
  })

  it('has the form of its protocol where a guard refuses the request', async () => {
    const app = createApp(fakeAgent(), { ...options, auth: { tokens: { 'a-token-that-is-long': 'ann' } } })
    const response = await app.request('/a2a', post(hi))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
    const get = await createApp(fakeAgent(), options).request('/a2a')
    expect(get.status).toBe(405)
    expect(await get.json()).toMatchObject({ error: { code: -32600 } })
  })

  it.each(['SendMessage', 'SendStreamingMessage'])(
    'by %s has the status of a run that no task is kept of',
    async (method) => {
      const fail = new AgentKitError('rate-limit', 'secret of the provider', { retryAfterMs: 2_000 })
      const app = createApp(
        fakeAgent(() => [{ fail }]),
        options,
      )
      const response = await app.request('/a2a', post(call(method, message([{ text: 'Hi' }]))))
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('2')
      const failure = await response.json()
      expect(failure).toMatchObject({ id: 7, error: { code: -32000, data: [{ reason: 'RATE_LIMIT' }] } })
      expect(JSON.stringify(failure)).not.toContain('secret')
    },
  )

  it('is 404 where it is not switched on, and so is the card', async () => {
    const app = createApp(fakeAgent(), { log: () => {} })
    expect((await app.request('/a2a', post(hi))).status).toBe(404)
    expect((await app.request(card)).status).toBe(404)
  })

  it('answers for the user of X-User-Id, and in the session of its contextId', async () => {
    const { agent } = make(['Hello.'])
    const app = createApp(agent, options)
    const sent = call('SendMessage', message([{ text: 'Hi' }], { contextId: 'c1' }))
    const response = await app.request('/a2a', post(sent, { headers: { 'x-user-id': 'ann' } }))
    expect(await response.json()).toMatchObject({ id: 7, result: { task: { contextId: 'c1' } } })
    expect(await agent.runs({ userId: 'ann', sessionId: 'c1' })).toHaveLength(1)
  })

  it('sends files and data with the question', async () => {
    const { agent, model } = make(['A cat.'])
    const parts = [{ text: 'What?' }, { raw: 'aGk=', mediaType: 'image/png' }, { data: { size: 3 } }]
    await createApp(agent, options).request('/a2a', post(call('SendMessage', message(parts))))
    const sent = JSON.stringify(model.requests[0]?.messages)
    expect(sent).toContain('aGk=')
    expect(sent).toContain('[data]\\n{\\"size\\":3}')
  })

  it('watches no run that could not be stored, for a client that does not wait', async () => {
    const { agent, sessions } = make([])
    const watched = watchersOf(sessions)
    vi.spyOn(sessions.runs as RunStore, 'create').mockRejectedValue(new AgentKitError('storage', 'The disk is full.'))
    const sent = { ...message([{ text: 'Hi' }]), configuration: { returnImmediately: true } }
    const response = await createApp(agent, options).request('/a2a', post(call('SendMessage', sent)))
    expect(response.status).toBe(503)
    expect(watched).toEqual({ begun: 1, left: 1 })
  })
})

describe('the agent card', () => {
  it('needs no token, and shows neither instruction nor tools', async () => {
    const { agent } = make([], { instruction: 'A secret.', samplePrompts: ['What can you do?'], version: '3' })
    const auth = { tokens: { 'a-token-that-is-long': 'ann' } }
    const app = createApp(agent, { ...options, auth, basePath: '/agent' })
    const response = await app.request(`/agent${card}`)
    expect(response.status).toBe(200)
    const shown = await response.json()
    expect(shown).toMatchObject({
      ...{ name: 'Test', version: '3' },
      supportedInterfaces: [{ url: 'http://localhost/agent/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      skills: [{ id: agent.id, name: 'Test', examples: ['What can you do?'] }],
    })
    expect(JSON.stringify(shown)).not.toMatch(/secret|pay/)
  })

  it('has the address that the own proxy was called by, which is the last of several', async () => {
    const behind = {
      allowUnauthenticated: true,
      allowedHosts: ['cdn.example.com', 'agent.example.com'],
      trustedProxies: ['10.0.0.0/8'],
    } as const
    const app = createApp(make([]).agent, { ...options, ...behind })
    const headers = { 'x-forwarded-host': 'cdn.example.com, agent.example.com:8443', 'x-forwarded-proto': 'https' }
    // The fields of Node's request that the server reads.
    const incoming = { socket: { remoteAddress: '10.0.0.1' }, httpVersion: '1.1' } as never
    const response = await app.request(card, { headers }, { incoming })
    expect(await response.json()).toMatchObject({
      supportedInterfaces: [{ url: 'https://agent.example.com:8443/a2a' }],
    })
  })
})

/** How many runs are watched from now on, and how many of them no longer. */
function watchersOf({ runs }: SessionStore): { begun: number; left: number } {
  if (!runs) throw new Error('The store keeps no runs.')
  const counts = { begun: 0, left: 0 }
  const { watch } = runs
  vi.spyOn(runs, 'watch').mockImplementation((...watched) => {
    counts.begun++
    const stop = watch.apply(runs, watched)
    return () => {
      counts.left++
      stop()
    }
  })
  return counts
}

it('shows since when a task waits, and when it was decided', async () => {
  const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(at(0)) })
  try {
    const held = Promise.withResolvers<string>()
    const suspend = () => {
      vi.setSystemTime(at(1))
      return payTurn
    }
    const { agent } = make([suspend, () => held.promise])
    const app = createApp(agent, options)
    const send = async (method: string, params: object) =>
      (await (await app.request('/a2a', post(call(method, params)))).json()).result
    const { task } = await send('SendMessage', message([{ text: 'Pay' }]))
    expect(task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', timestamp: at(1) })
    vi.setSystemTime(at(2))
    expect((await send('GetTask', { id: task.id })).status).toMatchObject({ timestamp: at(1) })
    const { tasks } = await send('ListTasks', { statusTimestampAfter: at(1) })
    expect(tasks).toMatchObject([{ id: task.id, status: { timestamp: at(1) } }])
    vi.setSystemTime(at(3))
    const [{ approvalId = '' } = {}] = (await agent.runs())[0]?.approvals ?? []
    const data = { approvals: { [approvalId]: true } }
    const decided = send('SendMessage', message([{ data }], { taskId: task.id }))
    await expect.poll(async () => (await send('GetTask', { id: task.id })).status.state).toBe('TASK_STATE_WORKING')
    vi.setSystemTime(at(4))
    expect((await send('GetTask', { id: task.id })).status).toMatchObject({ timestamp: at(3) })
    held.resolve('Paid.')
    expect((await decided).task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', timestamp: at(4) })
  } finally {
    vi.useRealTimers()
  }
})
