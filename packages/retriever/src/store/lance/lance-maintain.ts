import { abortError } from '@agentkit/core/internal'
import { deletedOrder } from './lance-schema.ts'
import type { LanceTable } from './lance-table.ts'
import { textIndexStats } from './lance-text-index.ts'
import { keepVectorIndex } from './lance-vector-index.ts'

/** When a table is worth maintaining: a search reads its rows one by one that are in no index, .1 ms each. */
const untidy = { unindexedRows: 100, fragments: 20, versions: 50 }

/** How long an old version is kept for its readers, in milliseconds. */
const readersHaveMs = 3_600_000

/** Adds new rows to the indexes, joins small files, and deletes versions that have no readers any more. */
export async function maintainTable(at: LanceTable, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw abortError(signal)
  if (await isUntidy(at)) {
    const cleanupOlderThan = new Date(Date.now() - readersHaveMs)
    await at.guard('clean up the index', () => at.table.delete(`n = ${deletedOrder}`), signal)
    await at.guard('clean up the index', () => at.table.optimize({ cleanupOlderThan }), signal)
  }
  if (signal.aborted) throw abortError(signal)
  await keepVectorIndex(at)
}

async function isUntidy({ table }: LanceTable): Promise<boolean> {
  const { numIndexedRows, numUnindexedRows } = await textIndexStats({ table })
  if (numUnindexedRows > untidy.unindexedRows || (numIndexedRows === 0 && numUnindexedRows > 0)) return true
  const { fragmentStats } = await table.stats()
  if (fragmentStats.numSmallFragments > untidy.fragments) return true
  const versions = await table.listVersions()
  const oldest = Math.min(...versions.map(({ timestamp }) => timestamp.getTime()))
  return versions.length > untidy.versions && oldest < Date.now() - readersHaveMs
}
