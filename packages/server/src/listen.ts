import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentKitError, type Runnable, type Worker } from '@agentkit/core'
import { handBackRuns, resumableRuns, systemCode, type WorkerOptions } from '@agentkit/core/internal'
import { getRequestListener } from '@hono/node-server'
import { type Capacity, createCapacity } from './capacity/capacity.ts'
import { boundConnections, idleMs, inTurn } from './capacity/connections.ts'
import { workerConcurrency, workerPlaces } from './capacity/worker-places.ts'
import { buildApp } from './create-app.ts'
import { agentFiles } from './files/agent-files.ts'
import { largestBody } from './guards/body-size.ts'
import type { Limits } from './limits.ts'
import { type ServerSettings, serverUrl } from './options.ts'
import { recover } from './runs/recover.ts'
import { releaseSilent } from './runs/release-silent.ts'
import { startRetention } from './sessions/retention.ts'
import { logFailures } from './util/log-failures.ts'
import { logRun } from './util/log-run.ts'
import { writingEvents } from './write-events.ts'

/** A server that listens. */
export interface AgentServer {
  /** The address of the server: `http://127.0.0.1:8000`. */
  readonly url: string
  /**
   * Refuses queued and new runs, waits up to `limits.drainMs` for active ones, stops listening, and aborts the
   * remaining runs, whose clients have one more second to read the end. Runs that are resumable stay stored: the next
   * server continues them. The agent stays open: it belongs to the caller.
   */
  close(): Promise<void>
}

/** Starts a worker with these options. */
export type StartWork = (options: WorkerOptions) => Promise<Worker>

/** Serves an agent by Node's HTTP server. Everything that needs Node's server is imported here. */
export async function listen(agent: Runnable, settings: ServerSettings, work?: StartWork): Promise<AgentServer> {
  const { limits } = settings
  const capacity = createCapacity(limits, agent, settings.rules)
  capacity.isStarting = true
  const app = buildApp(agent, settings, capacity)
  const listener = getRequestListener(writingEvents(app.fetch), {
    hostname: settings.host,
    overrideGlobalObjects: false,
  })
  const server = createServer(nodeOptions(limits), inTurn(listener, limits, capacity))
  const closeSilent = boundConnections(server, settings, capacity)
  server.setTimeout(idleMs(limits))
  // Node would answer these itself, without limit; as requests they are handled in turn and counted.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  const hasFiles = agentFiles(agent) !== undefined
  server.on('checkContinue', (request, response) => {
    if (isAllowed(request, limits, hasFiles)) response.writeContinue()
    server.emit('request', request, response)
  })
  const port = await bind(server, settings)
  const worker = await startWorker(work, settings, capacity).catch(async (error) => {
    server.close()
    throw error
  })
  capacity.isStarting = false
  const stopRetention = startRetention({ agent, ...settings })
  const stopped = new AbortController()
  recover({ agent, capacity, log: settings.log, signal: stopped.signal })
  let closing: Promise<void> | undefined
  return {
    url: serverUrl(settings.host, port),
    close() {
      stopRetention()
      stopped.abort()
      closing ??= drain(server, agent, { capacity, worker, closeSilent, drainMs: limits.drainMs })
      return closing
    },
  }
}

async function startWorker(
  work: StartWork | undefined,
  { limits, log }: ServerSettings,
  { runs, checkBudget, countRun }: Capacity,
): Promise<Worker | undefined> {
  return work?.({
    concurrency: workerConcurrency(limits.runs),
    places: workerPlaces(runs),
    admit: ({ userId }) => checkBudget(userId),
    onSpent: ({ userId }, ...spent) => countRun(userId, ...spent),
    onSettled: ({ requestId }, _spent, result) => logRun(result, { log, requestId }),
    // The server removes old data itself.
    keepsRetention: false,
    onError: logFailures('A worker tries again what has failed.', { log }),
  })
}

function nodeOptions({ headersMs, deadlineMs }: Limits): Record<string, number> {
  return {
    headersTimeout: headersMs,
    requestTimeout: Math.max(headersMs, deadlineMs),
    connectionsCheckingInterval: Math.min(1000, headersMs),
    // Longer than the idle timeout of common load balancers, which could otherwise use a connection that was just closed.
    keepAliveTimeout: 72_000,
  }
}

/** Whether the size of the body is allowed: only then `100 Continue` is sent. */
function isAllowed({ headers, url = '' }: IncomingMessage, limits: Limits, hasFiles: boolean): boolean {
  const [path = ''] = url.split('?', 1)
  const largest = largestBody(limits, hasFiles, { path, contentType: headers['content-type'] })
  return Number(headers['content-length'] ?? 0) <= largest
}

async function bind(server: Server, { host, port }: ServerSettings): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw cannotListen(cause, host, port)
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/**
 * Why a server cannot listen there; `undefined` where it can. It listens for a moment.
 * @param port not 0
 */
export async function portProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (cause) {
    return cannotListen(cause, host, port).message
  } finally {
    server.close()
  }
}

function cannotListen(cause: unknown, host: string, port: number): AgentKitError {
  const code = systemCode(cause)
  const fix =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use. Stop the other server, or pass another \`port\`; 0 takes a free one.`
      : code === 'EACCES'
        ? `Port ${port} needs privileges that this process does not have. Pass a \`port\` above 1023.`
        : `Cannot listen on ${host}, port ${port} (${code}). Pass a \`host\` that is an address of this machine.`
  return new AgentKitError('invalid-config', fix, { cause })
}

/** How long runs may take to settle after they are aborted, and their answers to be sent. */
const settleMs = 1000
/** How long the ends of streams may take to be sent. */
const lastBytesMs = 100

type Draining = { capacity: Capacity; worker: Worker | undefined; closeSilent(): void; drainMs: number }

async function drain(
  server: Server,
  agent: Runnable,
  { capacity, worker, closeSilent, drainMs }: Draining,
): Promise<void> {
  const { runs } = capacity
  const { id, sessions } = agent
  // New runs are refused from now on; other requests are answered while runs are active.
  runs.close()
  const giveUpAt = performance.now() + drainMs
  // Resumable runs end their step, and are free for the next server; the others have the time to end.
  const handedBack = sessions.runs ? handBackRuns(sessions, drainMs, resumableRuns(sessions, id)) : undefined
  const drained = new AbortController()
  void releaseSilent(agent, { readers: capacity.readers, signal: drained.signal }).catch(() => {})
  const working = worker?.close()
  await within(drainMs, Promise.all([runs.idle(), handedBack, working]))
  drained.abort()
  // Clients that follow a run continue with the next server.
  capacity.drain()
  // The clients of these runs receive the end of the run.
  const aborted = [...capacity.boundRuns]
  for (const { run } of aborted) run?.cancel()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idle = setInterval(() => {
    // Node keeps a connection alive that was busy when the server closed.
    server.closeIdleConnections()
    // Not immediately: a request that has just arrived is read first, and refused by an answer.
    closeSilent()
  }, 50)
  await within(Math.max(aborted.length > 0 ? settleMs : lastBytesMs, giveUpAt - performance.now()), closed)
  server.closeAllConnections()
  await closed
  clearInterval(idle)
  await within(settleMs, Promise.all([runs.idle(), working]))
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { ref: false, signal: waiting.signal })]).finally(() =>
    waiting.abort(),
  )
}
