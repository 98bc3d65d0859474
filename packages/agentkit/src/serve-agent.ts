import type { Runnable } from '@agentkit/core'
import type { AgentServer, ServerOptions } from '@agentkit/server'
import { authTokens } from './auth-tokens.ts'
import type { ServerTable } from './config-keys.ts'
import { definedOnly } from './defined-only.ts'

/** What `run()` takes: address, auth, limits and the rest of the server's options. */
export type ServeOptions = ServerOptions

/** Serves an agent, says where, and lets the server own the process: a signal drains it, closes the agent and ends it. */
export async function serveAgent(
  agent: Runnable & { close(): Promise<void> },
  options: ServeOptions,
): Promise<AgentServer> {
  const { handleSignals, serve } = await import('@agentkit/server')
  const server = await serve(agent, options)
  // Whoever reads the log by machine, or writes it, knows the address.
  if (options.log === undefined || options.log === 'human') console.log(`${agent.name} listens on ${server.url}`)
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
  return {
    ...definedOnly({
      host: table.host,
      port: table.port,
      cors: table.cors_origins,
      auth: variable === undefined ? undefined : { tokens: authTokens(variable) },
      log: production ? ('json' as const) : undefined,
    }),
    ...passed,
  }
}
