import { AgentKitError } from '../data/errors.ts'

/**
 * Refuses a runtime that lacks what each run needs, as Node before 22 does.
 * @throws AgentKitError `unsupported`
 */
export function checkRuntime(): void {
  if (typeof Promise.withResolvers === 'function') return
  const version = globalThis.process?.versions?.node
  const here = version === undefined ? 'this runtime lacks Promise.withResolvers' : `this is ${version}`
  throw new AgentKitError(
    'unsupported',
    `agentkit needs Node.js 22.18 or later, and ${here}. Install a newer one: https://nodejs.org`,
  )
}
