import type { HttpBindings } from '@hono/node-server'
import type { Limits } from '../limits.ts'
import type { ServerContext } from '../util/server-env.ts'
import { type EventSource, EventStream, webStream } from './event-stream.ts'
import type { ProblemError } from './problem.ts'

/** The content type of event streams. */
export const eventStreamType = 'text/event-stream'

type StreamOptions = {
  limits: Limits
  /** Called when the run fails after the stream has begun. Absent where other code logs the failure. */
  onFailure?(problem: ProblemError): void
  /** The part of the server's capacity that counts the clients which read a run. */
  capacity: { readers: { add(runId: string): () => void } }
}

/**
 * Events as the answer to a request.
 * @throws ProblemError of a run that fails before its answer begins
 */
export async function eventResponse(
  source: EventSource,
  context: ServerContext,
  { limits, onFailure = () => {}, capacity }: StreamOptions,
): Promise<Response> {
  const runId = context.get('runId')
  // No function here keeps the context: it would stay in memory, with the request, as long as the stream.
  const outgoing = context.env?.outgoing
  const stream = new EventStream(runId === undefined ? source : counted(source, capacity.readers.add(runId)), {
    limits,
    onFailure,
    dropClient: () => outgoing?.destroy(),
  })
  const problem = await stream.decided
  if (problem) {
    stream.leave()
    throw problem
  }
  const headers = streamHeaders(context)
  if (context.req.method === 'HEAD') {
    // No body is sent, so nothing would read the stream.
    stream.leave()
    return new Response(null, { headers })
  }
  const slot = context.env?.events
  if (!slot) {
    writeTogether(context.env)
    return new Response(webStream(stream), { headers })
  }
  slot.stream = stream
  return new Response(null, { headers })
}

/** @param stop called when the client has all events, and when it has left */
function counted({ read, leave }: EventSource, stop: () => void): EventSource {
  return {
    read: (send) => read(send).finally(stop),
    leave() {
      stop()
      leave()
    },
  }
}

/** The Node adapter writes the headers now, and the first events after one turn of the event loop: after two, both as one. */
function writeTogether({ incoming, outgoing }: Partial<HttpBindings> = {}): void {
  const socket = incoming?.httpVersion === '1.1' ? outgoing?.socket : undefined
  if (!socket) return
  // `cork` of the response would send the parts of a chunk apart.
  socket.cork()
  setImmediate(() => setImmediate(() => socket.uncork()))
}

function streamHeaders(context: ServerContext): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': eventStreamType,
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  }
  // With this header the Node adapter sends the headers immediately. Without it, the adapter waits for the length of a
  // short body.
  if (context.env?.incoming?.httpVersion === '1.1') headers['transfer-encoding'] = 'chunked'
  return headers
}
