import { relative, resolve } from 'node:path'
import { AgentKitError, type Tool, type ToolContext } from '@agentkit/core'
import { firstChars, invalidConfig, nearestWord, serverTool, withoutPatterns } from '@agentkit/core/internal'
import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client'
import { withCallSpan } from './call-span.ts'
import { type Connection, connect, type Era } from './connection.ts'
import { type Calls, currentCall, elicit, type RunningCall } from './elicitation.ts'
import { limits } from './limits.ts'
import { type ListedTools, listTools } from './list-tools.ts'
import { readLocked } from './lock-file.ts'
import { callError, connectError, hasNotBegun } from './mcp-error.ts'
import type { McpToolInfo, McpTools, Server } from './options.ts'
import { checkPins, hashOf, type PinState } from './pins.ts'
import { runCall } from './run-call.ts'
import { toResult } from './tool-result.ts'

/** The tools of a server, with sentences about those that are left out. */
export type ConnectedTools = McpTools & { readonly warnings: readonly string[] }

/** Connects to a server. @throws AgentKitError as `mcp` does */
export async function connectServer(
  server: Server,
  { isProduction }: { isProduction: boolean },
): Promise<ConnectedTools> {
  const session = createSession(server)
  try {
    const { tools, warnings } = await session.list()
    const states = checkPins(server, [...tools.values()], { era: session.era(), isProduction })
    checkApprovalNames(server, tools)
    const list = [...tools].map(([name, tool]) => toTool(name, tool, { server, session, state: states.get(tool.name) }))
    // The properties are not enumerable, so that the list has only tools.
    return Object.defineProperties(list, {
      close: { value: session.close },
      warnings: { value: warnings },
    }) as unknown as ConnectedTools // the properties that are defined here
  } catch (error) {
    await session.close()
    throw error
  }
}

/** The state of a server, and the comparison of its tools with their pins. */
export type ServerState = { tools: number; warnings: readonly string[]; changed: string[]; unpinned: string[] }

/** Connects to a server, and compares its tools with their pins; nothing is written. @throws AgentKitError as `mcp` does */
export async function inspectServer(server: Server): Promise<ServerState> {
  const session = createSession(server)
  try {
    const { tools, warnings } = await session.list()
    checkApprovalNames(server, tools)
    const states = [...checkPins(server, [...tools.values()], { era: session.era(), isProduction: true })]
    const namesOf = (state: PinState): string[] => states.flatMap(([name, found]) => (found === state ? [name] : []))
    return { tools: tools.size, warnings, changed: namesOf('changed'), unpinned: namesOf('unpinned') }
  } finally {
    await session.close()
  }
}

type Session = ReturnType<typeof createSession>

/** One server with its successive connections: the next call replaces a lost connection. */
function createSession(server: Server) {
  const calls: Calls = { running: new Set(), openRequests: 0 }
  const hashes = new Map<string, string>()
  let era: Era | undefined = server.lockFile === undefined ? undefined : readLocked(server.lockFile, server.name).era
  let connection: Promise<Connection> | undefined
  /** Connections that another one has replaced, with requests that may still be answered. */
  const replaced = new Set<Connection>()
  const requestsOn = new Map<Connection, number>()
  const listed = new WeakMap<Connection, ListedTools>()
  let isClosed = false

  const open = async (): Promise<Connection> => {
    if (isClosed) throw new AgentKitError('network', `The connection to the MCP server "${server.name}" is closed.`)
    const current = await connection?.catch(() => undefined)
    if (current?.isOpen()) return current
    // The calls that wait here share one connection.
    connection = reopened(connection)
    return connection
  }
  let opening: Promise<Connection> | undefined
  const reopened = (lost: Promise<Connection> | undefined): Promise<Connection> => {
    opening ??= (async () => {
      await lost?.then((each) => each.close()).catch(() => {})
      // Later messages of the connection may belong to other calls than the call that opens it.
      const next = await currentCall.exit(() =>
        connect(server, era, (params, signal) => elicit(params, { server, calls, signal })),
      )
      era = next.era
      if (isClosed) await next.close()
      return next
    })().finally(() => {
      opening = undefined
    })
    return opening
  }
  /** Sends requests on a connection, which is closed after the last ones where another one has replaced it. */
  const using = async <Result>(current: Connection, work: () => Promise<Result>): Promise<Result> => {
    requestsOn.set(current, (requestsOn.get(current) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const others = (requestsOn.get(current) ?? 1) - 1
      if (others > 0) requestsOn.set(current, others)
      else requestsOn.delete(current)
      if (others === 0 && replaced.delete(current)) void current.close()
    }
  }
  /** Has the next call open a connection. The requests on the lost one are not ended: each settles by itself. */
  const replace = (lost: Connection, opened: Promise<Connection> | undefined): void => {
    if (connection === opened) connection = undefined
    if (requestsOn.has(lost)) replaced.add(lost)
    else void lost.close()
  }
  const listOn = async (current: Connection): Promise<ListedTools> => {
    const found = await using(current, () => listTools(current.client, server))
    for (const tool of found.tools.values()) if (!hashes.has(tool.name)) hashes.set(tool.name, hashOf(tool))
    listed.set(current, found)
    return found
  }
  /** The open connection, on which the server has the tool as it was first: it may have another one after it was lost. */
  const openFor = async (tool: ServerTool, canReplace = true): Promise<Connection> => {
    const current = await open()
    const opened = connection
    try {
      if (!hasUnchanged(tool, listed.get(current))) checkUnchanged(tool, await listOn(current))
    } catch (error) {
      if (!canReplace || !hasNotBegun(error)) throw connectError(error, server)
      replace(current, opened)
      return openFor(tool, false)
    }
    // Another call may have replaced it while the tools were listed.
    return (await open()) === current ? current : openFor(tool)
  }
  return {
    list: (): Promise<ListedTools> =>
      open()
        .then(listOn)
        .catch((error: unknown) => {
          throw connectError(error, server)
        }),
    era: (): Era => era ?? 'legacy',
    async call(tool: ServerTool, input: unknown, context: ToolContext): Promise<CallToolResult & { notes: string[] }> {
      const running: RunningCall = {
        tool: tool.name,
        context,
        notes: [],
        asked: 0,
        hold: () => () => {},
        streamEnded() {},
      }
      calls.running.add(running)
      try {
        const opened = connection
        const known = await opened?.catch(() => undefined)
        const first = known?.isOpen() ? known : undefined
        const send = async (): Promise<CallToolResult> => {
          const current = await openFor(tool)
          const { client, closedBy } = current
          const sent = using(current, () =>
            withCallSpan(client, { tool: tool.name, server }, () =>
              runCall(client, { tool, input, running }, { server, calls }),
            ),
          )
          return sent.catch((error: unknown) => {
            throw closedBy() ? new Error('The connection was closed.', { cause: closedBy() }) : error
          })
        }
        const result = await send().catch(async (error: unknown) => {
          const hasBegun = running.asked > 0 || !hasNotBegun(error)
          if (context.signal.aborted || !first || hasBegun) throw error
          replace(first, opened)
          return send()
        })
        return { ...result, notes: running.notes }
      } catch (error) {
        context.signal.throwIfAborted()
        const failure = callError(error, server, tool.name)
        if (running.notes.length === 0) throw failure
        throw new AgentKitError(failure.code, [failure.message, ...running.notes].join('\n'), { cause: failure })
      } finally {
        calls.running.delete(running)
      }
    },
    async close(): Promise<void> {
      isClosed = true
      const current = await connection?.catch(() => undefined)
      await Promise.all([current, ...replaced].map((each) => each?.close()))
    },
  }

  function hasUnchanged(tool: ServerTool, found: ListedTools | undefined): boolean {
    const now = found && named(tool, found)
    return now !== undefined && hashOf(now) === hashes.get(tool.name)
  }

  function checkUnchanged(tool: ServerTool, found: ListedTools): void {
    if (hasUnchanged(tool, found)) return
    const what = named(tool, found) ? 'another' : 'no'
    const message = `The MCP server "${server.name}" was connected again, and has ${what} tool "${tool.name}". It was not called.`
    throw new AgentKitError('tool-error', message)
  }
}

function named({ name }: ServerTool, { tools }: ListedTools): ServerTool | undefined {
  return [...tools.values()].find((tool) => tool.name === name)
}

type Parts = { server: Server; session: Session; state: PinState | undefined }

function toTool(name: string, tool: ServerTool, { server, session, state }: Parts): Tool {
  const description = tool.description ?? tool.title ?? ''
  const cut = description.length > limits.descriptionChars
  const made: Tool = {
    name,
    description: cut ? `${firstChars(description, limits.descriptionChars - 1)}…` : description,
    inputSchema: withoutPatterns(tool.inputSchema as Record<string, unknown>),
    needsApproval: approvalRule(tool, name, server),
    async execute(input, context) {
      const { notes, ...result } = await session.call(tool, input, context)
      return toResult(result, notes)
    },
    ...(state !== 'pinned' && { isEnabled: () => refuse(tool.name, state, server) }),
  }
  return serverTool(made, server.name)
}

function refuse(tool: string, state: PinState | undefined, { name, lockFile }: Server): never {
  // The command takes the server's own file where this folder's configuration has the server.
  const isUsual = lockFile === undefined || lockFile === resolve('agentkit-mcp.lock.json')
  const file = isUsual ? '' : ` --pins ${JSON.stringify(relative('', lockFile))}`
  const accept = `agentkit tools pins accept ${JSON.stringify(name)} ${JSON.stringify(tool)}${file}`
  if (state === 'changed') {
    const message = `The run has no tool "${tool}": the MCP server "${name}" has changed it since it was pinned. Look at what it is now; to use it, run: ${accept}`
    throw new AgentKitError('tool-error', message)
  }
  throw invalidConfig(
    `The tool "${tool}" of the MCP server "${name}" has no pin in ${lockFile}. Run the agent once in development or \`${accept}\`, and commit the file.`,
  )
}

function approvalRule(tool: ServerTool, name: string, { needsApproval }: Server): NonNullable<Tool['needsApproval']> {
  if (needsApproval === undefined) return tool.annotations?.destructiveHint === true
  if (typeof needsApproval === 'boolean') return needsApproval
  if (typeof needsApproval === 'function') {
    const info: McpToolInfo = { name, description: tool.description ?? '', annotations: { ...tool.annotations } }
    return (input) => needsApproval(info, input)
  }
  return needsApproval.includes(name) || needsApproval.includes(tool.name)
}

/** A misspelt name would leave a tool without its safeguard. */
function checkApprovalNames({ needsApproval, name: server }: Server, tools: ReadonlyMap<string, ServerTool>): void {
  if (typeof needsApproval !== 'object') return
  const names = [...tools].flatMap(([name, tool]) => [name, tool.name])
  const unknown = needsApproval.find((name) => !names.includes(name))
  if (unknown === undefined) return
  const nearest = nearestWord(unknown, names)
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  throw invalidConfig(`\`needsApproval\` names "${unknown}", which is not a tool of the MCP server "${server}".${hint}`)
}
