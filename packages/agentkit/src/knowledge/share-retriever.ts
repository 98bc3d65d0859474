import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AgentKitError, type Embedder } from '@agentkit/core'
import type { Retriever } from '@agentkit/retriever'
import type { EmbeddingChoice } from './embedding-choice.ts'
import type { RetrieverOptions } from './retriever-options.ts'

type Shared = { making: Promise<Retriever>; owners: number }

/** The retrievers of this thread that are open, by what was asked for. */
const open = new Map<string, Shared>()

/**
 * The retriever of this key, made where there is none: contexts that want the same files share the index that is open,
 * its memory and its syncs. What is returned is closed by itself; the last one closes what they share.
 *
 * @throws what `make` throws
 */
export async function shareRetriever(key: string, make: () => Promise<Retriever>): Promise<Retriever> {
  const shared = open.get(key) ?? { making: make(), owners: 0 }
  open.set(key, shared)
  shared.owners++
  const release = async (): Promise<void> => {
    shared.owners--
    if (shared.owners > 0) return
    if (open.get(key) === shared) open.delete(key)
    await (await shared.making.catch(() => undefined))?.close()
  }
  try {
    return ownOf(await shared.making, release)
  } catch (error) {
    // A retriever that could not be made is made again by the next call.
    if (open.get(key) === shared) open.delete(key)
    await release()
    throw error
  }
}

/** One owner's part in a retriever: closing it ends what this owner has begun. */
function ownOf(retriever: Retriever, release: () => Promise<void>): Retriever {
  const closing = new AbortController()
  let closed: Promise<void> | undefined
  const untilClosed = (signal?: AbortSignal): AbortSignal =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
  return {
    ...retriever,
    sync: (options) => retriever.sync({ ...options, signal: untilClosed(options?.signal) }),
    watch: (options) => retriever.watch({ ...options, signal: untilClosed(options.signal) }),
    close() {
      closing.abort(new AgentKitError('aborted', 'The retriever was closed.'))
      closed ??= release()
      return closed
    },
  }
}

type Wanted = { options: RetrieverOptions; choice: EmbeddingChoice | undefined; ollama: string | undefined }

/** What two who want the same retriever have in common, whatever spelling of a path they use. */
export function retrieverKey({ options, choice, ollama }: Wanted): string {
  const { embedder, folder = 'agentkit-data/files/user', indexPath = 'agentkit-data/index', ...plain } = options
  const isRemote = /^[a-z][a-z0-9+.-]+:\/\//i.test(indexPath)
  return JSON.stringify({
    ...plain,
    folder: realPath(resolve(folder)),
    indexPath: isRemote ? indexPath : realPath(resolve(indexPath)),
    // What a remote index keeps here lies in the working directory.
    ...(isRemote && { within: process.cwd() }),
    embedder: embedder && numberOf(embedder),
    choice,
    ollama,
    // Keys and addresses of providers.
    environment: hash('sha256', JSON.stringify(process.env)),
  })
}

const numbers = new WeakMap<Embedder, number>()
let last = 0

/** An embedder of one's own has no name that identifies it. */
function numberOf(embedder: Embedder): number {
  const number = numbers.get(embedder) ?? ++last
  numbers.set(embedder, number)
  return number
}

/** Of what is not there yet, the real path of the folder that it will be in. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
