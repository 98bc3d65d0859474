import type { SyncOptions, SyncReport } from '@agentkit/core'
import type { FileRecord } from '../data/file-record.ts'
import { type Background, background } from './background.ts'
import { type SharedSync, shareSync } from './share-sync.ts'
import { rememberStaleFiles, type StaleFiles } from './stale-files.ts'
import { type SyncParts, type SyncRun, syncFolder } from './sync.ts'
import { withLock } from './with-lock.ts'

/** The syncs of a folder, which callers share, and the maintenance of its index in the background after them. */
export class FolderSync {
  readonly staleFiles: StaleFiles = rememberStaleFiles()
  readonly #parts: SyncParts
  readonly #onSynced: (records: readonly FileRecord[]) => void
  readonly #maintenance: Background
  readonly #shared: SharedSync
  #generation: string | undefined
  #isClosed = false

  /** @param onSynced receives the records of the selected files after each sync */
  constructor(parts: SyncParts, onSynced: (records: readonly FileRecord[]) => void) {
    this.#parts = parts
    this.#onSynced = onSynced
    this.#maintenance = background((signal) => this.#maintain(signal))
    this.#shared = shareSync((run) => this.#syncOnce(run))
  }

  sync(options?: SyncOptions): Promise<SyncReport> {
    return this.#shared.sync(options)
  }

  /** Settles when maintenance is complete. */
  maintained(): Promise<void> {
    return this.#maintenance.settled()
  }

  async close(reason: unknown): Promise<void> {
    this.#isClosed = true
    await this.#shared.stop(reason)
    await this.#maintenance.stop()
  }

  async #syncOnce(run: SyncRun): Promise<SyncReport> {
    await this.#maintenance.stop()
    if (this.#generation === undefined) this.#maintenance.need()
    try {
      const { report, records, generation } = await syncFolder(this.#parts, run)
      this.#generation = generation
      this.staleFiles.forget()
      this.#onSynced(records)
      if (report.indexed > 0 || report.removed > 0) this.#maintenance.need()
      return report
    } finally {
      if (!this.#isClosed) this.#maintenance.resume()
    }
  }

  #maintain(signal: AbortSignal): Promise<void> {
    const { stateFolder, generations } = this.#parts
    return withLock(stateFolder, signal, async () => {
      if (this.#generation) await generations.write(this.#generation, (store) => store.maintain(signal))
    })
  }
}
