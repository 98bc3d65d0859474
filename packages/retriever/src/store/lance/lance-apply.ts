import { AgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { isSliced } from '../../data/chunk-slices.ts'
import type { Change } from '../store.ts'
import { mergeRows } from './lance-merge.ts'
import { readMeta } from './lance-meta.ts'
import { deletedRow, type LanceRow, rowsOf } from './lance-rows.ts'
import { isOneOf } from './lance-sql.ts'
import { applyInParts, deleteHidden } from './lance-stage.ts'
import { type LanceTable, partsOf, readRows } from './lance-table.ts'
import { indexManyRows } from './lance-text-index.ts'

/** Makes a change in one commit: its rows come, and what else there was of its files goes. */
export async function applyChange(at: LanceTable, change: Change, signal: AbortSignal): Promise<void> {
  const replaced = change.changed.filter(({ chunks }) => chunks !== 'keep').map(({ record }) => record.file)
  const files = [...new Set([...replaced, ...change.removed])]
  if (signal.aborted) throw abortError(signal)
  await deleteHidden(at)
  if (change.changed.some(({ chunks }) => isSliced(chunks))) {
    await applyInParts(at, change, (row) => checkVector(at, row), signal)
  } else if (change.changed.length > 0) {
    await mergeRows(at, rowsInPlaceOf(at, await idsOf(at, files), change), signal)
  } else if (files.length > 0) {
    await at.guard('write the index', () => at.table.delete(isOneOf('file', files)), signal)
  }
  // The first sync indexes at its end.
  if ((await readMeta(at)).completedAt !== undefined) await indexManyRows(at)
}

/** The rows of a change, and the replacements of rows that it leaves behind. */
async function* rowsInPlaceOf(
  at: LanceTable,
  known: Set<string>,
  change: Change,
): AsyncGenerator<LanceRow[], void, undefined> {
  for await (const rows of rowsOf(change)) {
    for (const row of rows) {
      checkVector(at, row)
      known.delete(row.id)
    }
    yield rows
  }
  yield Array.from(known, deletedRow)
}

/** The ids of all rows of these files. */
async function idsOf({ table, guard }: LanceTable, files: readonly string[]): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const part of partsOf(files, 2000)) {
    const query = table.query().where(isOneOf('file', part)).select(['id'])
    for (const { id } of await guard('read the index', () => readRows(query))) ids.add(String(id))
  }
  return ids
}

function checkVector({ dimensions }: LanceTable, { file, vector }: LanceRow): void {
  if (vector === undefined || vector.length === dimensions) return
  throw new AgentKitError(
    'invalid-argument',
    `A vector of ${file} has ${vector.length} numbers, but this index keeps ${dimensions ?? 'none'}.`,
  )
}
