import { createRequire } from 'node:module'
import { AgentKitError } from '@agentkit/core'
import { isPackageMissing } from '@agentkit/core/internal'
import { wordsOfError } from './lance-error.ts'

/** LanceDB, and the Arrow that it reads and writes. */
export type Lance = { lancedb: typeof import('@lancedb/lancedb'); arrow: typeof import('apache-arrow') }

/**
 * Loads LanceDB. By `require`, as it loads Arrow itself: an import would load another copy of that, whose tables
 * LanceDB has to translate.
 *
 * @throws AgentKitError `missing-package` with the command that installs it, `unsupported` where LanceDB has no binary
 */
export function loadLance(load: (name: string) => unknown = createRequire(import.meta.url)): Lance {
  // LanceDB prints warnings on stderr that users need not see, and reads this variable once, when it is loaded.
  process.env.LANCEDB_LOG ??= 'error'
  // Rows that it reads at once: with its own 8,192, to write and index a large file takes 130 MB more.
  process.env.LANCE_DEFAULT_BATCH_SIZE ??= '1024'
  try {
    // The casts hold: these are the exports of the packages of these names.
    return { arrow: load('apache-arrow') as Lance['arrow'], lancedb: load('@lancedb/lancedb') as Lance['lancedb'] }
  } catch (cause) {
    if (isPackageMissing(cause, '@lancedb/lancedb') || isPackageMissing(cause, 'apache-arrow')) {
      const message = 'The retrieval tool localstore needs LanceDB. Run: npm i @lancedb/lancedb apache-arrow@18.1.0'
      throw new AgentKitError('missing-package', message, { cause })
    }
    throw noBinary(cause)
  }
}

function noBinary(cause: unknown): AgentKitError {
  const platform = `${process.platform}-${process.arch}`
  const [reason] = wordsOfError(cause).split('\n')
  return new AgentKitError(
    'unsupported',
    `LanceDB cannot be loaded on ${platform} (${reason}). It has binaries for darwin-arm64, linux and win32 (x64, arm64), ` +
      'installed as optional dependencies of @lancedb/lancedb. The retrieval tool basic works everywhere.',
    { cause },
  )
}
