import { Agent, type AgentOptions, Swarm, type Tool, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { Chat as Chat6 } from 'ai-sdk-react3'
import {
  DefaultChatTransport as DefaultChatTransport6,
  lastAssistantMessageIsCompleteWithApprovalResponses as isAnswered6,
  lastAssistantMessageIsCompleteWithToolCalls as isComplete6,
} from 'ai6'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { until } from '../../__fixtures__/requests.ts'
import { heldTool, locate, locateTurn, payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'

const make = storedAgents()
const quiet = { log: () => {} }
const token = 'a token of ann that is long enough'.replaceAll(' ', '-')

type Options = { id?: string; messages?: UIMessage[]; body?: object; headers?: Record<string, string> } & {
  onFinish?(end: { finishReason?: string | undefined }): void
}
type Client = Pick<Chat<UIMessage>, 'messages' | 'status' | 'error' | 'sendMessage' | 'regenerate' | 'stop'> &
  Pick<Chat<UIMessage>, 'resumeStream' | 'addToolApprovalResponse' | 'addToolOutput'>

const isAnswered = (chat: { messages: UIMessage[] }): boolean =>
  lastAssistantMessageIsCompleteWithApprovalResponses(chat) || lastAssistantMessageIsCompleteWithToolCalls(chat)

/** The chat of a page, without the page. */
const versions: [version: number, open: (app: Hono, options?: Options) => Client][] = [
  [
    7,
    (app, { id = 's1', messages = [], onFinish = () => {}, ...rest } = {}) =>
      new Chat({
        ...{ id, messages, onFinish, sendAutomaticallyWhen: isAnswered },
        transport: new DefaultChatTransport({ api: 'http://localhost/ui/chat', fetch: fetchOf(app), ...rest }),
      }),
  ],
  [
    6,
    (app, { id = 's1', messages = [], onFinish = () => {}, ...rest } = {}) =>
      new Chat6({
        // Version 7 has more kinds of parts.
        ...{
          id,
          messages: messages as never,
          onFinish,
          sendAutomaticallyWhen: (chat) => isAnswered6(chat) || isComplete6(chat),
        },
        transport: new DefaultChatTransport6({ api: 'http://localhost/ui/chat', fetch: fetchOf(app), ...rest }),
      }) as unknown as Client, // the same methods
  ],
]

// The type of `fetch` takes a `Request` too, which the transport does not send.
const fetchOf = (app: Hono): typeof fetch => (async (url: string, init: RequestInit) => app.request(url, init)) as never

const partsOf = (message: UIMessage | undefined): string[] => (message?.parts ?? []).map(({ type }) => type)
const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
/** The approval that a chat asks for. */
const approvalIn = (chat: Client): { id: string } => {
  const waiting = chat.messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')
  return (waiting as { approval: { id: string } }).approval
}
/** A tool that needs approval, and pays when the test releases it. */
const heldPay = (): { pay: Tool; begun: Promise<void>; release(): void } => {
  const { wait, begun, release } = heldTool()
  const options = { name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true } as const
  // The tool of the test reads no context.
  return { pay: tool({ ...options, execute: () => wait.execute({}, {} as never) }), begun, release }
}
const settled = (chat: Client): Promise<unknown> => until(() => chat.status === 'ready' || chat.status === 'error')

describe.each(versions)('useChat of ai %i', (_, open) => {
  it('shows an answer, whose message has the id of its run', async () => {
    const { agent } = make([{ reasoning: 'I greet.', text: 'Hello there.' }])
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Hi' })
    expect(chat.error).toBeUndefined()
    const answer = chat.messages.at(-1)
    expect(partsOf(answer)).toEqual(['step-start', 'reasoning', 'text'])
    expect(textOf(answer)).toBe('Hello there.')
    const [run] = await agent.runs({ userId: 'default', sessionId: 's1' })
    expect(answer?.id).toBe(run?.runId)
    expect(answer?.metadata).toMatchObject({ runId: run?.runId, finishReason: 'stop', usage: { inputTokens: 10 } })
  })

  it('shows the calls of tools, and the text of each step', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => ({ seen: 3 }) })
    const { agent } = make([{ text: 'I look.', toolCalls: [{ name: 'look', input: { at: 1 } }] }, 'Three.'], {
      functions: [look],
    })
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'How many?' })
    const answer = chat.messages.at(-1)
    expect(partsOf(answer)).toEqual(['step-start', 'text', 'dynamic-tool', 'step-start', 'text'])
    expect(answer?.parts[2]).toMatchObject({
      ...{ toolName: 'look', state: 'output-available', input: { at: 1 }, output: { seen: 3 } },
    })
  })

  it.each([
    ['stop', ['Hello.'], 'stop'],
    ['length', [{ text: 'Hel', finishReason: 'length' as const }], 'length'],
    ['content-filter', [{ text: 'No.', finishReason: 'content-filter' as const }], 'content-filter'],
    ['max-steps', [{ toolCalls: [{ name: 'pay', input: {} }] }], 'length'],
    ['approval', [payTurn], 'tool-calls'],
  ])('gets the end %s of a run in the words of its own', async (reason, turns, finishReason) => {
    const { agent } = make(turns, { maxSteps: 1 })
    const ends: unknown[] = []
    const chat = open(createApp(agent, quiet), { onFinish: (end) => void ends.push(end.finishReason) })
    await chat.sendMessage({ text: 'Hi' })
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ finishReason: reason })
    expect(ends).toEqual([finishReason])
    expect(chat.error).toBeUndefined()
  })

  it('shows that a tool failed, without its error', async () => {
    const fail = tool({
      ...{ name: 'fail', description: 'Fails.', input: { type: 'object' } },
      execute: () => {
        throw new Error('secret path')
      },
    })
    const { agent } = make([{ toolCalls: [{ name: 'fail' }] }, 'It failed.'], { functions: [fail] })
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Try' })
    expect(JSON.stringify(chat.messages)).not.toContain('secret')
    expect(chat.messages.at(-1)?.parts[1]).toMatchObject({ state: 'output-error', errorText: 'A tool failed.' })
  })

  it('shows an image that a tool gives', async () => {
    const draw = tool({
      ...{ name: 'draw', description: 'Draws.', input: { type: 'object' } },
      execute: () => [{ type: 'image', base64: 'aGk=', mediaType: 'image/png' }],
    })
    const { agent } = make([{ toolCalls: [{ name: 'draw' }] }, 'Here.'], { functions: [draw] })
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Draw' })
    expect(chat.messages.at(-1)?.parts).toContainEqual(
      expect.objectContaining({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' }),
    )
  })

  it('sends an image with the question', async () => {
    const { agent, model } = make(['A cat.'])
    const chat = open(createApp(agent, quiet))
    const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' } as const
    await chat.sendMessage({ text: 'What is it?', files: [file] })
    expect(chat.error).toBeUndefined()
    const content = model.requests[0]?.messages.at(-1)?.content
    expect(content).toEqual([
      { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
      { type: 'text', text: 'What is it?' },
    ])
  })

  it('sends a text file whose type the browser does not know', async () => {
    const { agent, model } = make(['Read.'])
    const chat = open(createApp(agent, quiet))
    const url = 'data:application/octet-stream;base64,aGk='
    await chat.sendMessage({ text: 'Read it.', files: [{ type: 'file', mediaType: '', filename: 'notes.md', url }] })
    const file = { type: 'file', base64: 'aGk=', mediaType: 'text/markdown', name: 'notes.md' }
    expect(model.requests[0]?.messages.at(-1)?.content).toContainEqual(file)
  })

  it('continues the session, and sends its history to a session that has none', async () => {
    const { agent, model } = make(['Hello.', 'Again.'])
    const messages = [
      { id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'My name is Ada.' }] },
      { id: 'm2', role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'Hi Ada.' }] },
    ]
    const chat = open(createApp(agent, quiet), { messages })
    await chat.sendMessage({ text: 'Hello' })
    await chat.sendMessage({ text: 'And again' })
    const texts = model.requests[1]?.messages.map(({ content }) => JSON.stringify(content))
    expect(texts?.join()).toContain('My name is Ada.')
    expect(texts?.filter((text) => text.includes('My name is Ada.'))).toHaveLength(1)
    expect(texts?.join()).toContain('And again')
  })

  it('regenerates an answer: the model sees the new one only', async () => {
    const { agent, model } = make(['First.', 'Second.', 'Third.'])
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Hi' })
    await chat.regenerate()
    expect(chat.messages.map(textOf)).toEqual(['Hi', 'Second.'])
    await chat.sendMessage({ text: 'Go on' })
    expect(JSON.stringify(model.requests[2]?.messages)).not.toContain('First.')
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('Second.')
  })

  it.each<[string, UIMessage[], string]>([
    ['a question that a hook has blocked', [], 'my password'],
    ['the greeting of a page', [{ id: 'greeting', role: 'assistant', parts: [{ type: 'text', text: 'Hello!' }] }], ''],
  ])('regenerates an answer after %s', async (_what, messages, blocked) => {
    const hooks: AgentOptions['hooks'] = {
      input: ({ content }) => (JSON.stringify(content).includes('password') ? { block: 'Not here.' } : undefined),
    }
    const { agent, model } = make(['One.', 'Two.', 'New.', 'Last.'], { hooks })
    const chat = open(createApp(agent, quiet), { messages })
    if (blocked !== '') {
      await chat.sendMessage({ text: 'Hi' })
      await chat.sendMessage({ text: blocked })
      expect(textOf(chat.messages.at(-1))).toBe('Not here.')
    }
    await chat.sendMessage({ text: 'Which?' })
    const old = textOf(chat.messages.at(-1))
    await chat.regenerate()
    const seen = JSON.stringify(model.requests.at(-1)?.messages)
    expect(seen.match(/Which\?/g)).toHaveLength(1)
    expect(seen).not.toContain(old)
  })

  it('hides no turn before the messages that a page sends, which may begin with an answer', async () => {
    const { agent, model } = make(['One.', 'Two.', 'New.'])
    const app = createApp(agent, quiet)
    const chat = open(app)
    await chat.sendMessage({ text: 'Hi' })
    await chat.sendMessage({ text: 'Which?' })
    const part = open(app, { messages: chat.messages.slice(1) })
    await part.regenerate()
    const seen = JSON.stringify(model.requests.at(-1)?.messages)
    expect(seen).toContain('One.')
    expect(seen).not.toContain('Two.')
  })

  it('sends an edited question in place of the old one and the messages after it', async () => {
    const { agent, model } = make(['One.', 'Two.', 'New.', 'Last.'])
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Question 1' })
    await chat.sendMessage({ text: 'Question 2' })
    const edited = chat.messages[2]?.id as string // the second question
    await chat.sendMessage({ text: 'Question 2b', messageId: edited })
    expect(chat.messages.map(textOf)).toEqual(['Question 1', 'One.', 'Question 2b', 'New.'])
    const seen = JSON.stringify(model.requests[2]?.messages)
    expect(seen).toContain('One.')
    expect(seen).not.toContain('Two.')
  })

  it.each([
    [true, false],
    [false, false],
    [true, true],
  ])(
    'waits for an approval, and continues the same message (approved: %s, resumable: %s)',
    async (approved, resumable) => {
      const { agent, paid } = make([payTurn, 'Done.'])
      const chat = open(createApp(agent, quiet), { body: { resumable } })
      await chat.sendMessage({ text: 'Pay' })
      const asked = chat.messages.at(-1)
      const waiting = asked?.parts.at(-1) as { state: string; approval: { id: string } }
      expect(waiting).toMatchObject({ type: 'dynamic-tool', toolName: 'pay', state: 'approval-requested' })
      expect(paid).toEqual([])
      await chat.addToolApprovalResponse({
        id: waiting.approval.id,
        approved,
        ...(approved ? {} : { reason: 'Too much' }),
      })
      await until(() => textOf(chat.messages.at(-1)) === 'Done.')
      await settled(chat)
      expect(chat.error).toBeUndefined()
      expect(chat.messages).toHaveLength(2)
      expect(chat.messages.at(-1)?.id).toBe(asked?.id)
      const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')
      expect(part).toMatchObject(
        approved ? { state: 'output-available', output: 'paid 5' } : { state: 'output-denied' },
      )
      expect(paid).toEqual(approved ? [5] : [])
    },
  )

  it.each([
    ['its output', { output: { city: 'Oslo' } }, { result: { city: 'Oslo' } }],
    ['an error', { state: 'output-error', errorText: 'Not allowed.' }, { deny: 'Not allowed.' }],
  ] as const)('executes a call of a client tool, and continues with %s', async (_name, output, decision) => {
    const { agent, model } = make([locateTurn, 'Done.'], { functions: [locate] })
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Where am I?' })
    const part = chat.messages.at(-1)?.parts.at(-1)
    expect(part).toMatchObject({ type: 'dynamic-tool', toolName: 'locate', state: 'input-available' })
    const { toolCallId } = part as { toolCallId: string }
    await chat.addToolOutput({ tool: 'locate', toolCallId, ...output } as never) // one type for each state
    await until(() => textOf(chat.messages.at(-1)) === 'Done.')
    await settled(chat)
    expect(chat.error).toBeUndefined()
    expect(chat.messages).toHaveLength(2)
    expect(model.requests).toHaveLength(2)
    const { runId = '' } = (await agent.runs({ userId: 'default', sessionId: 's1' }))[0] ?? {}
    expect((await agent.sessions.runs?.read(runId))?.approvals).toMatchObject([{ kind: 'client-tool', decision }])
    // The page keeps its own words.
    expect(chat.messages.at(-1)?.parts).toContainEqual(expect.objectContaining({ toolCallId, ...output }))
  })

  it('shows an output that does not fit as an error, and takes the next one', async () => {
    const { agent } = make([locateTurn, 'Oslo.'], { functions: [locate] })
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Where am I?' })
    const part = chat.messages.at(-1)?.parts.at(-1)
    const { toolCallId } = Object(part) as { toolCallId: string }
    const give = (output: object) => chat.addToolOutput({ tool: 'locate', toolCallId, output } as never)
    await give({ town: 'Oslo' })
    await until(() => chat.status === 'error')
    expect(chat.error?.message).toContain('A result must have the form that the `output` of the tool has')
    await give({ city: 'Oslo' })
    await until(() => textOf(chat.messages.at(-1)) === 'Oslo.')
    await settled(chat)
  })

  it('brings tools of its own, where the agent takes some', async () => {
    const paint = { name: 'paint', description: 'Paints the page.', inputSchema: { type: 'object' } }
    const { agent, model } = make([{ toolCalls: [{ name: 'paint' }] }, 'Painted.'], { clientTools: { max: 1 } })
    const app = createApp(agent, quiet)
    const shadowing = open(app, { id: 's2', body: { tools: [{ ...paint, name: 'pay' }] } })
    await shadowing.sendMessage({ text: 'Paint' })
    expect(shadowing.error?.message).toContain('has the name of another one')
    const chat = open(app, { body: { tools: [paint] } })
    await chat.sendMessage({ text: 'Paint' })
    const part = chat.messages.at(-1)?.parts.at(-1)
    const { toolCallId } = Object(part) as { toolCallId: string }
    await chat.addToolOutput({ tool: 'paint', toolCallId, output: 'done' } as never)
    await until(() => textOf(chat.messages.at(-1)) === 'Painted.')
    await settled(chat)
    expect(model.requests.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([
      ['pay', 'paint'],
      ['pay', 'paint'],
    ])
  })

  it('asks something else while a call of a client tool waits', async () => {
    const { agent } = make([locateTurn, 'Rome is in Italy.'], { functions: [locate] })
    const chat = open(createApp(agent, quiet))
    await chat.sendMessage({ text: 'Where am I?' })
    await chat.sendMessage({ text: 'Where is Rome?' })
    expect(chat.error).toBeUndefined()
    expect(textOf(chat.messages.at(-1))).toBe('Rome is in Italy.')
    expect(await agent.runs({ status: 'waiting' })).toEqual([])
  })

  it('shows the call of a member that waits for an approval', async () => {
    const { sessions } = make([])
    const paid: string[] = []
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => String(paid.push('paid')),
    })
    const clerk = new Agent({
      ...{ name: 'Clerk', description: 'Pays.', functions: [pay] },
      model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'I have paid.']),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }] }, 'All is paid.'])
    const chat = open(createApp(new Swarm({ name: 'Team', agents: [clerk], model, sessions }), quiet))
    await chat.sendMessage({ text: 'Pay' })
    expect(chat.error).toBeUndefined()
    const waiting = chat.messages.at(-1)?.parts.findLast(({ type }) => type === 'dynamic-tool')
    expect(waiting).toMatchObject({ toolName: 'pay', state: 'approval-requested' })
    await chat.addToolApprovalResponse({ id: (waiting as { approval: { id: string } }).approval.id, approved: true })
    await until(() => textOf(chat.messages.at(-1)) === 'All is paid.')
    await settled(chat)
    expect(paid).toEqual(['paid'])
    expect(chat.messages).toHaveLength(2)
  })

  it('continues with the member that has the conversation, after an approval', async () => {
    const { sessions } = make([])
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const answers = scriptedModel([
      { text: 'I hand over.', toolCalls: [{ name: 'transfer_to_clerk', input: {} }] },
      { toolCalls: [{ name: 'pay' }] },
      'I have paid.',
    ])
    const front = new Agent({ name: 'Front', description: 'Answers.', functions: [], model: answers })
    const clerk = new Agent({ name: 'Clerk', description: 'Pays.', functions: [pay], model: answers })
    const team = new Swarm({ name: 'Team', agents: [front, clerk], collaboration: 'handoff', sessions })
    const chat = open(createApp(team, quiet))
    await chat.sendMessage({ text: 'Pay' })
    expect(chat.error).toBeUndefined()
    const waiting = chat.messages.at(-1)?.parts.findLast(({ type }) => type === 'dynamic-tool')
    expect(waiting).toMatchObject({ toolName: 'pay', state: 'approval-requested' })
    await chat.addToolApprovalResponse({ id: (waiting as { approval: { id: string } }).approval.id, approved: true })
    await until(() => textOf(chat.messages.at(-1)) === 'I hand over.I have paid.')
    await settled(chat)
  })

  it('shows the text of the last member of a sequence, also after an approval', async () => {
    const { sessions } = make([])
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const writer = new Agent({ name: 'Writer', functions: [], model: scriptedModel(['A bill.']) })
    const answers = scriptedModel([{ text: 'I pay.', toolCalls: [{ name: 'pay' }] }, 'It is paid.'])
    const payer = new Agent({ name: 'Payer', functions: [pay], model: answers })
    const team = new Swarm({ name: 'Team', agents: [writer, payer], collaboration: 'sequence', sessions })
    const chat = open(createApp(team, quiet))
    await chat.sendMessage({ text: 'Pay' })
    expect(chat.error).toBeUndefined()
    expect(textOf(chat.messages.at(-1))).toBe('I pay.')
    const waiting = chat.messages.at(-1)?.parts.findLast(({ type }) => type === 'dynamic-tool')
    await chat.addToolApprovalResponse({ id: (waiting as { approval: { id: string } }).approval.id, approved: true })
    await until(() => textOf(chat.messages.at(-1)) === 'I pay.It is paid.')
    await settled(chat)
    expect(textOf(chat.messages.at(-1))).toBe('I pay.It is paid.')
  })

  it('stops the run', async () => {
    const stopped = Promise.withResolvers<void>()
    const { agent } = make([
      async (_, signal) => {
        signal.addEventListener('abort', () => stopped.resolve())
        await stopped.promise
        return 'late'
      },
    ])
    const app = createApp(agent, quiet)
    const chat = open(app)
    void chat.sendMessage({ text: 'Hi' })
    await until(() => chat.status !== 'ready')
    expect((await app.request('/ui/chat/s1/stop', { method: 'POST' })).status).toBe(204)
    await stopped.promise
    await settled(chat)
  })

  it('sends nothing again when a step after calls is stopped before it shows anything', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'a bee' })
    const begun = Promise.withResolvers<void>()
    const silent = async (_request: unknown, signal: AbortSignal): Promise<string> => {
      begun.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const { agent, model } = make([{ toolCalls: [{ name: 'look' }] }, silent], { functions: [look] })
    const app = createApp(agent, quiet)
    const chat = open(app, { body: { resumable: true } })
    void chat.sendMessage({ text: 'Hi' })
    await begun.promise
    await until(() => JSON.stringify(chat.messages).includes('a bee'))
    expect((await app.request('/ui/chat/s1/stop', { method: 'POST' })).status).toBe(204)
    await settled(chat)
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ finishReason: 'aborted' })
    expect(model.requests).toHaveLength(2)
  })

  it('ends an approved call whose run is stopped, and sends its decision once', async () => {
    const { pay, begun } = heldPay()
    const { agent, model } = make([payTurn, 'Hello.'], { functions: [pay] })
    const app = createApp(agent, quiet)
    const chat = open(app, { body: { resumable: true } })
    await chat.sendMessage({ text: 'Pay' })
    const { id } = approvalIn(chat)
    await chat.addToolApprovalResponse({ id, approved: true })
    await begun
    expect((await app.request('/ui/chat/s1/stop', { method: 'POST' })).status).toBe(204)
    await settled(chat)
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    expect(chat.messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      ...{ state: 'output-error', errorText: 'The call has no result: its agent ended first.' },
    })
    await chat.sendMessage({ text: 'Hi' })
    expect(textOf(chat.messages.at(-1))).toBe('Hello.')
    expect(model.requests).toHaveLength(2)
  })

  it('shows a decided call as one that runs, after a reload', async () => {
    const { pay, begun, release } = heldPay()
    const { agent } = make([payTurn, 'Paid.'], { functions: [pay] })
    const app = createApp(agent, quiet)
    const before = open(app, { body: { resumable: true } })
    await before.sendMessage({ text: 'Pay' })
    await before.addToolApprovalResponse({ id: approvalIn(before).id, approved: true })
    await begun
    await before.stop()
    const after = open(app, { messages: before.messages.slice(0, 1) })
    const resuming = after.resumeStream()
    const state = () => after.messages.at(-1)?.parts.find((part) => part.type === 'dynamic-tool')?.state
    await until(() => state() === 'input-available')
    release()
    await resuming
    expect(state()).toBe('output-available')
    expect(textOf(after.messages.at(-1))).toBe('Paid.')
  })

  it('resumes the stream of a run after a reload, from its start', async () => {
    const released = Promise.withResolvers<void>()
    const look = tool({
      ...{ name: 'look', description: 'Looks.', input: { type: 'object' } },
      execute: () => released.promise.then(() => 'seen'),
    })
    const { agent } = make([{ text: 'I look.', toolCalls: [{ name: 'look' }] }, 'Seen.'], { functions: [look] })
    const app = createApp(agent, quiet)
    const before = open(app, { body: { resumable: true } })
    void before.sendMessage({ text: 'Look' })
    await until(() => partsOf(before.messages.at(-1)).includes('dynamic-tool'))
    await before.stop()
    // The page is loaded again, with what its application has stored.
    const after = open(app, { messages: before.messages.slice(0, 1) })
    const resuming = after.resumeStream()
    await until(() => partsOf(after.messages.at(-1)).includes('dynamic-tool'))
    released.resolve()
    await resuming
    await until(() => textOf(after.messages.at(-1)).endsWith('Seen.'))
    await settled(after)
    expect(after.error).toBeUndefined()
    expect(textOf(after.messages.at(-1))).toBe('I look.Seen.')
    expect(after.messages).toHaveLength(2)
    expect((await app.request('/ui/chat/s1/stream')).status).toBe(204)
  })

  it('shows our sentence where the model fails, before the answer and in it', async () => {
    const { agent } = make([new Error('secret'), { text: 'I begin', error: new Error('secret') }])
    const app = createApp(agent, quiet)
    const first = open(app)
    await first.sendMessage({ text: 'Hi' })
    expect(first.error?.message).toBe('The model provider failed.')
    const second = open(app, { id: 's2' })
    await second.sendMessage({ text: 'Hi' })
    expect(second.error?.message).toBe('The model provider failed.')
    expect(textOf(second.messages.at(-1))).toBe('I begin')
  })

  it('shows why a request is refused', async () => {
    const { agent } = make(['Hello.'])
    const chat = open(createApp(agent, { ...quiet, auth: { tokens: { [token]: 'ann' } } }))
    await chat.sendMessage({ text: 'Hi' })
    expect(chat.error?.message).toContain('Send a valid token')
    const mine = open(createApp(agent, { ...quiet, auth: { tokens: { [token]: 'ann' } } }), {
      headers: { authorization: `Bearer ${token}` },
    })
    await mine.sendMessage({ text: 'Hi' })
    expect(mine.error).toBeUndefined()
    expect(await agent.runs({ userId: 'ann' })).toHaveLength(1)
  })
})
