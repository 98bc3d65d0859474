import { join } from 'node:path'
import { isAgentKitError, type RetryOptions } from '@agentkit/core'
import type { CloudOptions } from '@agentkit/core/internal'
import { sqliteSpace } from '../sqlite/sqlite-space.ts'
import type { StoreSpace } from '../store.ts'
import { type CloudLedgers, openLedgers } from './cloud-ledger.ts'
import { createCloudStore } from './cloud-store.ts'
import { createPineconeClient } from './pinecone-client.ts'
import { createPineconeIndex, type PineconeIndexTiming, type PineconePlace, unless } from './pinecone-index.ts'
import { type CloudTool, localName, pineconeSettings } from './pinecone-settings.ts'
import { type PineconeConnection, type PineconeVectors, pineconeVectors } from './pinecone-vectors.ts'
import { within } from './within.ts'

export type CloudSpaceOptions = {
  /** The local folder of the index: records, chunks and the text index are here. */
  folder: string
  retrievalTool: CloudTool
  cloud?: CloudOptions
  /** For the calls to Pinecone. */
  retry?: RetryOptions
  timing?: PineconeIndexTiming & {
    /** The limit of a search, which has words too; with that of the embedder, within the limit of a tool. Default 8,000. */
    searchWithinMs?: number
  }
}

/**
 * Indexes with their vectors in Pinecone, one namespace per generation: `<cloud.namespace>-<generation>`.
 *
 * Another key, Pinecone index or namespace in the options is another space. Pinecone's package is loaded, and requests are
 * sent, when a generation with vectors is opened; without `dimensions` a generation is searched by words only.
 *
 * @throws AgentKitError `missing-key`
 */
export function cloudSpace({ folder, retrievalTool, cloud, retry, timing }: CloudSpaceOptions): StoreSpace {
  const settings = pineconeSettings(retrievalTool, folder, cloud)
  const { searchWithinMs = 8_000 } = timing ?? {}
  const name = localName(settings)
  const localSpace = sqliteSpace(join(folder, name))
  const client = createPineconeClient({ ...settings, ...(retry && { retry }) })
  const index = createPineconeIndex(client, settings, timing)
  const closing = new AbortController()
  let opening: Promise<CloudLedgers> | undefined
  const openedLedgers = (): Promise<CloudLedgers> => {
    opening ??= openLedgers(join(folder, `${name}.db`))
    // A failure to open may be transient.
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }

  function vectorsOf(generation: string, dimensions?: number): PineconeVectors {
    let found: PineconePlace | undefined
    const connection: PineconeConnection = {
      async connect(signal, options) {
        found ??= await index.connect(dimensions, signal, options)
        return found
      },
      forget() {
        found = undefined
        index.forget()
      },
    }
    return pineconeVectors(client, connection, `${settings.namespace}-${generation}`, searchWithinMs)
  }

  /** Removes the vectors of dropped generations from the cloud. */
  async function finishDrops(signal: AbortSignal, only?: string): Promise<void> {
    const ledgers = await openedLedgers()
    for (const generation of ledgers.dropped()) {
      if (only !== undefined && generation !== only) continue
      // Deleting the index has deleted its vectors.
      await unless('not-found', vectorsOf(generation).removeAll(signal))
      ledgers.forgetAll(generation)
    }
  }

  /** Reports problems of the Pinecone index early, unless the index can be searched by words. */
  async function lookAtIndex(generation: string, dimensions: number): Promise<void> {
    try {
      // A search may open it.
      const found = await within(searchWithinMs, closing.signal, (limited) => index.look(dimensions, limited))
      if (found === 'absent') await startAgain()
    } catch (error) {
      if (!isAgentKitError(error)) throw error
      if (error.retryable) return
      // The embedder may have changed: then this generation is only read until it is replaced.
      const isThere = error.code === 'invalid-config' && (await localSpace.generations()).includes(generation)
      if (!isThere) throw error
    }
  }

  /** When the Pinecone index was deleted, all vectors are lost, and it is created again. */
  async function startAgain(): Promise<void> {
    const ledgers = await openedLedgers()
    if (!ledgers.has()) return
    for (const generation of await localSpace.generations()) await localSpace.drop(generation)
    ledgers.forgetAll()
  }

  return {
    generations: () => localSpace.generations(),

    async open(generation, { dimensions }) {
      if (dimensions !== undefined) await lookAtIndex(generation, dimensions)
      // Before any new vector is sent.
      await finishDrops(closing.signal, generation)
      return createCloudStore({
        local: await localSpace.open(generation, {}),
        vectors: vectorsOf(generation, dimensions),
        ledger: (await openedLedgers()).of(generation),
        dimensions,
        pollMs: timing?.pollMs ?? 1000,
        closing: closing.signal,
        maintainSpace: (signal) => finishDrops(signal),
      })
    },

    async drop(generation) {
      const ledgers = await openedLedgers()
      if (ledgers.has(generation)) ledgers.markDropped(generation)
      await localSpace.drop(generation)
      // The entry stays: the next `maintain` tries again, and reports the failure.
      await finishDrops(closing.signal).catch(() => undefined)
    },

    async close() {
      closing.abort()
      await localSpace.close()
      const ledgers = await opening?.catch(() => undefined)
      ledgers?.close()
      opening = undefined
    },
  }
}
