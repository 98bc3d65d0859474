import { AgentKitError } from '@agentkit/core'
import type { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { fakeAgent, text } from '../../__fixtures__/fake-agent.ts'
import { expectHealthy } from '../../__fixtures__/requests.ts'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import { serve } from '../../serve.ts'
import { messageIn, modern, post, posted } from './__fixtures__/mcp-clients.ts'

const make = storedAgents()
const options = { log: () => {}, dialects: ['mcp'] } as const
const call = (args: unknown, more: object = {}) => ({ name: 'ask_agent', arguments: args, ...more })
const initialize = (protocolVersion: string) =>
  post('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } })
const forms = { elicitation: { form: {} } }

describe('POST /mcp', () => {
  const eras = [
    ['2025', post],
    ['2026-07-28', modern],
  ] as const
  const bad = [
    ['another tool', call({ message: 'Hi' }, { name: 'nope' }), 'There is ask_agent'],
    ['no message', call({}), 'message is required'],
    ['no arguments', { name: 'ask_agent' }, 'message is required'],
    ['a message that is not text', call({ message: 5 }), 'message must be a text'],
    ['an empty message', call({ message: ' ' }), 'not empty'],
    ['half of a character', call({ message: '\ud83d' }), 'Unicode'],
    ['an argument that does not exist', call({ message: 'Hi', user_id: 'eve' }), 'user_id is no argument'],
    ['a session that is too long', call({ message: 'Hi', session_id: 's'.repeat(129) }), 'session_id must have'],
    ['a session with a control character', call({ message: 'Hi', session_id: 'a\nb' }), 'session_id must have'],
    ['a session that no path can have', call({ message: 'Hi', session_id: '..' }), 'must not be "." or ".."'],
    ['a session that is empty', call({ message: 'Hi', session_id: '' }), 'session_id must have'],
    ['a session that is a number', call({ message: 'Hi', session_id: 5 }), 'session_id must have'],
    ['arguments that are a list', call([]), 'The field params.arguments must be an object.'],
    ['no name', { arguments: {} }, 'The field params.name must be a string.'],
  ] as const
  it.each(eras.flatMap(([era, send]) => bad.map(([what, ...rest]) => [what, era, send, ...rest] as const)))(
    'with %s is -32602 under 400, in the revision %s',
    async (_, _era, send, params, sentence) => {
      const { agent } = make([])
      const app = createApp(agent, options)
      const response = await app.request('/mcp', send('tools/call', { ...params }))
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toBe('application/json')
      const { error, id } = await messageIn(response)
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(sentence) })
      expect(id).toEqual(expect.any(Number))
      expect(await agent.runs({})).toEqual([])
      await expectHealthy(app)
    },
  )

  it.each([
    [
      'initialize',
      post('initialize', { protocolVersion: 5, capabilities: {} }),
      'params.protocolVersion must be a string',
    ],
    ['initialize', post('initialize', { protocolVersion: '2025-11-25' }), 'params.capabilities must be an object'],
    ['tools/list', post('tools/list', { cursor: 5 }), 'params.cursor must be a string'],
    ['tools/list of 2026-07-28', modern('tools/list', { cursor: 5 }), 'params.cursor must be a string'],
  ])('with params of %s that do not fit is -32602 under 400', async (_, request, sentence) => {
    const response = await createApp(make([]).agent, options).request('/mcp', request)
    expect(response.status).toBe(400)
    expect((await messageIn(response)).error).toMatchObject({ code: -32602, message: `The field ${sentence}.` })
  })

  it.each([
    ['what is not JSON', posted('{'), 400, -32700],
    ['a batch', posted([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]), 400, -32600],
    ['a batch with a call of 2026-07-28', posted([JSON.parse(String(modern('tools/list').body))]), 400, -32600],
    ['what is not a message', posted({ hello: 1 }), 400, -32600],
    ['another protocol', posted({ jsonrpc: '1.0', id: 1, method: 'tools/list' }), 400, -32600],
    ['a text', posted('"hi"'), 400, -32600],
    ['null', posted('null'), 400, -32600],
    ['another content type', posted('{}', { 'content-type': 'text/plain' }), 415, -32000],
    ['a form', posted('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415, -32000],
    ['what is nested too deeply', posted(`${'['.repeat(100)}${']'.repeat(100)}`), 400, -32700],
    ['a client that reads no streams', post('tools/list', {}, { accept: 'application/json' }), 406, -32000],
    ['an unknown version', post('tools/list', {}, { 'mcp-protocol-version': '2020-01-01' }), 400, -32000],
    ['a subscription', modern('subscriptions/listen', { notifications: {} }), 404, -32601],
    ['an unknown method of 2026-07-28', modern('tools/none'), 404, -32601],
    ['a resource of an agent without files', modern('resources/read', { uri: 'agentkit://files/a.md' }), 404, -32601],
  ])('with %s is an error of JSON-RPC under its status', async (_, request, status, code) => {
    const app = createApp(make([]).agent, options)
    const response = await app.request('/mcp', request)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect((await messageIn(response)).error).toMatchObject({ code, message: expect.stringMatching(/.{5}/) })
    await expectHealthy(app)
  })

  it('takes a message of more than 1 MB, and refuses one that exceeds the limit of bodies', async () => {
    const { agent, model } = make(['Long.'])
    const app = createApp(agent, { ...options, limits: { bodyBytes: 2_000_000 } })
    const long = await app.request('/mcp', post('tools/call', call({ message: 'a'.repeat(1_200_000) })))
    expect((await messageIn(long)).result).toMatchObject({ structuredContent: { answer: 'Long.' } })
    expect(JSON.stringify(model.requests[0]?.messages).length).toBeGreaterThan(1_200_000)
    const longer = await app.request('/mcp', post('tools/call', call({ message: 'a'.repeat(2_100_000) })))
    expect(longer.status).toBe(413)
    expect((await messageIn(longer)).error).toMatchObject({ code: -32000, data: { code: 'payload-too-large' } })
  })

  it.each(['GET', 'DELETE', 'PUT'])('%s is 405: there are no sessions', async (method) => {
    const app = createApp(make([]).agent, options)
    const response = await app.request('/mcp', { method, headers: { accept: 'text/event-stream' } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    expect((await messageIn(response)).error).toMatchObject({ code: -32000 })
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('negotiates %s, without a session id', async (version) => {
    const app = createApp(make([]).agent, options)
    const response = await app.request('/mcp', initialize(version))
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect((await messageIn(response)).result).toMatchObject({ protocolVersion: version, capabilities: { tools: {} } })
    const listed = await app.request('/mcp', post('tools/list', {}, { 'mcp-protocol-version': version }))
    expect((await messageIn(listed)).result).toMatchObject({ tools: [{ name: 'ask_agent' }] })
    const noted = await app.request('/mcp', posted({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect(noted.status).toBe(202)
  })

  it('is the last of its connection where the limits of the server say so', async () => {
    const server = await serve(make([]).agent, { ...options, port: 0, limits: { requestsPerConnection: 1 } })
    try {
      const response = await fetch(`${server.url}/mcp`, post('ping'))
      expect(response.headers.get('connection')).toBe('close')
      expect(await messageIn(response)).toMatchObject({ result: {} })
    } finally {
      await server.close()
    }
  })

  it('offers a client of an unknown version one that it speaks', async () => {
    const response = await createApp(make([]).agent, options).request('/mcp', initialize('2030-01-01'))
    expect((await messageIn(response)).result).toMatchObject({ protocolVersion: '2025-11-25' })
  })

  it('of an unknown revision with an envelope names the revisions that there are', async () => {
    const request = modern('tools/list')
    const body = String(request.body).replaceAll('2026-07-28', '2031-01-01')
    const headers = { ...(request.headers as Record<string, string>), 'mcp-protocol-version': '2031-01-01' }
    const response = await createApp(make([]).agent, options).request('/mcp', { ...request, body, headers })
    expect(response.status).toBe(400)
    expect((await messageIn(response)).error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } })
  })

  it('whose headers name another tool than its body is refused', async () => {
    const request = modern('tools/call', call({ message: 'Hi' }))
    const headers = { ...(request.headers as Record<string, string>), 'mcp-name': 'other' }
    const { agent } = make([])
    const response = await createApp(agent, options).request('/mcp', { ...request, headers })
    expect(response.status).toBe(400)
    expect((await messageIn(response)).error).toMatchObject({ code: -32020 })
    expect(await agent.runs({})).toEqual([])
  })

  it('answers an older client that asks for a method which it does not know to exist', async () => {
    const response = await createApp(make([]).agent, options).request('/mcp', post('prompts/list'))
    expect((await messageIn(response)).error).toMatchObject({ code: -32601 })
  })

  it('has the form of its protocol where a guard refuses the request', async () => {
    const auth = { tokens: { 'a-token-that-is-long': 'ann' } }
    const app = createApp(make([]).agent, { ...options, auth })
    const response = await app.request('/mcp', post('tools/list'))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
    const evil = await app.request('http://evil.example/mcp', post('tools/list'))
    expect(evil.status).toBe(403)
    expect((await messageIn(evil)).error).toMatchObject({ code: -32000, data: { code: 'host-not-allowed' } })
    const page = await app.request('/mcp', post('tools/list', {}, { origin: 'https://evil.example' }))
    expect(page.status).toBe(403)
    const token = { authorization: 'Bearer a-token-that-is-long', 'x-user-id': 'eve' }
    const other = await app.request('/mcp', post('tools/call', call({ message: 'Hi' }), token))
    expect(other.status).toBe(404)
  })

  it.each(eras)('has the status and the delay of a server that has no place, in the revision %s', async (_, send) => {
    const agent = fakeAgent(['hang'])
    const app = createApp(agent, { ...options, limits: { runs: 1, queuedRuns: 1 } })
    const leave = new AbortController()
    const pending = [1, 2].map(() =>
      app.request('/mcp', { ...send('tools/call', call({ message: 'Hi' })), signal: leave.signal }),
    )
    await expect.poll(() => agent.calls.length).toBe(1)
    const response = await app.request('/mcp', send('tools/call', call({ message: 'Hi' })))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await messageIn(response)).error).toMatchObject({ code: -32000, data: { code: 'overloaded' } })
    leave.abort()
    await Promise.allSettled(pending)
    await expect.poll(() => agent.calls.every(({ ended }) => ended)).toBe(true)
  })

  it('keeps the deadline of the server, in a result', async () => {
    const app = createApp(fakeAgent(['hang']), { ...options, limits: { deadlineMs: 1_000 } })
    const { result } = await messageIn(await app.request('/mcp', post('tools/call', call({ message: 'Hi' }))))
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The run exceeded its deadline.' }] })
  })

  it('cancels the one call of the id that a client of 2025 names, and none where it could be another one', async () => {
    const agent = fakeAgent([text('Hello'), 'hang'])
    const auth = { tokens: { 'a-token-of-ann-that-is-long': 'ann', 'a-token-of-eve-that-is-long': 'eve' } }
    const app = createApp(agent, { ...options, auth })
    const of = (name: string) => ({ authorization: `Bearer a-token-of-${name}-that-is-long` })
    const message = { jsonrpc: '2.0', id: 'same', method: 'tools/call', params: call({ message: 'Hi' }) }
    const leave = new AbortController()
    const begin = (name: string) => app.request('/mcp', { ...posted(message, of(name)), signal: leave.signal })
    const cancel = (name: string) =>
      app.request(
        '/mcp',
        posted({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } }, of(name)),
      )
    const pending = [begin('ann')]
    await expect.poll(() => agent.calls.length).toBe(1)
    expect((await cancel('eve')).status).toBe(202)
    pending.push(begin('ann'))
    await expect.poll(() => agent.calls.length).toBe(2)
    await cancel('ann')
    expect(agent.calls.map(({ isAborted }) => isAborted)).toEqual([false, false])
    leave.abort()
    await Promise.allSettled(pending)
    await expect.poll(() => agent.calls.every(({ ended }) => ended)).toBe(true)
  })

  it.each([
    ['before it began', {}],
    ['while it continued', { _meta: { progressToken: 1 } }],
  ])('sends no answer to a call that its client of 2025 has cancelled, %s', async (_when, meta) => {
    const agent = fakeAgent([{ type: 'step-start', step: 1 }, text('Hello'), 'hang'])
    const app = createApp(agent, options)
    const params = { ...call({ message: 'Hi' }), ...meta }
    const pending = app.request('/mcp', posted({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }))
    await expect.poll(() => agent.calls.length).toBe(1)
    await app.request('/mcp', posted({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }))
    const response = await pending
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('"id":7')
    expect(agent.calls[0]?.isAborted).toBe(true)
  })

  it('logs a run that has failed as a failure, and one that was cancelled as any other', async () => {
    const entries: object[] = []
    const log = (entry: object) => void entries.push(entry)
    const failing = make([{ error: new Error('It is broken') }]).agent
    await createApp(failing, { ...options, log }).request('/mcp', post('tools/call', call({ message: 'Hi' })))
    expect(entries).toMatchObject([
      { code: 'provider-error', path: '/mcp', error: expect.stringContaining('It is broken') },
    ])
    const hanging = fakeAgent(['hang'])
    const leave = new AbortController()
    const request = { ...post('tools/call', call({ message: 'Hi' })), signal: leave.signal }
    const pending = createApp(hanging, { ...options, log }).request('/mcp', request)
    await expect.poll(() => hanging.calls.length).toBe(1)
    leave.abort()
    await Promise.allSettled([pending])
    await expect.poll(() => entries.length).toBe(2)
    expect(entries[1]).toMatchObject({ level: 'info', finish_reason: 'aborted' })
  })

  it('is 404 where it is not switched on', async () => {
    const app = createApp(fakeAgent(), { log: () => {} })
    expect((await app.request('/mcp', post('tools/list'))).status).toBe(404)
  })

  it('shows nothing of an error of a store', async () => {
    const { agent } = make([])
    Object.assign(agent.sessions.runs ?? {}, {
      read: () => Promise.reject(new AgentKitError('storage', 'secret path')),
    })
    const state = { ...call({ message: 'Hi' }), requestState: 'run_1', inputResponses: {} }
    const response = await createApp(agent, options).request('/mcp', modern('tools/call', state, forms))
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret')
  })
})

describe('a state that comes back', () => {
  const back = (requestState: unknown, inputResponses: object, capabilities: object = forms) =>
    modern('tools/call', { ...call({ message: 'Pay' }), requestState, inputResponses }, capabilities)
  const yes = { action: 'accept', content: { approve: true } }
  const suspended = async (turns: Parameters<typeof scriptedModel>[0] = [payTurn, 'Paid.']) => {
    const made = make(turns)
    const app = createApp(made.agent, options)
    const { result } = await messageIn(await app.request('/mcp', modern('tools/call', call({ message: 'Pay' }), forms)))
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.stringMatching(/^run_/) })
    const [approvalId = ''] = Object.keys(result?.inputRequests as object)
    return { ...made, app, state: String(result?.requestState), approvalId }
  }

  it.each(['run_none', '', 'run_1\n', 'x'.repeat(10_000), '{"runId":"run_1"}'])(
    'and is no run of the caller: %#',
    async (state) => {
      const { app, paid } = await suspended()
      const response = await app.request('/mcp', back(state, {}))
      expect(response.status).toBe(400)
      expect((await messageIn(response)).error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('requestState'),
      })
      expect(paid).toEqual([])
    },
  )

  it('of another user decides nothing, and looks as one that does not exist', async () => {
    const { app, state, approvalId, paid, agent } = await suspended()
    const request = back(state, { [approvalId]: yes })
    const headers = { ...(request.headers as Record<string, string>), 'x-user-id': 'eve' }
    const response = await app.request('/mcp', { ...request, headers })
    const unknown = await app.request('/mcp', { ...back('run_none', {}), headers: { ...headers } })
    const messages = await Promise.all([response, unknown].map(messageIn))
    expect(messages[0]?.error?.message).toBe(messages[1]?.error?.message)
    expect([paid, (await agent.runs({ status: 'waiting' })).length]).toEqual([[], 1])
  })

  it.each([
    ['no answers', {}],
    ['an answer to another question', { apr_other: yes }],
    ['an answer without a decision', { id: { action: 'accept', content: { approve: 'yes' } } }],
    ['an answer of another kind', { id: { roots: [] } }],
  ])('with %s is asked again', async (_, responses) => {
    const { app, state, approvalId, paid } = await suspended()
    const named = Object.fromEntries(
      Object.entries(responses).map(([id, sent]) => [id === 'id' ? approvalId : id, sent]),
    )
    const { result } = await messageIn(await app.request('/mcp', back(state, named)))
    expect(result).toMatchObject({ resultType: 'input_required', requestState: state })
    expect(Object.keys(result?.inputRequests as object)).toEqual([approvalId])
    expect(paid).toEqual([])
  })

  it('a second time gets the answer, and calls nothing again', async () => {
    const { app, state, approvalId, paid } = await suspended()
    const first = await messageIn(await app.request('/mcp', back(state, { [approvalId]: yes })))
    const second = await messageIn(await app.request('/mcp', back(state, { [approvalId]: yes })))
    expect(first.result).toMatchObject({ structuredContent: { answer: 'Paid.', run_id: state } })
    expect(second.result?.structuredContent).toEqual(first.result?.structuredContent)
    expect(paid).toEqual([5])
  })

  it('after a decision elsewhere gets the answer of that decision', async () => {
    const { agent, app, state, approvalId, paid } = await suspended([payTurn, 'Not paid.'])
    await agent.resume(state, { [approvalId]: { deny: 'No.' } }, { userId: 'default' }).result
    const { result } = await messageIn(await app.request('/mcp', back(state, { [approvalId]: yes })))
    expect(result).toMatchObject({ structuredContent: { answer: 'Not paid.', finish_reason: 'stop' } })
    expect(paid).toEqual([])
  })

  it('gets the answer of a decision that was a moment earlier', async () => {
    const { agent, app, state, approvalId, paid } = await suspended([payTurn, 'Not paid.'])
    const decide = agent.decide.bind(agent)
    agent.decide = async (...args) => {
      agent.decide = decide
      await agent.resume(state, { [approvalId]: { deny: 'No.' } }, { userId: 'default' }).result
      return decide(...args)
    }
    const { result } = await messageIn(await app.request('/mcp', back(state, { [approvalId]: yes })))
    expect(result).toMatchObject({ structuredContent: { answer: 'Not paid.', finish_reason: 'stop' } })
    expect(paid).toEqual([])
  })

  it('of two approvals, one decided, asks for the other one only', async () => {
    const two = { toolCalls: [1, 2].map((amount) => ({ name: 'pay', input: { amount } })) }
    const { agent, paid } = make([two, 'Paid.'])
    const app = createApp(agent, options)
    const first = await messageIn(await app.request('/mcp', modern('tools/call', call({ message: 'Pay' }), forms)))
    const [one = '', other = ''] = Object.keys(first.result?.inputRequests as object)
    const state = String(first.result?.requestState)
    const { result } = await messageIn(await app.request('/mcp', back(state, { [one]: yes })))
    expect(Object.keys(result?.inputRequests as object)).toEqual([other])
    const done = await messageIn(await app.request('/mcp', back(state, { [other]: yes })))
    expect(done.result).toMatchObject({ structuredContent: { answer: 'Paid.' } })
    expect(paid.sort()).toEqual([1, 2])
  })

  it.each([
    ['no elicitation', {}],
    ['addresses only', { elicitation: { url: {} } }],
    ['something else', { elicitation: true }],
  ])('is not sent to a client that declares %s', async (_, capabilities) => {
    const { agent } = make([payTurn])
    const response = await createApp(agent, options).request(
      '/mcp',
      modern('tools/call', call({ message: 'Pay' }), capabilities),
    )
    const { result, error } = await messageIn(response)
    // The SDK refuses capabilities that are not an object.
    if (error) expect(error.code).toBe(-32602)
    else expect(result).toMatchObject({ structuredContent: { finish_reason: 'approval' } })
  })
})

describe('pages of browsers', () => {
  const origin = 'https://app.example.com'
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, x-user-id',
    },
  }

  it('of an allowed origin may send the headers of MCP', async () => {
    const app = createApp(make([]).agent, { ...options, cors: { origins: [origin] } })
    const response = await app.request('/mcp', preflight)
    expect(response.status).toBe(204)
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ')
    expect(allowed).toEqual(expect.arrayContaining(preflight.headers['access-control-request-headers'].split(', ')))
    const answer = await app.request('/mcp', post('tools/list', {}, { origin }))
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('of another origin, or without cors, may not', async () => {
    for (const more of [{}, { cors: { origins: ['https://other.example.com'] } }]) {
      const response = await createApp(make([]).agent, { ...options, ...more }).request('/mcp', preflight)
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})
