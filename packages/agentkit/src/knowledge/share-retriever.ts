import { AgentKitError, type Embedder } from '@agentkit/core'
import { type RetrieverOptions, realPath } from '@agentkit/core/internal'
import type { Retriever } from '@agentkit/retriever'
import type { EmbeddingChoice } from './embedding-choice.ts'

type Shared = { loading: Promise<Retriever>; owners: number }

/** The open retrievers of this thread, by their key. */
const open = new Map<string, Shared>()

/**
 * The retriever of a key, created if none is open: contexts with the same files share the open index, its memory and its
 * syncs. Each returned retriever is closed by its owner; the last close closes the shared one.
 *
 * @throws what `create` throws
 */
export async function shareRetriever(key: string, create: () => Promise<Retriever>): Promise<Retriever> {
  const shared = open.get(key) ?? { loading: create(), owners: 0 }
  open.set(key, shared)
  shared.owners++
  const release = async (): Promise<void> => {
    shared.owners--
    if (shared.owners > 0) return
    if (open.get(key) === shared) open.delete(key)
    await (await shared.loading.catch(() => undefined))?.close()
  }
  try {
    return ownerView(await shared.loading, release)
  } catch (error) {
    // The next call tries again.
    if (open.get(key) === shared) open.delete(key)
    await release()
    throw error
  }
}

/** One owner's view of a shared retriever: closing it aborts the syncs that this owner started. */
function ownerView(retriever: Retriever, release: () => Promise<void>): Retriever {
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

type KeyParts = { options: RetrieverOptions; choice: EmbeddingChoice | undefined; ollama: string | undefined }

/** Equal for the same files, index and embedder, also with different spellings of a path. */
export function retrieverKey({ options, choice, ollama }: KeyParts): string {
  const { embedder, folder = 'agentkit-data/files/user', indexPath = 'agentkit-data/index', ...plain } = options
  const isRemote = /^[a-z][a-z0-9+.-]+:\/\//i.test(indexPath)
  return JSON.stringify({
    ...plain,
    folder: realPath(folder),
    indexPath: isRemote ? indexPath : realPath(indexPath),
    // The local files of a remote index are in the working directory.
    ...(isRemote && { within: process.cwd() }),
    embedder: embedder && numberOf(embedder),
    choice,
    ollama,
    // The environment has keys and addresses of providers.
    environment: process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(process.env)),
  })
}

const numbers = new WeakMap<Embedder, number>()
let last = 0

/** The id of a custom embedder does not identify it. */
function numberOf(embedder: Embedder): number {
  const number = numbers.get(embedder) ?? ++last
  numbers.set(embedder, number)
  return number
}
