import type { Vector } from 'apache-arrow'
import type { Chunk, NewChunk, Place } from '../../data/chunk.ts'
import type { FileRecord } from '../../data/file-record.ts'
import type { Store } from '../store.ts'
import { chunkColumns, chunkOf } from './lance-rows.ts'
import { recordOrder } from './lance-schema.ts'
import { isOneOf, literal } from './lance-sql.ts'
import { all, areChunks, type LanceTable, partsOf, readRows } from './lance-table.ts'

/** The most ids that one condition names. */
const idsAtOnce = 2000

export async function readFiles(
  { table }: LanceTable,
  { file, stale }: Parameters<Store['files']>[0] = {},
): Promise<FileRecord[]> {
  const named = file === undefined ? undefined : `file = ${literal(file)}`
  // As `JSON.stringify` writes it. A quote in a name has a backslash.
  const marked = stale ? `record LIKE '%"stale":true%'` : undefined
  const condition = all(`n = ${recordOrder}`, named, marked)
  const rows = await readRows(table.query().where(condition).select(['record']))
  return rows.map(({ record }) => JSON.parse(String(record)) as FileRecord) // `recordRow` wrote it
}

export async function readChunks(at: LanceTable, ids: readonly string[]): Promise<Chunk[]> {
  const found = await readPlaced(at, ids)
  const rest = [...new Set(ids)].filter((id) => !found.has(id))
  for (const part of partsOf(rest, idsAtOnce)) {
    const query = at.table
      .query()
      .where(all(isOneOf('id', part), areChunks))
      .select(chunkColumns)
    for (const row of await readRows(query)) found.set(String(row.id), chunkOf(row))
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** The chunks whose rows are still where a search has found them. */
async function readPlaced({ table, places }: LanceTable, ids: readonly string[]): Promise<Map<string, Chunk>> {
  const asked = new Set(ids)
  const known = places.of([...asked])
  if (known.length === 0) return new Map()
  try {
    const rows = await readRows(table.takeRowIds(known).select(chunkColumns))
    const there = rows.filter(({ id, n }) => asked.has(String(id)) && Number(n) >= 0)
    return new Map(there.map((row) => [String(row.id), chunkOf(row)]))
  } catch {
    // That part of the table was replaced. The query that follows reports any other failure.
    places.forget()
    return new Map()
  }
}

export async function readChunksOf(
  { table }: LanceTable,
  file: string,
  { from = 0, limit }: { from?: number; limit?: number } = {},
): Promise<Chunk[]> {
  const last = limit === undefined ? undefined : `n < ${from + limit}`
  const query = table
    .query()
    .where(all(`file = ${literal(file)}`, areChunks, `n >= ${from}`, last))
    .select(chunkColumns)
  return (await readRows(query)).map(chunkOf).sort((one, other) => one.order - other.order)
}

export async function readPlacesOf({ table }: LanceTable, file: string): Promise<Place[]> {
  const query = table
    .query()
    .where(all(`file = ${literal(file)}`, areChunks))
    .select(['id', 'n', 'start', 'end', 'heading'])
  const rows = (await readRows(query)).sort((one, other) => Number(one.n) - Number(other.n))
  return rows.map(({ id, start, end, heading }) => {
    const place = { id: String(id), file, start: Number(start), end: Number(end) }
    return heading === null ? place : { ...place, heading: String(heading) }
  })
}

export async function readVectors(
  { table, dimensions }: LanceTable,
  textHashes: readonly string[],
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  if (dimensions === undefined) return vectors
  for (const part of partsOf([...new Set(textHashes)], idsAtOnce)) {
    const query = table
      .query()
      .where(all(isOneOf('hash', part), 'vector IS NOT NULL'))
      .select(['hash', 'vector'])
    for (const { hash, vector } of await readRows(query)) vectors.set(String(hash), numbersOf(vector))
  }
  return vectors
}

/**
 * The first chunks by id. An id is a hash, so they are as good as random, and the sample stays the same until they are
 * deleted.
 */
export async function readSample({ table, dimensions }: LanceTable, count: number): Promise<NewChunk[]> {
  const first = table.query().where(areChunks).select(['id']).orderBy({ columnName: 'id' }).limit(count)
  const ids = (await readRows(first)).map(({ id }) => String(id))
  const columns = dimensions === undefined ? chunkColumns : [...chunkColumns, 'vector']
  const found = new Map<string, NewChunk>()
  for (const part of partsOf(ids, idsAtOnce)) {
    for (const row of await readRows(
      table
        .query()
        .where(all(isOneOf('id', part), areChunks))
        .select(columns),
    )) {
      const vector = row.vector == null ? {} : { vector: numbersOf(row.vector) }
      found.set(String(row.id), { ...chunkOf(row), ...vector })
    }
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** A copy: the original keeps all that was read with it in memory. */
function numbersOf(vector: unknown): Float32Array {
  return Float32Array.from((vector as Vector).toArray() as Float32Array) // so the schema says
}
