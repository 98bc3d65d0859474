import type { Table } from '@lancedb/lancedb'
import type { Schema } from 'apache-arrow'
import type { IndexAddress } from '../writer-messages.ts'
import type { Guard } from './lance-error.ts'
import type { Lance } from './lance-package.ts'
import type { Places } from './lance-places.ts'

/** A generation's table, and the tools to work with it. */
export type LanceTable = {
  lance: Lance
  table: Table
  schema: Schema
  /** The dimensions of the vectors; absent: the table has none. */
  dimensions?: number
  guard: Guard
  /** The folder of the table; absent in an object store. */
  folder?: string
  /** The data for another process that opens the table. */
  address: IndexAddress
  places: Places
}

/** The condition of rows that are chunks. */
export const areChunks = 'n >= 0'

/** The index that a search of words uses. */
export const textIndex = 'text_idx'

/** The index that a search of vectors uses once there are many. */
export const vectorIndex = 'vector_idx'

/** The batches that a query of LanceDB yields: rows that know themselves as objects. */
type Batches = AsyncIterable<Iterable<{ toJSON(): Record<string, unknown> } | null>>

/** All rows that a query yields. Others have their turn between its batches. */
export async function readRows(query: Batches): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for await (const batch of query) {
    for (const row of batch) if (row !== null) rows.push(row.toJSON())
  }
  return rows
}

/** Conditions that all have to hold. */
export function all(...conditions: (string | undefined)[]): string {
  return conditions.filter((condition) => condition !== undefined).join(' AND ')
}

/** Splits a list into parts of `length` items, in order. */
export function* partsOf<Item>(items: readonly Item[], length: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += length) yield items.slice(start, start + length)
}
