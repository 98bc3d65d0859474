import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { EventSlot, ServerEnv, TextStream } from './util/server-env.ts'

type Fetch = (request: Request, env: ServerEnv['Bindings']) => Response | Promise<Response>

/**
 * Writes event streams to Node's response as texts. As bytes of a web stream they take more memory and time: each chunk
 * waits for the garbage collector.
 *
 * @returns what `getRequestListener` takes
 */
export function writingEvents(fetch: Fetch): (request: Request, env: unknown) => Promise<Response> {
  return async (request, env) => {
    // The bindings of an HTTP/1 server, the only one that `listen` creates.
    const bindings = env as HttpBindings
    const events: EventSlot = {}
    const response = await fetch(request, { ...bindings, events })
    if (!events.stream || request.method === 'HEAD') return response
    const { outgoing } = bindings
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    void writeTexts(events.stream, outgoing)
    return RESPONSE_ALREADY_SENT
  }
}

async function writeTexts(texts: TextStream, outgoing: ServerResponse): Promise<void> {
  const leave = (): void => texts.leave()
  outgoing.once('close', leave)
  // The client may have left before.
  if (outgoing.destroyed) leave()
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    if (!outgoing.write(text)) await drained(outgoing)
  }
  outgoing.off('close', leave).end()
}

async function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      outgoing.off('drain', settle).off('close', settle)
      resolve()
    }
    outgoing.on('drain', settle).on('close', settle)
  })
}
