import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AgentKitError } from '@agentkit/core'
import { ApiError, statusBody } from './api-error.ts'
import { checkChatRequest } from './check-chat-request.ts'
import { checkResponsesRequest } from './check-responses-request.ts'
import { isFields } from './checks.ts'
import { embeddingsBody } from './embeddings.ts'
import { chatAnswer } from './openai-chat-wire.ts'
import { responsesAnswer } from './openai-responses-wire.ts'
import { type Connection, playBody, playStream } from './play-stream.ts'
import { receive } from './receive.ts'
import {
  type FakeAnswer,
  type FakeFailure,
  type FakeFrames,
  type FakeScript,
  type FakeTurn,
  type FakeWire,
  isFailure,
  type RecordedRequest,
} from './script.ts'
import type { Frame, MakeId, WireAnswer } from './wire.ts'

/** A provider's server on loopback that plays a script. */
export interface FakeProvider extends AsyncDisposable {
  /** What the official SDK takes as its base: with `/v1`. */
  readonly url: string
  /** Every request that came, in order. */
  readonly requests: readonly RecordedRequest[]
  /** Hangs up on everybody and stops. */
  close(): Promise<void>
}

/** What may be asked of the server, and how it is checked and answered. */
type Route = {
  check(body: Record<string, unknown>): void
  // The check has refused every body that lacks what the answer reads.
  answer(answer: FakeAnswer, body: never, makeId: MakeId): WireAnswer
}

const routes: Record<string, Route> = {
  '/v1/chat/completions': { check: checkChatRequest, answer: chatAnswer },
  '/v1/responses': { check: checkResponsesRequest, answer: responsesAnswer },
}

/**
 * Starts a server on 127.0.0.1 that speaks a provider's wire, checks each request as the real one does, and answers
 * from a script.
 *
 * Both OpenAI wires are one server: `/v1/chat/completions`, `/v1/responses`, `/v1/embeddings` and `/v1/models`.
 * A turn of the script is taken by each valid chat or responses request, and by an embeddings or models request only
 * when it is a failure. A script that is over answers 400 and says so.
 *
 * @param wire which provider to be
 * @param script the turns in order, or a function of the request and its number (from 0)
 * @example
 * await using server = await fakeProvider('openai-chat', [{ text: 'Hello' }, { status: 429, retryAfter: 1 }])
 * const client = new OpenAI({ apiKey: 'test', baseURL: server.url })
 */
export async function fakeProvider(wire: FakeWire, script: FakeScript = []): Promise<FakeProvider> {
  if (wire !== 'openai-chat' && wire !== 'openai-responses') {
    throw new AgentKitError(
      'invalid-argument',
      `No fake provider speaks "${wire}". Use openai-chat or openai-responses.`,
    )
  }
  const requests: RecordedRequest[] = []
  const nextTurn = turnsOf(script)
  let idCount = 0
  let stopping = false
  const makeId: MakeId = (prefix) => `${prefix}${(++idCount).toString(16).padStart(24, '0')}`

  const server = createServer((incoming, response) => {
    void receive(incoming, response, requests, makeId('req_'), () => stopping).then(
      ({ request, connection }) =>
        answerRequest(request, connection, nextTurn, makeId).catch((error: unknown) =>
          refuse(response, toApiError(error)),
        ),
      // The client left while it was still sending: nobody to answer.
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    stopping = true
    server.closeAllConnections()
    await closed
  }
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, requests, close, [Symbol.asyncDispose]: close }
}

type NextTurn = (request: RecordedRequest, generates: boolean) => Promise<FakeTurn | undefined>

function turnsOf(script: FakeScript): NextTurn {
  let taken = 0
  if (typeof script === 'function') return async (request) => script(request, taken++)
  return async (_, generates) => {
    const turn = script[taken]
    if (!generates && (turn === undefined || !isFailure(turn))) return undefined
    taken++
    return turn
  }
}

async function answerRequest(
  request: RecordedRequest,
  connection: Connection,
  nextTurn: NextTurn,
  makeId: MakeId,
): Promise<void> {
  const { response } = connection
  if (request.headers.authorization === undefined) {
    throw new ApiError(
      401,
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
        '(i.e. Authorization: Bearer YOUR_KEY).',
    )
  }
  const route = request.method === 'POST' ? routes[request.path] : undefined
  if (route) route.check(requireJSON(request))
  const plain = route ? undefined : plainAnswer(request)

  const turn = await nextTurn(request, route !== undefined)
  if (turn !== undefined && isFailure(turn)) return fail(turn, connection)
  if (!route) return sendJSON(response, 200, plain)
  if (turn === undefined) {
    throw new ApiError(400, 'The script of this fake provider is over. Script one more turn.', { code: 'script_over' })
  }
  if (typeof turn === 'object' && 'frames' in turn) return playFrames(turn, connection)

  const answer: FakeAnswer = typeof turn === 'string' ? { text: turn } : turn
  const played = route.answer(answer, request.body as never, makeId)
  if (request.body.stream === true) return playStream(connection, played, answer)
  const { fault } = answer
  const failure = fault === 'error-frame' || fault === 'flat-error-frame' || fault === 'failed'
  return playBody(connection, failure ? errorOf(played.failures[fault]) : played.body, answer)
}

function requireJSON(request: RecordedRequest): Record<string, unknown> {
  if (isFields(request.body)) return request.body
  throw new ApiError(400, 'We could not parse the JSON body of your request.')
}

function plainAnswer(request: RecordedRequest): unknown {
  if (request.method === 'POST' && request.path === '/v1/embeddings') return embeddingsBody(requireJSON(request))
  if (request.method === 'GET' && request.path === '/v1/models') {
    return { object: 'list', data: [{ id: 'fake-model', object: 'model', created: 1_700_000_000, owned_by: 'fake' }] }
  }
  throw new ApiError(404, `Invalid URL (${request.method} ${request.path})`)
}

async function fail(turn: FakeFailure, connection: Connection): Promise<void> {
  const { response } = connection
  if ('status' in turn) {
    for (const [name, value] of Object.entries(turn.headers ?? {})) response.setHeader(name, value)
    if (turn.retryAfter !== undefined) response.setHeader('retry-after', turn.retryAfter)
    return sendJSON(response, turn.status, statusBody(turn))
  }
  switch (turn.fault) {
    case 'hang-before-headers':
      return connection.closed
    case 'reset':
      return connection.reset()
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end('<!doctype html><html><title>Sign in</title><body>Please sign in to the network.</body></html>')
  }
}

function playFrames(turn: FakeFrames, connection: Connection): Promise<void> {
  const content = turn.frames.map((frame): Frame => {
    if (typeof frame === 'string') return frame
    const event = isFields(frame) && typeof frame.type === 'string' ? { event: frame.type } : {}
    return { ...event, data: frame }
  })
  const error: Frame[] = [
    { event: 'error', data: { type: 'error', error: { message: 'Failed.', code: 'server_error' } } },
  ]
  const failures = { 'error-frame': error, 'flat-error-frame': error, failed: error }
  return playStream(connection, { content, finish: [], failures }, turn)
}

/** What a frame of a failure says, as the body of an answer that does not stream. */
function errorOf(frames: readonly Frame[]): unknown {
  const frame = frames[0]
  if (frame === undefined || typeof frame === 'string' || !isFields(frame.data)) return frame
  return frame.data.response ?? frame.data
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(500, `The fake provider failed: ${String(error)}`, { type: 'server_error' })
}

function refuse(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) response.destroy()
  else sendJSON(response, error.status, error.body)
}

function sendJSON(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' })
  response.end(isText ? body : JSON.stringify(body))
}
