import { checkpoint } from '../checkpoint.ts'
import type { Store } from '../store.ts'
import { openForReading } from './sqlite-database.ts'
import { sqliteLookups } from './sqlite-lookups.ts'
import { sqliteReader } from './sqlite-reader.ts'
import { sqliteSearch } from './sqlite-search.ts'
import { verifyIndex } from './sqlite-verify.ts'
import { shortLog, sqliteWriter } from './sqlite-writer.ts'

/**
 * A generation of an index in a SQLite file, which is created if it is missing: records, chunks and vectors in tables, the
 * postings of our own BM25 in segments. Each change is one transaction; reads use a connection of their own, so they
 * continue during a write.
 *
 * @throws AgentKitError `storage` when the file cannot be opened or is not ours, with the fix
 */
export async function openSQLiteStore(path: string, { dimensions }: { dimensions?: number }): Promise<Store> {
  const database = await openForReading(path)
  const reader = sqliteReader(path, database)
  const writer = sqliteWriter(path, dimensions)
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await writer.close()
    await checkpoint(path, shortLog)
    database.close()
  }

  return {
    ...sqliteLookups(reader, dimensions),
    ...sqliteSearch(reader, dimensions),
    apply: writer.apply,
    openWriter: writer.openWriter,
    setMeta: writer.setMeta,
    maintain: writer.maintain,
    verify: () => verifyIndex(reader, dimensions),
    close() {
      closing ??= close()
      return closing
    },
  }
}
