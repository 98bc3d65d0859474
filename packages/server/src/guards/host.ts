import { isIPv4 } from 'node:net'
import { ProblemError } from '../problem.ts'
import type { Guard, ServerContext } from '../server-env.ts'

const port = /:\d{1,5}$/

/**
 * Against DNS rebinding: a page of another site that makes its own name point at 127.0.0.1 still sends that name.
 *
 * @param host the address that the server binds; where others may reach it, names are not known and not checked
 */
export function hostGuard(host: string): Guard {
  const allowed = new Set(['localhost', '127.0.0.1', '[::1]', bracketed(host.toLowerCase())])
  const open = !isLoopback(host)
  return async function checkHost(context, next) {
    if (!open && !allowed.has(requestHost(context).toLowerCase().replace(port, ''))) {
      throw new ProblemError('host-not-allowed')
    }
    await next()
  }
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
