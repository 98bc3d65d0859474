import { isProduction, notice } from '@agentkit/core/internal'
import { connectServer } from './connect-server.ts'
import { checkServer, type McpOptions, type McpTools } from './options.ts'

/**
 * Connects to an MCP server, and makes tools of its tools.
 *
 * @param options `url` for a server over HTTP, `command` for one that is started
 * @throws AgentKitError `network`, `timeout` or `auth` when it cannot connect
 * @throws AgentKitError `invalid-config` for a command that is missing, for `tools` that the server does not have, and for
 *   two of its tools with one name
 * @example
 * const files = await mcp({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', 'docs'] })
 * const agent = new Agent({ name: 'Librarian', functions: [files] })
 */
export async function mcp(options: McpOptions): Promise<McpTools> {
  const tools = await connectServer(checkServer(options), { isProduction: isProduction() })
  for (const warning of tools.warnings) notice(warning)
  return tools
}
