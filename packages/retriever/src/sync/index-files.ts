import type { Embedder } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { Chunk } from '../data/chunk.ts'
import { type ChunkSlices, isSliced } from '../data/chunk-slices.ts'
import { embedChunks, type Vectors, withVectors } from '../embed/embed-chunks.ts'
import type { Journal } from '../embed/journal.ts'
import { createSpools } from '../parse/pool/spool.ts'
import type { Change, Store } from '../store/store.ts'
import { isForProcess } from '../store/write-in-process.ts'
import type { SyncPlan } from './plan.ts'
import { type FileChange, type ReadFilesOptions, readFiles } from './read-files.ts'

export type IndexFilesOptions = Omit<ReadFilesOptions, 'spools' | 'isPacked'> & {
  /** Storage for the passages of large files. */
  spoolFolder: string
  store: Store
  /** Absent: an index without vectors. */
  vectors?: { embedder: Embedder; dimensions: number; journal: Journal; others: readonly Store[] }
  /** Called after each write. */
  onApplied(changes: readonly FileChange[]): void
}

/** The most files that a change removes. */
const mostRemoved = 500

type Batch = { files: number; characters: number }

/** The largest change of the store, except for one large file. */
const usualBatch: Batch = { files: 500, characters: 1_000_000 }
/** With an embedder, which is slow. */
const vectorBatch: Batch = { files: 500, characters: 600_000 }
/** For a process that writes: fewer changes have fewer segments of words to merge. */
const processBatch: Batch = { files: 2_000, characters: 4_000_000 }

/** The bytes of files from which on a process writes them: it takes 0.2 s to start, of some 2 s of the sync. */
const worthProcess = 8_000_000

/**
 * Reads, embeds and writes the files of a plan in batches: while one is written, the next is read. Deleted files are
 * removed last, when renamed ones are indexed with their vectors.
 */
export async function indexFiles(plan: SyncPlan, options: IndexFilesOptions): Promise<void> {
  const removed = [...plan.removed]
  try {
    await indexBatches(plan, removed, options)
    await remove(removed, options)
  } catch (error) {
    // Deleted files must not be found only because another file cannot be embedded.
    if (!options.signal.aborted) await remove(await deletedOf(plan, removed, options), options).catch(() => {})
    throw error
  }
}

/** @param removed the files to remove: those that are written together with the last batch are taken out */
async function indexBatches(plan: SyncPlan, removed: string[], options: IndexFilesOptions): Promise<void> {
  const { store, vectors, signal, onApplied } = options
  const spools = createSpools(options.spoolFolder)
  const writer = plan.read.reduce((sum, { size }) => sum + size, 0) < worthProcess ? undefined : store.openWriter?.()
  // An embedder needs the passages here.
  const isPacked = writer !== undefined && !vectors
  const apply = (change: Change): Promise<void> =>
    writer && !isForProcess(change) ? writer.apply(change, signal) : store.apply(change, signal)
  let seen = 0
  let writing: Promise<void> = Promise.resolve()
  const write = async (batch: readonly FileChange[], isLast: boolean): Promise<void> => {
    const changed = await toStored(batch, options)
    const gone = batch.filter(({ outcome }) => outcome === 'gone').map(({ file }) => file.file)
    // Together with the last ones, so that a renamed file is never there twice, or missing.
    if (isLast) gone.push(...removed.splice(0, mostRemoved))
    if (signal.aborted) throw abortError(signal)
    await apply({ changed, removed: gone })
    await forgetVectors(batch, options)
    onApplied(batch)
    for (const { chunks } of batch) if (isSliced(chunks) && 'close' in chunks) chunks.close()
  }
  try {
    const files = readFiles(plan.read, { ...options, spools, isPacked })
    for await (const batch of batches(files, isPacked ? processBatch : vectors ? vectorBatch : usualBatch)) {
      await writing
      seen += batch.length
      writing = write(batch, seen === plan.read.length)
      // The failure of a write is handled where the write is awaited.
      writing.catch(() => {})
    }
    await writing
    await writer?.end(signal)
    // Otherwise this process would take the changes into the indexes, in seconds.
    if (signal.aborted) throw abortError(signal)
  } finally {
    // After a failure, nothing is written any more when this returns.
    await writing.catch(() => {})
    spools.close()
    await writer?.stop()
  }
}

async function remove(files: readonly string[], { store, signal }: IndexFilesOptions): Promise<void> {
  for (let at = 0; at < files.length; at += mostRemoved)
    await store.apply({ changed: [], removed: files.slice(at, at + mostRemoved) }, signal)
}

/** The removed files whose size no file to read has: the others may be renamed, and keep their vectors. */
async function deletedOf(plan: SyncPlan, removed: readonly string[], { store }: IndexFilesOptions): Promise<string[]> {
  const sizes = new Set(plan.read.map(({ size }) => size))
  const kept = new Set((await store.files()).filter(({ size }) => sizes.has(size)).map(({ file }) => file))
  return removed.filter((file) => !kept.has(file))
}

/** The first batches are small, so that the first write begins early. */
async function* batches(changes: AsyncIterable<FileChange>, most: Batch): AsyncGenerator<FileChange[]> {
  let limit = { ...usualBatch }
  let batch: FileChange[] = []
  let characters = 0
  for await (const change of changes) {
    batch.push(change)
    if (change.chunks !== 'keep') characters += change.record.characters
    if (batch.length < Math.min(limit.files, most.files) && characters < Math.min(limit.characters, most.characters))
      continue
    yield batch
    batch = []
    characters = 0
    limit = { files: limit.files * 2, characters: limit.characters * 2 }
  }
  if (batch.length > 0) yield batch
}

type Stored = Parameters<Store['apply']>[0]['changed'][number]

async function toStored(
  batch: readonly FileChange[],
  { store, vectors, signal }: IndexFilesOptions,
): Promise<Stored[]> {
  const changes = batch.filter(({ outcome }) => outcome !== 'gone')
  if (!vectors) return changes
  const { others, ...how } = vectors
  const embed = (chunks: readonly Chunk[]): Promise<Vectors> =>
    embedChunks(chunks, { ...how, stores: [store, ...others], signal })
  const inMemory = chunksOf(changes)
  const known: Vectors = inMemory.length === 0 ? new Map() : await embed(inMemory)
  const stored: Stored[] = []
  for (const { record, chunks } of changes) {
    if (chunks === 'keep') stored.push({ record, chunks })
    else if (isSliced(chunks)) stored.push({ record, chunks: await embedSlices(chunks, embed) })
    else stored.push({ record, chunks: withVectors(chunks, known) })
  }
  return stored
}

/**
 * Embeds all of a large file before it is written, because embedders are slow. Its vectors are in the journal, and are
 * read from there when the store needs them.
 */
async function embedSlices(
  chunks: ChunkSlices,
  embed: (chunks: readonly Chunk[]) => Promise<Vectors>,
): Promise<ChunkSlices> {
  for await (const slice of chunks.slices()) await embed(slice)
  return {
    length: chunks.length,
    ...(chunks.spool && { spool: chunks.spool }),
    async *slices({ vectors = false } = {}) {
      for await (const slice of chunks.slices()) yield vectors ? withVectors(slice, await embed(slice)) : slice
    },
  }
}

async function forgetVectors(batch: readonly FileChange[], { vectors }: IndexFilesOptions): Promise<void> {
  if (!vectors) return
  const forget = (chunks: readonly Chunk[]): void => vectors.journal.forget(chunks.map(({ textHash }) => textHash))
  forget(chunksOf(batch))
  for (const { chunks } of batch) if (isSliced(chunks)) for await (const slice of chunks.slices()) forget(slice)
}

/** The chunks of the files that are not large. */
function chunksOf(changes: readonly FileChange[]): Chunk[] {
  return changes.flatMap(({ chunks }) => (chunks === 'keep' || isSliced(chunks) ? [] : chunks))
}
