import { createRequire } from 'node:module'
import { importError } from '../util/import-optional.ts'

type RetrieverPackage = typeof import('@agentkit/retriever')

/**
 * The package that reads files. It is loaded by `require`, so that `new Agent` can check its options. The package
 * imports what one kind of file or store needs later, when it needs it.
 *
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export function retrieverPackage(load: (name: string) => unknown = createRequire(import.meta.url)): RetrieverPackage {
  const name = '@agentkit/retriever'
  try {
    return load(name) as RetrieverPackage // the exports of the package of this name
  } catch (cause) {
    throw importError(cause, name)
  }
}
