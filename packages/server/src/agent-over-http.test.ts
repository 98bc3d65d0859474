import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type AgentOptions, tool, validateTranscript } from '@agentkit/core'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import {
  chatData,
  chatRequest,
  expectHealthy,
  expectProblem,
  openSocket,
  promptTurns,
  rawChat,
  until,
  validFields,
} from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'
import { serve } from './serve.ts'

const secret = 'sk-1234567890abcdef'
const quiet = { log: () => {} }
const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

const weather = tool({ name: 'weather', description: 'Tells the weather.', input, execute: () => ({ sky: 'clear' }) })

function agentWith(turns: readonly ScriptedTurn[], functions = [weather], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(turns)
  return { model, agent: new Agent({ name: 'Test', functions, model, ...options }) }
}

function ask(content: string, headers: Record<string, string> = {}) {
  return chatRequest({ ...validFields, chat_data: chatData({ role: 'user', content }) }, headers)
}

describe('an agent over HTTP', () => {
  const useTool: ScriptedTurn = { text: 'Let me look.', toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }

  it('calls its tools and answers with the last step alone', async () => {
    const app = createApp(agentWith([useTool, 'It is clear.']).agent)
    expect(await (await app.request('/api/v1/chat', ask('Weather in Oslo?'))).text()).toBe('It is clear.')
  })

  it('streams its whole run as events, from run-start to one run-end', async () => {
    const app = createApp(agentWith([useTool, 'It is clear.']).agent)
    const body = await (await app.request('/api/v1/chat_stream', ask('Weather in Oslo?'))).text()
    const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events[0]).toMatchObject({ type: 'run-start', sessionId: 'first' })
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', text: 'It is clear.', finishReason: 'stop' })
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', name: 'weather', isError: false }))
  })

  it('continues a session of the same user only', async () => {
    const { agent, model } = agentWith(['One.', 'Two.', 'Three.'])
    const app = createApp(agent)
    await app.request('/api/v1/chat', ask('First?'))
    await app.request('/api/v1/chat', ask('Second?'))
    await app.request('/api/v1/chat', chatRequest({ ...validFields, user_id: 'eve' }))
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 1])
  })

  it('37 separates sessions whose ids are equal only when joined', async () => {
    const { agent, model } = agentWith(['One.', 'Two.'])
    const app = createApp(agent)
    await app.request('/api/v1/chat', chatRequest({ ...validFields, user_id: 'a', session_id: 'b_c' }))
    await app.request('/api/v1/chat', chatRequest({ ...validFields, user_id: 'a_b', session_id: 'c' }))
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1])
  })

  it('seeds a new session with earlier messages, and ignores them in one that exists', async () => {
    const { agent, model } = agentWith(['Sun.', 'Rain.'])
    const app = createApp(agent)
    const earlier = [
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ]
    const chat_data = chatData(...earlier, { role: 'user', content: 'Weather?' })
    await app.request('/api/v1/chat', chatRequest({ ...validFields, chat_data }))
    await app.request('/api/v1/chat', chatRequest({ ...validFields, chat_data }))
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([3, 5])
    for (const { messages } of model.requests) expect(validateTranscript(messages)).toEqual([])
  })

  it('50 refuses a second run of a busy session with 409, if the agent is configured to', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>()
    const { agent, model } = agentWith([() => answered], [], { onBusy: 'reject' })
    const app = createApp(agent, quiet)
    const first = app.request('/api/v1/chat', ask('First?'))
    await until(() => model.requests.length > 0)
    const second = await app.request('/api/v1/chat', ask('Second?'))
    expect(second.headers.get('retry-after')).toBe('1')
    await expectProblem(second, 409, 'session-busy')
    answer('Done.')
    expect(await (await first).text()).toBe('Done.')
  })

  it('ends a run that needs an approval, returns the approvals, and resumes when the app decides', async () => {
    const sold: unknown[] = []
    const sell = tool({
      name: 'weather',
      description: 'Sells.',
      input,
      needsApproval: true,
      execute: (sale) => sold.push(sale),
    })
    const { agent } = agentWith([useTool, useTool, 'Sold.'], [sell])
    const app = createApp(agent, quiet)
    const body = await (await app.request('/api/v1/chat_stream', ask('Sell it'))).text()
    expect(body).toContain('event: approval-request')
    expect(body).toContain('"finishReason":"approval"')
    const answer = await (await app.request('/api/v1/chat', ask('Sell it', { accept: 'application/json' }))).json()
    expect(answer).toMatchObject({
      finish_reason: 'approval',
      approvals: [{ name: 'weather', input: { city: 'Oslo' } }],
    })
    const { approval_id: approvalId } = answer.approvals[0]
    expect(await agent.resume(answer.run_id, { [approvalId]: true }).result).toMatchObject({ text: 'Sold.' })
    expect(sold).toEqual([{ city: 'Oslo' }])
  })

  it("55 hides a tool's error from the client", async () => {
    const failing = tool({
      name: 'weather',
      description: 'Fails.',
      input,
      execute: () => {
        throw new Error(`ENOENT /etc/shadow ${secret}`)
      },
    })
    const { agent, model } = agentWith([useTool, 'I could not find out.'], [failing])
    const body = await (await createApp(agent).request('/api/v1/chat_stream', ask('Weather?'))).text()
    expect(body).toContain('I could not find out.')
    expect(body).not.toContain('ENOENT')
    expect(JSON.stringify(model.requests)).not.toContain(secret)
  })

  it.each(['text/plain', 'application/json', 'text/event-stream'])(
    '56 answers 502 for a model that throws, and works again after it (%s)',
    async (accept) => {
      const { agent } = agentWith([new Error(`boom ${secret}`), 'Fine.'])
      const app = createApp(agent, quiet)
      const problem = await expectProblem(
        await app.request('/api/v1/chat', ask('Hi', { accept })),
        502,
        'provider-error',
      )
      expect(JSON.stringify(problem)).not.toContain(secret)
      expect(await (await app.request('/api/v1/chat', ask('Hi'))).text()).toBe('Fine.')
    },
  )

  it.each([
    ["the server's deadline", { deadlineMs: 40 }, {}],
    ["the agent's own, shorter deadline", {}, { timeoutMs: 40 }],
  ])('57 ends at %s with 504', async (_name, limits, options) => {
    const never: ScriptedTurn = (_request, signal) => sleep(60_000, 'late', { signal })
    const { agent } = agentWith([never], [weather], options)
    const response = await createApp(agent, { ...quiet, limits }).request('/api/v1/chat', ask('Hi'))
    await expectProblem(response, 504, 'timeout')
  })

  it('stops a tool within 100 ms when the client leaves, and frees the session', async () => {
    let begun = false
    let isStopped = false
    const slow = tool({
      name: 'weather',
      description: 'Takes long.',
      input,
      async execute(_input, { signal }) {
        begun = true
        await sleep(60_000, undefined, { signal }).catch(() => {
          isStopped = true
        })
      },
    })
    const { agent } = agentWith([useTool, 'Again.'], [slow])
    const server = await serve(agent, { port: 0, ...quiet })
    const { socket } = await openSocket(server.url)
    socket.write(rawChat(server.url, { path: '/api/v1/chat_stream' }))
    await until(() => begun)
    socket.destroy()
    expect(await until(() => isStopped)).toBeLessThan(promptTurns)
    expect(await (await fetch(`${server.url}/api/v1/chat`, ask('Hi'))).text()).toBe('Again.')
    await expectHealthy(server.url)
    await server.close()
  })
})
