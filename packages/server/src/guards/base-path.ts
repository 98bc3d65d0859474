import { AgentKitError } from '@agentkit/core'
import { getPathNoStrict } from 'hono/utils/url'
import { ProblemError } from '../answer/problem.ts'
import type { Guard } from '../util/server-env.ts'

/** Characters that no client encodes in two ways. */
const validPath = /^(?:\/[\p{L}\p{N}._~-]+)+$/u

/**
 * A base path without the slash at its end; empty for none.
 * @throws AgentKitError `invalid-config` for a value that is not a path such as `/agent`
 */
export function toBasePath(basePath: string): string {
  const path = typeof basePath === 'string' ? basePath.replace(/\/$/, '') : undefined
  if (path === '') return ''
  if (path !== undefined && validPath.test(path) && !/\/\.\.?(?:\/|$)/.test(path)) return path
  throw new AgentKitError(
    'invalid-config',
    `${path === undefined ? 'That' : JSON.stringify(basePath)} is not a valid \`basePath\`. Write it like "/agent": letters, digits, "-", "_", "." and "~".`,
  )
}

/** The path that routes match: decoded once, without the base path and without a slash at its end. */
export function pathBelow(basePath: string): (request: Request) => string {
  return (request) => {
    const path = getPathNoStrict(request)
    return basePath !== '' && isBelow(path, basePath) ? path.slice(basePath.length) || '/' : path
  }
}

/** Answers requests outside of the base path with 404. */
export function basePathGuard(basePath: string): Guard {
  return async function checkBasePath(context, next) {
    if (!isBelow(getPathNoStrict(context.req.raw), basePath)) throw new ProblemError('not-found')
    await next()
  }
}

/** Whole segments: `/agents` is not below `/agent`. */
function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`)
}
