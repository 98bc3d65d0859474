import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { AgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { timeSlices } from '../../util/time-slices.ts'
import { checkpoint } from '../checkpoint.ts'
import type { Store } from '../store.ts'
import { applyInProcess, isForProcess, WriterProcess } from '../write-in-process.ts'
import { closedError, openDatabase, transaction } from './sqlite-database.ts'
import { toStorageError } from './sqlite-errors.ts'
import type { MergeOptions } from './sqlite-merge.ts'
import { cleanUp, writeChange } from './write-change.ts'

/** Writes an index through a connection of its own, one call after the other. */
export type SQLiteWriter = Pick<Store, 'apply' | 'setMeta' | 'maintain' | 'close'> & Required<Pick<Store, 'openWriter'>>

const atLeisure: MergeOptions = { neighbours: 4, mostBytes: 8 << 20 }

/** The size that SQLite's log may reach between changes, and at the end, in bytes. */
const longLog = 16 << 20
export const shortLog: number = 1 << 20

export function sqliteWriter(path: string, dimensions: number | undefined): SQLiteWriter {
  const identity = identityOf(path)
  const address = { kind: 'sqlite', path, ...(dimensions !== undefined && { dimensions }) } as const
  let database: DatabaseSync | undefined
  let last: Promise<unknown> = Promise.resolve()
  let checkpointing: Promise<void> | undefined
  let isClosed = false

  const enqueue = (work: (database: DatabaseSync) => Promise<void>): Promise<void> => {
    const result = last.then(async () => {
      if (isClosed) throw closedError()
      // Writes to a deleted file are lost, and a new one lacks the earlier data.
      if (identityOf(path) !== identity) {
        throw new AgentKitError('storage', `The index ${path} was deleted while it was open. Open it again.`)
      }
      database ??= await openDatabase(path)
      await work(database).catch((error: unknown) => {
        throw toStorageError(error, path)
      })
    })
    last = result.catch(() => {})
    return result
  }

  /** In the background: only `close` waits for it. */
  const startCheckpoint = (): void => {
    checkpointing ??= checkpoint(path, longLog).finally(() => {
      checkpointing = undefined
    })
  }

  return {
    apply: (change, signal) =>
      enqueue(async (open) => {
        if (signal.aborted) throw abortError(signal)
        if (isForProcess(change)) await applyInProcess(address, change, signal).finally(startCheckpoint)
        else await writeChange({ path, database: open, dimensions }, change, signal, startCheckpoint)
      }),

    openWriter() {
      const writer = new WriterProcess(address)
      return {
        apply: (change, signal) => enqueue(() => writer.apply(change, signal)),
        end: (signal) => enqueue(() => writer.end(signal)),
        stop: () => writer.stop(),
      }
    },

    setMeta: (meta) =>
      enqueue((open) =>
        transaction(open, path, async () => {
          const value = open.prepare("SELECT value FROM state WHERE name = 'meta'").get()?.value
          const known: object = typeof value === 'string' ? JSON.parse(value) : {}
          const merged = JSON.stringify({ ...known, ...meta })
          open.prepare("INSERT OR REPLACE INTO state VALUES ('meta', ?)").run(merged)
        }),
      ),

    maintain: (signal) =>
      enqueue(async (open) => {
        if (signal.aborted) throw abortError(signal)
        await cleanUp(path, open, atLeisure, timeSlices(signal))
        await checkpointing
        await checkpoint(path, shortLog)
      }),

    async close() {
      await last
      isClosed = true
      await checkpointing
      database?.close()
      database = undefined
    },
  }
}

/** Identifies the file at a path; empty when there is none. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}
