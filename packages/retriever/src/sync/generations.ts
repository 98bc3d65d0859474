import { AgentKitError } from '@agentkit/core'
import type { Store, StoreMeta, StoreSpace } from '../store/store.ts'
import { dimensionsOf, folderPrefix, type GenerationOf, likeness } from './generation-name.ts'
import { keptGenerations, type OtherGeneration, usedAt } from './kept-generations.ts'
import { type OpenStore, openStores } from './open-stores.ts'

/** The generation that searches use. */
export type Serving = {
  store: Store
  /** Whether its vectors are of the current embedder. */
  hasOurVectors: boolean
}

/** The indexes of one folder: the current index, the index that is being built, and old ones. */
export interface Generations {
  /** Reads from the best generation; undefined if there is none. It stays open until the callback settles. */
  read<Result>(work: (serving: Serving) => Promise<Result>): Promise<Result | undefined>
  /** Writes to a generation, and creates it if it is missing. It stays open until the callback settles. */
  write<Result>(generation: string, work: (store: Store) => Promise<Result>): Promise<Result>
  /** The length of vectors of the newest generation of the current embedder. */
  knownDimensions(): Promise<number | undefined>
  /** Other complete generations of the current embedder: their vectors can be reused. */
  alike<Result>(generation: string, work: (stores: Store[]) => Promise<Result>): Promise<Result>
  /**
   * Drops all generations except this one and those worth keeping, after their readers have finished.
   * See `keptGenerations`.
   */
  dropOld(generation: string): Promise<string[]>
  close(): Promise<void>
}

/** How often newer generations of other processes are looked for, in milliseconds. */
const lookEveryMs = 1000

export type GenerationsOptions = {
  openSpace(): Promise<StoreSpace>
  made: GenerationOf
  /** The dimensions of the embedder, if declared. */
  dimensions?: number
}

export function openGenerations({ openSpace, made, dimensions }: GenerationsOptions): Generations {
  let opening: Promise<{ space: StoreSpace; stores: ReturnType<typeof openStores> }> | undefined
  let serving: Looked | undefined
  let look: { at: number; done: Promise<void> } | undefined
  let isClosed = false

  const open = (): NonNullable<typeof opening> => {
    if (isClosed) throw new AgentKitError('invalid-argument', 'The retriever is closed. Make a new one.')
    opening ??= openSpace().then((space) => ({ space, stores: openStores(space) }))
    // A failure to open may be transient.
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  const names = async (): Promise<string[]> => {
    const { space } = await open()
    return (await space.generations()).filter((name) => name.startsWith(folderPrefix(made)))
  }
  const isOurs = (name: string, meta: StoreMeta): boolean =>
    made.embedder !== undefined &&
    meta.embedder === made.embedder &&
    (dimensions === undefined || dimensions === dimensionsOf(name))

  /** Selects the best generation, and releases the previous one. */
  const lookAgain = async (): Promise<void> => {
    const { stores } = await open()
    const there = (await names()).sort()
    // A complete one stays until it is dropped or replaced.
    if (serving?.isComplete && serving.names.join() === there.join()) return
    const looked: Looked[] = []
    try {
      for (const name of there) {
        const taken = await stores.take(name)
        const meta = await metaOf(taken)
        const isComplete = meta.completedAt !== undefined
        const rank = rankOf(name, meta, made, dimensions)
        looked.push({ taken, names: there, isComplete, hasOurVectors: isOurs(name, meta), rank })
      }
    } catch (error) {
      for (const { taken } of looked) await taken.release()
      throw error
    }
    const [best, ...others] = looked.sort((one, other) => (one.rank > other.rank ? -1 : 1))
    if (serving) others.push(serving)
    serving = best
    for (const { taken } of others) await taken.release()
  }
  /** Lets the generation go when it cannot be read. */
  const metaOf = async (taken: OpenStore): Promise<StoreMeta> => {
    try {
      return await taken.store.meta()
    } catch (error) {
      await taken.release()
      throw error
    }
  }
  const lookNow = (): Promise<void> => {
    const done = (look?.done ?? Promise.resolve()).catch(() => {}).then(lookAgain)
    look = { at: performance.now(), done }
    return done
  }
  const lookSometimes = (): Promise<void> => {
    const isRecent = look !== undefined && performance.now() - look.at < lookEveryMs
    // If there was no generation, one may appear at any time.
    return look && isRecent && serving ? look.done : lookNow()
  }

  const metasOf = async (wanted: readonly string[]): Promise<OtherGeneration[]> => {
    const { stores } = await open()
    const metas: OtherGeneration[] = []
    for (const name of wanted) {
      const taken = await stores.take(name)
      const meta = await taken.store.meta().finally(() => taken.release())
      metas.push({ name, meta })
    }
    return metas
  }

  const readNow = async <Result>(work: (serving: Serving) => Promise<Result>): Promise<Result | undefined> => {
    if (!serving) return undefined
    const { hasOurVectors } = serving
    const taken = serving.taken.again()
    try {
      return await work({ store: taken.store, hasOurVectors })
    } finally {
      await taken.release()
    }
  }

  return {
    async read(work) {
      await lookSometimes()
      const before = serving?.taken.generation
      try {
        return await readNow(work)
      } catch (error) {
        // Another process may have dropped it: then there is a better one.
        await lookNow()
        if (serving?.taken.generation === before) throw error
        return readNow(work)
      }
    },
    async write(generation, work) {
      const { stores } = await open()
      // A generation that was dropped since must not be written to.
      await lookNow()
      const taken = await stores.take(generation)
      try {
        return await work(taken.store)
      } finally {
        await taken.release()
      }
    },
    async knownDimensions() {
      const alike = (await names()).filter((name) => name.startsWith(likeness(made)))
      if (serving && alike.includes(serving.taken.generation)) return dimensionsOf(serving.taken.generation)
      const [first] = alike
      return first === undefined ? undefined : dimensionsOf(first)
    },
    async alike(generation, work) {
      const { stores } = await open()
      const taken: OpenStore[] = []
      try {
        for (const name of await names()) {
          if (name === generation || dimensionsOf(name) !== dimensionsOf(generation)) continue
          const other = await stores.take(name)
          taken.push(other)
        }
        const metas = await Promise.all(taken.map(({ store }) => store.meta()))
        return await work(
          taken.filter((_, index) => metas[index]?.embedder === made.embedder).map(({ store }) => store),
        )
      } finally {
        for (const other of taken) await other.release()
      }
    },
    async dropOld(generation) {
      await lookNow()
      const { space, stores } = await open()
      // Waiting for itself would never end.
      if (serving?.taken.generation !== generation) return []
      const others = await metasOf((await names()).filter((name) => name !== generation))
      const kept = keptGenerations(others, made, dimensions)
      const old = others.map(({ name }) => name).filter((name) => !kept.includes(name))
      for (const name of old) {
        await stores.closed(name)
        // If another process still has it open, a later sync drops it.
        await space.drop(name).catch(() => {})
      }
      if (old.length > 0) await lookNow()
      return old
    },
    async close() {
      if (isClosed) return
      isClosed = true
      await look?.done.catch(() => {})
      const last = serving
      serving = undefined
      await last?.taken.release()
      const opened = await opening?.catch(() => undefined)
      // Waits for the readers of the last one.
      if (last) await opened?.stores.closed(last.taken.generation)
      await opened?.space.close()
    },
  }
}

type Looked = {
  taken: OpenStore
  names: string[]
  isComplete: boolean
  hasOurVectors: boolean
  rank: string
}

/**
 * The rank of a generation, higher is better: complete ones first, then the generation that we would build, then
 * generations of our embedder, then the last used.
 */
function rankOf(name: string, meta: StoreMeta, made: GenerationOf, dimensions: number | undefined): string {
  const wouldBuild = name.startsWith(likeness(made)) && (dimensions ?? dimensionsOf(name)) === dimensionsOf(name)
  const isOfOurEmbedder = made.embedder !== undefined && meta.embedder === made.embedder
  const marks = [meta.completedAt !== undefined, wouldBuild, isOfOurEmbedder].map((yes) => (yes ? '1' : '0'))
  return `${marks.join('')}${usedAt(meta)}`
}
