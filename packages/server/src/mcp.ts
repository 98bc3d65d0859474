import { AgentKitError, type Runnable } from '@agentkit/core'
import { checkOptionNames, checkSeparate } from '@agentkit/core/internal'
import type { Server } from '@modelcontextprotocol/server'
import { agentServer } from './dialects/mcp/agent-server.ts'
import { loadMCP } from './dialects/mcp/load-mcp.ts'
import { type LocalHostOptions, localHost } from './dialects/mcp/local-host.ts'
import { checkAgent } from './request/check-agent.ts'
import { isId } from './request/fields.ts'

/** How an agent is served over MCP. */
export type MCPServerOptions = LocalHostOptions

// Awaited here, so that an import of this module without the SDK throws an error with the command that installs it.
await loadMCP()

/**
 * An agent or swarm as a server of the Model Context Protocol, for one connection: it has the tool `ask_agent`, and the
 * agent's files as resources. `agentkit mcp` and the dialect `mcp` serve the same one.
 *
 * @param agent an Agent or a Swarm
 * @param options.userId whose sessions, runs and files they are; default `default`
 * @param options.perUserFiles each user has files of their own; without `userId` there are then no resources
 * @param options.log where failures are logged; default `"human"`, a line on standard error
 * @returns a server of `@modelcontextprotocol/server`, to be connected to one of its transports; `close()` ends its runs, and
 *   waits for them
 * @throws AgentKitError `invalid-argument` for a value that is not an agent, and for an invalid `userId`
 * @throws AgentKitError `invalid-config` for an unknown option, and where `perUserFiles` is not possible
 * @throws AgentKitError `missing-package`, by the import of this module, where the SDK is not installed
 * @example
 * import { mcpServer } from '@agentkit/server/mcp'
 * import { serveStdio } from '@modelcontextprotocol/server/stdio'
 *
 * serveStdio(() => mcpServer(agent))
 */
export function mcpServer(agent: Runnable, options: MCPServerOptions = {}): Server {
  checkAgent(agent, 'mcpServer(agent)')
  checkOptionNames(options, { userId: true, perUserFiles: true, log: true }, { code: 'invalid-config' })
  const { userId } = options
  if (userId !== undefined && (typeof userId !== 'string' || !isId(userId))) {
    const form = 'has 1 to 128 characters, none of them a control character'
    throw new AgentKitError('invalid-argument', `\`userId\` ${form}.`)
  }
  checkSeparate(agent, options.perUserFiles)
  return agentServer(localHost(agent, options))
}
