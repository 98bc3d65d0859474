import { TaskState } from '@a2a-js/sdk'
import { Agent, memorySessions, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import {
  approvalsOf,
  ask,
  type Content,
  clientOf,
  decision,
  lastState,
  sent,
  streamed,
  streamedText,
  textOf,
} from './__fixtures__/a2a-client.ts'

const make = storedAgents()
const options = { log: () => {}, dialects: ['a2a'] } as const

describe('a client of @a2a-js/sdk', () => {
  it('finds the agent by its card, asks, and reads the task later', async () => {
    const { agent } = make(['Hello there.', 'Hello again.'])
    const client = await clientOf(createApp(agent, options))
    const task = await sent(client, ask('Hi'))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(textOf(task)).toBe('Hello there.')
    expect(task.metadata).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 10 } })
    const [run] = await agent.runs({ userId: 'default', sessionId: task.contextId })
    expect(task.id).toBe(run?.runId)
    expect(textOf(await client.getTask({ tenant: '', id: task.id }))).toBe('Hello there.')
    expect(textOf(await sent(client, ask('And again', { contextId: task.contextId })))).toBe('Hello again.')
    expect(
      await agent.sessions.turns({ agentId: agent.id, userId: 'default', sessionId: task.contextId }),
    ).toHaveLength(2)
  })

  it('reads the answer of a task whose events are no longer kept', async () => {
    const { agent, sessions } = make(['Hello there.'])
    const client = await clientOf(createApp(agent, options))
    const { id } = await sent(client, ask('Hi'))
    // Repeats until a millisecond has passed since the end of the run.
    while (await sessions.runs?.eventRange(id)) await sessions.runs?.prune({ eventsMs: 1 })
    expect(textOf(await client.getTask({ tenant: '', id }))).toBe('Hello there.')
  })

  it('streams the answer as one artifact, with the text of an answer that is not streamed', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => ({ seen: 3 }) })
    const turns = [{ text: 'I look.', toolCalls: [{ name: 'look', input: {} }] }, 'Three of them.']
    const { agent } = make([...turns, ...turns], { functions: [look] })
    const client = await clientOf(createApp(agent, options))
    const contents = await streamed(client, ask('How many?'))
    expect(contents[0]).toMatchObject({ $case: 'task', value: { status: { state: TaskState.TASK_STATE_WORKING } } })
    expect(lastState(contents)).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(streamedText(contents)).toBe('I look.\n\nThree of them.')
    const updates = contents.flatMap((each) => (each.$case === 'artifactUpdate' ? [each.value] : []))
    expect(updates.map(({ append }) => append)).toEqual(updates.map((_, index) => index > 0))
    expect(updates.map(({ lastChunk }) => lastChunk).lastIndexOf(true)).toBe(updates.length - 1)
    expect(new Set(updates.map(({ artifact }) => artifact?.artifactId))).toEqual(new Set(['answer']))
    expect(textOf(await sent(client, ask('How many?')))).toBe('I look.\n\nThree of them.')
  })

  it('asks an agent whose sessions are in memory', async () => {
    const agent = new Agent({
      name: 'Test',
      functions: [],
      model: scriptedModel(['One.', 'Two.']),
      sessions: memorySessions(),
    })
    const client = await clientOf(createApp(agent, options))
    expect(textOf(await sent(client, ask('Hi')))).toBe('One.')
    expect(streamedText(await streamed(client, ask('Hi')))).toBe('Two.')
  })

  it('decides on an approval, at once or streamed', async () => {
    const { agent, paid } = make([payTurn, 'Paid.', payTurn, 'Not paid.'])
    const client = await clientOf(createApp(agent, options))
    const task = await sent(client, ask('Pay'))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    expect(approvalsOf(task)).toEqual([
      { id: expect.stringMatching(/^apr_/), name: 'pay', input: { amount: 5 }, kind: 'approval' },
    ])
    const done = await sent(client, decision(task, true))
    expect(done).toMatchObject({ id: task.id, status: { state: TaskState.TASK_STATE_COMPLETED } })
    expect(textOf(done)).toBe('Paid.')
    expect(paid).toEqual([5])
    const second = await sent(client, ask('Pay', { contextId: task.contextId }))
    const contents = await streamed(client, decision(second, { deny: 'Too much.' }))
    expect(contents[0]).toMatchObject({ $case: 'task', value: { id: second.id } })
    expect(streamedText(contents)).toBe('Not paid.')
    expect(lastState(contents)).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(paid).toEqual([5])
  })

  it('gives the result of a client tool, which it is asked for', async () => {
    const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const asks = { name: 'locate', description: 'Where the user is.', input: { type: 'object' }, output } as const
    const turns = [{ toolCalls: [{ name: 'locate' }] }, 'Take an umbrella.']
    const { agent, model } = make(turns, { functions: [tool({ ...asks, client: true })] })
    const client = await clientOf(createApp(agent, options))
    const task = await sent(client, ask('An umbrella?'))
    expect(JSON.stringify(task.status)).toContain('\\"<id>\\": { \\"result\\": … } | { \\"deny\\": \\"…\\" }')
    await expect(client.sendMessage(decision(task, { result: 'Oslo' }))).rejects.toThrow('must have the form')
    expect(textOf(await sent(client, decision(task, { result: { city: 'Oslo' } })))).toBe('Take an umbrella.')
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"city":"Oslo"}' })
  })

  it('is refused with the ids where a message to a waiting task decides nothing', async () => {
    const { agent } = make([payTurn])
    const client = await clientOf(createApp(agent, options))
    const contents = await streamed(client, ask('Pay'))
    expect(lastState(contents)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const [first] = contents
    const id = first?.$case === 'task' ? first.value.id : ''
    const task = await client.getTask({ tenant: '', id })
    const ids = { contextId: task.contextId, taskId: id }
    await expect(client.sendMessage(ask('Yes', ids))).rejects.toThrow(approvalsOf(task)[0]?.id)
    await expect(client.sendMessage(ask('Yes', { ...ids, contextId: 'other' }))).rejects.toThrow(
      'must be that of the task',
    )
  })

  it('learns that a run has failed, in a sentence without the words of the model', async () => {
    const { agent } = make([{ text: 'I begin', error: new Error('secret') }])
    const client = await clientOf(createApp(agent, options))
    const task = await sent(client, ask('Hi'))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(JSON.stringify(task)).not.toContain('secret')
    expect(task.status?.message?.parts[0]?.content?.value).toMatch(/^[A-Z].*\.$/)
    await expect(client.sendMessage(ask('Again', { taskId: task.id }))).rejects.toThrow('The task has ended')
  })

  it('begins a task without waiting, follows it, and cancels it', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const wait = tool({
      ...{ name: 'wait', description: 'Waits.', input: { type: 'object' } },
      execute: async () => {
        begin()
        await held
        return 'waited'
      },
    })
    const waits = { text: 'I wait.', toolCalls: [{ name: 'wait', input: {} }] }
    const { agent } = make([waits, 'Now.'], { functions: [wait] })
    const client = await clientOf(createApp(agent, options))
    const begins = {
      ...ask('Wait'),
      configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
    }
    const task = await sent(client, begins as never) // the type of `ask` has no configuration
    expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING)
    await began
    const contents: Content[] = []
    for await (const { payload } of client.resubscribeTask({ tenant: '', id: task.id })) {
      if (payload) contents.push(payload)
      release()
    }
    const [first] = contents
    expect(first?.$case === 'task' && textOf(first.value)).toBe('I wait.')
    expect(streamedText(contents)).toBe('\n\nNow.')
    expect(lastState(contents)).toBe(TaskState.TASK_STATE_COMPLETED)
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow(
      'The task has ended',
    )
  })

  it('cancels a task that waits for a decision', async () => {
    const { agent } = make([payTurn])
    const client = await clientOf(createApp(agent, options))
    const task = await sent(client, ask('Pay'))
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
  })

  it('lists its tasks, those of one context or state, in pages', async () => {
    const { agent } = make(['One.', 'Two.', payTurn])
    const client = await clientOf(createApp(agent, options))
    for (const text of ['a', 'b', 'c']) await sent(client, ask(text, { contextId: text === 'c' ? 'other' : 'same' }))
    const list = (more: object) =>
      client.listTasks({
        tenant: '',
        contextId: '',
        status: 0,
        pageToken: '',
        statusTimestampAfter: undefined,
        ...more,
      })
    expect((await list({})).totalSize).toBe(3)
    expect((await list({ contextId: 'same' })).tasks).toHaveLength(2)
    const waiting = await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED })
    expect(waiting.tasks.map(({ contextId }) => contextId)).toEqual(['other'])
    const page = await list({ pageSize: 2, includeArtifacts: true })
    const rest = await list({ pageSize: 2, includeArtifacts: true, pageToken: page.nextPageToken })
    expect([...page.tasks, ...rest.tasks].map(textOf).sort()).toEqual(['', 'One.', 'Two.'])
    expect(rest.nextPageToken).toBe('')
  })

  it('asks a swarm: members are skills, and the answer is that of the agent that speaks', async () => {
    const member = (name: string, turns: string[]) =>
      new Agent({ name, description: `Knows ${name}.`, functions: [], model: scriptedModel(turns) })
    const agents = [member('One', ['First.']), member('Two', ['Second.'])]
    const swarm = new Swarm({ name: 'Team', agents, collaboration: 'sequence', sessions: make([]).sessions })
    const app = createApp(swarm, options)
    const card = await (await app.request('/.well-known/agent-card.json')).json()
    expect(card.skills.map(({ name }: { name: string }) => name)).toEqual(['One', 'Two'])
    const client = await clientOf(app)
    expect(textOf(await sent(client, ask('Hi')))).toBe('Second.')
  })

  it('answers with each step of the last member of a sequence, streamed, sent and read later', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'three bees' })
    const steps = [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, 'Three bees.']
    const agents = [
      new Agent({ name: 'One', functions: [], model: scriptedModel(['First.', 'First.']) }),
      new Agent({ name: 'Two', functions: [look], model: scriptedModel([...steps, ...steps]) }),
    ]
    const swarm = new Swarm({ name: 'Team', agents, collaboration: 'sequence', sessions: make([]).sessions })
    const client = await clientOf(createApp(swarm, options))
    const task = await sent(client, ask('Hi'))
    expect(textOf(task)).toBe('I look.\n\nThree bees.')
    expect(textOf(await client.getTask({ tenant: '', id: task.id }))).toBe('I look.\n\nThree bees.')
    expect(streamedText(await streamed(client, ask('Hi')))).toBe('I look.\n\nThree bees.')
  })

  it('decides on the call of a member', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const clerkModel = scriptedModel([{ toolCalls: [{ name: 'pay', callId: 'p1' }] }, 'I have paid.'])
    const clerk = new Agent({ name: 'Clerk', description: 'Pays.', functions: [pay], model: clerkModel })
    const model = scriptedModel([
      { text: 'I ask.', toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }] },
      'All is paid.',
    ])
    const swarm = new Swarm({ name: 'Team', agents: [clerk], model, sessions: make([]).sessions })
    const client = await clientOf(createApp(swarm, options))
    const task = await sent(client, ask('Pay'))
    expect(approvalsOf(task).map(({ name }) => name)).toEqual(['pay'])
    const contents = await streamed(client, decision(task, true))
    expect(streamedText(contents)).toBe('\n\nAll is paid.')
    expect(lastState(contents)).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(textOf(await client.getTask({ tenant: '', id: task.id }))).toBe('I ask.\n\nAll is paid.')
  })

  it('needs the token, and reads no other user', async () => {
    const { agent } = make(['Hello.'])
    const tokens = { 'a-token-of-ann-that-is-long': 'ann', 'a-token-of-eve-that-is-long': 'eve' }
    const app = createApp(agent, { ...options, auth: { tokens } })
    const ann = await clientOf(app, { authorization: 'Bearer a-token-of-ann-that-is-long' })
    const eve = await clientOf(app, { authorization: 'Bearer a-token-of-eve-that-is-long' })
    const task = await sent(ann, ask('Hi'))
    await expect(eve.getTask({ tenant: '', id: task.id })).rejects.toMatchObject({
      name: expect.stringContaining('TaskNotFound'),
    })
    const anonymous = await clientOf(app)
    await expect(anonymous.sendMessage(ask('Hi'))).rejects.toThrow('token')
  })
})
