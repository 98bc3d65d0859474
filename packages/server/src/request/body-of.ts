import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { ServerContext } from '../util/server-env.ts'
import { bodyWasRead } from './body-problems.ts'

/**
 * The body of a request: Node's own, if there is one and nothing reads it yet. Converting it to a web stream takes longer
 * than parsing it.
 */
export function bodyOf(context: ServerContext): Readable {
  const incoming = context.env?.incoming
  const { raw } = context.req
  // Where an app of Hono mounts this one, the copy of its request reads Node's body from the start.
  if (incoming instanceof Readable && incoming.readableFlowing === null && !raw.bodyUsed) return incoming
  const { body } = raw
  // TypeScript knows two ReadableStreams, the DOM's and Node's; at run time there is one.
  return body
    ? Readable.from(read(body as ReadableStream<Uint8Array>, incoming), { objectMode: false })
    : Readable.from([])
}

/** @throws ProblemError when something in front of the agent has read all of the body */
async function* read(body: ReadableStream<Uint8Array>, incoming?: Readable): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const chunk of body) {
    isEmpty = false
    yield chunk
  }
  if (isEmpty && incoming?.readableDidRead) throw bodyWasRead()
}
