import { Agent, AgentKitError, memorySessions, Swarm, tool, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import type OpenAI from 'openai'
import { describe, expect, it, vi } from 'vitest'
import { fakeAgent, text } from '../../__fixtures__/fake-agent.ts'
import { payTurn, storedAgents } from '../../__fixtures__/stored-agent.ts'
import { createApp } from '../../create-app.ts'
import { clients } from './__fixtures__/openai-clients.ts'

const make = storedAgents()
const quiet = { log: () => {} }
const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'three bees' })
const twoSteps = [
  { reasoning: 'I must look.', text: 'I look.', toolCalls: [{ name: 'look', input: { at: 1 } }] },
  'Three bees.',
]
const model = 'test'

type Response = OpenAI.Responses.Response
type StreamEvent = OpenAI.Responses.ResponseStreamEvent

async function streamed(
  client: OpenAI,
  body: Omit<OpenAI.Responses.ResponseCreateParamsStreaming, 'stream' | 'model'> = { input: 'Hi' },
): Promise<{ events: StreamEvent[]; response: Response | undefined }> {
  const events: StreamEvent[] = []
  for await (const event of await client.responses.create({ model, ...body, stream: true })) events.push(event)
  const last = events.at(-1)
  return { events, response: last && 'response' in last ? last.response : undefined }
}

const typesOf = ({ output }: { output: { type: string }[] }): string[] => output.map(({ type }) => type)

describe.each(clients)('the client openai %i', (_, connect) => {
  it('reads each text, call and reasoning as an item of its own', async () => {
    const client = connect(createApp(make(twoSteps, { functions: [look] }).agent, quiet))
    const response = await client.responses.create({ model, input: 'How many?', metadata: { a: 'b' } })
    expect(response).toMatchObject({
      ...{ id: expect.stringMatching(/^resp_run_/), object: 'response', status: 'completed', error: null, model },
      ...{ metadata: { a: 'b' }, store: true, usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 } },
      agentkit: { finish_reason: 'stop', cost: null, sources: [], approvals: [] },
    })
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I must look.' }] },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'I look.' }] },
      {
        ...{ type: 'mcp_call', status: 'completed', server_label: 'test', name: 'look', arguments: '{"at":1}' },
        ...{ output: 'three bees', error: null },
      },
      { type: 'message', content: [{ text: 'Three bees.' }] },
    ])
    expect(response.output_text).toBe('I look.Three bees.')
    expect(await client.responses.retrieve(response.id)).toEqual(response)
  })

  it.each([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a BigInt', 10n, '10'],
    ['NaN', Number.NaN, 'NaN'],
    ['bytes', new Uint8Array(3), '[3 bytes]'],
    ['text', '"quoted"', '"quoted"'],
  ])('reads a result later as it was live: %s', async (_, value, output) => {
    const looking = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => value })
    const client = connect(createApp(make(twoSteps, { functions: [looking] }).agent, quiet))
    const response = await client.responses.create({ model, input: 'When?' })
    expect(response.output.find(({ type }) => type === 'mcp_call')).toMatchObject({ output })
    expect(await client.responses.retrieve(response.id)).toEqual(response)
  })

  it('streams the same items, and reads them later', async () => {
    const client = connect(createApp(make([...twoSteps, ...twoSteps], { functions: [look] }).agent, quiet))
    const whole = await client.responses.create({ model, input: 'How many?' })
    const { events, response } = await streamed(client, { input: 'How many?' })
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, index) => index))
    expect([events[0]?.type, events[1]?.type, events.at(-1)?.type]).toEqual([
      ...['response.created', 'response.in_progress', 'response.completed'],
    ])
    const plain = ({ output }: { output: object[] }): object[] => output.map((item) => ({ ...item, id: '' }))
    expect(response && plain(response)).toEqual(plain(whole))
    const stored = await client.responses.retrieve(whole.id)
    expect(stored.output).toEqual(whole.output)
    expect(stored).toMatchObject({ status: 'completed', usage: whole.usage, agentkit: { finish_reason: 'stop' } })
  })

  it('reads a whole stream with its own helper', async () => {
    const client = connect(createApp(make(twoSteps, { functions: [look] }).agent, quiet))
    const stream = client.responses.stream({ model, input: 'How many?' })
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    const response = await stream.finalResponse()
    expect(deltas.join('')).toBe('I look.Three bees.')
    expect(typesOf(response)).toEqual(['reasoning', 'message', 'mcp_call', 'message'])
  })

  it('streams the text of each step of the last member of a sequence, and none of its calls', async () => {
    const steps = [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, 'Three bees.']
    const one = new Agent({ name: 'One', model: scriptedModel(['First.', 'First.']) })
    const two = new Agent({ name: 'Two', functions: [look], model: scriptedModel([...steps, ...steps]) })
    const sessions = memorySessions()
    const swarm = new Swarm({ name: 'Test', collaboration: 'sequence', agents: [one, two], sessions })
    const client = connect(createApp(swarm, quiet))
    const said = [{ content: [{ text: 'I look.' }] }, { content: [{ text: 'Three bees.' }] }]
    const { events, response } = await streamed(client)
    const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    expect(deltas.join('')).toBe('I look.Three bees.')
    const messagesOf = ({ output }: Response): object[] => output.filter(({ type }) => type === 'message')
    expect(response && messagesOf(response)).toMatchObject(said)
    // The calls of the sequence itself are those of its members.
    expect(response && typesOf(response)).toEqual(['mcp_call', 'mcp_call', 'message', 'message'])
    expect(messagesOf(await client.responses.create({ model, input: 'Go' }))).toMatchObject(said)
  })

  it('reads the steps of the last member of a sequence later, as they were answered', async () => {
    const steps = [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, 'Three bees.']
    const one = new Agent({ name: 'One', functions: [], model: scriptedModel(['First.', 'First.', 'First.']) })
    const two = new Agent({ name: 'Two', functions: [look], model: scriptedModel([...steps, ...steps, ...steps]) })
    for (const sessions of [memorySessions(), make([]).sessions]) {
      const swarm = new Swarm({ name: 'Test', collaboration: 'sequence', agents: [one, two], sessions })
      const client = connect(createApp(swarm, quiet))
      const response = await client.responses.create({ model, input: 'Go' })
      expect(response.output_text).toBe('I look.Three bees.')
      expect(await client.responses.retrieve(response.id)).toEqual(response)
      if (!sessions.runs) continue
      const { id } = await client.responses.create({ model, input: 'Go', background: true })
      const worker = await swarm.work()
      await vi.waitFor(async () => expect((await client.responses.retrieve(id)).status).toBe('completed'))
      const later = await client.responses.retrieve(id)
      expect(later.output_text).toBe('I look.Three bees.')
      const events: StreamEvent[] = []
      for await (const event of await client.responses.retrieve(id, { stream: true })) events.push(event)
      expect(events.at(-1)).toMatchObject({ response: { output: later.output } })
      await worker.close()
    }
  })

  it('reads the results of repeated calls later, without the notes to the model', async () => {
    const call = { toolCalls: [{ name: 'look' }] }
    const client = connect(createApp(make([...Array(5).fill(call), 'Bees.'], { functions: [look] }).agent, quiet))
    const response = await client.responses.create({ model, input: 'Go' })
    expect(response.output.flatMap((item) => ('output' in item ? [item.output] : []))).toEqual(
      Array(5).fill('three bees'),
    )
    expect(await client.responses.retrieve(response.id)).toEqual(response)
  })

  it('has the answer of a workflow as its only message, streamed or not', async () => {
    const writer = (name: string, text: string) => new Agent({ name, model: scriptedModel([text, text]) })
    const flow = workflow({ name: 'Test' }).step(writer('One', 'A draft.')).step(writer('Two', 'The letter.'))
    const client = connect(createApp(flow.asAgent(), quiet))
    const { response } = await streamed(client)
    const only = [{ type: 'message', content: [{ text: 'The letter.' }] }]
    expect(response?.output).toMatchObject(only)
    expect((await client.responses.create({ model, input: 'Go' })).output).toMatchObject(only)
  })

  it('shows our sentence where a tool fails', async () => {
    const fail = tool({
      ...{ name: 'look', description: 'Fails.', input: { type: 'object' } },
      execute: () => {
        throw new Error('secret path')
      },
    })
    const client = connect(createApp(make(twoSteps, { functions: [fail] }).agent, quiet))
    const response = await client.responses.create({ model, input: 'How many?' })
    const call = { type: 'mcp_call', status: 'failed', output: null, error: 'A tool failed.' }
    expect(response.output).toContainEqual(expect.objectContaining(call))
    expect((await client.responses.retrieve(response.id)).output).toContainEqual(expect.objectContaining(call))
  })

  it('shows the text that the model reads for a tool without a result', async () => {
    const finds = tool({ name: 'find', description: 'Finds.', input: { type: 'object' }, execute: () => null })
    const sends = tool({ name: 'send', description: 'Sends.', input: { type: 'object' }, execute: () => undefined })
    const turns = [{ toolCalls: [{ name: 'find' }, { name: 'send' }] }, 'Sent.']
    const client = connect(createApp(make(turns, { functions: [finds, sends] }).agent, quiet))
    const response = await client.responses.create({ model, input: 'Go' })
    expect(response.output).toMatchObject([{ output: 'no result' }, { output: 'done' }, { type: 'message' }])
    expect((await client.responses.retrieve(response.id)).output).toEqual(response.output)
  })

  it.each([['on disk'], ['in memory']])('continues the session of an earlier response (%s)', async (where) => {
    const { agent, model: scripted } = make(
      ['One.', 'Two.', 'Other.'],
      where === 'in memory' ? { sessions: memorySessions() } : {},
    )
    const client = connect(createApp(agent, quiet))
    const first = await client.responses.create({ model, input: 'A' })
    const second = await client.responses.create({ model, input: 'B', previous_response_id: first.id })
    expect(second.previous_response_id).toBe(first.id)
    const previousOf = async ({ id }: Response) => (await client.responses.retrieve(id)).previous_response_id
    expect([await previousOf(first), await previousOf(second)]).toEqual([null, first.id])
    const sessions = await agent.sessions.list({ agentId: 'test', userId: 'default' })
    expect(sessions).toMatchObject([{ turns: 2 }])
    // The response is not the last any more: a new session begins with the earlier turns.
    const forked = { model, previous_response_id: first.id, instructions: 'Be brief.' }
    const other = await client.responses.create({ ...forked, input: 'C' })
    expect(await previousOf(other)).toBe(first.id)
    expect(await agent.sessions.list({ agentId: 'test', userId: 'default' })).toHaveLength(2)
    const texts = JSON.stringify(scripted.requests[2]?.messages.map(({ content }) => content))
    expect(texts).toMatch(/"A",\[\{"type":"text","text":"One."\}\],\[.*Be brief.*"C"\}\]/)
    expect(texts).not.toContain('"B"')
  })

  it('continues an earlier response by all that is said after it', async () => {
    const { agent, model: scripted } = make(['One.', 'Two.', 'Three.'])
    const client = connect(createApp(agent, quiet))
    const first = await client.responses.create({ model, input: 'A' })
    const image_url = 'data:image/png;base64,iVBORw0KGgo='
    const second = await client.responses.create({
      ...{ model, previous_response_id: first.id, instructions: 'Be brief.' },
      input: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'input_image', image_url, detail: 'auto' }] },
        { role: 'user', content: 'What is this?' },
      ],
    })
    expect(scripted.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: expect.stringMatching(/Be brief\.\s+Be kind\./) },
      { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { type: 'text', text: 'What is this?' },
    ])
    // A client that sends back what was said repeats nothing.
    await client.responses.create({
      ...{ model, previous_response_id: second.id },
      input: [
        { role: 'user', content: 'What is this?' },
        { role: 'assistant', content: 'Two.' },
        { role: 'user', content: 'Sure?' },
      ],
    })
    expect(scripted.requests[2]?.messages.at(-1)?.content).toBe('Sure?')
  })

  it('keeps nothing with `store: false`, nor of the response that it continues', async () => {
    const { agent } = make(['One.', 'Two.', 'Three.'])
    const client = connect(createApp(agent, quiet))
    const loose = await client.responses.create({ model, input: 'A', store: false })
    expect(loose).toMatchObject({ store: false })
    await expect(client.responses.retrieve(loose.id)).rejects.toMatchObject({ status: 404 })
    const kept = await client.responses.create({ model, input: 'A' })
    await client.responses.create({ model, input: 'B', store: false, previous_response_id: kept.id })
    expect(await agent.sessions.list({ agentId: 'test', userId: 'default' })).toMatchObject([{ turns: 1 }])
  })

  it('says `store: false` of a question that a hook blocks, of which nothing is stored', async () => {
    const { agent } = make(['One.'], {
      hooks: { input: ({ content }) => (JSON.stringify(content).includes('password') ? { block: 'No.' } : undefined) },
    })
    const client = connect(createApp(agent, quiet))
    const blocked = await client.responses.create({ model, input: 'My password', store: true })
    expect(blocked).toMatchObject({ output_text: 'No.', store: false, agentkit: { finish_reason: 'content-filter' } })
    await expect(client.responses.retrieve(blocked.id)).rejects.toMatchObject({ status: 404 })
    const stream = await client.responses.create({ model, input: 'My password', stream: true })
    let last: unknown
    for await (const event of stream) last = event
    expect(last).toMatchObject({ response: { store: false } })
    expect(await client.responses.create({ model, input: 'A' })).toMatchObject({ store: true })
  })

  it('requests an approval, and continues once it is answered', async () => {
    const { agent, paid } = make([{ text: 'I pay.', toolCalls: [{ name: 'pay', input: { amount: 5 } }] }, 'Paid.'])
    const client = connect(createApp(agent, quiet))
    const first = await client.responses.create({ model, input: 'Pay' })
    // A call is one item: one that waits is its request.
    expect(typesOf(first)).toEqual(['message', 'mcp_approval_request'])
    const request = first.output[1] as OpenAI.Responses.ResponseOutputItem.McpApprovalRequest
    expect(first).toMatchObject({
      status: 'completed',
      agentkit: { finish_reason: 'approval', approvals: [{ name: 'pay' }] },
    })
    expect(request).toMatchObject({ name: 'pay', arguments: '{"amount":5}', server_label: 'test' })
    expect((await client.responses.retrieve(first.id)).output).toEqual(first.output)
    const second = await client.responses.create({
      ...{ model, previous_response_id: first.id },
      input: [{ type: 'mcp_approval_response', approval_request_id: request.id, approve: true }],
    })
    expect(second.id).toBe(first.id)
    expect(second.output).toMatchObject([
      {
        type: 'mcp_call',
        status: 'completed',
        output: 'paid 5',
        arguments: '{"amount":5}',
        approval_request_id: request.id,
      },
      { type: 'message', content: [{ text: 'Paid.' }] },
    ])
    expect(paid).toEqual([5])
    await expect(
      client.responses.create({
        ...{ model, previous_response_id: first.id },
        input: [{ type: 'mcp_approval_response', approval_request_id: request.id, approve: false }],
      }),
    ).rejects.toMatchObject({ status: 409 })
  })

  it('names the approval of each call, also where they are decided one by one, and once it is read later', async () => {
    const pays = [1, 2].map((amount) => ({ name: 'pay', input: { amount } }))
    const { agent } = make([{ toolCalls: pays }, 'Paid.'])
    const client = connect(createApp(agent, quiet))
    const { id, output } = await client.responses.create({ model, input: 'Pay twice' })
    const requests = output.map((item) => item.id ?? '')
    const decide = (request = '', approve = true) =>
      client.responses.create({
        ...{ model, previous_response_id: id },
        input: [{ type: 'mcp_approval_response', approval_request_id: request, approve }],
      })
    await decide(requests[0])
    const named = requests.map((request) => ({ type: 'mcp_call', approval_request_id: request }))
    expect((await decide(requests[1], false)).output).toMatchObject([...named, { type: 'message' }])
    expect((await client.responses.retrieve(id)).output).toMatchObject([...named, { type: 'message' }])
  })

  it.each([true, false])(
    'continues a run that asks again, for a client that sends all items (approve: %s)',
    async (approve) => {
      const { agent, paid } = make([payTurn, payTurn, 'Done.'])
      const client = connect(createApp(agent, quiet))
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Pay twice' }]
      const ask = async () => {
        const { output, output_text: answer } = await client.responses.create({ model, input })
        input.push(...(output as OpenAI.Responses.ResponseInputItem[]))
        for (const { type, id = '' } of output) {
          if (type === 'mcp_approval_request')
            input.push({ type: 'mcp_approval_response', approval_request_id: id, approve })
        }
        return answer
      }
      expect([await ask(), await ask(), await ask()]).toEqual(['', '', 'Done.'])
      expect(paid).toEqual(approve ? [5, 5] : [])
      input.pop() // the answer, so that the decisions are the last items
      await expect(ask()).rejects.toMatchObject({ status: 409 })
    },
  )

  it.each([
    ['an unknown one', 'resp_run_unknown', 404],
    ['one that has asked nothing', undefined, 400],
  ])('refuses the answer to an approval of another response: %s', async (_what, unknown, status) => {
    const { agent, paid } = make(['Hello.', { toolCalls: [{ name: 'pay', input: { amount: 5 } }] }, 'Paid.'])
    const client = connect(createApp(agent, quiet))
    const { id: other } = await client.responses.create({ model, input: 'Hi' })
    const first = await client.responses.create({ model, input: 'Pay' })
    const input = [
      { type: 'mcp_approval_response', approval_request_id: first.output.at(-1)?.id ?? '', approve: true } as const,
    ]
    const answer = client.responses.create({ model, previous_response_id: unknown ?? other, input })
    await expect(answer).rejects.toMatchObject({ status, param: 'previous_response_id' })
    expect(paid).toEqual([])
  })

  it.each([
    ['before a text, as sources of the run', 'I pay.', false],
    ['before no text, as citations of the next text', '', true],
  ])('continues with what was cited before an approval: %s', async (_what, text, isCited) => {
    const source = { file: 'a.md', start: 0, end: 4, quote: 'Bees', chunkId: 'k1', score: { fused: 1 } }
    const input = { type: 'object' }
    const cite = { name: 'find', description: 'Finds.', input }
    const find = tool({ ...cite, execute: (_input, context) => context?.cite([source]) })
    const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })
    const payAfter = { text, toolCalls: [{ name: 'pay' }] }
    const { agent } = make([{ toolCalls: [{ name: 'find' }] }, payAfter, 'Paid.'], { functions: [find, pay] })
    const app = createApp(agent, quiet)
    const client = connect(app)
    const sources = [{ chunk_id: 'k1', quote: 'Bees' }]
    const first = await client.responses.create({ model, input: 'Pay' })
    expect(first).toMatchObject({ agentkit: { sources } })
    expect(await client.responses.retrieve(first.id)).toEqual(first)
    const runId = first.id.replace(/^resp_/, '')
    expect(await (await app.request(`/api/v1/runs/${runId}?user_id=default`)).json()).toMatchObject({ sources })
    const approve = {
      type: 'mcp_approval_response',
      approval_request_id: first.output.at(-1)?.id ?? '',
      approve: true,
    } as const
    const second = await client.responses.create({ model, previous_response_id: first.id, input: [approve] })
    expect(second).toMatchObject({ output_text: 'Paid.', agentkit: { sources } })
    expect(JSON.stringify(second.output).includes('file_citation')).toBe(isCited)
  })

  it('streams the answer after a denial', async () => {
    const { agent, paid } = make([payTurn, 'As you wish.'])
    const client = connect(createApp(agent, quiet))
    const first = await client.responses.create({ model, input: 'Pay' })
    const { events, response } = await streamed(client, {
      previous_response_id: first.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: first.output.at(-1)?.id ?? '', approve: false }],
    })
    expect(paid).toEqual([])
    expect(events.at(-1)?.type).toBe('response.completed')
    expect(response?.output).toMatchObject([
      { type: 'mcp_call', status: 'failed' },
      { type: 'message', content: [{ text: 'As you wish.' }] },
    ])
  })

  it.each([
    ['manager', ['mcp_call', 'mcp_approval_request']],
    // The call is that of the member that speaks.
    ['handoff', ['mcp_approval_request']],
  ] as const)('requests the approval of a member of a swarm (%s)', async (collaboration, types) => {
    const { sessions } = make([])
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const member = new Agent({ name: 'Payer', functions: [pay], model: scriptedModel([payTurn, 'I have paid.']) })
    const lead = scriptedModel([{ toolCalls: [{ name: 'payer', input: { task: 'Pay' } }] }, 'I have paid.'])
    const isManaged = collaboration === 'manager'
    const swarm = new Swarm({
      ...{ name: 'Test', agents: [member], sessions, collaboration },
      ...(isManaged && { model: lead }),
    })
    const client = connect(createApp(swarm, quiet))
    const first = await client.responses.create({ model, input: 'Pay' })
    expect(typesOf(first)).toEqual(types)
    const { id = '' } = first.output.at(-1) ?? {}
    expect((await client.responses.retrieve(first.id)).output).toEqual(first.output)
    const second = await client.responses.create({
      ...{ model, previous_response_id: first.id },
      input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
    })
    expect(typesOf(second)).toEqual(['mcp_call', 'message'])
    expect(second.output_text).toBe('I have paid.')
    expect(second.output[0]).toMatchObject({ approval_request_id: isManaged ? null : id })
  })

  it('decides on an approval of a background response, which a worker continues', async () => {
    const { agent } = make([payTurn, 'Paid.'])
    const client = connect(createApp(agent, quiet))
    const { id } = await client.responses.create({ model, input: 'Pay', background: true })
    const worker = await agent.work()
    try {
      await expect
        .poll(async () => (await client.responses.retrieve(id)).output.at(-1)?.type)
        .toBe('mcp_approval_request')
      const request = (await client.responses.retrieve(id)).output.at(-1)?.id ?? ''
      const decided = await client.responses.create({
        ...{ model, previous_response_id: id },
        input: [{ type: 'mcp_approval_response', approval_request_id: request, approve: true }],
      })
      expect(decided.id).toBe(id)
      await expect.poll(async () => (await client.responses.retrieve(id)).output_text).toBe('Paid.')
    } finally {
      await worker.close()
    }
  })

  it('runs in the background, is followed from any event, and is cancelled', async () => {
    const { agent } = make(['Done.', () => new Promise(() => {})])
    const client = connect(createApp(agent, quiet))
    const queued = await client.responses.create({ model, input: 'Hi', background: true, metadata: { a: 'b' } })
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [], metadata: { a: 'b' } })
    const worker = await agent.work()
    try {
      const events: StreamEvent[] = []
      for await (const event of await client.responses.retrieve(queued.id, { stream: true })) events.push(event)
      expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
      const rest: StreamEvent[] = []
      const from = { stream: true, starting_after: 2 } as const
      for await (const event of await client.responses.retrieve(queued.id, from)) rest.push(event)
      expect(rest).toEqual(events.slice(3))
      const last = await client.responses.retrieve(queued.id, { stream: true, starting_after: events.length - 1 })
      for await (const event of last) expect.unreachable(event.type)
      const above = client.responses.retrieve(queued.id, { stream: true, starting_after: events.length })
      await expect(above).rejects.toMatchObject({ status: 400, param: 'starting_after' })
      expect(await client.responses.retrieve(queued.id)).toMatchObject({
        status: 'completed',
        output: [{ type: 'message' }],
        metadata: { a: 'b' },
      })
      const slow = await client.responses.create({ model, input: 'Slow', background: true })
      await expect.poll(async () => (await client.responses.retrieve(slow.id)).status).toBe('in_progress')
      expect(await client.responses.cancel(slow.id)).toMatchObject({ id: slow.id, status: 'cancelled' })
    } finally {
      await worker.close()
    }
  })

  it('streams no response whose events are no longer kept', async () => {
    const { agent, sessions } = make(['Hello.'])
    const client = connect(createApp(agent, quiet))
    const { runId } = await agent.stream('Hi', { sessionId: 's', resumable: true }).result
    while (await sessions.runs?.eventRange(runId)) await sessions.runs?.prune({ eventsMs: 1 })
    const id = `resp_${runId}`
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'completed', output_text: 'Hello.' })
    const error = await client.responses.retrieve(id, { stream: true }).catch((thrown) => thrown)
    expect(error).toMatchObject({ status: 410, code: 'stream_expired' })
  })

  it('streams a background response from its start', async () => {
    const { agent } = make(['Done.'])
    const client = connect(createApp(agent, quiet))
    const worker = await agent.work()
    try {
      const { events } = await streamed(client, { input: 'Hi', background: true })
      expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { background: true } })
    } finally {
      await worker.close()
    }
  })

  it('that is queued is the last of its session, and is continued in the background or once it has begun', async () => {
    const { agent, model: asked } = make(['One.', 'Two.', 'Three.', 'Four.'])
    const client = connect(createApp(agent, quiet))
    const send = (input: string, previous?: string, more = {}) =>
      client.responses.create({ ...{ model, input, ...more }, ...(previous && { previous_response_id: previous }) })
    const first = await send('A')
    const queued = await send('B', first.id, { background: true })
    const last = await send('C', queued.id, { background: true })
    const texts = (request = asked.requests.at(-1)) => JSON.stringify(request?.messages).match(/"[A-E]"/g)
    await send('D', first.id)
    expect(texts()).toEqual(['"A"', '"D"'])
    for (const input of ['E', 'F'])
      await expect(send(input, queued.id, { store: input === 'E' })).rejects.toMatchObject({ status: 409 })
    const cancelled = await send('G', last.id, { background: true })
    await client.responses.cancel(cancelled.id)
    await expect(send('H', cancelled.id)).rejects.toMatchObject({ status: 409, code: 'session_conflict' })
    const worker = await agent.work()
    try {
      await expect
        .poll(async () => (await client.responses.retrieve(last.id)).status, { timeout: 30_000 })
        .toBe('completed')
    } finally {
      await worker.close()
    }
    expect(texts()).toEqual(['"A"', '"B"', '"C"'])
  })

  it('is deleted, unless others continue it', async () => {
    const client = connect(createApp(make(['One.', 'Two.', 'Three.', 'Four.']).agent, quiet))
    const first = await client.responses.create({ model, input: 'A' })
    await client.responses.create({ model, input: 'B', previous_response_id: first.id })
    await expect(client.responses.delete(first.id)).rejects.toMatchObject({ status: 409 })
    const single = await client.responses.create({ model, input: 'C' })
    await client.responses.delete(single.id)
    await expect(client.responses.retrieve(single.id)).rejects.toMatchObject({ status: 404 })
    const next = await client.responses.create({ model, input: 'D' })
    const queued = await client.responses.create({
      ...{ model, input: 'E', previous_response_id: next.id, background: true },
    })
    await expect(client.responses.delete(next.id)).rejects.toMatchObject({ status: 409 })
    const waiting = { status: 'queued', previous_response_id: next.id }
    expect(await client.responses.retrieve(queued.id)).toMatchObject(waiting)
    expect(await client.responses.cancel(queued.id)).toMatchObject({ ...waiting, status: 'cancelled' })
  })

  it('deletes a run without a session, which no session lists', async () => {
    const { agent } = make(['One.'])
    const client = connect(createApp(agent, quiet))
    const done = await agent.stream('A', { resumable: true }).result
    const queued = await agent.enqueue('B', { startAfter: new Date(Date.now() + 3_600_000) })
    for (const { runId } of [done, queued]) {
      const eve = connect(createApp(agent, quiet), { headers: { 'x-user-id': 'eve' } })
      await expect(eve.responses.delete(`resp_${runId}`)).rejects.toMatchObject({ status: 404 })
      await client.responses.delete(`resp_${runId}`)
      await expect(client.responses.retrieve(`resp_${runId}`)).rejects.toMatchObject({ status: 404 })
    }
    expect(await agent.runs()).toEqual([])
  })

  it.each([['on disk'], ['in memory']])('reads no response of another user (%s)', async (where) => {
    const sessions = where === 'in memory' && { sessions: memorySessions() }
    const app = createApp(make(['One.', 'Two.'], { ...sessions }).agent, quiet)
    const { id } = await connect(app, { headers: { 'x-user-id': 'ann' } }).responses.create({ model, input: 'A' })
    const eve = connect(app, { headers: { 'x-user-id': 'eve' } })
    await expect(eve.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
    await expect(eve.responses.cancel(id)).rejects.toMatchObject({ status: 404 })
    await expect(eve.responses.delete(id)).rejects.toMatchObject({ status: 404 })
    await expect(eve.responses.create({ model, input: 'B', previous_response_id: id })).rejects.toMatchObject({
      ...{ status: 404, code: 'previous_response_not_found', param: 'previous_response_id' },
    })
  })

  it('gets the status of a run that fails, and `response.failed` within a stream', async () => {
    const failing = new AgentKitError('network', 'secret address')
    const early = connect(
      createApp(
        Object.assign(
          fakeAgent(() => [{ fail: failing }]),
          { id: model },
        ),
        quiet,
      ),
    )
    const failure = { status: 502, message: expect.not.stringContaining('secret') }
    await expect(early.responses.create({ model, input: 'Hi' })).rejects.toMatchObject(failure)
    await expect(streamed(early)).rejects.toMatchObject(failure)
    const late = Object.assign(
      fakeAgent(() => [text('Hel'), { fail: failing }]),
      { id: model },
    )
    const { events, response } = await streamed(connect(createApp(late, quiet)))
    expect(events.at(-1)?.type).toBe('response.failed')
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
      output: [{ status: 'incomplete' }],
    })
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it.each([
    ['budget', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const)('is incomplete where a run ends by %s', async (finishReason, reason) => {
    const agent = fakeAgent(() => [text('So far.'), { type: 'run-end', finishReason, text: 'So far.', usage: {} }])
    const client = connect(createApp(Object.assign(agent, { id: model }), quiet))
    const response = await client.responses.create({ model, input: 'Hi' })
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
    expect((await streamed(client)).events.at(-1)?.type).toBe('response.incomplete')
  })

  it('cites the sources of a text', async () => {
    const source = { file: 'a.md', start: 0, end: 4, quote: 'Bees', chunkId: 'k1', score: { fused: 1 } }
    const agent = fakeAgent(() => [{ type: 'source', source }, text('Bees.')])
    const client = connect(createApp(Object.assign(agent, { id: model }), quiet))
    const annotations = [{ type: 'file_citation', file_id: 'k1', filename: 'a.md', index: 5 }]
    const response = await client.responses.create({ model, input: 'Hi' })
    expect(response.output).toMatchObject([{ content: [{ annotations }] }])
    expect(response).toMatchObject({ agentkit: { sources: [{ chunk_id: 'k1', quote: 'Bees' }] } })
    const { events } = await streamed(client)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'response.output_text.annotation.added', annotation: annotations[0] }),
    )
  })

  it('receives, of a swarm, the agent that speaks to the user', async () => {
    const member = new Agent({
      name: 'One',
      functions: [look],
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'Three.']),
    })
    const lead = scriptedModel([{ toolCalls: [{ name: 'one', input: { task: 'Count' } }] }, 'There are three.'])
    const client = connect(createApp(new Swarm({ name: 'Test', agents: [member], model: lead }), quiet))
    const response = await client.responses.create({ model, input: 'How many?' })
    expect(response.output).toMatchObject([
      { type: 'mcp_call', name: 'one', output: 'Three.' },
      { type: 'message', content: [{ text: 'There are three.' }] },
    ])
  })
})

const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  ...{ method: 'POST', body: JSON.stringify(body) },
  headers: { 'content-type': 'application/json', ...headers },
})
const valid = { model: 'fake', input: 'Hi' }
const approval = { type: 'mcp_approval_response', approval_request_id: 'run_1/apr_1', approve: true }

describe('POST /v1/responses', () => {
  it.each<[string, object, string, string]>([
    ['no input', { model: 'fake' }, 'input', 'missing_required_parameter'],
    ['an input that is none', { ...valid, input: 7 }, 'input', 'invalid_value'],
    ['an empty input', { ...valid, input: '' }, 'input', 'invalid_value'],
    ['a list without input', { ...valid, input: [] }, 'input', 'invalid_value'],
    ['tools', { ...valid, tools: [{ type: 'web_search' }] }, 'tools', 'unsupported_parameter'],
    [
      'another form of the answer',
      { ...valid, text: { format: { type: 'json_object' } } },
      'text.format',
      'unsupported_parameter',
    ],
    ['a conversation', { ...valid, conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
    ['a prompt', { ...valid, prompt: { id: 'p' } }, 'prompt', 'unsupported_parameter'],
    ['log probabilities', { ...valid, include: ['message.output_text.logprobs'] }, 'include', 'unsupported_parameter'],
    [
      'the result of a custom tool',
      { ...valid, input: [{ type: 'custom_tool_call_output', output: '' }] },
      'input[0].type',
      'unsupported_parameter',
    ],
    [
      'the result of a call that no item has',
      { ...valid, input: [{ type: 'function_call_output', call_id: 'c', output: '' }] },
      'input[0].call_id',
      'invalid_value',
    ],
    ['an unknown item', { ...valid, input: [{ type: 'x' }] }, 'input[0].type', 'invalid_value'],
    [
      'a background response that is not stored',
      { ...valid, background: true, store: false },
      'store',
      'unsupported_parameter',
    ],
    ['a flag that is none', { ...valid, background: 'yes' }, 'background', 'invalid_value'],
    ['an id that is none', { ...valid, previous_response_id: 7 }, 'previous_response_id', 'invalid_value'],
    [
      'an approval of another server',
      { ...valid, input: [{ ...approval, approval_request_id: 'x' }] },
      'input[0].approval_request_id',
      'invalid_value',
    ],
    ['no decision', { ...valid, input: [{ ...approval, approve: 'yes' }] }, 'input[0].approve', 'invalid_value'],
    [
      'approvals of two responses',
      { ...valid, input: [approval, { ...approval, approval_request_id: 'run_2/a' }] },
      'input[1].approval_request_id',
      'invalid_value',
    ],
  ])('with %s is refused, naming the field', async (_, body, param, code) => {
    const agent = fakeAgent()
    const response = await createApp(agent, quiet).request('/v1/responses', post(body))
    expect({ status: response.status, ...(await response.json()) }).toEqual({
      status: 400,
      error: { message: expect.stringMatching(/^[A-Z].*\.$/), type: 'invalid_request_error', param, code },
    })
    expect(agent.calls).toHaveLength(0)
  })

  it('accepts the items of an earlier response that a client sends back', async () => {
    const agent = fakeAgent()
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'A' }] },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B', annotations: [] }] },
      { type: 'mcp_call', id: 'mcp_1' },
      { type: 'mcp_call', id: 'mcp_2', name: 'look', arguments: '{"at":1}', output: 'bees', error: null },
      { type: 'mcp_call', id: 'mcp_2', name: 'look', arguments: '{"at', output: null, error: 'A tool failed.' },
      { type: 'function_call', call_id: 'a', name: 'count', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'count', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: '3' }] },
      { role: 'user', content: 'C' },
    ]
    const response = await createApp(agent, quiet).request('/v1/responses', post({ ...valid, input }))
    expect(response.status).toBe(200)
    expect(agent.calls[0]?.input).toBe('C')
    expect(agent.calls[0]?.options.history).toEqual([
      { v: 1, role: 'user', content: 'A' },
      { v: 1, role: 'assistant', content: [{ type: 'text', text: 'B' }] },
      { v: 1, role: 'assistant', content: [{ type: 'tool-call', callId: 'mcp_2', name: 'look', input: { at: 1 } }] },
      { v: 1, role: 'tool', callId: 'mcp_2', name: 'look', content: 'bees' },
      { v: 1, role: 'assistant', content: [{ type: 'tool-call', callId: 'call_1', name: 'look', input: {} }] },
      { v: 1, role: 'tool', callId: 'call_1', name: 'look', content: 'A tool failed.', isError: true },
      // The call without a result is not there.
      { v: 1, role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'count', input: {} }] },
      { v: 1, role: 'tool', callId: 'a', name: 'count', content: '3' },
    ])
  })

  it('reads items that a client refers to by their ids, as that of the AI SDK does', async () => {
    const { agent, model: scripted } = make([...twoSteps, 'Sure.', 'Yes.'], { functions: [look] })
    const app = createApp(agent, quiet)
    const first = await (await app.request('/v1/responses', post({ model, input: 'How many?' }))).json()
    const references = first.output.map(({ id }: { id: string }) => ({ type: 'item_reference', id }))
    expect(references).toHaveLength(4)
    const input = [{ role: 'user', content: 'How many?' }, ...references, { role: 'user', content: 'Sure?' }]
    const second = await app.request('/v1/responses', post({ model, input }))
    expect(second.status).toBe(200)
    const texts = ({ content }: { content: unknown }) =>
      JSON.stringify(content)
        .match(/[A-Z][a-z ]+[.?]/g)
        ?.join(' ')
    const sent = scripted.requests.at(-1)?.messages ?? []
    expect(sent.filter(({ role }) => role !== 'tool').flatMap((message) => texts(message) ?? [])).toEqual([
      ...['How many?', 'I look.', 'Three bees.', 'Sure?'],
    ])
    expect(sent.filter(({ role }) => role === 'tool')).toMatchObject([{ name: 'look', content: 'three bees' }])
    const continued = { model, previous_response_id: first.id, input: input.slice(1) }
    expect((await app.request('/v1/responses', post(continued))).status).toBe(200)
    expect(scripted.requests.at(-1)?.messages.at(-1)?.content).toBe('Sure?')
    const other = await app.request('/v1/responses', post({ model, input, user: 'eve' }))
    expect([other.status, (await other.json()).error]).toMatchObject([404, { param: 'input[2].id' }])
    const none = [
      { type: 'item_reference', id: 'msg_none_0' },
      { role: 'user', content: 'Sure?' },
    ]
    expect((await app.request('/v1/responses', post({ model, input: none }))).status).toBe(404)
  })

  it('reads the calls of a response that has waited by their ids', async () => {
    const calls = [{ name: 'look' }, { name: 'pay', input: { amount: 5 } }]
    const turns = [{ toolCalls: calls }, { toolCalls: [{ name: 'look' }] }, 'Paid.', 'Yes.']
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid 5',
    })
    const { agent, model: scripted } = make(turns, { functions: [look, pay] })
    const app = createApp(agent, quiet)
    const send = async (body: object) => await (await app.request('/v1/responses', post({ model, ...body }))).json()
    const first = await send({ input: 'Pay' })
    expect(typesOf(first)).toEqual(['mcp_call', 'mcp_approval_request'])
    const second = await send({ input: [{ ...approval, approval_request_id: first.output[1].id }] })
    expect(typesOf(second)).toEqual(['mcp_call', 'mcp_call', 'message'])
    const { output } = await (await app.request(`/v1/responses/${first.id}`)).json()
    const ids = (items: { id: string }[]) => items.map(({ id }) => id)
    expect(ids(output)).toEqual([first.output[0].id, ...ids(second.output)])
    // The second call twice: a client may have had it before its approval, too.
    const items = [...first.output, { id: second.output[0].id }, ...second.output]
    const references = items.map(({ id }) => ({ type: 'item_reference', id }))
    await send({ input: [{ role: 'user', content: 'Pay' }, ...references, { role: 'user', content: 'Sure?' }] })
    const results = scripted.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map(({ content }) => content)).toEqual(['three bees', 'paid 5', 'three bees'])
  })

  it('bounds the items that a request refers to', async () => {
    const { agent, model: scripted } = make(['x'.repeat(10_000), 'Not asked.'])
    const app = createApp(agent, quiet)
    const { output } = await (await app.request('/v1/responses', post({ model, input: 'Go' }))).json()
    const input = [
      ...Array(1_000).fill({ type: 'item_reference', id: output[0].id }),
      { role: 'user', content: 'Sure?' },
    ]
    const refused = await app.request('/v1/responses', post({ model, input }))
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      400,
      expect.stringContaining('refers to more than 1000 responses and 8000000 characters in all'),
    ])
    expect(scripted.requests).toHaveLength(1)
  })

  it('bounds how many responses a request refers to', async () => {
    const { agent, model: scripted } = make(['Not asked.'])
    const owner = { agentId: agent.id, userId: 'default', sessionId: 's1' }
    const record = { ...owner, status: 'done', sources: [] }
    const read = async (runId: string) => ({ record: { ...record, runId }, lastSeq: 0, approvals: [] })
    const messages = [{ role: 'assistant', content: [{ type: 'text', text: 'x' }] }]
    const find = async (runId: string) => ({ runId, status: 'done', messages })
    const runs = Object.assign(Object.create(agent.sessions.runs ?? null), { read })
    const app = createApp(Object.assign(Object.create(agent), { sessions: { ...agent.sessions, runs, find } }), quiet)
    const references = Array.from({ length: 1_001 }, (_, index) => ({
      type: 'item_reference',
      id: `msg_run_${index}_0`,
    }))
    const input = [...references, { role: 'user', content: 'Sure?' }]
    const refused = await app.request('/v1/responses', post({ model, input }))
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'input[1000]'])
    expect(scripted.requests).toHaveLength(0)
  })

  it('refuses a question beside the answer to an approval, and accepts both as earlier messages', async () => {
    const agent = fakeAgent()
    const app = createApp(agent, quiet)
    const answer = { type: 'mcp_approval_response', approval_request_id: 'run_1/apr_1', approve: true }
    const question = { role: 'user', content: 'And now?' }
    const beside = { ...valid, previous_response_id: 'resp_run_1', input: [answer, question] }
    const refused = await app.request('/v1/responses', post(beside))
    expect([refused.status, (await refused.json()).error]).toMatchObject([400, { param: 'input[0]' }])
    const earlier = [answer, { role: 'assistant', content: 'Paid.' }, question]
    const taken = await app.request('/v1/responses', post({ ...valid, input: earlier }))
    expect([taken.status, agent.calls[0]?.input]).toEqual([200, 'And now?'])
  })

  it('refuses another session than that of the earlier response, and events that are not kept', async () => {
    const app = createApp(make(['One.', 'Two.']).agent, quiet)
    const { id } = await (await app.request('/v1/responses', post({ model, input: 'A' }))).json()
    const body = { model, input: 'B', previous_response_id: id }
    const other = await app.request('/v1/responses', post(body, { 'x-session-id': 'other' }))
    expect([other.status, (await other.json()).error.param]).toEqual([400, 'X-Session-Id'])
    const events = await app.request(`/v1/responses/${id}?stream=true`)
    expect([events.status, (await events.json()).error.param]).toEqual([400, 'stream'])
    const number = await app.request(`/v1/responses/${id}?stream=true&starting_after=-1`)
    expect([number.status, (await number.json()).error.param]).toEqual([400, 'starting_after'])
  })

  it('refuses background responses and decisions where the sessions keep no runs', async () => {
    const { agent } = make(['One.'], { sessions: memorySessions() })
    const app = createApp(agent, quiet)
    expect((await app.request('/v1/responses', post({ model, input: 'A', background: true }))).status).toBe(400)
    const first = await (await app.request('/v1/responses', post({ model, input: 'A' }))).json()
    const input = [{ ...approval, approval_request_id: `${first.id.replace('resp_', '')}/apr_1` }]
    const decided = await app.request('/v1/responses', post({ model, input }))
    expect([decided.status, (await decided.json()).error.code]).toEqual([400, 'unsupported_parameter'])
  })

  it('decides only for those who may', async () => {
    const { agent } = make([payTurn, 'Done.'])
    const app = createApp(agent, { ...quiet, approvals: 'service', auth: async () => ({ userId: 'ann' }) })
    const token = { authorization: 'Bearer any' }
    const first = await (await app.request('/v1/responses', post({ model, input: 'Pay' }, token))).json()
    const input = [{ ...approval, approval_request_id: first.output.at(-1).id }]
    expect((await app.request('/v1/responses', post({ model, input }, token))).status).toBe(403)
  })

  it('ends a stream with the request of a call that waits, in place of the call', async () => {
    const app = createApp(make([payTurn]).agent, quiet)
    const stream = await (await app.request('/v1/responses', post({ model, input: 'Pay', stream: true }))).text()
    const events = [...stream.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))
    const ends = events.filter(({ type }) => type === 'response.output_item.done')
    expect(ends).toMatchObject([
      { output_index: 0, item: { type: 'mcp_call', name: 'pay', status: 'incomplete' } },
      { output_index: 1, item: { type: 'mcp_approval_request', name: 'pay' } },
    ])
    expect(typesOf(events.at(-1).response)).toEqual(['mcp_approval_request'])
  })

  it('waits on where other approvals are open', async () => {
    const both = {
      toolCalls: [
        { name: 'pay', input: { amount: 1 } },
        { name: 'pay', input: { amount: 2 } },
      ],
    }
    const prices = { 'test/scripted': { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' } }
    const app = createApp(make([both, 'Paid.'], { prices }).agent, quiet)
    const first = await (await app.request('/v1/responses', post({ model, input: 'Pay' }))).json()
    const [one, two] = first.output.filter(({ type }: { type: string }) => type === 'mcp_approval_request')
    const decide = (id: string): Promise<globalThis.Response> =>
      Promise.resolve(app.request('/v1/responses', post({ model, input: [{ ...approval, approval_request_id: id }] })))
    const waiting = await (await decide(one.id)).json()
    const { cost } = first.agentkit
    expect(cost).toBeCloseTo(0.00006, 10)
    const agentkit = { approvals: [{ input: { amount: 2 } }], cost }
    expect(waiting).toMatchObject({ output: [{ id: two.id }], agentkit })
    const done = await (await decide(two.id)).json()
    expect(typesOf(done)).toEqual(['mcp_call', 'mcp_call', 'message'])
  })
})
