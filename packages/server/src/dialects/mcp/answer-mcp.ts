import { isRecord } from '@agentkit/core/internal'
import { ProblemError } from '../../answer/problem.ts'
import type { Hold } from '../../capacity/held-bytes.ts'
import type { RouteParts } from '../../request/parts.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { agentServer } from './agent-server.ts'
import type { CallsInProgress } from './calls-in-progress.ts'
import { httpHost } from './http-host.ts'
import { mcpSDK } from './load-mcp.ts'
import { mcpFailure, requestIdOf, statusOfCode } from './mcp-error.ts'

type Received = { sent: unknown; held: Hold; calls: CallsInProgress }

/**
 * Answers a message by the SDK, which knows the revisions of the protocol. Each has a server of its own: there are no
 * sessions.
 */
export async function answerMCP(
  context: ServerContext,
  parts: RouteParts,
  { sent, held, calls }: Received,
): Promise<Response> {
  const host = httpHost(context, parts, { id: requestIdOf(sent), held, calls })
  if (isRecord(sent) && sent.method === 'notifications/cancelled' && isRecord(sent.params)) {
    calls.cancel(host.userId, sent.params.requestId)
  }
  let fault: Error | undefined
  const handler = mcpSDK().createMcpHandler(() => agentServer(host), {
    keepAliveMs: parts.limits.heartbeatMs,
    // A stream sends bytes before a late answer: clients and proxies close a connection that has none for some minutes.
    responseMode: isRecord(sent) && sent.method === 'tools/call' ? 'sse' : 'auto',
    onerror(error) {
      fault = error
    },
  })
  const response = await handler.fetch(context.req.raw, { parsedBody: sent })
  // Whether the connection stays open is for the server: the client may close it, and the limits bound it.
  response.headers.delete('connection')
  if (response.status >= 500) host.onProblem(new ProblemError('internal-error', { cause: fault }))
  const failed = (status: number, text: string): Response => {
    if (host.problem) return mcpFailure(host.problem, requestIdOf(sent), context.get('requestId'))
    return new Response(text, { status, headers: { 'content-type': 'application/json' } })
  }
  if (!isEventStream(response)) return wholeAnswer(response, failed)
  const isModern = context.req.header('mcp-protocol-version') === '2026-07-28'
  return streamedAnswer(response, failed, { isModern, isCancelled: () => host.isCancelled })
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

type Failed = (status: number, text: string) => Response

/** The SDK answers errors of its handlers under 200. */
async function wholeAnswer(response: Response, failed: Failed): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.text()
  const code = errorCodeOf(text)
  return code === undefined ? new Response(text, response) : failed(statusOfCode(code), text)
}

type CallState = { isModern: boolean; isCancelled(): boolean }

/**
 * The response waits for the first message of the stream, so that a refused call has the status of its error. Older
 * clients call methods that may not exist: these errors stay answers with status 200. A call that its client has
 * cancelled gets no answer: the client would report an answer to an unknown call.
 */
async function streamedAnswer(
  response: Response,
  failed: Failed,
  { isModern, isCancelled }: CallState,
): Promise<Response> {
  const reader = response.body?.getReader()
  if (!reader) return response
  const first = await reader.read()
  const data = /^event: message\ndata: (.*)\n\n$/s.exec(new TextDecoder().decode(first.value))?.[1] ?? ''
  const code = errorCodeOf(data)
  if (code !== undefined && code !== methodNotFound && !isCancelled()) {
    void reader.cancel().catch(() => {})
    return failed(statusOfCode(code), data)
  }
  // The only message, of the revision that has no other answers: it came before a byte was needed.
  if (data.startsWith('{"result"') && isModern && (await reader.read()).done) {
    return new Response(data, { headers: { 'content-type': 'application/json' } })
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.value && !isCancelled()) controller.enqueue(first.value)
      if (first.done) controller.close()
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      if (!isCancelled()) return controller.enqueue(value)
      await reader.cancel()
      controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, response)
}

const methodNotFound = -32601

function errorCodeOf(text: string): number | undefined {
  // A result can be long, and an error comes before anything else.
  if (!text.includes('"error"')) return undefined
  try {
    const { error } = JSON.parse(text)
    return typeof error?.code === 'number' ? error.code : undefined
  } catch {
    return undefined
  }
}
