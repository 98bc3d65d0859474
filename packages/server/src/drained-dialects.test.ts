import { ClientFactory } from '@a2a-js/sdk/client'
import { HttpAgent } from '@ag-ui/client'
import type { AgentEvent } from '@agentkit/core'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { heldTool, storedAgents } from './__fixtures__/stored-agent.ts'
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
