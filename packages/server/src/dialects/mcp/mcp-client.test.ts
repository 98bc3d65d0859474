import { Agent, type Model, memorySessions, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import type { Client as Client2, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { fakeAgent, text } from '../../__fixtures__/fake-agent.ts'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import { serve } from '../../serve.ts'
import { ask, client1, client2, clients, type Elicited } from './__fixtures__/mcp-clients.ts'

const make = storedAgents()
const options = { log: () => {}, dialects: ['mcp'] } as const
const nothing = { type: 'object' } as const

describe.each(clients)('a client of the SDK %s over HTTP', (version, connect) => {
  it('finds the tool, asks, and continues the conversation by its session', async () => {
    const { agent, model } = make(['Hello there.', 'Hello again.'], { description: 'Knows gardens.' })
    const client = await connect(createApp(agent, options))
    expect(client.getServerVersion()).toMatchObject({ name: 'test', title: 'Test' })
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(1)
    expect(tools[0]).toMatchObject({ name: 'ask_agent', description: expect.stringContaining('Knows gardens.') })
    const first = await ask(client, 'Hi')
    expect(first.content).toEqual([{ type: 'text', text: 'Hello there.' }])
    const [run] = await agent.runs({ userId: 'default' })
    expect(first.structuredContent).toEqual({
      ...{ answer: 'Hello there.', session_id: run?.sessionId, run_id: run?.runId, finish_reason: 'stop', sources: [] },
    })
    const { session_id } = first.structuredContent
    const second = await ask(client, { message: 'And again', session_id })
    expect(second.structuredContent).toMatchObject({ answer: 'Hello again.', session_id })
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Hello there.')
  })

  it('reads every step of the agent that speaks, and its progress', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: nothing, execute: () => ({ seen: 3 }) })
    const turns = [{ text: 'I look.', toolCalls: [{ name: 'look', input: {} }] }, 'Three of them.']
    const { agent } = make(turns, { functions: [look] })
    const client = await connect(createApp(agent, options))
    const seen: { progress: number; message?: string }[] = []
    const { structuredContent } = await ask(client, 'How many?', { onprogress: (each) => seen.push(each) })
    expect(structuredContent.answer).toBe('I look.\n\nThree of them.')
    expect(seen.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['step 1', 'calls look', 'look is done', 'step 2']),
    )
    const numbers = seen.map(({ progress }) => progress)
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
  })

  it('asks a swarm, whose members are in the description', async () => {
    const member = (name: string, turns: string[]) =>
      new Agent({ name, description: `Knows ${name}.`, functions: [], model: scriptedModel(turns) })
    const agents = [member('One', ['First.']), member('Two', ['Second.'])]
    const swarm = new Swarm({ name: 'Team', agents, collaboration: 'sequence', sessions: make([]).sessions })
    const client = await connect(createApp(swarm, options))
    expect((await client.listTools()).tools[0]?.description).toContain('\n- Two: Knows Two.')
    expect((await ask(client, 'Hi')).structuredContent.answer).toBe('Second.')
  })

  it('learns by a result that the run has failed, without the words of the model', async () => {
    const { agent } = make([{ text: 'I begin', error: new Error('secret') }])
    const client = await connect(createApp(agent, options))
    const { isError, content, structuredContent } = await ask(client, 'Hi')
    expect(isError).toBe(true)
    expect(content[0]?.text).toBe('I begin\n\nThe model provider failed.')
    expect(structuredContent).toMatchObject({ finish_reason: 'error', run_id: expect.stringMatching(/^run_/) })
    expect(JSON.stringify(content)).not.toContain('secret')
  })

  it('gets an answer that a budget has ended as a result', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: nothing, execute: () => 'seen' })
    const { agent } = make([{ toolCalls: [{ name: 'look', input: {} }] }], { functions: [look], maxSteps: 1 })
    const answer = await ask(await connect(createApp(agent, options)), 'Hi')
    expect(answer.isError).toBeUndefined()
    expect(answer.structuredContent.finish_reason).toBe('max-steps')
    expect(answer.content[0]?.text).not.toBe('')
  })

  it('cancels the run by leaving', async () => {
    const agent = fakeAgent([text('Hello'), 'hang'])
    const server = await serve(agent, { ...options, port: 0, limits: { drainMs: 1 } })
    const controller = new AbortController()
    const client = await connect(onServer(server.url, controller.signal))
    const asking = ask(client, 'Hi', { onprogress: () => controller.abort() })
    await expect.poll(() => agent.calls[0]?.isAborted).toBe(true)
    await client.close()
    await asking.catch(() => {})
    await server.close()
  })

  it('cancels the run by cancelling the call', async () => {
    const agent = fakeAgent([text('Hello'), 'hang'])
    const client = await connect(createApp(agent, options))
    const controller = new AbortController()
    const asking = ask(client, 'Hi', { signal: controller.signal, onprogress: () => controller.abort() })
    await expect(asking).rejects.toThrow('abort')
    await expect.poll(() => agent.calls[0]?.ended).toBe(true)
    expect(agent.calls[0]?.isAborted).toBe(true)
  })

  it('receives the form of the request that gives the result of a client tool', async () => {
    const locate = {
      name: 'locate',
      description: 'Where the user is.',
      input: { type: 'object' },
      client: true,
    } as const
    const { agent } = make([{ toolCalls: [{ name: 'locate' }] }], { functions: [tool(locate)] })
    const { content } = await ask(await connect(createApp(agent, options)), 'Where am I?')
    expect(content[0]?.text).toMatch(/ with \{ "user_id": "default", "result": … \}, or "approve": false$/)
  })

  it('receives the run and its route where it has no way to ask its user', async () => {
    const { agent, paid } = make([payTurn, 'Paid.'])
    const app = createApp(agent, { ...options, basePath: '' })
    const client = await connect(app)
    const { content, structuredContent, isError } = await ask(client, 'Pay')
    expect(isError).toBeUndefined()
    const { run_id, approvals = [] } = structuredContent
    expect(structuredContent).toMatchObject({ finish_reason: 'approval', answer: '' })
    expect(approvals).toMatchObject([{ name: 'pay', input: { amount: 5 } }])
    const route = `/api/v1/runs/${run_id}/approvals/${approvals[0]?.approval_id}`
    const [, path, body = ''] = /POST (\S+) with (\{.+?\})/.exec(content[0]?.text ?? '') ?? []
    expect(path).toBe(route)
    const headers = { 'content-type': 'application/json' }
    expect((await app.request(route, { method: 'POST', body, headers })).status).toBe(200)
    await expect.poll(() => paid, { timeout: 30_000 }).toEqual([5])
  })

  it('needs the token, and continues no session of another user', async () => {
    const { agent, model } = make(['I keep it.', 'What?'])
    const tokens = { 'a-token-of-ann-that-is-long': 'ann', 'a-token-of-eve-that-is-long': 'eve' }
    const app = createApp(agent, { ...options, auth: { tokens } })
    const ann = await connect(app, { headers: { authorization: 'Bearer a-token-of-ann-that-is-long' } })
    const eve = await connect(app, { headers: { authorization: 'Bearer a-token-of-eve-that-is-long' } })
    const { session_id } = (await ask(ann, 'My secret is 7.')).structuredContent
    await ask(eve, { message: 'What is it?', session_id })
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('secret')
    expect(await agent.runs({ userId: 'eve' })).toHaveLength(1)
    await expect(connect(app)).rejects.toThrow()
    await expect(
      connect(app, { headers: { authorization: 'Bearer a-token-of-ann-that-is-long', 'x-user-id': 'eve' } }),
    ).rejects.toThrow()
  })

  it('is refused with the limit of the user', async () => {
    const { agent } = make([])
    const limits = { userDailyTokens: 1 }
    const app = createApp(make(['One.'], { sessions: agent.sessions }).agent, { ...options, limits })
    const client = await connect(app)
    await ask(client, 'Hi')
    await expect(ask(client, 'Hi')).rejects.toThrow(version === '1' ? /-32000/ : /POST/)
  })
})

function onServer(url: string, signal: AbortSignal): Parameters<typeof client2>[0] {
  const request = (path: string, init: RequestInit) =>
    fetch(path.replace('http://localhost', url), {
      ...init,
      signal: AbortSignal.any([signal, ...(init.signal ? [init.signal] : [])]),
    })
  return { request } as never // the fixture calls nothing else
}

describe('an approval, asked of the user of the client', () => {
  const accept = (approve: boolean, more: { reason?: string } = {}): ElicitResult => ({
    action: 'accept',
    content: { approve, ...more },
  })

  const paying = { text: 'I pay.', toolCalls: [{ name: 'pay', input: { amount: 5 } }] }

  it.each([
    ['approves', accept(true), 'Paid.', [5]],
    ['denies', accept(false, { reason: 'Too much.' }), 'Not paid.', []],
    ['declines', { action: 'decline' } as ElicitResult, 'Not paid.', []],
  ])('who %s, continues the same run', async (_, result, answer, amounts) => {
    const asked: Elicited[] = []
    const { agent, paid, model } = make([paying, amounts.length > 0 ? 'Paid.' : 'Not paid.'])
    const onElicit = (request: Elicited) => {
      asked.push(request)
      return result
    }
    const client = await client2(createApp(agent, options), { onElicit })
    const { structuredContent } = await ask(client, 'Pay')
    expect(asked.map(({ message }) => message)).toEqual(['Test wants to call "pay" with {"amount":5}. May it?'])
    expect(structuredContent).toMatchObject({ answer: `I pay.\n\n${answer}`, finish_reason: 'stop' })
    const [run, ...others] = await agent.runs({})
    expect(others).toEqual([])
    expect(structuredContent).toMatchObject({ run_id: run?.runId, session_id: run?.sessionId })
    expect(paid).toEqual(amounts)
    if (answer === 'Not paid.' && 'content' in result) {
      expect(JSON.stringify(model.requests[1]?.messages)).toContain('Too much.')
    }
  })

  it('is asked again for the calls that follow, and for several at once', async () => {
    const two = { toolCalls: [1, 2].map((amount) => ({ name: 'pay', input: { amount } })) }
    const { agent, paid } = make([two, payTurn, 'All is paid.'])
    let asked = 0
    const onElicit = () => {
      asked++
      return accept(true)
    }
    const client = await client2(createApp(agent, options), { onElicit })
    expect((await ask(client, 'Pay')).structuredContent.answer).toBe('All is paid.')
    expect([asked, paid.sort()]).toEqual([3, [1, 2, 5]])
  })

  it('leaves the run waiting where the user closes the question', async () => {
    const { agent, paid } = make([payTurn])
    const client = await client2(createApp(agent, options), { onElicit: () => ({ action: 'cancel' }) })
    const { structuredContent, content } = await ask(client, 'Pay')
    expect(structuredContent.finish_reason).toBe('approval')
    expect(content[0]?.text).toContain('waits for a decision on "pay"')
    expect((await agent.runs({ status: 'waiting' })).length).toBe(1)
    expect(paid).toEqual([])
  })

  it('is not asked where only services may decide', async () => {
    const { agent, paid } = make([payTurn])
    const auth = { tokens: { 'a-token-of-ann-that-is-long': 'ann' } }
    const app = createApp(agent, { ...options, auth, approvals: 'service' })
    const headers = { authorization: 'Bearer a-token-of-ann-that-is-long' }
    const client = await client2(app, { headers, onElicit: () => accept(true) })
    expect((await ask(client, 'Pay')).structuredContent.finish_reason).toBe('approval')
    expect(paid).toEqual([])
  })

  it('cannot continue a run whose sessions are in memory, which the result says', async () => {
    const agent = memoryPayer([payTurn])
    const client = await client2(createApp(agent, options), { onElicit: () => accept(true) })
    expect((await ask(client, 'Pay')).content[0]?.text).toContain('it cannot continue')
  })

  it('of a member of a swarm names the member', async () => {
    const pay = tool({ name: 'pay', description: 'Pays.', input: nothing, needsApproval: true, execute: () => 'paid' })
    const model = scriptedModel([{ toolCalls: [{ name: 'pay', callId: 'p1' }] }, 'I have paid.'])
    const clerk = new Agent({ name: 'Clerk', description: 'Pays.', functions: [pay], model })
    const turns = [{ text: 'I ask.', toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }] }, 'All is paid.']
    const swarm = new Swarm({ name: 'Team', agents: [clerk], model: scriptedModel(turns), sessions: make([]).sessions })
    const asked: string[] = []
    const onElicit = ({ message }: Elicited) => {
      asked.push(message)
      return accept(true)
    }
    const client = await client2(createApp(swarm, options), { onElicit })
    expect((await ask(client, 'Pay')).structuredContent.answer).toBe('I ask.\n\nAll is paid.')
    expect(asked).toEqual(['Team (clerk) wants to call "pay" with {}. May it?'])
  })

  it('is not asked of a client of 2025 over HTTP, which cannot be reached without sessions', async () => {
    const { agent } = make([payTurn])
    const client = await client1(createApp(agent, options), { onElicit: () => accept(true) })
    expect((await ask(client, 'Pay')).structuredContent.finish_reason).toBe('approval')
  })
})

function memoryPayer(turns: Parameters<typeof scriptedModel>[0]): Agent {
  const pay = tool({ name: 'pay', description: 'Pays.', input: nothing, needsApproval: true, execute: () => 'paid' })
  const model: Model = scriptedModel(turns)
  return new Agent({ name: 'Test', functions: [pay], model, sessions: memorySessions() })
}

it('negotiates the revision 2026-07-28', async () => {
  const client: Client2 = await client2(createApp(make([]).agent, options))
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
})
