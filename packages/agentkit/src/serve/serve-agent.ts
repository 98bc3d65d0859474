import { type Member, terminalLine } from '@agentkit/core'
import {
  checkOptionNames,
  invalidArgument,
  isRecord,
  knowledgeOf,
  type WorkingAgent,
  workOn,
} from '@agentkit/core/internal'
import type { AgentServer, ServerOptions } from '@agentkit/server'
import type { Config } from '../config/config.ts'
import type { RetentionTable, ServerTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { definedOnly } from '../util/defined-only.ts'
import { loadedFile } from '../util/loaded-file.ts'
import { closeWithTelemetry, useTelemetry } from '../util/use-telemetry.ts'
import { authTokens } from './auth-tokens.ts'
import { keepSynced } from './keep-synced.ts'

/** The options of `run()`: address, auth, limits and the rest of the server's options. */
export type ServeOptions = ServerOptions

/**
 * Implements `run()` of agents and swarms: loads their models, serves them, and syncs their knowledge. Where a command has
 * loaded the file to learn its agents, nothing is served.
 * @param production whether the log is JSON by default
 */
export async function serveRunnable(
  agent: Member,
  options: ServeOptions,
  context: SDKContext,
  production: boolean,
): Promise<AgentServer> {
  const loaded = loadedFile()
  if (loaded?.served) {
    loaded.served.add(agent)
    if (isRecord(options) && typeof options.perUserFiles === 'boolean') {
      loaded.perUserFiles?.set(agent, options.perUserFiles)
    }
    return { url: '', close: async () => {} }
  }
  if (isQuestion(options)) {
    throw invalidArgument(
      '`run()` serves over HTTP. For an answer call `agent.chat("…")`, for its events `agent.stream("…")`.',
    )
  }
  loaded?.onServing?.()
  const { serverOptionNames } = await import('@agentkit/server')
  checkOptionNames(options, serverOptionNames, { code: 'invalid-config' })
  context.warnOfStrayTables()
  // Started before the first request, because the trace of a request is continued.
  useTelemetry(context.config.defaults.telemetry)
  await Promise.all(agent.models.map((model) => model.load?.()))
  const settings = serveOptions(options, context.config, production)
  const stop = new AbortController()
  const server = await serveAgent(agent, settings, () => stop.abort())
  const quiet = !isForPeople(settings)
  for (const knowledge of knowledgeOf(agent)) void keepSynced(knowledge, { quiet, signal: stop.signal })
  return server
}

/** What `run()` of other libraries takes: a question, messages, or an object with one of them. */
function isQuestion(options: unknown): boolean {
  if (typeof options === 'string') return Number.isNaN(Number(options))
  if (Array.isArray(options)) return options.some((part) => typeof part === 'string' || isRecord(part))
  return isRecord(options) && ['prompt', 'messages', 'input', 'question'].some((name) => name in options)
}

/** A JSON log or a custom one is not for people. */
function isForPeople({ log }: ServeOptions): boolean {
  return log === undefined || log === 'human'
}

/**
 * Serves an agent, works on its background runs unless `worker` is false, and prints or logs its address. SIGTERM and SIGINT drain the server, close the agent and end the process.
 * @param onClose called when the server is closed
 */
async function serveAgent(agent: Member, options: ServeOptions, onClose = (): void => {}): Promise<AgentServer> {
  const { handleSignals, serve } = await import('@agentkit/server')
  // A configuration that the agent's runs cannot use fails here, instead of in each request.
  if (isWorking(agent)) agent.workerParts?.()
  const works = options.worker !== false && isWorking(agent)
  const server = await serve(agent, options, works ? (working) => workOn([agent], working) : undefined)
  // The URL of a wildcard address is one that this machine can call.
  const others =
    options.host === '0.0.0.0' || options.host === '::' ? ', and on the other addresses of this machine' : ''
  const listens = `${agent.name} listens on ${server.url}${options.basePath ?? ''}${others}`
  if (isForPeople(options)) {
    // Without auth, `serve` has refused every address but this machine's own, unless others were allowed.
    const note =
      options.auth === undefined && options.allowUnauthenticated !== true
        ? ' (for this machine only; behind a proxy it needs `auth`)'
        : ''
    console.log(terminalLine(`${listens}${note}`))
  } else {
    const { createLog } = await import('@agentkit/server/internal')
    createLog(options.log)({ time: new Date().toISOString(), level: 'info', message: listens })
  }
  const removeHandlers = handleSignals(server, {
    ...definedOnly({ log: options.log }),
    async afterClose() {
      onClose()
      await closeWithTelemetry(() => agent.close())
    },
  })
  const close = async (): Promise<void> => {
    onClose()
    await server.close().finally(removeHandlers)
  }
  return { url: server.url, close }
}

/** Whether the agent has background runs: its store outlives the process. */
function isWorking(agent: Member): agent is Member & WorkingAgent {
  return agent.sessions.runs?.background !== undefined && 'continueRun' in agent
}

/**
 * The options of the server: the passed ones override `[server]` and `[retention]`.
 *
 * @param production whether the log is JSON, and the playground and the documentation are off, by default
 * @throws AgentKitError `invalid-config` when `auth_tokens_env` names a variable without tokens
 */
export function serveOptions(
  options: ServeOptions,
  { server, retention }: Pick<Config, 'server' | 'retention'>,
  production: boolean,
): ServeOptions {
  const passed: ServeOptions = definedOnly(options)
  const variable = passed.auth === undefined ? server.auth_tokens_env : undefined
  const limits = { ...limitsOf(server), ...passed.limits }
  const kept = { ...retentionOf(retention), ...passed.retention }
  return {
    ...(production && { log: 'json' as const, playground: false, docs: false }),
    ...definedOnly({
      host: server.host,
      port: server.port,
      auth: variable === undefined ? undefined : { tokens: authTokens(variable) },
      allowUnauthenticated: server.allow_unauthenticated,
      approvals: server.approvals,
      cors: server.cors_origins,
      allowedHosts: server.allowed_hosts,
      trustedProxies: server.trusted_proxies,
      basePath: server.base_path,
      perUserFiles: server.per_user_files,
      dialects: server.dialects,
      playground: server.playground,
      docs: server.docs,
      metrics: server.metrics,
      worker: server.worker,
      log: server.log,
    }),
    ...passed,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(kept).length > 0 && { retention: kept }),
  }
}

function limitsOf(table: ServerTable): NonNullable<ServeOptions['limits']> {
  return definedOnly({
    runs: table.max_runs,
    queuedRuns: table.max_queued_runs,
    userRuns: table.max_user_runs,
    userQueuedRuns: table.max_user_queued_runs,
    userDailyUsd: table.max_user_daily_usd,
    userDailyTokens: table.max_user_daily_tokens,
    queued: table.max_queued,
    userQueued: table.max_user_queued,
    heldBytes: table.max_held_bytes,
    connections: table.max_connections,
    requestsPerConnection: table.max_requests_per_connection,
    deadlineMs: table.deadline_ms,
    backgroundMs: table.background_ms,
    drainMs: table.drain_ms,
    stalledMs: table.stalled_ms,
  })
}

function retentionOf(table: RetentionTable): NonNullable<ServeOptions['retention']> {
  return definedOnly({
    retentionDays: table.retention_days,
    maxSessionsPerUser: table.max_sessions_per_user,
    maxDiskMb: table.max_disk_mb,
  })
}
