import { isIPv4 } from 'node:net'
import { AgentKitError } from '@agentkit/core'
import { ProblemError } from '../answer/problem.ts'
import type { Guard, ServerContext } from '../util/server-env.ts'

const port = /:\d{1,5}$/

/**
 * Against DNS rebinding: a page of another site that makes its own name point at 127.0.0.1 still sends that name.
 *
 * @param host the address that the server binds
 * @param allowedHosts beside the machine's own names where only it can reach the server; the only ones where others can,
 *   which may use any name when there are none
 */
export function hostGuard(host: string, allowedHosts: ReadonlySet<string> | undefined): Guard {
  const own = isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]', bracketed(host.toLowerCase())] : []
  const allowed = new Set([...own, ...(allowedHosts ?? [])])
  const open = !isLoopback(host) && allowedHosts === undefined
  const detail = isLoopback(host) ? ownNamesOnly : allowedNamesOnly
  return async function checkHost(context, next) {
    if (!open && !allowed.has(requestHost(context).toLowerCase().replace(port, ''))) {
      throw new ProblemError('host-not-allowed', { detail })
    }
    await next()
  }
}

const option = '`allowedHosts` (`allowed_hosts` in a [server] table)'
const ownNamesOnly = `This server answers only to localhost, 127.0.0.1 and [::1], and to the names in ${option}.`
const allowedNamesOnly = `This server answers only to the names in ${option}.`

/**
 * Names as they stand in the header `Host`: in lower case, IPv6 in brackets, other alphabets as Punycode.
 * @throws AgentKitError `invalid-config` for what is no name
 */
export function toHostNames(names: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(names)) throw invalid('`allowedHosts` is a list of names such as ["agent.example.com"].')
  return new Set(names.map(toHostName))
}

/** What a URL takes, or leaves out, and no name has: patterns, lists, line ends. A server that had them would answer to nothing. */
const unlike = /[*,;\s]|^\./

function toHostName(name: unknown): string {
  const url = typeof name === 'string' && !unlike.test(name) ? `http://${bracketed(name)}/` : ''
  const { hostname = '', href = '' } = URL.canParse(url) ? new URL(url) : {}
  // A port, a path or a user would stand in one, and not in the other.
  if (hostname !== '' && href === `http://${hostname}/`) return hostname
  throw invalid(
    `${JSON.stringify(name)} in \`allowedHosts\` is no name. Write it like "agent.example.com", without a port; patterns are not taken.`,
  )
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-config', message)
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}

/** The name and port that the client believes to talk to. */
export function requestHost(context: ServerContext): string {
  return context.req.header('host') ?? new URL(context.req.url).host
}

/** An address as it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
