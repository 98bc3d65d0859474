import { type Knowledge, type Member, terminalLine } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import type { AgentServer, ServerOptions } from '@agentkit/server'
import type { ServerTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { definedOnly } from '../util/defined-only.ts'
import { authTokens } from './auth-tokens.ts'
import { keepSynced } from './keep-synced.ts'

/** The options of `run()`: address, auth, limits and the rest of the server's options. */
export type ServeOptions = ServerOptions

/**
 * Implements `run()` of agents and swarms: loads their models, serves them, and syncs their knowledge.
 * @param production whether the log is JSON by default
 */
export async function serveRunnable(
  agent: Member,
  options: ServeOptions,
  context: SDKContext,
  production: boolean,
): Promise<AgentServer> {
  const { serverOptionNames } = await import('@agentkit/server')
  checkOptionNames(options, serverOptionNames, { code: 'invalid-config' })
  context.warnOfStrayTables()
  await Promise.all(agent.models.map((model) => model.load?.()))
  const server = await serveAgent(agent, serveOptions(options, context.config.server, production))
  for (const knowledge of knowledgeIn(agent)) void keepSynced(knowledge, production)
  return server
}

/** The knowledge of an agent, and of the members of a swarm or workflow. */
function knowledgeIn(agent: Member): Set<Knowledge> {
  const agents = 'agents' in agent ? (agent.agents as readonly Member[]) : [] // an agent has none
  const members = agents.flatMap((member) => [...knowledgeIn(member)])
  return new Set([...(agent.knowledge ? [agent.knowledge] : []), ...members])
}

/** Serves an agent and prints its address. SIGTERM and SIGINT drain the server, close the agent and end the process. */
export async function serveAgent(agent: Member, options: ServeOptions): Promise<AgentServer> {
  const { handleSignals, serve } = await import('@agentkit/server')
  const server = await serve(agent, options)
  // A JSON log or a custom one is not for people.
  if (options.log === undefined || options.log === 'human') {
    console.log(terminalLine(`${agent.name} listens on ${server.url}`))
  }
  const removeHandlers = handleSignals(server, {
    ...definedOnly({ log: options.log }),
    afterClose: () => agent.close(),
  })
  return { url: server.url, close: () => server.close().finally(removeHandlers) }
}

/**
 * The options of the server: the passed ones override `[server]`.
 *
 * @param production whether the log is JSON by default
 * @throws AgentKitError `invalid-config` when `auth_tokens_env` names a variable without tokens
 */
export function serveOptions(options: ServeOptions, table: ServerTable, production: boolean): ServeOptions {
  const passed: ServeOptions = definedOnly(options)
  const variable = passed.auth === undefined ? table.auth_tokens_env : undefined
  const limits = { ...limitsOf(table), ...passed.limits }
  return {
    ...definedOnly({
      host: table.host,
      port: table.port,
      cors: table.cors_origins,
      allowedHosts: table.allowed_hosts,
      auth: variable === undefined ? undefined : { tokens: authTokens(variable) },
      log: production ? ('json' as const) : undefined,
    }),
    ...passed,
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

function limitsOf(table: ServerTable): NonNullable<ServeOptions['limits']> {
  return definedOnly({
    runs: table.max_runs,
    queuedRuns: table.max_queued_runs,
    heldBytes: table.max_held_bytes,
    connections: table.max_connections,
    requestsPerConnection: table.max_requests_per_connection,
  })
}
