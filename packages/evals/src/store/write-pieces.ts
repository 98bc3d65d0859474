import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isAgentKitError } from '@agentkit/core'
import { makeFolder } from '@agentkit/core/internal'
import { storageError } from './storage-error.ts'

/**
 * Writes a file whole or not at all, in pieces, as the text of a large report is longer than a text may be.
 * @throws AgentKitError `storage` when it cannot be written; what `pieces` throws as an AgentKitError
 */
export async function writePieces(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  // Two evals of one name may write at once.
  const unfinished = `${path}.${crypto.randomUUID()}.tmp`
  try {
    makeFolder(dirname(path))
    await pipeline(Readable.from(pieces), createWriteStream(unfinished))
    await rename(unfinished, path)
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => {})
    throw isAgentKitError(cause) ? cause : storageError(path, cause)
  }
}
