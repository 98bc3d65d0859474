import { abortError } from '@agentkit/core/internal'
import { deletedOrder } from './lance-schema.ts'
import type { LanceTable } from './lance-table.ts'
import { textIndexStats } from './lance-text-index.ts'
import { keepVectorIndex } from './lance-vector-index.ts'

/** When a table is worth maintaining: a search reads its rows one by one that are in no index, .1 ms each. */
const maintenanceBounds = { unindexedRows: 100, fragments: 20, versions: 50 }

/** How long an old version is kept for its readers, in milliseconds. */
const readersHaveMs = 3_600_000

/** Adds new rows to the indexes, joins small files, and deletes versions that have no readers any more. */
export async function maintainTable(at: LanceTable, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw abortError(signal)
  if (await needsMaintenance(at)) {
    const cleanupOlderThan = new Date(Date.now() - readersHaveMs)
    await at.guard('clean up the index', () => at.table.delete(`n = ${deletedOrder}`), signal)
    await at.guard('clean up the index', () => at.table.optimize({ cleanupOlderThan }), signal)
  }
  if (signal.aborted) throw abortError(signal)
  await keepVectorIndex(at)
}

/** LanceDB joins all files of a table of up to a million rows, in memory: for these bytes a process of its own does it. */
const worthProcess = 32_000_000

/** Whether maintenance takes so much memory that it should be in another process. */
export async function isMuchToMaintain(at: LanceTable): Promise<boolean> {
  const { totalBytes } = await at.table.stats()
  return totalBytes >= worthProcess && (await needsMaintenance(at))
}

async function needsMaintenance({ table }: LanceTable): Promise<boolean> {
  const { numIndexedRows, numUnindexedRows } = await textIndexStats({ table })
  if (numUnindexedRows > maintenanceBounds.unindexedRows || (numIndexedRows === 0 && numUnindexedRows > 0)) return true
  const { fragmentStats } = await table.stats()
  if (fragmentStats.numSmallFragments > maintenanceBounds.fragments) return true
  const versions = await table.listVersions()
  const oldest = Math.min(...versions.map(({ timestamp }) => timestamp.getTime()))
  return versions.length > maintenanceBounds.versions && oldest < Date.now() - readersHaveMs
}
