import { type Knowledge, type Member, terminalLine } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import type { AgentServer, ServerOptions } from '@agentkit/server'
import type { ServerTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { definedOnly } from '../util/defined-only.ts'
import { nearestWord } from '../util/nearest-word.ts'
import { authTokens } from './auth-tokens.ts'
import { keepSynced } from './keep-synced.ts'

/** What `run()` takes: address, auth, limits and the rest of the server's options. */
export type ServeOptions = ServerOptions

/**
 * What `run()` of an agent and of a swarm does: loads their models, serves, and brings what they look up up to date.
 * @param production whether the log is for machines, where no option says otherwise
 */
export async function serveRunnable(
  agent: Member,
  options: ServeOptions,
  context: SDKContext,
  production: boolean,
): Promise<AgentServer> {
  const { serverOptionNames } = await import('@agentkit/server')
  checkOptionNames(options, serverOptionNames, { code: 'invalid-config', nearest: nearestWord })
  context.warnOfStrayTables()
  await Promise.all(agent.models.map((model) => model.load?.()))
  const server = await serveAgent(agent, serveOptions(options, context.config.server, production))
  for (const knowledge of knowledgeIn(agent)) void keepSynced(knowledge, production)
  return server
}

/** Of an agent, or of a swarm or a workflow with its members. */
function knowledgeIn(agent: Member): Set<Knowledge> {
  const agents = 'agents' in agent ? (agent.agents as readonly Member[]) : [] // an agent has none
  const members = agents.flatMap((member) => [...knowledgeIn(member)])
  return new Set([...(agent.knowledge ? [agent.knowledge] : []), ...members])
}

/** Serves an agent, says where, and lets the server own the process: a signal drains it, closes the agent and ends it. */
export async function serveAgent(agent: Member, options: ServeOptions): Promise<AgentServer> {
  const { handleSignals, serve } = await import('@agentkit/server')
  const server = await serve(agent, options)
  // Whoever reads the log by machine, or writes it, knows the address.
  if (options.log === undefined || options.log === 'human') {
    console.log(terminalLine(`${agent.name} listens on ${server.url}`))
  }
  const letGo = handleSignals(server, { ...definedOnly({ log: options.log }), afterClose: () => agent.close() })
  return { url: server.url, close: () => server.close().finally(letGo) }
}

/**
 * What the server is told: each option as it was passed, else as `[server]` has it.
 *
 * @param production whether the log is for machines, where no option says otherwise
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
