import { Agent, Swarm, tool } from '@agentkit/core'
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
