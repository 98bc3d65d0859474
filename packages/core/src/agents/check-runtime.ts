import { AgentKitError } from '../data/errors.ts'

const version = globalThis.process?.versions?.node

// Modules that are imported next would end in a TypeError.
if (isOld() && version !== undefined && typeof process.getBuiltinModule !== 'function') throw tooOld()

/**
 * Refuses a runtime that lacks what each run needs, as Node before 22 does.
 * @throws AgentKitError `unsupported`
 */
export function checkRuntime(): void {
  if (isOld()) throw tooOld()
}

function isOld(): boolean {
  return typeof Promise.withResolvers !== 'function'
}

function tooOld(): AgentKitError {
  const here = version === undefined ? 'this runtime lacks Promise.withResolvers' : `this is ${version}`
  return new AgentKitError(
    'unsupported',
    `agentkit needs Node.js 22.18 or later, and ${here}. Install a newer one: https://nodejs.org`,
  )
}
