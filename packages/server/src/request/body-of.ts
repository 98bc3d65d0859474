import { Readable } from 'node:stream'
import type { ServerContext } from '../util/server-env.ts'

/**
 * The body of a request: Node's own, if there is one. Converting it to a web stream takes longer than parsing it.
 */
export function bodyOf(context: ServerContext): Readable {
  const incoming = context.env?.incoming
  if (incoming instanceof Readable && !context.req.raw.bodyUsed) return incoming
  const { body } = context.req.raw
  // TypeScript knows two ReadableStreams, the DOM's and Node's; at run time there is one.
  return body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([])
}
