import { AgentKitError } from '@agentkit/core'
import { invalidConfig, nearestWord } from '@agentkit/core/internal'
import { connect } from './connection.ts'
import { listTools } from './list-tools.ts'
import { readLocked } from './lock-file.ts'
import { checkServer, type McpOptions } from './options.ts'
import { pinTools } from './pins.ts'

/**
 * Connects to a server, and pins its tools as they are now.
 * @param tool the name of the only one that is pinned
 * @returns the names of those whose pin is new or has changed
 * @throws AgentKitError as `mcp` does; `not-found` for a tool that the server does not have
 */
export async function acceptPins(options: McpOptions, tool: string | undefined): Promise<string[]> {
  const server = checkServer(options)
  const { lockFile, name } = server
  if (lockFile === undefined) throw invalidConfig(`The MCP server "${name}" pins nothing: \`pins\` is false.`)
  const { era } = readLocked(lockFile, name)
  const connection = await connect(server, era, async () => ({ action: 'decline' }))
  try {
    const tools = [...(await listTools(connection.client, server)).tools.values()]
    const chosen = tool === undefined ? tools : tools.filter((each) => each.name === tool)
    if (tool !== undefined && chosen.length === 0) {
      const nearest = nearestWord(
        tool,
        tools.map((each) => each.name),
      )
      const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
      throw new AgentKitError('not-found', `The MCP server "${name}" has no tool "${tool}".${hint}`)
    }
    return pinTools(server, chosen, connection.era)
  } finally {
    await connection.close()
  }
}
