import { abortError } from '@agentkit/core/internal'
import { type LanceRow, toArrow } from './lance-rows.ts'
import type { LanceTable } from './lance-table.ts'

/** Puts rows in the place of those with the same id, in one commit. */
export async function mergeRows(
  { lance, table, schema, guard }: LanceTable,
  rows: AsyncIterable<readonly LanceRow[]>,
  signal: AbortSignal,
): Promise<void> {
  const source = await toArrow(lance, schema, rows, signal).catch((error: unknown) => {
    throw signal.aborted ? abortError(signal) : error
  })
  await guard('write the index', async () => {
    // No `whenNotMatchedBySourceDelete`: for it LanceDB reads the whole table, with all its vectors.
    await table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(source)
  })
}
