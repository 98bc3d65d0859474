import { isIPv4 } from 'node:net'
import { invalidConfig } from '@agentkit/core/internal'
import { ProblemError } from '../answer/problem.ts'
import type { Guard, ServerContext } from '../util/server-env.ts'

const port = /:\d{1,5}$/
const wholeTarget = /^https?:\/\//

/**
 * Protects from DNS rebinding: a page of another site whose name resolves to 127.0.0.1 still sends its own name.
 *
 * @param host the address that the server binds
 * @param allowedHosts on a loopback address in addition to the machine's own names; on any other address the only names,
 *   or undefined for any name
 */
export function hostGuard(host: string, allowedHosts: ReadonlySet<string> | undefined): Guard {
  const own = isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]', bracketed(host.toLowerCase())] : []
  const allowed = new Set([...own, ...(allowedHosts ?? [])])
  const open = !isLoopback(host) && allowedHosts === undefined
  const detail = isLoopback(host) ? ownNamesOnly : allowedNamesOnly
  return async function checkHost(context, next) {
    if (!open && !requestHosts(context).every((name) => allowed.has(name.toLowerCase().replace(port, '')))) {
      throw new ProblemError('host-not-allowed', { detail })
    }
    await next()
  }
}

const option = '`allowedHosts` (`allowed_hosts` in a [server] table)'
const ownNamesOnly = `This server answers only to localhost, 127.0.0.1 and [::1], and to the names in ${option}.`
const allowedNamesOnly = `This server answers only to the names in ${option}.`

/**
 * Names as the header `Host` has them: in lower case, IPv6 in brackets, other alphabets as Punycode.
 * @throws AgentKitError `invalid-config` for an invalid name
 */
export function toHostNames(names: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(names)) throw invalidConfig('`allowedHosts` is a list of names such as ["agent.example.com"].')
  return new Set(names.map(toHostName))
}

/** Characters that URLs accept or drop but host names never contain: a server with such a name would refuse all requests. */
const notInNames = /[*,;\s]|^\./

function toHostName(name: unknown): string {
  const url = typeof name === 'string' && !notInNames.test(name) ? `http://${bracketed(name)}/` : ''
  const { hostname = '', href = '' } = URL.canParse(url) ? new URL(url) : {}
  // A port, a path or a user would be in one but not in the other.
  if (hostname !== '' && href === `http://${hostname}/`) return hostname
  throw invalidConfig(
    `${JSON.stringify(name)} in \`allowedHosts\` is not a host name. Write it like "agent.example.com", without a port; patterns are not taken.`,
  )
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}

/**
 * The host name and port that the client has called. A chain of trusted proxies sends several, the nearest proxy's
 * last. If the target of a request is a whole URL, its host counts, not `Host`: RFC 9112, 3.2.2.
 */
export function requestHosts(context: ServerContext): string[] {
  const forwarded = context.get('forwardedHost')
  if (forwarded !== undefined) return forwarded.split(',').map((name) => name.trim())
  const named = context.req.header('host')
  if (named !== undefined && !wholeTarget.test(context.env?.incoming?.url ?? '')) return [named]
  const called = new URL(context.req.url).host
  return named === undefined ? [called] : [named, called]
}

/** An address as URLs have it. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
