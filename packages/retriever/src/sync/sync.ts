import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentKitError, type Embedder, type SyncProgress, type SyncReport } from '@agentkit/core'
import { counted } from '@agentkit/core/internal'
import { extOf } from '../data/ext-of.ts'
import type { FileRecord } from '../data/file-record.ts'
import { DimensionsError, findDimensions } from '../embed/embed-texts.ts'
import { openJournal, removeJournal } from '../embed/journal.ts'
import type { ParsePool } from '../parse/pool/parse-pool.ts'
import { wordsOnlyTrust } from '../rank/trust.ts'
import type { Store, StoreMeta } from '../store/store.ts'
import { type GenerationOf, generationName } from './generation-name.ts'
import type { Generations } from './generations.ts'
import { type IndexFilesOptions, indexFiles } from './index-files.ts'
import type { KnownRecords } from './known-records.ts'
import { planSync } from './plan.ts'
import { type ProgressReporter, progressReporter } from './progress.ts'
import type { FileChange } from './read-files.ts'
import { type Scan, scanFolder } from './scan.ts'
import { syncReport } from './sync-report.ts'
import { tallyOf } from './tally.ts'
import { withLock } from './with-lock.ts'

/** The inputs of a sync. */
export type SyncParts = {
  folder: string
  /** The folder of the lock and the journals; for this folder only. */
  stateFolder: string
  /** Skipped by the scan, because it is ours. */
  indexFolder: string
  /** The selected extensions; lower case, with the dot. */
  exts: ReadonlySet<string>
  supportedExts: readonly string[]
  /** Whether files of unsupported types are reported. */
  reportsUnsupported: boolean
  maxFileBytes: number
  /** The mark of the current limits of parsing. */
  limitsMark: string
  generations: Generations
  knownRecords: KnownRecords
  made: GenerationOf
  pool: ParsePool
  embedder?: Embedder
  /** Whether the index has only vectors: its embedder is used even when it was measured as useless. */
  needsVectors: boolean
  /** Measures the trust in the embedder for a store. */
  measureTrust(store: Store, embedder: Embedder, signal: AbortSignal): Promise<number>
}

export type SyncRun = {
  signal: AbortSignal
  /** The scan has started: later changes may be missed. */
  onScan(): void
  onProgress(progress: SyncProgress): void
}

/** The result of a sync, and the current records of the selected files. */
export type SyncResult = { report: SyncReport; records: FileRecord[]; generation: string }

/** Updates the index of a folder, under the lock. */
export async function syncFolder(parts: SyncParts, run: SyncRun): Promise<SyncResult> {
  const { folder, embedder, generations } = parts
  const progress = progressReporter(run.onProgress)
  return withLock(parts.stateFolder, run.signal, async () => {
    run.onScan()
    if (!existsSync(folder)) await refuseIfIndexed(parts)
    const { exts, supportedExts, indexFolder: except } = parts
    const scan = await scanFolder(folder, { exts, supported: new Set(supportedExts), except, signal: run.signal })
    if (!embedder) return syncGeneration(parts, run, scan, 0, progress)
    const known = embedder.dimensions ?? (await generations.knownDimensions())
    const dimensions = known ?? (await findDimensions(embedder, run.signal))
    try {
      return await syncGeneration(parts, run, scan, dimensions, progress)
    } catch (error) {
      if (!(error instanceof DimensionsError) || embedder.dimensions !== undefined) throw error
      // Another model has the same name now: its index is built beside the old one.
      return syncGeneration(parts, run, scan, error.found, progress)
    }
  })
}

/** A disk may be unavailable for a while: its files must not be removed, and paid for again. */
async function refuseIfIndexed({ folder, generations, indexFolder }: SyncParts): Promise<void> {
  const count = (await generations.read(async ({ store }) => (await store.files()).length)) ?? 0
  if (count === 0) return
  const message = `The folder "${folder}" is not there any more, and the index knows ${counted(count, 'file')} of it.`
  const fix = `Bring it back, or delete the index in "${indexFolder}" to start again.`
  throw new AgentKitError('storage', `${message} ${fix}`)
}

async function syncGeneration(
  parts: SyncParts,
  { signal }: SyncRun,
  scan: Scan,
  dimensions: number,
  progress: ProgressReporter,
): Promise<SyncResult> {
  const { generations, embedder, exts, made, pool, stateFolder, maxFileBytes, limitsMark, supportedExts } = parts
  const generation = generationName(made, dimensions)
  return generations.write(generation, async (store) => {
    if (embedder) await markUsed(store, embedder, dimensions)
    await store.repair?.(signal)
    const isAsked = (file: string): boolean => exts.has(extOf(file))
    const plan = planSync(scan, await parts.knownRecords.of(store), { isAsked, maxFileBytes, limitsMark })
    const tally = tallyOf(plan, isAsked)
    progress.begin(plan.read.length, sizeOf(plan.read))

    const onApplied = (changes: readonly FileChange[]): void => progress.add(tally.add(changes))
    const work: IndexFilesOptions = { store, pool, spoolFolder: stateFolder, maxFileBytes, signal, onApplied }
    const before = await store.meta()
    if (!embedder || isUnused(parts, before) || plan.read.length === 0) await indexFiles(plan, work)
    else {
      const journal = openJournal(journalPath(parts, generation))
      let isDone = false
      try {
        await generations.alike(generation, async (others) => {
          await indexFiles(plan, { ...work, vectors: { embedder, dimensions, journal, others } })
        })
        isDone = true
      } finally {
        journal.close(isDone)
      }
    }

    const after = await complete(store, parts, signal)
    for (const old of await generations.dropOld(generation)) removeJournal(journalPath(parts, old))
    progress.end()
    const report = syncReport({
      records: tally.records(),
      indexed: tally.indexed,
      removed: tally.removed,
      mode: embedder && !isUnused(parts, after) ? 'hybrid' : 'text',
      notice: noticeOf(parts, before, after),
      unseen: scan.unseen,
      unsupported: parts.reportsUnsupported ? scan.unsupported : [],
      supportedExts,
    })
    return { report, records: tally.records(), generation }
  })
}

/** Marks the index as in use, for other embedders of the folder. Not in each sync, because it is a write. */
async function markUsed(store: Store, { id }: Embedder, dimensions: number): Promise<void> {
  const meta = await store.meta()
  if (meta.embedder !== undefined && Date.now() - Date.parse(meta.usedAt ?? '') < usedForMs) return
  await store.setMeta({ ...meta, embedder: id, dimensions, usedAt: new Date().toISOString() })
}

const usedForMs = 60 * 60 * 1000

function sizeOf(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

function journalPath({ stateFolder }: SyncParts, generation: string): string {
  return join(stateFolder, `embeddings-${generation}.db`)
}

/** From now on this index serves. */
async function complete(store: Store, { embedder, measureTrust }: SyncParts, signal: AbortSignal): Promise<StoreMeta> {
  let meta = await store.meta()
  if (meta.completedAt === undefined) {
    meta = { ...meta, completedAt: new Date().toISOString() }
    await store.setMeta(meta)
  }
  if (!embedder) return meta
  const count = await store.count()
  if (count === 0 || isTrustKnown(meta, count)) return meta
  try {
    const trust = await measureTrust(store, embedder, signal)
    meta = { ...meta, trust, trustedAt: count }
    await store.setMeta(meta)
  } catch (error) {
    // The files are indexed anyway. Until a trial succeeds, the agreement of both searches decides.
    if (signal.aborted) throw error
  }
  return meta
}

/** A trial with few chunks is repeated when there are many: it costs about 250 texts. */
function isTrustKnown({ trust, trustedAt = 0 }: StoreMeta, count: number): boolean {
  return trust === wordsOnlyTrust || (trust !== undefined && (trustedAt >= fewChunks || count < manyChunks))
}

const fewChunks = 100
const manyChunks = 200

/** Whether the embedder was measured as useless for this index, so it is not called any more. */
function isUnused({ needsVectors }: SyncParts, { trust }: StoreMeta): boolean {
  return !needsVectors && trust === wordsOnlyTrust
}

/** Warns that the embedder is useless: once if it is not called any more, in each sync if it still costs. */
function noticeOf({ embedder, needsVectors }: SyncParts, before: StoreMeta, after: StoreMeta): string | undefined {
  if (!embedder || after.trust !== wordsOnlyTrust) return undefined
  if (!needsVectors && before.trust === wordsOnlyTrust) return undefined
  const found = `The embedder ${embedder.id} finds passages of these files worse than a search by words does.`
  return needsVectors
    ? `${found} It is used all the same, as this index is made of vectors. Choose another embedder.`
    : `${found} Files are searched by their words, and it is asked for nothing more. Choose another embedder, or none.`
}
