import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Servers commonly close an idle connection after 5 s without announcing it; in milliseconds. */
const longestIdleMs = 4000
/** How much earlier than the server a connection is closed, in milliseconds. */
const headStartMs = 1000

/** A connection with this number of answers that was used within this time, in milliseconds, is assumed to be open. */
const provenAnswers = 3
const recentMs = 20

/** How often idle connections are looked at, in milliseconds. */
const lookMs = 1000

// Taken now: a test that replaces the timers later would leave the connections open.
const { setInterval: every, clearInterval: stop } = globalThis

const idleLimits = new WeakMap<Duplex, number>()
const idleSince = new WeakMap<Duplex, { wall: number; monotonic: number; answers: number }>()

/** Requests on kept connections that the server may have closed. */
const doubtful = new WeakSet<ClientRequest>()

/**
 * Whether the event loop must read a request's connection before the request is written: the server may have closed it since.
 * One that has kept the connection open after several answers does not close it at once after this one.
 */
export function isDoubtful(request: ClientRequest): boolean {
  return doubtful.has(request)
}

/**
 * A pool that reuses a connection only while the server surely keeps it open: a request on a connection that the server
 * has just closed fails, though the server may have read it. The pool destroys the socket of a connection that was idle
 * too long before a byte is written to it.
 *
 * It looks at all idle connections at once: a timer for each, which every read and write moves, would cost 2 % of a step.
 */
export function keepingAgent(http: { Agent: typeof Agent }): Agent {
  class KeepingAgent extends http.Agent {
    #looks: NodeJS.Timeout | undefined

    override keepSocketAlive(socket: Duplex): boolean {
      // @types/node declares void; it returns whether to keep the socket.
      const kept = super.keepSocketAlive(socket) as unknown as boolean
      const answers = (idleSince.get(socket)?.answers ?? 0) + 1
      idleSince.set(socket, { wall: Date.now(), monotonic: performance.now(), answers })
      this.#looks ??= every(() => this.#closeIdle(), lookMs).unref()
      return kept && idleLimit(socket) > 0
    }

    override reuseSocket(...reused: Parameters<Agent['reuseSocket']>): void {
      super.reuseSocket(...reused)
      // The connection may not have been checked since.
      const [socket, request] = reused
      const ms = idleMs(socket)
      if (ms > idleLimit(socket)) socket.destroy()
      if (ms > recentMs || (idleSince.get(socket)?.answers ?? 0) < provenAnswers) doubtful.add(request)
    }

    #closeIdle(): void {
      const idle = Object.values(this.freeSockets).flatMap((sockets = []) => sockets)
      for (const socket of idle) if (idleMs(socket) > idleLimit(socket)) socket.destroy()
      if (idle.length > 0) return
      stop(this.#looks)
      this.#looks = undefined
    }
  }
  return new KeepingAgent({ keepAlive: true })
}

/** Records how long the server keeps the connection of this response: `Keep-Alive: timeout=5, max=100`. */
export function noteIdleLimit({ headers, socket }: IncomingMessage): void {
  const seconds = /\btimeout\s*=\s*"?(\d+)/i.exec(String(headers['keep-alive']))?.[1]
  if (seconds === undefined) idleLimits.delete(socket)
  else idleLimits.set(socket, Math.min(longestIdleMs, Number(seconds) * 1000 - headStartMs))
}

function idleLimit(socket: Duplex): number {
  return idleLimits.get(socket) ?? longestIdleMs
}

/** The longer of two clocks: the wall clock may be set back, the monotonic one stops while the machine sleeps. */
function idleMs(socket: Duplex): number {
  const since = idleSince.get(socket)
  return since ? Math.max(Date.now() - since.wall, performance.now() - since.monotonic) : 0
}
