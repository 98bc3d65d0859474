import { type BaseEvent, HttpAgent } from '@ag-ui/client'
import { Agent, type Runnable, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { HttpAgent as HttpAgent0 } from 'ag-ui-client0'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { locate, locateTurn, payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import { serve } from '../../serve.ts'

const make = storedAgents()
const options = { log: () => {}, dialects: ['agui'] as const }
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function urlOf(agent: Runnable): Promise<string> {
  const server = await serve(agent, { ...options, port: 0 })
  closing.push(() => server.close())
  return `${server.url}/agui`
}

type Event = BaseEvent & { [field: string]: unknown }
type Client = {
  messages: { role: string; content?: unknown }[]
  addMessage(message: { id: string; role: 'user'; content: string }): void
  runAgent(parameters?: object, subscriber?: object): Promise<unknown>
}

// The clients have these methods, with narrower types of events and messages.
const openClient = (url: string): Client => new HttpAgent({ url, threadId: 't1' }) as unknown as Client
const versions: [version: string, open: (url: string) => Client][] = [
  ['1.0', openClient],
  ['0.0.59', (url) => new HttpAgent0({ url, threadId: 't1' }) as unknown as Client],
]

/** Asks a question. The client checks each event, and their order. */
async function run(client: Client, question: string | undefined, parameters: object = {}): Promise<Event[]> {
  const events: Event[] = []
  if (question !== undefined) client.addMessage({ id: crypto.randomUUID(), role: 'user', content: question })
  await client.runAgent(parameters, { onEvent: ({ event }: { event: Event }) => void events.push(event) })
  return events
}
type Outcome = { type: string; interrupts: { id: string; toolCallId: string }[] }
/** Of the last event, whose type has no fields of its own. */
const outcomeOf = (events: readonly Event[]): Outcome => events.at(-1)?.outcome as Outcome
const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => String(type))
const answersOf = ({ messages }: Client): unknown[] =>
  messages.filter(({ role, content }) => role === 'assistant' && content).map(({ content }) => content)

describe.each(versions)('AG-UI %s', (version, open) => {
  it('shows an answer and how it was thought of', async () => {
    const { agent } = make([{ reasoning: 'I greet.', text: 'Hello there.' }, 'Again.'])
    const client = open(await urlOf(agent))
    const events = await run(client, 'Hi', { runId: 'mine' })
    expect(answersOf(client)).toEqual(['Hello there.'])
    expect(events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 't1', runId: 'mine' })
    expect(typesOf(events)).toEqual(expect.arrayContaining(['STEP_STARTED', 'REASONING_START', 'STEP_FINISHED']))
    const [stored] = await agent.runs({ userId: 'default', sessionId: 't1' })
    if (version === '1.0') {
      const end = events.at(-1)
      expect(end).toMatchObject({ type: 'RUN_FINISHED', runId: 'mine', outcome: { type: 'success' } })
      expect(end).toMatchObject({ usage: [{ inputTokens: 10 }], metadata: { runId: stored?.runId } })
    }
    await run(client, 'And again')
    expect(answersOf(client)).toEqual(['Hello there.', 'Again.'])
  })

  it('shows the calls of tools and their results, and none of their errors', async () => {
    const look = tool({
      ...{ name: 'look', description: 'Looks.', input: { type: 'object' } },
      execute: (input) => {
        if ((input as { at?: number }).at === 1) throw new Error('secret path')
        return { seen: 3 }
      },
    })
    const turns = [
      {
        toolCalls: [
          { name: 'look', input: { at: 1 } },
          { name: 'look', input: { at: 2 } },
        ],
      },
      'Three.',
    ]
    const { agent } = make(turns, { functions: [look] })
    const events = await run(open(await urlOf(agent)), 'How many?')
    const results = events.filter(({ type }) => type === 'TOOL_CALL_RESULT').map(({ content }) => content)
    expect(results).toEqual(['A tool failed.', '{"seen":3}'])
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it('shows the image that a tool gives, or that there was one', async () => {
    const image = { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' }
    const draw = tool({
      ...{ name: 'draw', description: 'Draws.', input: { type: 'object' } },
      execute: () => [{ type: 'text', text: 'Here.' }, image],
    })
    const { agent } = make([{ toolCalls: [{ name: 'draw' }] }, 'Drawn.', 'Yes.'], { functions: [draw] })
    const client = open(await urlOf(agent))
    await run(client, 'Draw')
    const source = { type: 'data', value: image.base64, mimeType: image.mediaType }
    const parts = [
      { type: 'text', text: 'Here.' },
      { type: 'image', source },
    ]
    expect(client.messages.find(({ role }) => role === 'tool')).toMatchObject({
      content: version === '1.0' ? parts : 'Here.\n[image left out]',
    })
    // The client sends it back with the next question.
    await run(client, 'Sure?')
    expect(answersOf(client)).toEqual(['Drawn.', 'Yes.'])
  })

  it('shows the members of a swarm', async () => {
    const member = new Agent({
      ...{ name: 'Clerk', description: 'Counts.', functions: [], model: scriptedModel(['Seven.', 'Eight.']) },
    })
    const call = { toolCalls: [{ name: 'clerk', input: { task: 'Count.' } }] }
    const model = scriptedModel([call, call, 'Seven and eight.'])
    const client = open(await urlOf(new Swarm({ name: 'Team', agents: [member], model })))
    const events = await run(client, 'Count')
    expect(answersOf(client)).toContain('Seven and eight.')
    if (version === '1.0') {
      const started = events.filter(({ type }) => type === 'SUBAGENT_STARTED')
      expect(started).toHaveLength(2)
      expect(new Set(started.map(({ subagentRunId }) => subagentRunId)).size).toBe(2)
      expect(typesOf(events).filter((type) => type === 'SUBAGENT_FINISHED')).toHaveLength(2)
    }
  })

  it('keeps the calls of members apart, whose models use the same ids in each run', async () => {
    const look = tool({
      ...{ name: 'look', description: 'Looks.', input: { type: 'object' } },
      execute: (input) => (input as { at: string }).at,
    })
    const lookTurn = (at: string) => ({ toolCalls: [{ name: 'look', callId: 'call_0', input: { at } }] })
    const locateAgain = { toolCalls: [{ name: 'locate', callId: 'call_0' }] }
    const turns = [lookTurn('Oslo'), 'Here.', lookTurn('Rome'), 'There.', locateAgain, 'You are in Bonn.']
    const clerk = { name: 'Clerk', description: 'Looks.', functions: [look, locate], model: scriptedModel(turns) }
    const call = { toolCalls: [{ name: 'clerk', input: { task: 'Look.' } }] }
    const model = scriptedModel([call, 'First.', call, 'Second.', call, 'Third.'])
    const { sessions } = make([])
    const client = open(await urlOf(new Swarm({ name: 'Team', agents: [new Agent(clerk)], model, sessions })))
    await run(client, 'Look')
    await run(client, 'And now?')
    const asked = await run(client, 'And I?')
    const { toolCallId } = asked.findLast(({ type }) => type === 'TOOL_CALL_START') as Event
    client.addMessage({ id: 'm2', role: 'tool', toolCallId, content: '{"city":"Bonn"}' } as never) // of the client's own type
    await run(client, undefined)
    expect(answersOf(client)).toEqual(expect.arrayContaining(['First.', 'Second.', 'Third.']))
    type Call = { id: string; function: { name: string; arguments: string } }
    const messages = client.messages as { role: string; toolCalls?: Call[]; toolCallId?: string; content?: unknown }[]
    const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls).filter((each) => each.function.name !== 'clerk')
    expect(calls.map((each) => each.function.arguments)).toEqual(['{"at":"Oslo"}', '{"at":"Rome"}', '{}'])
    const resultsOf = ({ id }: Call) => messages.filter((each) => each.toolCallId === id).map(({ content }) => content)
    expect(calls.map(resultsOf)).toEqual([['Oslo'], ['Rome'], ['{"city":"Bonn"}']])
  })

  it('says that the tools of the page are not called', async () => {
    const { agent } = make(['Hello.'])
    const tools = [{ name: 'setColour', description: 'Sets it.', parameters: { type: 'object' } }]
    const events = await run(open(await urlOf(agent)), 'Hi', { tools })
    const ignored = events.find(({ type, name }) => type === 'CUSTOM' && name === 'agentkit.ignored')
    expect(ignored?.value).toEqual({ tools: ['setColour'] })
  })

  it.each([
    ['its result', { content: '{"city":"Oslo"}' }, { result: { city: 'Oslo' } }],
    ['an error', { content: '', error: 'Not allowed.' }, { deny: 'Not allowed.' }],
  ])('executes a call of a client tool, and continues with %s', async (_name, message, decision) => {
    const { agent } = make([locateTurn, 'Done.'], { functions: [locate] })
    const client = open(await urlOf(agent))
    const asked = await run(client, 'Where am I?')
    const { toolCallId } = asked.find(({ type }) => type === 'TOOL_CALL_START') as Event
    if (version === '1.0') expect(asked.at(-1)).toMatchObject({ outcome: { type: 'success' } })
    client.addMessage({ id: 'm2', role: 'tool', toolCallId, ...message } as never) // of the client's own type
    await run(client, undefined)
    expect(answersOf(client)).toContain('Done.')
    // The client's own.
    expect(client.messages.filter(({ role }) => role === 'tool')).toHaveLength(1)
    const { runId = '' } = (await agent.runs({ userId: 'default', sessionId: 't1' }))[0] ?? {}
    expect((await agent.sessions.runs?.read(runId))?.approvals).toMatchObject([{ kind: 'client-tool', decision }])
    client.addMessage({ id: 'm3', role: 'tool', toolCallId, ...message } as never)
    await expect(run(client, undefined)).rejects.toThrow('No run of the thread waits for a result of these calls.')
  })

  it('brings tools of the page, where the agent takes some', async () => {
    const { agent } = make([{ toolCalls: [{ name: 'paint' }] }, 'Painted.'], { clientTools: { max: 1 } })
    const client = open(await urlOf(agent))
    const tools = [{ name: 'paint', description: 'Paints it.', parameters: { type: 'object' } }]
    const asked = await run(client, 'Paint', { tools })
    expect(asked.some(({ name }) => name === 'agentkit.ignored')).toBe(false)
    const { toolCallId } = asked.find(({ type }) => type === 'TOOL_CALL_START') as Event
    client.addMessage({ id: 'm2', role: 'tool', toolCallId, content: 'done' } as never) // of the client's own type
    await run(client, undefined, { tools })
    expect(answersOf(client)).toContain('Painted.')
    const shadowing = [{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } }]
    await expect(run(client, 'Pay', { tools: shadowing })).rejects.toThrow('has the name of another one')
  })

  it('adds the context of the page to the question, as marked text', async () => {
    const { agent, model } = make(['Hello.'])
    await run(open(await urlOf(agent)), 'What is here?', { context: [{ description: 'page', value: 'Roses' }] })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('[context: page]\\nRoses')
  })

  it('ends in an error, in our sentence', async () => {
    const { agent } = make([{ text: 'I begin', error: new Error('secret') }])
    const events: Event[] = []
    const client = open(await urlOf(agent))
    client.addMessage({ id: 'm1', role: 'user', content: 'Hi' })
    await client.runAgent({}, { onEvent: ({ event }: { event: Event }) => void events.push(event) }).catch(() => {})
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'provider-error' })
    expect(JSON.stringify(events)).not.toContain('secret')
  })
})

describe('interrupts of AG-UI 1.0', () => {
  it.each([true, false])('are answered by the next run (approve: %s)', async (approve) => {
    const { agent, paid } = make([payTurn, 'Done.'])
    const client = openClient(await urlOf(agent))
    const asked = await run(client, 'Pay')
    const { type, interrupts } = outcomeOf(asked)
    const [interrupt] = interrupts
    expect(type).toBe('interrupt')
    expect(interrupt).toMatchObject({ reason: 'approval', responseSchema: { required: ['approve'] } })
    expect(
      asked.some(({ type, toolCallId }) => type === 'TOOL_CALL_START' && toolCallId === interrupt?.toolCallId),
    ).toBe(true)
    const payload = { approve, reason: 'Too much' }
    const resume = [{ interruptId: interrupt?.id, status: 'resolved', payload }]
    const events = await run(client, undefined, { resume })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(answersOf(client)).toContain('Done.')
    expect(paid).toEqual(approve ? [5] : [])
  })

  it('that are cancelled with a message give the model the message as the reason', async () => {
    const { agent, paid } = make([payTurn, 'Then I pay 3.'])
    const client = openClient(await urlOf(agent))
    const asked = await run(client, 'Pay')
    const outcome = outcomeOf(asked)
    const resume = [{ interruptId: outcome.interrupts[0]?.id, status: 'cancelled' }]
    const events = await run(client, 'Pay 3 instead', { resume })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(paid).toEqual([])
    const turns = await agent.sessions.turns({ agentId: agent.id, userId: 'default', sessionId: 't1' })
    const results = turns.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    expect(JSON.stringify(results)).toContain('Pay 3 instead')
  })

  it('that are approved beside a message report that it was not read', async () => {
    const { agent } = make([payTurn, 'Done.'])
    const client = openClient(await urlOf(agent))
    const outcome = outcomeOf(await run(client, 'Pay'))
    const resume = [{ interruptId: outcome.interrupts[0]?.id, status: 'resolved', payload: { approve: true } }]
    const events = await run(client, 'And send me the bill', { resume })
    const ignored = events.find(({ type, name }) => type === 'CUSTOM' && name === 'agentkit.ignored')
    expect(ignored).toMatchObject({ value: { message: 'And send me the bill' } })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
  })

  it('of a member follow the end of its subagent', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const clerkModel = scriptedModel([{ toolCalls: [{ name: 'pay', callId: 'p1' }] }, 'I have paid.'])
    const clerk = new Agent({ name: 'Clerk', description: 'Pays.', functions: [pay], model: clerkModel })
    const model = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }] }, 'All is paid.'])
    const swarm = new Swarm({ name: 'Team', agents: [clerk], model, sessions: make([]).sessions })
    const client = openClient(await urlOf(swarm))
    const asked = await run(client, 'Pay')
    expect(asked.find(({ type }) => type === 'SUBAGENT_FINISHED')).toMatchObject({ outcome: { type: 'suspended' } })
    expect(asked.at(-1)?.type).toBe('RUN_FINISHED')
    const outcome = outcomeOf(asked)
    const shown = asked.filter(({ type, toolCallName }) => type === 'TOOL_CALL_START' && toolCallName === 'pay')
    expect(shown.map(({ toolCallId }) => toolCallId)).toEqual([outcome.interrupts[0]?.toolCallId])
    expect(asked.filter(({ type }) => type === 'SUBAGENT_STARTED')).toHaveLength(1)
    const resume = [{ interruptId: outcome.interrupts[0]?.id, status: 'resolved', payload: { approve: true } }]
    const resumed = await run(client, undefined, { resume })
    const results = resumed.filter(({ type }) => type === 'TOOL_CALL_RESULT').map(({ toolCallId }) => toolCallId)
    expect(results).toContain(shown[0]?.toolCallId)
    expect(answersOf(client)).toContain('All is paid.')
  })
})

describe('POST /agui', () => {
  const post = (body: unknown): RequestInit => ({
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json' },
  })
  const input = (more: object = {}): object => ({ threadId: 't1', runId: 'r1', tools: [], context: [], ...more })
  const wrongParts = [
    [5, 'messages.0.content.0 must be an object'],
    [{ type: 'image' }, 'must be a text or a file with its type'],
    [{ type: 'image', source: { type: 'data', value: 'aGk=' } }, 'must be a text or a file with its type'],
    [{ type: 'image', source: { type: 'data', value: 5, mimeType: 'image/png' } }, 'must have its data as base64'],
    [{ type: 'image', source: { type: 'data', value: '?', mimeType: 'image/png' } }, 'must have its data as base64'],
  ] as const

  it.each<[object, string]>([
    [{ runId: 'r1', messages: [] }, 'Required: threadId.'],
    [input({ messages: [] }), 'must end with a message of the user'],
    [input({ messages: [{ role: 'user', content: ' ' }] }), 'must not be empty'],
    [input({ messages: [{ role: 'user', content: 7 }] }), 'must be a text or a list of parts'],
    ...wrongParts.map(([part, sentence]): [object, string] => [
      input({ messages: [{ role: 'user', content: [part] }] }),
      sentence,
    ]),
    [
      input({
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'url', value: 'http://x', mimeType: 'image/png' } }],
          },
        ],
      }),
      'must have its data as base64',
    ],
    [
      input({ messages: [], resume: [{ interruptId: 'x', status: 'resolved', payload: { approve: true } }] }),
      'resume.0.interruptId must be the id of an approval',
    ],
    [input({ threadId: '..', messages: [] }), 'threadId must have 1 to 128 characters'],
    [input({ messages: [], resume: [{ interruptId: 7, status: 'cancelled' }] }), 'resume.0.interruptId must be'],
    [
      input({ messages: [], resume: ['r/a', 's/b'].map((interruptId) => ({ interruptId, status: 'cancelled' })) }),
      'resume.1.interruptId must be of the same run',
    ],
    [
      input({ messages: [], resume: [{ interruptId: 'r/a', status: 'resolved' }] }),
      'payload.approve must be true or false',
    ],
  ])('refuses %j', async (body, sentence) => {
    const response = await createApp(fakeAgent(), options).request('/agui', post(body))
    expect(response.status).toBe(422)
    const problem = (await response.json()) as { type: string; message: string }
    expect(problem).toMatchObject({ type: 'RUN_ERROR', message: expect.stringContaining(sentence) })
  })

  it.each([
    [{ type: 'image', source: { type: 'data', value: 'iVBORw0KGgo=', mimeType: 'image/png' } }],
    [{ type: 'image', source: { type: 'url', value: 'data:image/png;base64,iVBORw0KGgo=' } }],
    [{ type: 'binary', data: 'iVBORw0KGgo=', mimeType: 'image/png' }],
    [{ type: 'binary', url: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png' }],
  ])('takes the file %j', async (part) => {
    const agent = fakeAgent()
    const content = [{ type: 'text', text: 'What is this?' }, part]
    const response = await createApp(agent, options).request(
      '/agui',
      post(input({ messages: [{ role: 'user', content }] })),
    )
    expect(response.status).toBe(200)
    await response.text()
    expect(agent.calls[0]?.input).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' },
    ])
  })

  it('takes results of calls where clients put them behind their calls, also of later steps', async () => {
    const seen: unknown[] = []
    const look = tool({ ...{ name: 'look', description: 'Looks.', input: { type: 'object' } }, execute: () => 'seen' })
    const first = { toolCalls: ['locate', 'look', 'locate'].map((name, index) => ({ name, callId: `c${index}` })) }
    const again = { toolCalls: [{ name: 'locate', callId: 'c3' }] }
    const { agent, model } = make([first, again, 'Done.'], { functions: [locate, look] })
    const app = createApp(agent, options)
    const call = (id: string) => [
      { id, role: 'assistant', toolCalls: [{ id, type: 'function', function: { name: 'locate', arguments: '{}' } }] },
      { id: `r${id}`, role: 'tool', toolCallId: id, content: `{"city":"${id}"}` },
    ]
    const ask = async (...calls: string[]): Promise<string> => {
      const messages = [{ role: 'user', content: 'Where?' }, ...calls.flatMap(call)]
      return (await app.request('/agui', post(input({ messages })))).text()
    }
    await ask()
    await ask('c0', 'c1', 'c2')
    expect(await ask('c0', 'c1', 'c2', 'c3')).toContain('"finishReason":"stop"')
    for (const message of model.requests[2]?.messages ?? []) if (message.role === 'tool') seen.push(message.content)
    expect(seen).toEqual(['{"city":"c0"}', 'seen', '{"city":"c2"}', '{"city":"c3"}'])
  })

  it('takes a result as the text that it is, where the tool takes no other value', async () => {
    const options = { description: '', input: { type: 'object' }, client: true } as const
    const outputs = { code: { type: 'string' }, count: { type: 'integer' }, place: { type: 'object' } }
    const functions = Object.entries(outputs).map(([name, output]) => tool({ ...options, name, output }))
    const calls = ['code', 'count', 'place', 'code'].map((name, index) => ({ name, callId: `c${index}` }))
    const { agent, model } = make([{ toolCalls: calls }, 'Done.'], { functions })
    const app = createApp(agent, { log: () => {}, dialects: ['agui'] })
    const ask = async (...results: string[]): Promise<Response> => {
      const given = results.map((content, index) => ({
        id: `r${index}`,
        role: 'tool',
        toolCallId: `c${index}`,
        content,
      }))
      return await app.request('/agui', post(input({ messages: [{ role: 'user', content: 'Open it.' }, ...given] })))
    }
    await (await ask()).text()
    expect((await ask('0042', 'many')).status).toBe(400)
    await (await ask('42')).text()
    expect(await (await ask('42', '7', '{"city":"Oslo"}', 'true')).text()).toContain('"finishReason":"stop"')
    const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map(({ content }) => content)).toEqual(['42', '7', '{"city":"Oslo"}', 'true'])
    expect((await ask('42', '7', '{"city":"Oslo"}', 'false')).status).toBe(409)
  })

  it('checks results once more where they may be texts, however many there are', async () => {
    const code = { name: 'code', description: '', input: { type: 'object' }, output: { type: 'string' } } as const
    const calls = ['c0', 'c1', 'c2'].map((callId) => ({ name: 'code', callId }))
    const { agent } = make([{ toolCalls: calls }, 'Done.'], { functions: [tool({ ...code, client: true })] })
    const decide = vi.spyOn(agent, 'decide')
    const app = createApp(agent, { log: () => {}, dialects: ['agui'] })
    const question = { role: 'user', content: 'Open it.' }
    await (await app.request('/agui', post(input({ messages: [question] })))).text()
    const results = calls.map(({ callId: id }) => ({ id, role: 'tool', toolCallId: id, content: '42' }))
    const response = await app.request('/agui', post(input({ messages: [question, ...results] })))
    expect(await response.text()).toContain('"finishReason":"stop"')
    expect(decide).toHaveBeenCalledTimes(2)
  })

  it('answers no interrupt of another thread', async () => {
    const { agent, paid } = make([payTurn])
    const app = createApp(agent, options)
    await (await app.request('/agui', post(input({ messages: [{ role: 'user', content: 'Pay' }] })))).text()
    const [run] = await agent.runs({ userId: 'default', sessionId: 't1' })
    const interruptId = `${run?.runId}/${run?.approvals[0]?.approvalId}`
    const resume = [{ interruptId, status: 'resolved', payload: { approve: true } }]
    const response = await app.request('/agui', post(input({ threadId: 't2', messages: [], resume })))
    expect([response.status, paid]).toEqual([404, []])
  })

  it('is 404 where it is not switched on', async () => {
    expect((await createApp(fakeAgent(), { log: () => {} }).request('/agui', post(input()))).status).toBe(404)
  })
})
