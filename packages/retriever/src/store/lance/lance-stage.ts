import { abortError } from '@agentkit/core/internal'
import type { Table } from 'apache-arrow'
import type { Change } from '../store.ts'
import { type LanceRow, rowsOf, tableBuilder } from './lance-rows.ts'
import { hidden, recordOrder } from './lance-schema.ts'
import { isOneOf } from './lance-sql.ts'
import type { LanceTable } from './lance-table.ts'

/** The limit for the rows of one commit: LanceDB takes them as one buffer, and copies it several times. */
const bytesPerCommit = 2_000_000

/** The condition of rows that are hidden. */
const areHidden = `n <= ${hidden(recordOrder)}`

/**
 * Makes a change that is too large for one buffer. Its rows are added in several commits, hidden from all readers; then
 * one commit shows them and hides the rows that they replace. A kill before that commit leaves hidden rows, which
 * `deleteHidden` deletes.
 */
export async function applyInParts(
  at: LanceTable,
  change: Change,
  checkRow: (row: LanceRow) => void,
  signal: AbortSignal,
): Promise<void> {
  const add = async (rows: Table): Promise<void> => {
    if (signal.aborted) throw abortError(signal)
    await at.guard('write the index', () => at.table.add(rows), signal)
  }
  const builder = tableBuilder(at)
  for await (const rows of rowsOf(change)) {
    for (const row of rows) checkRow(row)
    await builder.add(
      rows.map((row) => ({ ...row, n: hidden(row.n) })),
      signal,
    )
    if (builder.bytes >= bytesPerCommit) await add(builder.take())
  }
  await add(builder.take())

  const kept = change.changed.flatMap(({ record, chunks }) => (chunks === 'keep' ? [record.file] : []))
  const replaced = change.changed.flatMap(({ record, chunks }) => (chunks === 'keep' ? [] : [record.file]))
  const areRecords = `n IN (${recordOrder}, ${hidden(recordOrder)})`
  const where = `${isOneOf('file', [...replaced, ...change.removed])} OR (${isOneOf('file', kept)} AND ${areRecords})`
  await at.guard('write the index', () => at.table.update({ where, valuesSql: { n: hidden('n') } }), signal)
  // The change is made, whatever this fails with: the next change does it again.
  await deleteHidden(at).catch(() => {})
}

/** Deletes rows that a change in parts has replaced, or has not completed. */
export async function deleteHidden({ table, guard }: LanceTable): Promise<void> {
  if ((await guard('read the index', () => table.countRows(areHidden))) === 0) return
  await guard('write the index', () => table.delete(areHidden))
}
