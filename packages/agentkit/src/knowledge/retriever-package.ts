import { createRequire } from 'node:module'
import { AgentKitError } from '@agentkit/core'

type RetrieverPackage = typeof import('@agentkit/retriever')

/**
 * The package that reads files. Loaded by `require`, so that `new Agent` can check what it was given; what the package
 * itself needs for one kind of file or store is imported when it comes to that.
 *
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export function retrieverPackage(load: (name: string) => unknown = createRequire(import.meta.url)): RetrieverPackage {
  const name = '@agentkit/retriever'
  try {
    return load(name) as RetrieverPackage // what the package of this name exports
  } catch (cause) {
    if (!isAbsent(cause, name)) throw cause
    throw new AgentKitError('missing-package', `To answer from files, run: npm i ${name}`, { cause })
  }
}

/** Whether it is this package that is absent, and not one that it needs. */
function isAbsent(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    'code' in cause &&
    (cause.code === 'MODULE_NOT_FOUND' || cause.code === 'ERR_MODULE_NOT_FOUND') &&
    cause.message.includes(`'${name}'`)
  )
}
