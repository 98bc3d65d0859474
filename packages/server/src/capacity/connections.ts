import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ProblemError, problemBody, problemHeaders } from '../answer/problem.ts'
import type { Limits } from '../limits.ts'
import type { LogEntry } from '../util/log.ts'
import type { Capacity } from './capacity.ts'
import type { Hold } from './held-bytes.ts'

type Exchange = { request: IncomingMessage; response: ServerResponse; held: Hold }
/** `timed` while its client has to read. */
type Connection = { requests: number; busy: boolean; waiting: Exchange[]; timed: boolean }

/** Requests that wait behind another one of their connection; then the connection is read no further. */
const maxWaiting = 8
/** Estimated memory of a waiting request in addition to its headers. */
const waitingBytes = 4096
/** Connections beyond the limit that get a 503 at the same time; more are closed without an answer. */
const maxRefused = 64
const refusedMs = 1_000
/** How long, and how many bytes, the server still reads after it has answered a request that is still arriving. */
const lingerMs = 5_000
const lingerBytes = 512 * 1024 * 1024

/**
 * Handles the requests of each connection one after the other, in their order. Node emits them as it reads them:
 * a client that sends a thousand at once, which HTTP allows, would have a thousand runs.
 *
 * @param handle answers one request
 */
export function inTurn(handle: RequestListener, limits: Limits, capacity: Capacity): RequestListener {
  const connections = new WeakMap<Socket, Connection>()

  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket)
    if (known) return known
    const connection: Connection = { requests: 0, busy: false, waiting: [], timed: false }
    connections.set(socket, connection)
    socket.on('close', () => {
      for (const { held } of connection.waiting.splice(0)) held.release()
    })
    // Reading a body also resumes the socket.
    socket.on('resume', () => {
      if (socket.writable && connection.waiting.length >= maxWaiting) socket.pause()
    })
    return connection
  }

  const start = (request: IncomingMessage, response: ServerResponse, connection: Connection): void => {
    const { socket } = request
    connection.busy = true
    if (++connection.requests >= limits.requestsPerConnection) response.setHeader('connection', 'close')
    const setTimed = (timed: boolean): void => {
      if (timed !== connection.timed) socket.setTimeout(timed ? limits.stalledMs : idleMs(limits))
      connection.timed = timed
    }
    setTimed(false)
    watchWrites(response, setTimed)
    // The whole answer has been passed to the socket.
    response.once('prefinish', () => setTimed(!response.writableFinished))
    // A turn of the event loop between two requests, so that other connections are served too.
    response.once('close', () => setImmediate(next, socket, connection))
    handle(request, response)
  }

  const next = (socket: Socket, connection: Connection): void => {
    connection.busy = false
    const waiting = connection.waiting.shift()
    waiting?.held.release()
    if (!waiting || !socket.writable) return
    start(waiting.request, waiting.response, connection)
    if (connection.waiting.length === maxWaiting - 1) socket.resume()
  }

  return (request, response) => {
    const { socket } = request
    if (!socket.writable) return
    const connection = connectionOf(socket)
    if (!connection.busy) return start(request, response, connection)
    const held = capacity.hold()
    if (!held.set(waitingBytes + headerBytes(request))) return void socket.destroy()
    connection.waiting.push({ request, response, held })
    if (connection.waiting.length >= maxWaiting) socket.pause()
  }
}

/** @param setUnread called with whether more is written than the client and the system have taken */
function watchWrites(response: ServerResponse, setUnread: (isUnread: boolean) => void): void {
  const write = response.write.bind(response)
  const watched = (...values: Parameters<typeof write>): boolean => {
    const hasRoom = write(...values)
    if (!hasRoom) setUnread(true)
    return hasRoom
  }
  // Node has two signatures of it, of which TypeScript infers one.
  response.write = watched as ServerResponse['write']
  response.on('drain', () => setUnread(false))
}

function headerBytes({ rawHeaders }: IncomingMessage): number {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  return bytes
}

/** The idle time after which a connection is closed: longer than any run may take. */
export function idleMs({ deadlineMs }: Limits): number {
  return deadlineMs + 60_000
}

/**
 * Refuses connections beyond the limit, and closes each so that its client can read the last answer.
 * @returns a function that closes the connections that have sent nothing yet: browsers open them in advance, and Node
 *   does not count them as idle
 */
export function boundConnections(
  server: Server,
  { limits: { connections }, log }: { limits: Limits; log: (entry: LogEntry) => void },
  capacity: Capacity,
): () => void {
  server.maxConnections = connections + maxRefused
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Node calls this after an answer with `Connection: close`.
    socket.destroySoon = () => lingeringClose(socket, lingerMs)
    if (open.size <= connections) return
    const detail = `${connections} connections are open, which is the limit.`
    const problem = capacity.runs.overloaded(detail, { connection: 'close' })
    if (!problem.quiet) log({ time: new Date().toISOString(), level: 'error', message: detail, code: problem.code })
    socket.write(rawAnswer(problem))
    lingeringClose(socket, refusedMs)
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * Ends the answer, and discards what the client still sends until it closes its side: closing a socket with unread
 * bytes resets the connection, and the client may lose the answer.
 */
function lingeringClose(socket: Socket, ms: number): void {
  if (socket.destroyed || socket.writableEnded) return
  socket.end()
  const timer = setTimeout(() => socket.destroy(), ms)
  socket.once('close', () => clearTimeout(timer))
  let bytes = 0
  const discard = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > lingerBytes) socket.destroy()
  }
  // The first listener detaches Node's HTTP parser from the socket; the parser then adds its own, which is removed.
  socket.on('data', discard).removeAllListeners('data').on('data', discard)
  socket.resume()
}

/** The HTTP response to a connection that is refused before it has sent a request. */
function rawAnswer(problem: ProblemError): string {
  const requestId = crypto.randomUUID()
  const body = problemBody(problem, requestId)
  const headers = { ...problemHeaders(problem), 'x-request-id': requestId, 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}
