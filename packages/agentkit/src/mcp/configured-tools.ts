import { isAgentKitError, type Tool } from '@agentkit/core'
import { type HostTools, invalidConfig, isProduction, nearestWord, untilAborted } from '@agentkit/core/internal'
import type { ConnectedTools } from '@agentkit/mcp/internal'
import type { Config } from '../config/config.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { importMcp } from '../util/import-optional.ts'
import { mcpOptions } from './mcp-options.ts'

/** The connections of a context: one for each server, opened by the first run that has its tools. */
const connections = new WeakMap<SDKContext, Map<string, Promise<ConnectedTools>>>()

/**
 * The tools of the MCP servers of the configuration, for the runs of one agent.
 * @param names of the servers; default: all
 * @throws AgentKitError `invalid-config` for a name that the configuration does not have
 */
export function configuredTools(
  context: SDKContext,
  names: readonly string[] | undefined,
  isProduction: boolean,
): HostTools | undefined {
  const { config } = context
  checkServerNames(names ?? [], config)
  const chosen = names ?? [...config.mcp.keys()]
  if (chosen.length === 0) return undefined
  let last: { lists: readonly ConnectedTools[]; tools: Tool[] } | undefined
  return async ({ signal }) => {
    const warnings: string[] = []
    const found = chosen.map(async (name) => {
      try {
        const known = await untilAborted(signal, connected(context, name, isProduction))
        const latest = known.latest().then((list) => {
          connections.get(context)?.set(name, Promise.resolve(list))
          return list
        })
        return await untilAborted(signal, latest).catch((error: unknown) => {
          signal.throwIfAborted()
          if (!isAgentKitError(error)) throw error
          warnings.push(
            `The tools of the MCP server "${name}" have changed, and could not be read again: ${error.message}`,
          )
          return known
        })
      } catch (error) {
        signal.throwIfAborted()
        const isRequired = config.mcp.get(name)?.required !== false
        if (isRequired || !isAgentKitError(error) || error.code === 'invalid-argument') throw error
        warnings.push(`The run has no tools of the MCP server "${name}": ${error.message}`)
        return undefined
      }
    })
    const lists = (await Promise.all(found)).filter((list) => list !== undefined)
    for (const list of lists) warnings.push(...list.warnings)
    const isSame = last?.lists.length === lists.length && last.lists.every((list, index) => list === lists[index])
    // The same list while nothing changes: its schemas are compiled once.
    if (!last || !isSame) last = { lists, tools: lists.flat() }
    return { tools: last.tools, warnings }
  }
}

function connected(context: SDKContext, name: string, isProduction: boolean): Promise<ConnectedTools> {
  const open = connections.get(context) ?? new Map<string, Promise<ConnectedTools>>()
  if (!connections.has(context)) {
    // When the context is closed already, this throws: nothing would close the connections.
    context.onClose(async () => {
      connections.delete(context)
      const lists = await Promise.allSettled(open.values())
      await Promise.all(lists.map((list) => (list.status === 'fulfilled' ? list.value.close() : undefined)))
    })
    connections.set(context, open)
  }
  const known = open.get(name)
  if (known) return known
  const connecting = connect(context, name, isProduction)
  open.set(name, connecting)
  // The next run tries again.
  connecting.catch(() => open.delete(name))
  return connecting
}

async function connect({ config }: SDKContext, name: string, configured: boolean): Promise<ConnectedTools> {
  const mcp = await importMcp()
  const server = mcp.checkServer(mcpOptions(name, config.mcp.get(name) ?? {}, config))
  return mcp.connectServer(server, { isProduction: configured || isProduction() })
}

/** @throws AgentKitError `invalid-config` for a name that the configuration does not have */
export function checkServerNames(names: readonly string[], { mcp, path }: Config): void {
  const unknown = names.find((name) => !mcp.has(name))
  if (unknown === undefined) return
  const nearest = nearestWord(unknown, [...mcp.keys()])
  const hint = nearest === undefined ? `Write it: [mcp.${unknown}].` : `Did you mean "${nearest}"?`
  throw invalidConfig(`${path}: \`mcp\` names the server "${unknown}", which has no table. ${hint}`)
}
