import { AgentKitError } from '@agentkit/core'
import { type Connection, connect, type Era } from './connection.ts'
import { type Calls, currentCall, elicit } from './elicitation.ts'
import { readLocked } from './lock-file.ts'
import type { Server } from './options.ts'

/** The successive connections to one server: the next call replaces a lost connection. */
export class Connections {
  readonly #server: Server
  readonly #calls: Calls
  /** Connections that another one has replaced, with requests that may still be answered. */
  readonly #replaced = new Set<Connection>()
  readonly #requestsOn = new Map<Connection, number>()
  #era: Era | undefined
  #current: Promise<Connection> | undefined
  #opening: Promise<Connection> | undefined
  #isClosed = false

  /** @param calls the running ones, whose requests of the server a person answers */
  constructor(server: Server, calls: Calls) {
    this.#server = server
    this.#calls = calls
    this.#era = server.lockFile === undefined ? undefined : readLocked(server.lockFile, server.name).era
  }

  get era(): Era {
    return this.#era ?? 'legacy'
  }

  /** The last connection, which may be lost. */
  get current(): Promise<Connection> | undefined {
    return this.#current
  }

  async open(): Promise<Connection> {
    if (this.#isClosed) {
      throw new AgentKitError('network', `The connection to the MCP server "${this.#server.name}" is closed.`)
    }
    const current = await this.#current?.catch(() => undefined)
    if (current?.isOpen()) return current
    // The calls that wait here share one connection.
    this.#current = this.#reopened(this.#current)
    return this.#current
  }

  /** Sends requests on a connection, which is closed after the last ones where another one has replaced it. */
  async using<Result>(current: Connection, work: () => Promise<Result>): Promise<Result> {
    const requestsOn = this.#requestsOn
    requestsOn.set(current, (requestsOn.get(current) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const others = (requestsOn.get(current) ?? 1) - 1
      if (others > 0) requestsOn.set(current, others)
      else requestsOn.delete(current)
      if (others === 0 && this.#replaced.delete(current)) void current.close()
    }
  }

  /**
   * Has the next call open a connection. The requests on the lost one are not ended: each settles by itself.
   *
   * @param opened the value of `current` when the lost one was used
   */
  replace(lost: Connection, opened: Promise<Connection> | undefined): void {
    if (this.#current === opened) this.#current = undefined
    if (this.#requestsOn.has(lost)) this.#replaced.add(lost)
    else void lost.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const current = await this.#current?.catch(() => undefined)
    await Promise.all([current, ...this.#replaced].map((each) => each?.close()))
  }

  #reopened(lost: Promise<Connection> | undefined): Promise<Connection> {
    this.#opening ??= this.#connect(lost).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(lost: Promise<Connection> | undefined): Promise<Connection> {
    await lost?.then((each) => each.close()).catch(() => {})
    const [server, calls] = [this.#server, this.#calls]
    // Later messages of the connection may belong to other calls than the call that opens it.
    const next = await currentCall.exit(() =>
      connect(server, this.#era, (params, signal) => elicit(params, { server, calls, signal })),
    )
    this.#era = next.era
    if (this.#isClosed) await next.close()
    return next
  }
}
