import { AgentKitError } from '@agentkit/core'

/**
 * A base path without the slash at its end; empty for none.
 * @throws AgentKitError `invalid-config` for what is not a path such as `/agent`
 */
export function toBasePath(basePath: string): string {
  const path = String(basePath).replace(/\/$/, '')
  if (path === '') return ''
  const segments = path.slice(1).split('/')
  const isPath = path.startsWith('/') && path.isWellFormed() && !/[\\?#%\s\p{Cc}]/u.test(path)
  if (isPath && segments.every((segment) => !['', '.', '..'].includes(segment))) return path
  throw new AgentKitError(
    'invalid-config',
    `${JSON.stringify(basePath)} is not a valid \`basePath\`. Write it like "/agent", without ".", "?", "#", "%" and spaces.`,
  )
}
