import { ProblemError } from '../answer/problem.ts'
import type { Guard, ServerContext } from '../util/server-env.ts'
import { plainAddress, type TrustedProxies } from './trusted-proxies.ts'

export type ProxyGuardOptions = {
  /** Requests need a token, or the operator has confirmed that they need none. */
  isGuarded: boolean
  trustedProxies: TrustedProxies | undefined
}

/** Headers that only proxies send, beside `x-forwarded-*`. */
const proxyHeaders = ['forwarded', 'x-real-ip', 'via'] as const

/**
 * Refuses what comes through a proxy to a server that only this machine should reach: a proxy publishes it. Of trusted
 * proxies, and of no other, forwarded headers count.
 */
export function proxyGuard({ isGuarded, trustedProxies }: ProxyGuardOptions): Guard {
  return async function checkProxy(context, next) {
    if (!isGuarded && isProxied(context)) throw new ProblemError('proxy-not-configured')
    const peer = plainAddress(context.env?.incoming?.socket?.remoteAddress ?? '')
    const isTrusted = peer !== undefined && trustedProxies?.has(peer) === true
    const client = isTrusted ? clientOf(peer, forwardedFor(context), trustedProxies) : peer
    if (client !== undefined) context.set('clientAddress', client)
    const host = isTrusted ? context.req.header('x-forwarded-host') : undefined
    if (host !== undefined) context.set('forwardedHost', host)
    await next()
  }
}

function isProxied(context: ServerContext): boolean {
  // nginx' `proxy_pass` without further settings sends none of the headers, but HTTP/1.0.
  if (context.env?.incoming?.httpVersion === '1.0') return true
  if (proxyHeaders.some((name) => context.req.header(name) !== undefined)) return true
  for (const name of context.req.raw.headers.keys()) if (name.startsWith('x-forwarded-')) return true
  return false
}

/** The addresses that proxies have forwarded, the client's first. */
function forwardedFor(context: ServerContext): string[] {
  const list = context.req.header('x-forwarded-for')
  if (list !== undefined) return list.split(',')
  const forwarded = context.req.header('forwarded') ?? ''
  return forwarded.split(',').map((hop) => /(?:^|;)\s*for="?([^";]+)"?/i.exec(hop)?.[1] ?? '')
}

/** The rightmost address that is not a trusted proxy. The client may have invented the addresses to the left of it. */
function clientOf(peer: string, addresses: readonly string[], trustedProxies: TrustedProxies): string {
  let client = peer
  for (const text of addresses.toReversed()) {
    const address = plainAddress(text)
    if (address === undefined) return client
    client = address
    if (!trustedProxies.has(address)) return client
  }
  return client
}
