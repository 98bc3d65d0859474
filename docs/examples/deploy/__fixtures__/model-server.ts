import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ModelServer = {
  baseURL: string
  /** Ends the answers that wait. */
  finish(): void
  /** Resolves when the next client of an answer that waits leaves. */
  left(): Promise<void>
  close(): void
}

/** A server of Chat Completions. It begins each answer with "Hello"; it ends one to a question with "wait" when asked to. */
export async function startModelServer(): Promise<ModelServer> {
  const waiting = new Set<ServerResponse>()
  let onLeft = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'Hello' }))
      if (!body.includes('wait')) return end(response)
      waiting.add(response)
      response.on('close', () => {
        if (waiting.delete(response)) onLeft.resolve()
      })
    })
  })
  const end = (response: ServerResponse): void => {
    response.end(`${chunk({ content: ', Ada.' })}${chunk({}, 'stop')}data: [DONE]\n\n`)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of TCP
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    finish() {
      const all = [...waiting]
      waiting.clear()
      for (const response of all) end(response)
    },
    async left() {
      await onLeft.promise
      onLeft = Promise.withResolvers()
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }]
  return `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}
