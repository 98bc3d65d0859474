import { ClientFactory } from '@a2a-js/sdk/client'
import { HttpAgent } from '@ag-ui/client'
import { type AgentEvent, tool } from '@agentkit/core'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { heldTool, payTurn, storedAgents } from './__fixtures__/stored-agent.ts'
import { ask } from './dialects/a2a/__fixtures__/a2a-client.ts'
import { aguiEncoder } from './dialects/agui/agui-encoder.ts'
import { serve } from './serve.ts'

const make = storedAgents()

/** A server with a run that is still busy when the server closes. */
async function busyServer() {
  const { wait, begun, release } = heldTool()
  const { agent } = make([{ text: 'I wait.', toolCalls: [{ name: 'wait' }] }], { functions: [wait] })
  const { url, close } = await serve(agent, {
    ...{ port: 0, dialects: ['ui', 'a2a', 'openai'], log: () => {}, limits: { drainMs: 30_000 } },
  })
  const stop = async (): Promise<void> => {
    const closed = close()
    // The run ends its step, and is free for the next server.
    release()
    await closed
  }
  return { url, begun, close: stop }
}

/** Why reading has failed. */
async function failureOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => 'It has ended as if the run had.',
    (error: unknown) => String(error),
  )
}

it('ends a stream of useChat whose run continues elsewhere in an error', async () => {
  const server = await busyServer()
  const transport = new DefaultChatTransport({ api: `${server.url}/ui/chat`, body: { resumable: true } })
  const messages: UIMessage[] = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
  const stream = await transport.sendMessages({
    ...{ chatId: 's1', messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined },
  })
  const read = async (): Promise<void> => {
    for await (const _ of readUIMessageStream({ stream, terminateOnError: true }));
  }
  const failure = failureOf(read())
  await server.begun
  await server.close()
  expect(await failure).toContain('The answer continues: reload the page')
})

/** A server with a run, none of whose events are stored, that is busy after an approval when the server closes. */
async function decidedServer() {
  const { wait, begun, release } = heldTool()
  const input = { type: 'object' } as const
  const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })
  const { agent } = make([payTurn, { text: 'I wait.', toolCalls: [{ name: 'wait' }] }], { functions: [pay, wait] })
  const limits = { drainMs: 30_000 }
  const { url, close } = await serve(agent, { port: 0, dialects: ['ui', 'openai'], log: () => {}, limits })
  const post = (path: string, body: object, accept = '*/*'): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ user_id: 'default', ...body }),
    })
  const stop = async (): Promise<void> => {
    await begun
    const closed = close()
    release()
    await closed
  }
  return { url, post, close: stop }
}

it('ends a stream of useChat whose approved run continues elsewhere in an error', async () => {
  const { url, close } = await decidedServer()
  const transport = new DefaultChatTransport({ api: `${url}/ui/chat` })
  const send = (messages: UIMessage[]) =>
    transport.sendMessages({
      ...{ chatId: 's1', messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined },
    })
  let waiting: UIMessage | undefined
  const first = await send([{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] }])
  for await (const message of readUIMessageStream({ stream: first, terminateOnError: true })) waiting = message
  const message = { ...(waiting as UIMessage) }
  message.parts = message.parts.map((part) =>
    'approval' in part && part.approval
      ? ({ ...part, state: 'approval-responded', approval: { id: part.approval.id, approved: true } } as typeof part)
      : part,
  )
  const stream = await send([message])
  const read = async (): Promise<void> => {
    for await (const _ of readUIMessageStream({ message, stream, terminateOnError: true }));
  }
  const failure = failureOf(read())
  await close()
  expect(await failure).toContain('The answer continues: reload the page')
})

it('ends the events of an approved run that continues elsewhere with a comment', async () => {
  const { post, close } = await decidedServer()
  const asked = { session_id: 's1', messages: [{ role: 'user', content: 'Pay' }] }
  const { run_id, approvals } = await (await post('/api/v1/chat', asked, 'application/json')).json()
  const path = `/api/v1/runs/${run_id}/approvals/${approvals[0].approval_id}`
  const decided = await post(path, { approve: true }, 'text/event-stream')
  await close()
  const body = await decided.text()
  expect(body.endsWith(': draining\n\n')).toBe(true)
  expect(body).not.toContain('run-end')
})

it('ends a stream of A2A whose task continues elsewhere in an error', async () => {
  const server = await busyServer()
  const client = await new ClientFactory().createFromUrl(server.url)
  const read = async (): Promise<void> => {
    for await (const _ of client.sendMessageStream(ask('Hi')));
  }
  const failure = failureOf(read())
  await server.begun
  await server.close()
  expect(await failure).toContain('The task continues: follow it by SubscribeToTask.')
})

it('ends a stream of Responses whose run continues elsewhere in an error', async () => {
  const server = await busyServer()
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 })
  // Without a worker the run stays in the queue.
  const stream = await client.responses.create({ model: 'test', input: 'Hi', background: true, stream: true })
  const read = async (): Promise<void> => {
    for await (const _ of stream);
  }
  const failure = failureOf(read())
  await server.close()
  expect(await failure).toContain('The response continues: read it by its id.')
})

it('ends a stream of AG-UI whose run continues elsewhere in an error', async () => {
  const encode = aguiEncoder({ threadId: 't1', runId: 'r1' })
  const place = { seq: 1, runId: 'run_1' }
  const events: AgentEvent[] = [
    { ...place, path: ['team'], type: 'step-start', step: 1 },
    { ...place, path: ['team', 'member'], type: 'agent-start', name: 'Member' },
    { ...place, path: ['team', 'member'], type: 'text-delta', text: 'I' },
  ]
  const body = events.map(encode).join('') + encode.cut?.()
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const agent = new HttpAgent({ url: 'http://localhost/agui', fetch })
  agent.addMessage({ id: 'm1', role: 'user', content: 'Hi' })
  const errors: unknown[] = []
  await agent.runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) })
  expect(errors).toEqual(['The server is shutting down. The run continues.'])
})
