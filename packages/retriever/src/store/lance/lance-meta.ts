import type { StoreMeta } from '../store.ts'
import { mergeRows } from './lance-merge.ts'
import { type LanceRow, metaRow } from './lance-rows.ts'
import { metaOrder } from './lance-schema.ts'
import { type LanceTable, readRows } from './lance-table.ts'

/** The metadata of a table, with the rows and the recall of the last vector index. */
export type LanceMeta = StoreMeta & { vectorIndex?: { rows: number; recall: number } }

export async function readMeta({ table }: Pick<LanceTable, 'table'>): Promise<LanceMeta> {
  const [row] = await readRows(table.query().where(`n = ${metaOrder}`).select(['record']))
  return row === undefined ? {} : (JSON.parse(String(row.record)) as LanceMeta) // `metaRow` wrote it
}

export function writeMeta(at: LanceTable, meta: LanceMeta): Promise<void> {
  return mergeRows(at, rowsOfMeta(meta), new AbortController().signal)
}

async function* rowsOfMeta(meta: LanceMeta): AsyncGenerator<LanceRow[]> {
  yield [metaRow(meta)]
}
