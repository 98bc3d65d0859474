import { abortError } from '@agentkit/core/internal'
import { type LanceRow, tableBuilder } from './lance-rows.ts'
import type { LanceTable } from './lance-table.ts'

/** Puts rows in the place of those with the same id, in one commit. */
export async function mergeRows(
  at: LanceTable,
  rows: AsyncIterable<readonly LanceRow[]>,
  signal: AbortSignal,
): Promise<void> {
  const builder = tableBuilder(at)
  try {
    for await (const some of rows) await builder.add(some, signal)
  } catch (error) {
    throw signal.aborted ? abortError(signal) : error
  }
  const source = builder.take()
  await at.guard('write the index', async () => {
    // No `whenNotMatchedBySourceDelete`: for it LanceDB reads the whole table, with all its vectors.
    await at.table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(source)
  })
}
