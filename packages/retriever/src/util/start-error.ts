import { AgentKitError } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'

/**
 * The error of a process of this package that could not start, with the fix.
 *
 * @param what it does
 * @param stderr what it wrote, where there is no error
 */
export function startError(what: string, error: unknown, stderr = ''): AgentKitError {
  const cause = error ?? new Error(stderr.trim() || 'It ended without an error message.')
  const fix = isBundled(cause)
    ? 'Its file is not part of a bundle: let your bundler leave @agentkit/retriever in node_modules (`external`).'
    : 'Allow this program to start processes of Node.'
  return new AgentKitError('unsupported', `The process that ${what} could not start. ${fix}`, { cause })
}

/** Whether a bundler has moved this code out of its package, where no package import is known, or no `import.meta.url`. */
function isBundled(cause: unknown): boolean {
  return /^(?:MODULE_NOT_FOUND|ERR_PACKAGE_IMPORT_NOT_DEFINED|ERR_INVALID_ARG_VALUE)$/.test(systemCode(cause) ?? '')
}
