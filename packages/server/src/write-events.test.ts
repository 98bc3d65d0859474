import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Agent, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { createAdaptorServer } from '@hono/node-server'
import { expect, it, vi } from 'vitest'
import { openSocket, rawChat } from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'
import { serve } from './serve.ts'
import type { TextStream } from './util/server-env.ts'
import { writingEvents } from './write-events.ts'

/** A stream that ends when its client has left. */
function endless(): TextStream & { left: Promise<void> } {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  let isLeft = false
  return {
    left,
    async next() {
      await nextTurn()
      return isLeft ? undefined : 'x'
    },
    leave() {
      isLeft = true
      resolve()
    },
  }
}

/** Answers the first request of a server by a stream, once `ready` has resolved. */
async function answerBy(stream: TextStream, ready: (outgoing: ServerResponse) => Promise<unknown>) {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    await ready(outgoing)
    const write = writingEvents((_request, { events }) => {
      if (events) events.stream = stream
      return new Response(null, { headers: { 'content-type': 'text/event-stream' } })
    })
    await write(new Request('http://localhost/'), { incoming, outgoing })
  }
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a TCP server
  const client = await openSocket(`http://127.0.0.1:${port}`)
  client.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return { server, client }
}

it('leaves a stream when its client does', async () => {
  const stream = endless()
  const { server, client } = await answerBy(stream, async () => {})
  await once(client.socket, 'data')
  client.socket.destroy()
  await stream.left
  server.close()
})

it('leaves a stream whose client has left before it begins', async () => {
  const stream = endless()
  const asked = Promise.withResolvers<void>()
  const { server, client } = await answerBy(stream, async (outgoing) => {
    asked.resolve()
    await once(outgoing, 'close')
  })
  await asked.promise
  client.socket.destroy()
  await stream.left
  server.close()
})

it('writes no body for HEAD', async () => {
  const response = new Response(null, { headers: { 'content-type': 'text/event-stream' } })
  const write = writingEvents((_request, { events }) => {
    if (events) events.stream = endless()
    return response
  })
  expect(await write(new Request('http://localhost/', { method: 'HEAD' }), {})).toBe(response)
})

it.each(['serve', 'the Node adapter of an app'])(
  'writes the headers with the events up to a first result, by %s',
  async (by) => {
    // Each step of a provider's answer ends in a later callback of the same turn.
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'Hello.'])
    const look = tool({
      ...{ name: 'look', description: 'Looks.', input: { type: 'object' } },
      execute: () => new Promise((resolve) => process.nextTick(resolve, 'done')),
    })
    const agent = new Agent({ name: 'Test', functions: [look], model })
    const { url, close } = await (by === 'serve' ? serve(agent, { port: 0, log: () => {} }) : adapted(agent))
    const written: string[] = []
    const { _write, _writev } = Socket.prototype
    vi.spyOn(Socket.prototype, '_write').mockImplementation(function (this: Socket, chunk, ...rest) {
      written.push(String(chunk))
      _write.call(this, chunk, ...rest)
    })
    vi.spyOn(Socket.prototype, '_writev').mockImplementation(function (this: Socket, chunks, ...rest) {
      written.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      _writev?.call(this, chunks, ...rest)
    })
    const { socket } = await openSocket(url)
    socket.write(rawChat(url, { accept: 'text/event-stream' }))
    await once(socket, 'data')
    vi.restoreAllMocks()
    expect(written.find((text) => text.startsWith('HTTP/1.1 200'))).toMatch(/event: run-start.+event: tool-result/s)
    socket.destroy()
    await close()
  },
)

/** An app in a server of the Node adapter, as users mount it. */
async function adapted(agent: Agent): Promise<{ url: string; close(): unknown }> {
  const { fetch } = createApp(agent, { log: () => {} })
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a TCP server
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
