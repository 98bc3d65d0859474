import { join } from 'node:path'
import { isAgentKitError, type RetryOptions } from '@agentkit/core'
import { sqliteSpace } from '../sqlite/sqlite-space.ts'
import type { StoreSpace } from '../store.ts'
import { type CloudLedgers, openLedgers } from './cloud-ledger.ts'
import { createCloudStore } from './cloud-store.ts'
import { createPineconeClient } from './pinecone-client.ts'
import { createPineconeIndex, type PineconeIndexTiming, type PineconePlace, unless } from './pinecone-index.ts'
import { type CloudOptions, type CloudTool, localName, pineconeSettings } from './pinecone-settings.ts'
import { type PineconeVectors, pineconeVectors } from './pinecone-vectors.ts'

export type CloudSpaceOptions = {
  /** The folder of the index on this machine: records, chunks and the text index are here. */
  folder: string
  retrievalTool: CloudTool
  cloud?: CloudOptions
  /** Of the calls to Pinecone. */
  retry?: RetryOptions
  timing?: PineconeIndexTiming
}

/**
 * Indexes whose vectors live in Pinecone, each generation in a namespace of its own: `<cloud.namespace>-<generation>`.
 *
 * Another key, Pinecone index or namespace in the options is another space. The package of Pinecone is loaded, and the
 * network asked, when a generation with vectors is opened; without `dimensions` a generation is searched by words alone.
 *
 * @throws AgentKitError `missing-key`
 */
export function cloudSpace({ folder, retrievalTool, cloud, retry, timing }: CloudSpaceOptions): StoreSpace {
  const settings = pineconeSettings(retrievalTool, folder, cloud)
  const name = localName(settings)
  const localSpace = sqliteSpace(join(folder, name))
  const client = createPineconeClient({ ...settings, ...(retry && { retry }) })
  const index = createPineconeIndex(client, settings, timing)
  const closing = new AbortController()
  let opening: Promise<CloudLedgers> | undefined
  const openedLedgers = (): Promise<CloudLedgers> => {
    opening ??= openLedgers(join(folder, `${name}.db`))
    // What could not be opened may be there later.
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }

  function vectorsOf(generation: string, dimensions?: number): PineconeVectors {
    let found: PineconePlace | undefined
    const connect = async (signal: AbortSignal): Promise<PineconePlace> => {
      found ??= await index.connect(dimensions, signal)
      return found
    }
    return pineconeVectors(client, connect, `${settings.namespace}-${generation}`)
  }

  /** Removes what dropped generations have left in the cloud. */
  async function finishDrops(signal: AbortSignal, only?: string): Promise<void> {
    const ledgers = await openedLedgers()
    for (const generation of ledgers.dropped()) {
      if (only !== undefined && generation !== only) continue
      // With its index its vectors are gone too.
      await unless('not-found', vectorsOf(generation).removeAll(signal))
      ledgers.forgetAll(generation)
    }
  }

  /** Finds out early what is wrong with the Pinecone index, unless words can be searched meanwhile. */
  async function lookAtIndex(generation: string, dimensions: number): Promise<void> {
    try {
      if ((await index.look(dimensions, closing.signal)) === 'absent') await beginAnew()
    } catch (error) {
      if (!isAgentKitError(error)) throw error
      if (error.retryable) return
      // The embedder may be another one by now: then this generation is read until it is replaced.
      const isThere = error.code === 'invalid-config' && (await localSpace.generations()).includes(generation)
      if (!isThere) throw error
    }
  }

  /** When the Pinecone index is gone, all vectors are, and it is about to be made again. */
  async function beginAnew(): Promise<void> {
    const ledgers = await openedLedgers()
    if (!ledgers.has()) return
    for (const generation of await localSpace.generations()) await localSpace.drop(generation)
    ledgers.forgetAll()
  }

  return {
    generations: () => localSpace.generations(),

    async open(generation, { dimensions }) {
      if (dimensions !== undefined) await lookAtIndex(generation, dimensions)
      // Before anything new comes into it.
      await finishDrops(closing.signal, generation)
      return createCloudStore({
        local: await localSpace.open(generation, {}),
        vectors: vectorsOf(generation, dimensions),
        ledger: (await openedLedgers()).of(generation),
        dimensions,
        pollMs: timing?.pollMs ?? 1000,
        closing: closing.signal,
        tidySpace: (signal) => finishDrops(signal),
      })
    },

    async drop(generation) {
      const ledgers = await openedLedgers()
      if (ledgers.has(generation)) ledgers.markDropped(generation)
      await localSpace.drop(generation)
      // It is remembered: the next `maintain` tries again, and says what fails.
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
