import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AgentKitError } from '@agentkit/core'
import { invalidArgument } from '@agentkit/core/internal'
import { checkTurn } from './check-turn.ts'
import { type Connection, playBody, playStream } from './play-stream.ts'
import { receive } from './receive.ts'
import { ApiError } from './wires/errors.ts'
import {
  type FakeAnswer,
  type FakeFailure,
  type FakeFrames,
  type FakeScript,
  type FakeTurn,
  type FakeWire,
  isFailure,
  type RecordedRequest,
} from './wires/script.ts'
import { type ErrorWords, type Frame, isFields, type MakeId, type Route, type WireSpec } from './wires/wire-spec.ts'
import { wires } from './wires.ts'

/** A provider's server on loopback that plays a script. */
export interface FakeProvider extends AsyncDisposable {
  /** The base URL for the official SDK: OpenAI's has `/v1`, the others' are the origin. */
  readonly url: string
  /** All received requests, in order. */
  readonly requests: readonly RecordedRequest[]
  /** Closes all connections and stops. */
  close(): Promise<void>
}

/**
 * Starts a server on 127.0.0.1 with a provider's protocol. It checks each request like the real server, and answers
 * from a script.
 *
 * Both OpenAI wires are one server: `/v1/chat/completions`, `/v1/responses`, `/v1/embeddings` and `/v1/models`. Each of
 * the others has the paths, headers, checks, frames and errors of its provider, and accepts only signatures that it issued
 * itself.
 * Each valid request that generates uses up one turn of the script; any other request, for embeddings or models, only
 * a turn that is a failure. After its last turn the script answers 400 with a message that says so.
 *
 * @param wire the provider
 * @param script the turns in order, or a function of the request and its number (from 0)
 * @throws AgentKitError `invalid-argument` for an unknown wire, and a misspelt turn
 * @example
 * await using server = await fakeProvider('openai-chat', [{ text: 'Hello' }, { status: 429, retryAfter: 1 }])
 * const client = new OpenAI({ apiKey: 'test', baseURL: server.url })
 */
export async function fakeProvider(wire: FakeWire, script: FakeScript = []): Promise<FakeProvider> {
  const spec = Object.hasOwn(wires, wire) ? wires[wire] : undefined
  if (spec === undefined) {
    const known = Object.keys(wires).join(', ')
    throw new AgentKitError('invalid-argument', `No fake provider speaks "${wire}". Use one of ${known}.`)
  }
  const requests: RecordedRequest[] = []
  const nextTurn = turnsOf(script)
  let idCount = 0
  let stopping = false
  const makeId: MakeId = (prefix) => `${prefix}${(++idCount).toString(16).padStart(24, '0')}`

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = makeId('req_')
    for (const [name, value] of Object.entries(spec.headers(requestId))) response.setHeader(name, value)
    const { request, connection } = await receive(incoming, response, requests, () => stopping)
    const exchange = { spec, requestId, request, connection, makeId }
    await answerRequest(exchange, nextTurn).catch((error: unknown) => refuse(exchange, error))
  }
  // Node loads its `fetch` with it, which takes longer than all else here: not for tests that start no server.
  const { createServer } = await import('node:http')
  const server = createServer((incoming, response) => {
    // A client that leaves during its request gets no answer.
    serve(incoming, response).catch(() => response.destroy())
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
  return { url: `http://127.0.0.1:${port}${spec.basePath}`, requests, close, [Symbol.asyncDispose]: close }
}

type NextTurn = (request: RecordedRequest, generates: boolean) => Promise<FakeTurn | undefined>

function turnsOf(script: FakeScript): NextTurn {
  let taken = 0
  if (typeof script === 'function') {
    return async (request) => {
      const index = taken++
      const turn = await script(request, index)
      checkTurn(turn, index)
      return turn
    }
  }
  if (!Array.isArray(script))
    throw invalidArgument('The script is a list of turns, or a function: [{ text: "Hello" }].')
  script.forEach(checkTurn)
  return async (_, generates) => {
    const turn = script[taken]
    if (!generates && (turn === undefined || !isFailure(turn))) return undefined
    taken++
    return turn
  }
}

/** One request with everything that its answer needs. */
type Exchange = {
  spec: WireSpec
  requestId: string
  request: RecordedRequest
  connection: Connection
  makeId: MakeId
}

async function answerRequest(exchange: Exchange, nextTurn: NextTurn): Promise<void> {
  const { spec, request, connection, makeId } = exchange
  spec.checkKey(request)
  const route = spec.route(request)
  if (route) {
    if (!isFields(request.body)) throw new ApiError(400, spec.notJSON)
    route.check(request.body)
  }
  const plain = route ? undefined : spec.plain(request)

  const turn = await nextTurn(request, route !== undefined)
  if (turn !== undefined && isFailure(turn)) return fail(turn, exchange)
  if (!route) return sendJSON(connection.response, 200, plain)
  if (turn === undefined) {
    throw new ApiError(400, 'The script of this fake provider is over. Script one more turn.', { code: 'script_over' })
  }
  if (typeof turn === 'object' && 'frames' in turn) return playFrames(turn, route, exchange)

  const answer: FakeAnswer = typeof turn === 'string' ? { text: turn } : turn
  const played = route.answer(answer, request.body as never, makeId)
  if (route.streams(request.body)) return playStream(connection, played, answer, spec)
  const { fault } = answer
  const failure = fault === 'error-frame' || fault === 'flat-error-frame' || fault === 'failed'
  return playBody(connection, failure ? errorOf(played.failures[fault]) : played.body, answer)
}

async function fail(turn: FakeFailure, exchange: Exchange): Promise<void> {
  const { response, closed, reset } = exchange.connection
  if ('status' in turn) {
    for (const [name, value] of Object.entries(turn.headers ?? {})) response.setHeader(name, value)
    return sendError(turn, turn.body, exchange)
  }
  switch (turn.fault) {
    case 'hang-before-headers':
      return closed
    case 'reset':
      return reset()
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end('<!doctype html><html><title>Sign in</title><body>Please sign in to the network.</body></html>')
  }
}

function playFrames(turn: FakeFrames, route: Route, { spec, request, connection, makeId }: Exchange): Promise<void> {
  const { failures } = route.answer({}, request.body as never, makeId)
  return playStream(connection, { content: framesOf(turn), finish: [], failures }, turn, spec)
}

function* framesOf({ frames }: FakeFrames): Iterable<Frame> {
  for (const frame of frames) {
    const event = isFields(frame) && typeof frame.type === 'string' ? { event: frame.type } : {}
    yield typeof frame === 'string' ? frame : { ...event, data: frame }
  }
}

/** The content of a failure frame as the body of an answer that is not streamed. */
function errorOf(frames: readonly Frame[]): unknown {
  const frame = frames[0]
  if (frame === undefined || typeof frame === 'string' || !isFields(frame.data)) return frame
  return frame.data.response ?? frame.data
}

function refuse(exchange: Exchange, error: unknown): void {
  const { response } = exchange.connection
  if (response.headersSent) return void response.destroy()
  const words: ErrorWords =
    error instanceof ApiError ? error.words : { status: 500, message: `The fake provider failed: ${String(error)}` }
  sendError(words, undefined, exchange)
}

/** Sends `body`, or the provider's own error body when there is none. */
function sendError(error: ErrorWords, body: unknown, { spec, requestId, connection }: Exchange): void {
  const { response } = connection
  if (error.retryAfter !== undefined && !spec.retryAfterInBody) response.setHeader('retry-after', error.retryAfter)
  sendJSON(response, error.status, body ?? spec.errorBody(error, requestId))
}

function sendJSON(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' })
  response.end(isText ? body : JSON.stringify(body))
}
