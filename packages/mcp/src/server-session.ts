import { AgentKitError, type ToolContext } from '@agentkit/core'
import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client'
import { withCallSpan } from './call-span.ts'
import type { Connection, Era } from './connection.ts'
import { Connections } from './connections.ts'
import { type Calls, leaveCall, type RunningCall } from './elicitation.ts'
import { type ListedTools, listTools } from './list-tools.ts'
import { callError, connectError, hasNotBegun } from './mcp-error.ts'
import type { Server } from './options.ts'
import { hashOf } from './pins.ts'
import { runCall } from './run-call.ts'

/** The tools that a server had at a time. */
type Listed = ListedTools & {
  /** How often it had reported before that its tools have changed. */
  changes: number
}

/** The tools of one server, and the calls of them. A tool that has changed since it was listed for its run is not called. */
export class ServerSession {
  readonly #server: Server
  readonly #calls: Calls = { running: new Set(), openRequests: 0, left: new Map() }
  readonly #connections: Connections
  readonly #listed = new WeakMap<Connection, Listed>()

  constructor(server: Server) {
    this.#server = server
    this.#connections = new Connections(server, this.#calls)
  }

  get era(): Era {
    return this.#connections.era
  }

  async list(): Promise<ListedTools> {
    try {
      return await this.#listOn(await this.#connections.open())
    } catch (error) {
      throw connectError(error, this.#server)
    }
  }

  /** Whether the server has reported that its tools have changed since a `list`, or a call has listed them since. */
  async hasNewList(given: ListedTools): Promise<boolean> {
    const current = await this.#connections.current?.catch(() => undefined)
    const listed = current && this.#listed.get(current)
    if (!current || !listed) return false
    // A call lists them where it has found other ones, or on a new connection.
    return listed !== given || current.listChanges() > listed.changes
  }

  async call(tool: ServerTool, input: unknown, context: ToolContext): Promise<CallToolResult & { notes: string[] }> {
    const running: RunningCall = {
      tool: tool.name,
      context,
      notes: [],
      asked: 0,
      hold: () => () => {},
      streamEnded() {},
    }
    this.#calls.running.add(running)
    try {
      const result = await this.#callOrReconnect(tool, input, running)
      return { ...result, notes: running.notes }
    } catch (error) {
      const failure = callError(error, this.#server, tool.name)
      if (context.signal.aborted || failure.code === 'timeout') leaveCall(this.#calls, context.userId)
      context.signal.throwIfAborted()
      if (running.notes.length === 0) throw failure
      throw new AgentKitError(failure.code, [failure.message, ...running.notes].join('\n'), { cause: failure })
    } finally {
      this.#calls.running.delete(running)
    }
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  /** Sends a call once more where the connection was lost before the call began. */
  async #callOrReconnect(tool: ServerTool, input: unknown, running: RunningCall): Promise<CallToolResult> {
    const opened = this.#connections.current
    const known = await opened?.catch(() => undefined)
    const first = known?.isOpen() ? known : undefined
    try {
      return await this.#send(tool, input, running)
    } catch (error) {
      const hasBegun = running.asked > 0 || !hasNotBegun(error)
      if (running.context.signal.aborted || !first || hasBegun) throw error
      this.#connections.replace(first, opened)
      return this.#send(tool, input, running)
    }
  }

  async #send(tool: ServerTool, input: unknown, running: RunningCall): Promise<CallToolResult> {
    const current = await this.#openFor(tool)
    const { client, closedBy } = current
    const place = { server: this.#server, calls: this.#calls }
    const work = (): Promise<CallToolResult> => runCall(client, { tool, input, running }, place)
    const traced = { tool: tool.name, server: this.#server }
    return this.#connections
      .using(current, () => withCallSpan(client, traced, work))
      .catch((error: unknown) => {
        throw closedBy() ? new Error('The connection was closed.', { cause: closedBy() }) : error
      })
  }

  /** The open connection, on which the server has the tool as it was listed for its run: it may have another one since. */
  async #openFor(tool: ServerTool, canReplace = true): Promise<Connection> {
    const current = await this.#connections.open()
    const opened = this.#connections.current
    try {
      if (!this.#hasUnchanged(tool, this.#listed.get(current))) {
        this.#checkUnchanged(tool, await this.#listOn(current))
      }
    } catch (error) {
      if (!canReplace || !hasNotBegun(error)) throw connectError(error, this.#server)
      this.#connections.replace(current, opened)
      return this.#openFor(tool, false)
    }
    // Another call may have replaced it while the tools were listed.
    return (await this.#connections.open()) === current ? current : this.#openFor(tool)
  }

  async #listOn(current: Connection): Promise<Listed> {
    // Before it is sent: a report that comes meanwhile may be of a later change.
    const changes = current.listChanges()
    const found = await this.#connections.using(current, () => listTools(current.client, this.#server))
    const listed = { ...found, changes }
    this.#listed.set(current, listed)
    return listed
  }

  #hasUnchanged(tool: ServerTool, found: ListedTools | undefined): boolean {
    const now = found && named(tool, found)
    return now !== undefined && hashOf(now) === hashOf(tool)
  }

  #checkUnchanged(tool: ServerTool, found: ListedTools): void {
    if (this.#hasUnchanged(tool, found)) return
    const what = named(tool, found) ? 'another' : 'no'
    const message = `The MCP server "${this.#server.name}" has changed its tools, and has ${what} tool "${tool.name}". It was not called.`
    throw new AgentKitError('tool-error', message)
  }
}

function named({ name }: ServerTool, { tools }: ListedTools): ServerTool | undefined {
  return [...tools.values()].find((tool) => tool.name === name)
}
