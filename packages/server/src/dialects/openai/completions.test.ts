import { Agent, AgentKitError, Swarm, tool, validateTranscript } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { fakeAgent, text } from '../../__fixtures__/fake-agent.ts'
import { heldTool, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import { clients } from './__fixtures__/openai-clients.ts'

const make = storedAgents()
const quiet = { log: () => {} }
const token = 'a-token-of-ann-that-is-long-enough'
const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'three bees' })
const twoSteps = [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, 'Three bees.']
const ask = (content: string) => [{ role: 'user' as const, content }]

async function streamedText(client: OpenAI, messages = ask('Hi')) {
  const stream = await client.chat.completions.create({
    ...{ model: 'test', messages, stream: true, stream_options: { include_usage: true } },
  })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return { chunks, text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('') }
}

describe.each(clients)('the client openai %i', (_, connect) => {
  it('lists the agent as its model', async () => {
    const client = connect(createApp(make([]).agent, quiet))
    const { data } = await client.models.list()
    expect(data).toEqual([{ id: 'test', object: 'model', created: expect.any(Number), owned_by: 'agentkit' }])
    expect(await client.models.retrieve('test')).toEqual(data[0])
    await expect(client.models.retrieve('gpt-5')).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  })

  it('reads an answer, with the text of each step and no call', async () => {
    const client = connect(createApp(make(twoSteps, { functions: [look] }).agent, quiet))
    const answer = await client.chat.completions.create({
      model: 'test',
      messages: ask('How many?'),
      metadata: { a: 'b' },
    })
    expect(answer).toMatchObject({
      ...{
        id: expect.stringMatching(/^chatcmpl-run_/),
        object: 'chat.completion',
        model: 'test',
        metadata: { a: 'b' },
      },
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'I look.\n\nThree bees.' } }],
      usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
      agentkit: {
        run_id: expect.stringMatching(/^run_/),
        finish_reason: 'stop',
        cost: null,
        sources: [],
        approvals: [],
      },
    })
    expect(answer.choices[0]?.message.tool_calls).toBeUndefined()
  })

  it('streams the same text, and its usage where it is asked for', async () => {
    const client = connect(createApp(make(twoSteps, { functions: [look] }).agent, quiet))
    const { chunks, text } = await streamedText(client)
    expect(text).toBe('I look.\n\nThree bees.')
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: 30 },
      agentkit: { finish_reason: 'stop' },
    })
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1)
    expect(chunks.every((chunk) => 'agentkit' in chunk)).toBe(true)
  })

  it('reads a whole stream with its own helper', async () => {
    const client = connect(createApp(make(twoSteps, { functions: [look] }).agent, quiet))
    const stream = client.chat.completions.stream({ model: 'test', messages: ask('How many?') })
    expect(await stream.finalContent()).toBe('I look.\n\nThree bees.')
  })

  it('sends the whole conversation where there is no session', async () => {
    const { agent, model } = make(['Four.'])
    const client = connect(createApp(agent, quiet))
    await client.chat.completions.create({
      model: 'test',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Two and two?' },
        { role: 'assistant', content: 'Five.' },
        { role: 'developer', content: 'Count well.' },
        { role: 'user', content: [{ type: 'text', text: 'Sure?' }] },
      ],
    })
    const sent = model.requests[0]?.messages ?? []
    expect(sent.filter(({ role }) => role === 'system').map(({ content }) => content)).not.toContain('Be brief.')
    expect(sent.filter(({ role }) => role !== 'system').map(({ role, content }) => [role, content])).toEqual([
      [
        'user',
        'The application of the user asks you to respect this:\n<application>\nBe brief.\n\nCount well.\n</application>',
      ],
      ['user', 'Two and two?'],
      ['assistant', [{ type: 'text', text: 'Five.' }]],
      ['user', 'Sure?'],
    ])
    expect(await agent.sessions.list({ agentId: 'test', userId: 'default' })).toEqual([])
  })

  it('continues the session of X-Session-Id by its last message, which earlier ones seed', async () => {
    const { agent, model } = make(['One.', 'Two.'])
    const client = connect(createApp(agent, quiet), { headers: { 'x-session-id': 's1' } })
    const earlier = [...ask('A'), { role: 'assistant' as const, content: 'B' }]
    await client.chat.completions.create({ model: 'test', messages: [...earlier, ...ask('C')], user: 'ann' })
    await client.chat.completions.create({ model: 'test', messages: [...ask('X'), ...ask('D')], user: 'ann' })
    const texts = model.requests[1]?.messages.map(({ content }) => (typeof content === 'string' ? content : content))
    expect(JSON.stringify(texts)).toContain('"A",[{"type":"text","text":"B"}],"C",[{"type":"text","text":"One."}],"D"]')
    const [session] = await agent.sessions.list({ agentId: 'test', userId: 'ann' })
    expect(session).toMatchObject({ sessionId: 's1', turns: 2 })
  })

  it.each([
    ['会議 😀 é', '田中'],
    ['café'.normalize('NFD'), "l'été"],
  ])('takes headers in UTF-8, as clients send them, and in Latin-1: %s', async (sessionId, userId) => {
    const { agent } = make(['One.', 'Two.'])
    const app = createApp(agent, quiet)
    const sent = (text: string): string => Buffer.from(text).toString('latin1')
    const headers = { 'x-session-id': sent(sessionId), 'x-user-id': sent(userId) }
    const answer = await app.request('/v1/chat/completions', post({ model: 'test', messages: ask('A') }, headers))
    expect(answer.status).toBe(200)
    expect(await agent.sessions.list({ agentId: 'test', userId })).toMatchObject([{ sessionId }])
    await app.request(
      '/v1/chat/completions',
      post({ model: 'test', messages: ask('A') }, { 'x-session-id': 'caf\xe9' }),
    )
    const latin = await agent.sessions.list({ agentId: 'test', userId: 'default' })
    expect(latin).toMatchObject([{ sessionId: 'café' }])
  })

  it('sends images and files', async () => {
    const { agent, model } = make(['A cat.'])
    const url = 'data:image/png;base64,aGk='
    await connect(createApp(agent, quiet)).chat.completions.create({
      model: 'test',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
          ],
        },
      ],
    })
    expect(model.requests[0]?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
      { type: 'file', base64: 'aGk=', mediaType: 'application/pdf', name: 'a.pdf' },
    ])
  })

  it('shows an approval beside the answer, which ends', async () => {
    const client = connect(
      createApp(make([{ text: 'I pay.', toolCalls: [{ name: 'pay', input: { amount: 5 } }] }]).agent, quiet),
    )
    const answer = await client.chat.completions.create({ model: 'test', messages: ask('Pay') })
    expect(answer).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: 'I pay.' } }],
      agentkit: { finish_reason: 'approval', approvals: [{ name: 'pay', input: { amount: 5 }, kind: 'approval' }] },
    })
  })

  it.each([
    ['budget', 'length'],
    ['max-steps', 'length'],
    ['no-progress', 'length'],
    ['content-filter', 'content_filter'],
    ['length', 'length'],
  ] as const)('ends with the reason of a run that ends by %s', async (finishReason, reason) => {
    const agent = fakeAgent(() => [text('So far.'), { type: 'run-end', finishReason, text: 'So far.', usage: {} }])
    const client = connect(createApp(Object.assign(agent, { id: 'test' }), quiet))
    const answer = await client.chat.completions.create({ model: 'test', messages: ask('Hi') })
    expect(answer.choices[0]).toMatchObject({ finish_reason: reason, message: { content: 'So far.' } })
    expect(answer).toMatchObject({ agentkit: { finish_reason: finishReason } })
    const { chunks } = await streamedText(client)
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(reason)
  })

  it('gets the status of a run that fails, and its own error form within a stream', async () => {
    const failing = new AgentKitError('rate-limit', 'secret of the provider', { retryAfterMs: 2_000 })
    const early = connect(
      createApp(
        Object.assign(
          fakeAgent(() => [{ fail: failing }]),
          { id: 'test' },
        ),
        quiet,
      ),
    )
    const failure = { status: 503, type: 'server_error', message: expect.not.stringContaining('secret') }
    await expect(early.chat.completions.create({ model: 'test', messages: ask('Hi') })).rejects.toMatchObject(failure)
    await expect(streamedText(early)).rejects.toMatchObject(failure)
    const late = Object.assign(
      fakeAgent(() => [text('Hel'), { fail: failing }]),
      { id: 'test' },
    )
    await expect(streamedText(connect(createApp(late, quiet)))).rejects.toMatchObject({
      error: { type: 'server_error', code: 'rate_limit_exceeded', message: expect.not.stringContaining('secret') },
    })
  })

  it('cancels the run when it leaves a stream', async () => {
    const agent = Object.assign(
      fakeAgent(() => [text('Hel'), 'hang']),
      { id: 'test' },
    )
    const client = connect(createApp(agent, quiet))
    const stream = await client.chat.completions.create({ model: 'test', messages: ask('Hi'), stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'Hel') break
    await expect.poll(() => agent.calls[0]?.isAborted).toBe(true)
  })

  it('does not send a request again whose run was cancelled', async () => {
    const { wait, begun, release } = heldTool()
    const { agent, model } = make([{ toolCalls: [{ name: 'wait' }] }, 'One.', 'Two.'], { functions: [wait] })
    const app = createApp(agent, quiet)
    const client = connect(app, { headers: { 'x-session-id': 's', 'x-user-id': 'ada' } }).withOptions({ maxRetries: 2 })
    const answer = client.chat.completions.create({ model: 'test', messages: ask('Hi') })
    answer.catch(() => {})
    await begun
    const [run] = await agent.runs({ userId: 'ada' })
    await app.request(`/api/v1/runs/${run?.runId}/cancel?user_id=ada`, { method: 'POST' })
    release()
    await expect(answer).rejects.toMatchObject({ status: 503, code: 'aborted' })
    expect(model.requests).toHaveLength(1)
    expect(await agent.runs({ userId: 'ada' })).toHaveLength(1)
  })

  it('needs the token where there is one, and acts for its user alone', async () => {
    const { agent } = make(['One.', 'Two.'])
    const app = createApp(agent, { ...quiet, auth: { tokens: { [token]: 'ann' } } })
    await expect(connect(app).models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' })
    const client = connect(app, { apiKey: token, headers: { 'x-session-id': 's1' } })
    await client.chat.completions.create({ model: 'test', messages: ask('Hi'), user: 'eve' })
    expect(await agent.sessions.list({ agentId: 'test', userId: 'ann' })).toHaveLength(1)
    const other = connect(app, { apiKey: token, headers: { 'x-user-id': 'eve' } })
    await expect(other.chat.completions.create({ model: 'test', messages: ask('Hi') })).rejects.toMatchObject({
      status: 404,
    })
  })

  it.each([
    ['handoff', 'First.'],
    ['sequence', 'Second.'],
    ['parallel', 'Both agree.'],
  ] as const)('has of a swarm (%s) the answer of the agent that answers the user', async (collaboration, answer) => {
    const member = (name: string, said: string): Agent =>
      new Agent({ name, functions: [], model: scriptedModel([said, said]) })
    const swarm = new Swarm({
      ...{ name: 'Test', collaboration, agents: [member('One', 'First.'), member('Two', 'Second.')] },
      ...(collaboration === 'parallel' && { model: scriptedModel(['Both agree.', 'Both agree.']) }),
    })
    const client = connect(createApp(swarm, quiet))
    const whole = await client.chat.completions.create({ model: 'test', messages: ask('Hi') })
    expect(whole.choices[0]?.message.content).toBe(answer)
    expect((await streamedText(client)).text).toBe(answer)
  })
})

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  ...{ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) },
  headers: { 'content-type': 'application/json', ...headers },
})
const valid = { model: 'fake', messages: ask('Hi') }

describe('POST /v1/chat/completions', () => {
  it.each<[string, object | string, number, string | null, string]>([
    ['no JSON', '{', 400, null, 'invalid_json'],
    ['no object', [], 400, null, 'invalid_value'],
    ['no model', { messages: [] }, 400, 'model', 'missing_required_parameter'],
    ['another model', { ...valid, model: 'gpt-5' }, 404, 'model', 'model_not_found'],
    ['no messages', { model: 'fake' }, 400, 'messages', 'missing_required_parameter'],
    ['messages that are not a list', { ...valid, messages: 'Hi' }, 400, 'messages', 'invalid_value'],
    ['an empty list', { ...valid, messages: [] }, 400, 'messages', 'invalid_value'],
    ['a model that is not text', { ...valid, model: 7 }, 400, 'model', 'invalid_value'],
    ['a user that is not text', { ...valid, user: 7 }, 400, 'user', 'invalid_value'],
    ['a user that is no id', { ...valid, user: '' }, 400, 'user', 'invalid_value'],
    ['an identifier that is not text', { ...valid, safety_identifier: 7 }, 400, 'safety_identifier', 'invalid_value'],
    [
      'an identifier that is no id',
      { ...valid, safety_identifier: 'a'.repeat(129), user: 'ada' },
      ...([400, 'safety_identifier', 'invalid_value'] as const),
    ],
    [
      'a last message that is not the user’s',
      { ...valid, messages: [{ role: 'assistant', content: 'A' }] },
      400,
      'messages[0]',
      'invalid_value',
    ],
    [
      'an unknown role',
      { ...valid, messages: [{ role: 'bot', content: 'A' }] },
      400,
      'messages[0].role',
      'invalid_value',
    ],
    [
      'a result of a call that no message has',
      { ...valid, messages: [{ role: 'tool', tool_call_id: 'a', content: 'A' }, ...valid.messages] },
      400,
      'messages[0].tool_call_id',
      'invalid_value',
    ],
    ['an empty question', { ...valid, messages: ask(' ') }, 400, 'messages[0].content', 'invalid_value'],
    [
      'a content that is none',
      { ...valid, messages: [{ role: 'user', content: 7 }] },
      400,
      'messages[0].content',
      'invalid_value',
    ],
    ['two answers', { ...valid, n: 2 }, 400, 'n', 'unsupported_parameter'],
    [
      'tools',
      { ...valid, tools: [{ type: 'function', function: { name: 'f' } }] },
      400,
      'tools',
      'unsupported_parameter',
    ],
    ['functions', { ...valid, functions: [{ name: 'f' }] }, 400, 'functions', 'unsupported_parameter'],
    ['log probabilities', { ...valid, logprobs: true }, 400, 'logprobs', 'unsupported_parameter'],
    ['audio', { ...valid, audio: { voice: 'a' } }, 400, 'audio', 'unsupported_parameter'],
    ['a modality', { ...valid, modalities: ['text', 'audio'] }, 400, 'modalities', 'unsupported_parameter'],
    [
      'another form of the answer',
      { ...valid, response_format: { type: 'json_object' } },
      400,
      'response_format',
      'unsupported_parameter',
    ],
    ['a conversation', { ...valid, conversation: 'conv_1' }, 400, 'conversation', 'unsupported_parameter'],
    ['a prompt', { ...valid, prompt: { id: 'p' } }, 400, 'prompt', 'unsupported_parameter'],
    ['metadata of no texts', { ...valid, metadata: { a: 1 } }, 400, 'metadata', 'invalid_value'],
    ['metadata that is a text', { ...valid, metadata: 'a' }, 400, 'metadata', 'invalid_value'],
    [
      'metadata of 17 keys',
      { ...valid, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'x'])) },
      ...([400, 'metadata', 'invalid_value'] as const),
    ],
    [
      'a part that is not an object',
      { ...valid, messages: [{ role: 'user', content: [5] }] },
      ...([400, 'messages[0].content[0]', 'invalid_value'] as const),
    ],
    [
      'a text that is none',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] },
      ...([400, 'messages[0].content[0].text', 'invalid_value'] as const),
    ],
    [
      'a file that is no base64',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: '?' } }] }] },
      ...([400, 'messages[0].content[0].file.file_data', 'invalid_value'] as const),
    ],
    ['a stream that is neither', { ...valid, stream: 'yes' }, 400, 'stream', 'invalid_value'],
    [
      'the address of an image',
      {
        ...valid,
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/x.png' } }] }],
      },
      ...([400, 'messages[0].content[0].image_url.url', 'invalid_value'] as const),
    ],
    [
      'sound',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      ...([400, 'messages[0].content[0].type', 'unsupported_parameter'] as const),
    ],
  ])('with %s is refused, naming the field', async (_, body, status, param, code) => {
    const agent = fakeAgent()
    const response = await createApp(agent, quiet).request('/v1/chat/completions', post(body))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect({ status: response.status, ...(await response.json()) }).toEqual({
      status,
      error: { message: expect.stringMatching(/^[A-Z].*\.$/), type: 'invalid_request_error', param, code },
    })
    expect(agent.calls).toHaveLength(0)
  })

  it.each([
    ['an empty list of tools', { tools: [], n: 1, logprobs: false, response_format: { type: 'text' } }],
    [
      'what a model would be set by',
      { temperature: 0, max_tokens: 5, seed: 1, reasoning_effort: 'low', top_p: 1, stop: ['x'] },
    ],
    ['nulls', { tools: null, audio: null, n: null, metadata: null, stream: null, user: null }],
  ])('ignores %s', async (_, fields) => {
    const response = await createApp(fakeAgent(), quiet).request('/v1/chat/completions', post({ ...valid, ...fields }))
    expect(response.status).toBe(200)
  })

  it('takes the calls of a client with its own tools as text of the conversation', async () => {
    const agent = fakeAgent()
    const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{"at":1}' } })
    const messages = [
      { role: 'user', content: 'A' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [call('a', 'look'), call('b/c', 'count'), call('d', 'never')],
      },
      { role: 'tool', tool_call_id: 'b/c', content: [{ type: 'text', text: '3' }] },
      { role: 'tool', tool_call_id: 'a', content: 'bees' },
      { role: 'assistant', content: null, tool_calls: [call('a', 'look'), { id: 'x', type: 'none' }] },
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'assistant', content: 'Three.' },
      { role: 'user', content: 'Sure?' },
    ]
    const response = await createApp(agent, quiet).request('/v1/chat/completions', post({ ...valid, messages }))
    expect(response.status).toBe(200)
    expect(agent.calls[0]?.input).toBe('Sure?')
    const made = (callId: string, name: string) => ({ type: 'tool-call', callId, name, input: { at: 1 } })
    const { history = [] } = agent.calls[0]?.options ?? {}
    expect(history).toEqual([
      { v: 1, role: 'user', content: 'A' },
      {
        ...{ v: 1, role: 'assistant' },
        content: [{ type: 'text', text: 'I look.' }, made('a', 'look'), made('call_1', 'count')],
      },
      { v: 1, role: 'tool', callId: 'a', name: 'look', content: 'bees' },
      { v: 1, role: 'tool', callId: 'call_1', name: 'count', content: '3' },
      { v: 1, role: 'assistant', content: [made('call_2', 'look')] },
      { v: 1, role: 'tool', callId: 'call_2', name: 'look', content: '' },
      { v: 1, role: 'assistant', content: [{ type: 'text', text: 'Three.' }] },
    ])
    expect(validateTranscript(history)).toEqual([])
  })

  it('takes any number of calls with one id, and arguments that are nested too deep as none', async () => {
    const agent = fakeAgent()
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const calls = Array.from({ length: 50_000 }, () => ({ id: 'a', function: { name: 'f', arguments: '{}' } }))
    const messages = [
      { role: 'user', content: 'A' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [...calls, { id: 'a', function: { name: 'f', arguments: deep } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'done' },
      { role: 'user', content: 'B' },
    ]
    const response = await createApp(agent, quiet).request('/v1/chat/completions', post({ ...valid, messages }))
    expect(response.status).toBe(200)
    expect(agent.calls[0]?.options.history?.[1]?.content).toEqual([
      { type: 'tool-call', callId: 'call_50000', name: 'f', input: {} },
    ])
  })

  it('is 404 where the dialect is switched off', async () => {
    const app = createApp(fakeAgent(), { ...quiet, dialects: ['ui'] })
    expect((await app.request('/v1/models')).status).toBe(404)
    expect((await app.request('/v1/chat/completions', post(valid))).status).toBe(404)
  })

  it('answers unknown paths, methods and bodies in its own form', async () => {
    const app = createApp(fakeAgent(), quiet)
    const unknown = await app.request('/v1/embeddings', post({}))
    expect(await unknown.json()).toMatchObject({ error: { code: 'not_found', type: 'invalid_request_error' } })
    const get = await app.request('/v1/chat/completions')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect(await get.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
    const text = await app.request('/v1/chat/completions', post(valid, { 'content-type': 'text/plain' }))
    expect(text.status).toBe(415)
    const session = await app.request('/v1/chat/completions', post(valid, { 'x-session-id': 'a'.repeat(129) }))
    expect(await session.json()).toMatchObject({ error: { param: 'X-Session-Id' } })
    const periods = await app.request('/v1/chat/completions', post(valid, { 'x-session-id': '..' }))
    expect(await periods.json()).toMatchObject({ error: { param: 'X-Session-Id' } })
  })

  it('passes a preflight with the headers of the clients where `cors` is set, and none without', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'authorization,content-type,x-session-id,x-user-id,x-stainless-os,x-stainless-lang',
      },
    }
    const path = '/v1/chat/completions'
    const open = await createApp(fakeAgent(), { ...quiet, cors: ['https://app.example.com'] }).request(path, preflight)
    expect(open.status).toBe(204)
    const allowed = (open.headers.get('access-control-allow-headers') ?? '').split(', ')
    for (const name of preflight.headers['access-control-request-headers'].split(',')) expect(allowed).toContain(name)
    const closed = await createApp(fakeAgent(), quiet).request(path, preflight)
    expect(closed.status).toBe(403)
  })
})
