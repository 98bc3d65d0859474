import { relative, resolve } from 'node:path'
import { AgentKitError, type Tool } from '@agentkit/core'
import {
  credentialsOf,
  firstChars,
  invalidConfig,
  nearestWord,
  serverTool,
  withoutPatterns,
} from '@agentkit/core/internal'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'
import type { ListedTools } from './list-tools.ts'
import type { McpToolInfo, McpTools, Server } from './options.ts'
import { checkPins, type PinState } from './pins.ts'
import { ServerSession } from './server-session.ts'
import { toResult } from './tool-result.ts'

/** The tools of a server, with sentences about those that are left out. */
export type ConnectedTools = McpTools & {
  readonly warnings: readonly string[]
  /**
   * The tools of the next run: the same list, unless the server has reported that they have changed, or a call has listed
   * them on a new connection. Then they are read once more. A tool that is new in production, where it cannot be pinned, is left out.
   * @throws AgentKitError where they cannot be read
   */
  latest(): Promise<ConnectedTools>
}

/** Connects to a server. @throws AgentKitError as `mcp` does */
export async function connectServer(
  server: Server,
  { isProduction }: { isProduction: boolean },
): Promise<ConnectedTools> {
  const session = new ServerSession(server)
  let last: { list: ConnectedTools; listed: ListedTools } | undefined
  let reading: Promise<ConnectedTools> | undefined

  const read = async (): Promise<ConnectedTools> => {
    const listed = await session.list()
    const { tools, warnings } = listed
    const states = checkPins(server, [...tools.values()], { era: session.era, isProduction })
    const known = last?.list.map(({ name }) => name)
    if (!known) checkApprovalNames(server, tools)
    // Runs that begin now would fail for a tool that earlier ones have worked without.
    const isLeft = ([name, tool]: [string, ServerTool]): boolean =>
      known !== undefined && !known.includes(name) && states.get(tool.name) === 'unpinned'
    const left = [...tools].filter(isLeft)
    for (const [name] of left) tools.delete(name)
    const made = [...tools].map(([name, tool]) => toTool(name, tool, { server, session, state: states.get(tool.name) }))
    // The properties are not enumerable, so that the list has only tools.
    const list = Object.defineProperties(made, {
      close: { value: () => session.close() },
      warnings: { value: [...warnings, ...left.map(([, tool]) => unpinnedLater(tool.name, server))] },
      latest: { value: latest },
    }) as unknown as ConnectedTools // the properties that are defined here
    last = { list, listed }
    return list
  }
  const latest = async (): Promise<ConnectedTools> => {
    if (reading !== undefined) return reading
    if (last && !(await session.hasNewList(last.listed))) return last.list
    // Runs that begin at once share one list.
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  try {
    return await latest()
  } catch (error) {
    await session.close()
    throw error
  }
}

function unpinnedLater(tool: string, { name, lockFile }: Server): string {
  return `The run has no tool "${tool}", which the MCP server "${name}" has added: it has no pin in ${lockFile}.`
}

/** The state of a server, and the comparison of its tools with their pins. */
export type ServerState = { tools: number; warnings: readonly string[]; changed: string[]; unpinned: string[] }

/** Connects to a server, and compares its tools with their pins; nothing is written. @throws AgentKitError as `mcp` does */
export async function inspectServer(server: Server): Promise<ServerState> {
  const session = new ServerSession(server)
  try {
    const { tools, warnings } = await session.list()
    checkApprovalNames(server, tools)
    const states = [...checkPins(server, [...tools.values()], { era: session.era, isProduction: true })]
    const namesOf = (state: PinState): string[] => states.flatMap(([name, found]) => (found === state ? [name] : []))
    return { tools: tools.size, warnings, changed: namesOf('changed'), unpinned: namesOf('unpinned') }
  } finally {
    await session.close()
  }
}

type Parts = { server: Server; session: ServerSession; state: PinState | undefined }

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
      return toResult(result, notes, credentialsOf(server))
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
