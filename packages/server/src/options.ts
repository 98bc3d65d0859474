import { checkOptionNames, invalidConfig } from '@agentkit/core/internal'
import { checkLimits } from './check-limits.ts'
import { type Auth, checkAuth } from './guards/auth.ts'
import { toBasePath } from './guards/base-path.ts'
import { type CorsOptions, type CorsRule, toCorsRule } from './guards/cors.ts'
import { bracketed, isLoopback, toHostNames } from './guards/host.ts'
import { type TrustedProxies, toTrustedProxies } from './guards/trusted-proxies.ts'
import type { Limits } from './limits.ts'
import type { RouteRules } from './request/parts.ts'
import { checkRetention, type RetentionOptions } from './sessions/retention-options.ts'
import { createLog, type Log, type LogEntry } from './util/log.ts'

/** The protocols that a server can speak beside its own. */
export type Dialect = 'openai' | 'ui' | 'agui' | 'mcp' | 'a2a'

const dialectNames: readonly Dialect[] = ['openai', 'ui', 'agui', 'mcp', 'a2a']

/** Options of a server: its address, its callers and its limits. */
export type ServerOptions = {
  /** Address to bind; default `127.0.0.1`. An address that other machines can reach requires `auth`. */
  host?: string
  /** Default 8000; 0 selects a free port. */
  port?: number
  /** Who may call; default everyone who can reach the server. */
  auth?: Auth
  /** Confirms that everyone who can reach the server may call it. */
  allowUnauthenticated?: boolean
  /**
   * Who decides on approvals: `"owner"`, the default, means the user of the run; `"service"` means only a token for any
   * user (`*`) or a token whose `auth` result has `mayApprove`.
   */
  approvals?: 'owner' | 'service'
  /** What one request may cost, and all of them together; see `defaultLimits`. */
  limits?: Partial<Limits>
  /**
   * Accepted host names, without a port: on a loopback address in addition to the machine's own names, on any other
   * address the only ones; default there any name.
   */
  allowedHosts?: readonly string[]
  /** Default: pages of other origins may not call. */
  cors?: CorsOptions
  /** Addresses and CIDRs of reverse proxies: only their forwarded headers count. */
  trustedProxies?: readonly string[]
  /** The path below which everything is served, such as `/agent`, for a proxy that does not remove its prefix. */
  basePath?: string
  /** Each user has files of their own; default: files belong to the agent. */
  perUserFiles?: boolean
  /** Protocols that are served beside `/api/v1`; default `["openai", "ui"]`. */
  dialects?: readonly Dialect[]
  /** Whether `/` is the page to try the agent with; default true. */
  playground?: boolean
  /** Whether `/docs` and `/openapi.json` are served; default true. */
  docs?: boolean
  /** Whether `/metrics` is served; default false. */
  metrics?: boolean
  /** Whether `run()` works on background runs; default true. */
  worker?: boolean
  /** How long data is kept; default: without limit. */
  retention?: RetentionOptions
  /** Where runs and requests that fail with a 5xx are logged; default `"human"`, a line on standard error. */
  log?: Log
}

/** Checked options with defaults. */
export type ServerSettings = {
  host: string
  port: number
  auth: Auth | undefined
  limits: Limits
  allowedHosts: ReadonlySet<string> | undefined
  cors: CorsRule | undefined
  trustedProxies: TrustedProxies | undefined
  allowUnauthenticated: boolean
  rules: RouteRules
  worker: boolean
  retention: Required<RetentionOptions>
  log: (entry: LogEntry) => void
}

/** Every option of `serve` and `createApp`. */
export const serverOptionNames: Record<keyof ServerOptions, true> = {
  host: true,
  port: true,
  auth: true,
  allowUnauthenticated: true,
  approvals: true,
  limits: true,
  allowedHosts: true,
  cors: true,
  trustedProxies: true,
  basePath: true,
  perUserFiles: true,
  dialects: true,
  playground: true,
  docs: true,
  metrics: true,
  worker: true,
  retention: true,
  log: true,
}

/** @throws AgentKitError `invalid-config` for unknown, invalid or unsafe options, with the fix */
export function checkOptions(options: ServerOptions = {}): ServerSettings {
  checkOptionNames(options, serverOptionNames, { code: 'invalid-config' })
  const { host = '127.0.0.1', port = 8000, auth, allowUnauthenticated = false } = options
  if (typeof host !== 'string' || host === '') throw invalidConfig('`host` is an address such as "127.0.0.1".')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalidConfig(`The port ${String(port)} is not valid: \`port\` is a whole number from 0 to 65535.`)
  }
  if (auth === undefined && !allowUnauthenticated && !isLoopback(host)) {
    throw invalidConfig(
      `Other machines can reach the address ${host}, and requests would need no token. ` +
        'Set `auth: { tokens: { [token]: userId } }` (`auth_tokens_env` in a [server] table), or bind 127.0.0.1, or set `allowUnauthenticated: true`.',
    )
  }
  if (typeof allowUnauthenticated !== 'boolean') throw invalidConfig('`allowUnauthenticated` is true or false.')
  const { log, trustedProxies, worker = true } = options
  if (!isLog(log)) {
    throw invalidConfig(
      '`log` is "human", "json", a logger with `info` and `error`, or a function that takes an entry.',
    )
  }
  if (auth !== undefined) checkAuth(auth)
  if (typeof worker !== 'boolean') throw invalidConfig('`worker` is true or false.')
  return {
    host,
    port,
    auth,
    limits: checkLimits(options.limits),
    allowedHosts: options.allowedHosts === undefined ? undefined : toHostNames(options.allowedHosts),
    cors: options.cors === undefined ? undefined : toCorsRule(options.cors),
    trustedProxies: trustedProxies === undefined ? undefined : toTrustedProxies(trustedProxies),
    allowUnauthenticated,
    rules: checkRules(options),
    worker,
    retention: checkRetention(options.retention),
    log: createLog(log),
  }
}

function isLog(log: unknown): boolean {
  if (log === undefined || log === 'human' || log === 'json' || typeof log === 'function') return true
  return ['info', 'error'].every((name) => typeof (log as Record<string, unknown> | null)?.[name] === 'function')
}

function checkRules(options: ServerOptions): RouteRules {
  const { approvals = 'owner', basePath = '', dialects = ['openai', 'ui'] } = options
  if (approvals !== 'owner' && approvals !== 'service') throw invalidConfig('`approvals` is "owner" or "service".')
  const words = dialectNames.map((name) => `"${name}"`).join(', ')
  if (!Array.isArray(dialects)) throw invalidConfig(`\`dialects\` is a list of ${words}; an empty one serves none.`)
  const unknown = dialects.find((name) => !dialectNames.includes(name))
  if (unknown !== undefined) throw invalidConfig(`There is no dialect ${JSON.stringify(unknown)}. There are ${words}.`)
  const { perUserFiles = false, playground = true, docs = true, metrics = false } = options
  for (const [name, flag] of Object.entries({ perUserFiles, playground, docs, metrics })) {
    if (typeof flag !== 'boolean') throw invalidConfig(`\`${name}\` is true or false.`)
  }
  return {
    hasAuth: options.auth !== undefined,
    approvals,
    basePath: toBasePath(basePath),
    perUserFiles,
    dialects: new Set(dialects),
    playground,
    docs,
    metrics,
  }
}

/** The URL of a server that binds an address; a wildcard address becomes loopback. */
export function serverUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${bracketed(name)}:${port}`
}
