import { AgentKitError } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import { type Auth, checkAuth } from './guards/auth.ts'
import { bracketed, isLoopback, toHostNames } from './guards/host.ts'
import type { CorsRule } from './guards/origin.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { createLog, type Log, type LogEntry } from './util/log.ts'

/** Other origins whose pages may call: `*`, exact origins such as `https://app.example.com`, or those with cookies. */
export type CorsOptions =
  | string
  | readonly string[]
  | { origins: string | readonly string[] /** Allows cookies and HTTP authentication. */; credentials?: boolean }

export type ServerOptions = {
  /** Address to bind; default `127.0.0.1`. An address that other machines can reach requires `auth`. */
  host?: string
  /** Default 8000; 0 selects a free port. */
  port?: number
  /** Who may call; default everyone who can reach the server. */
  auth?: Auth
  /** Confirms that everyone who can reach the server may call it. */
  allowUnauthenticated?: boolean
  /** What one request may cost, and all of them together; see `defaultLimits`. */
  limits?: Partial<Limits>
  /**
   * Accepted host names, without a port: on a loopback address in addition to the machine's own names, on any other
   * address the only ones; default there any name.
   */
  allowedHosts?: readonly string[]
  /** Default: pages of other origins may not call. */
  cors?: CorsOptions
  /** Where failed requests are logged; default `"human"`, a line on standard error. */
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
  log: (entry: LogEntry) => void
}

/** Every option of `serve` and `createApp`. */
export const serverOptionNames: Record<keyof ServerOptions, true> = {
  host: true,
  port: true,
  auth: true,
  allowUnauthenticated: true,
  limits: true,
  allowedHosts: true,
  cors: true,
  log: true,
}

/** @throws AgentKitError `invalid-config` for unknown, invalid or unsafe options, with the fix */
export function checkOptions(options: ServerOptions = {}): ServerSettings {
  checkOptionNames(options, serverOptionNames, { code: 'invalid-config' })
  const { host = '127.0.0.1', port = 8000, auth, allowUnauthenticated = false } = options
  if (typeof host !== 'string' || host === '') throw invalid('`host` is an address such as "127.0.0.1".')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalid(`The port ${port} is not valid: \`port\` is a whole number from 0 to 65535.`)
  }
  if (auth === undefined && !allowUnauthenticated && !isLoopback(host)) {
    throw invalid(
      `Other machines can reach the address ${host}, and requests would need no token. ` +
        'Set `auth: { tokens: { [token]: userId } }` (`auth_tokens_env` in a [server] table), or bind 127.0.0.1, or set `allowUnauthenticated: true`.',
    )
  }
  if (typeof allowUnauthenticated !== 'boolean') throw invalid('`allowUnauthenticated` is true or false.')
  const { log } = options
  if (log !== undefined && log !== 'human' && log !== 'json' && typeof log !== 'function') {
    throw invalid('`log` is "human", "json" or a function that takes an entry.')
  }
  if (auth !== undefined) checkAuth(auth)
  return {
    host,
    port,
    auth,
    limits: checkLimits(options.limits),
    allowedHosts: options.allowedHosts === undefined ? undefined : toHostNames(options.allowedHosts),
    cors: options.cors === undefined ? undefined : toCorsRule(options.cors),
    log: createLog(log),
  }
}

/** The URL of a server that binds an address; a wildcard address becomes loopback. */
export function serverUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${bracketed(name)}:${port}`
}

/** The longest delay of Node's timers. */
const longestTimerMs = 2 ** 31 - 1

function checkLimits(given: Partial<Limits> = {}): Limits {
  if (typeof given !== 'object' || given === null)
    throw invalid('`limits` is an object such as { deadlineMs: 60_000 }.')
  const limits: Limits = { ...defaultLimits }
  for (const [name, value] of Object.entries(given)) {
    if (!isLimitName(name)) {
      throw invalid(`There is no limit "${name}". The limits are ${Object.keys(defaultLimits).join(', ')}.`)
    }
    if (value === undefined) continue
    const [min, max] = name.endsWith('Ms')
      ? [1, longestTimerMs]
      : [name === 'queuedRuns' ? 0 : 1, Number.MAX_SAFE_INTEGER]
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw invalid(`The limit "${name}" is ${value}. Pass a whole number from ${min} to ${max}.`)
    }
    limits[name] = value
  }
  if (limits.heldBytes < limits.bodyBytes) {
    throw invalid(
      `The limit "heldBytes" is ${limits.heldBytes}, below the size of one body ("bodyBytes", ${limits.bodyBytes}). Raise it.`,
    )
  }
  return limits
}

function isLimitName(name: string): name is keyof Limits {
  return Object.hasOwn(defaultLimits, name)
}

function toCorsRule(cors: CorsOptions): CorsRule {
  const { origins, credentials = false } = toOrigins(cors)
  const list = typeof origins === 'string' ? [origins] : origins
  if (!Array.isArray(list)) throw invalid('`cors` is an origin, a list of origins, or { origins, credentials }.')
  if (list.includes('*')) {
    if (credentials) {
      throw invalid('`cors` allows every origin and credentials: any page could act as its visitor. Name the origins.')
    }
    return { origins: '*', credentials }
  }
  for (const origin of list) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw invalid(
        `"${origin}" in \`cors\` is not an origin. Write it like "https://app.example.com", without a path.`,
      )
    }
  }
  return { origins: new Set(list), credentials }
}

function toOrigins(cors: CorsOptions): { origins: string | readonly string[]; credentials?: boolean } {
  if (typeof cors === 'object' && cors !== null && 'origins' in cors) {
    checkOptionNames(cors, { origins: true, credentials: true }, { code: 'invalid-config', of: 'cors' })
    return cors
  }
  return { origins: cors }
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-config', message)
}
