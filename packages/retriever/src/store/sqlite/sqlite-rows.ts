import { extname } from 'node:path/posix'
import type { SQLInputValue } from 'node:sqlite'
import type { Chunk, Place } from '../../data/chunk.ts'
import type { FileRecord } from '../../data/file-record.ts'

export const fileColumns = [
  'file',
  'ext',
  'size',
  'mtime_ms',
  'hash',
  'status',
  'reason',
  'stale',
  'title',
  'pages',
  'chunks',
  'characters',
] as const

/** The columns of a chunk's row, except `doc` and `file`. */
export const chunkColumns = [
  'place',
  'id',
  'text_hash',
  'start',
  '"end"',
  'page',
  'page_end',
  '"row"',
  'row_end',
  'heading',
  'quote',
] as const

/** The values of a file's row, in the order of `fileColumns`. */
export function fileValues(record: FileRecord): SQLInputValue[] {
  const { file, size, mtimeMs, hash, status, reason, stale, title, pages, chunks, characters } = record
  const ext = extname(file).toLowerCase()
  return [
    file,
    ext,
    size,
    mtimeMs,
    hash,
    status,
    reason ?? null,
    stale ? 1 : null,
    title ?? null,
    pages ?? null,
    chunks,
    characters,
  ]
}

/** The values of a chunk's row, in the order of `chunkColumns`. */
export function chunkValues(chunk: Chunk): SQLInputValue[] {
  const { order, id, textHash, start, end, page, pageEnd, row, rowEnd, heading, quote } = chunk
  return [
    order,
    id,
    textHash,
    start,
    end,
    page ?? null,
    pageEnd ?? null,
    row ?? null,
    rowEnd ?? null,
    heading === undefined ? null : fromText(heading),
    fromText(quote),
  ]
}

// The casts below hold: the rows come from our own tables, so they have the columns of `fileValues` and `chunkValues`.

export function toRecord(row: Record<string, unknown>): FileRecord {
  const { file, size, mtime_ms, hash, status, reason, stale, title, pages, chunks, characters } = row
  const record = { file, size, mtimeMs: mtime_ms, hash, status, chunks, characters } as FileRecord
  if (reason !== null) record.reason = reason as string
  if (stale !== null) record.stale = true
  if (title !== null) record.title = title as string
  if (pages !== null) record.pages = pages as number
  return record
}

/** @param row with the file's path as `path` */
export function toChunk(row: Record<string, unknown>): Chunk {
  const { id, path, place, start, end, text_hash, page, page_end, row_end, heading, quote } = row
  const chunk = { id, file: path, order: place, quote: toText(quote), start, end, textHash: text_hash } as Chunk
  if (heading !== null) chunk.heading = toText(heading)
  if (page !== null) chunk.page = page as number
  if (page_end !== null) chunk.pageEnd = page_end as number
  if (row.row !== null) chunk.row = row.row as number
  if (row_end !== null) chunk.rowEnd = row_end as number
  return chunk
}

/** @param row with the file's path as `path` */
export function toPlace({ id, path, start, end, heading }: Record<string, unknown>): Place {
  const place = { id, file: path, start, end } as Place
  return heading === null ? place : { ...place, heading: toText(heading) }
}

/** SQLite stores text as UTF-8, which cannot represent half a surrogate pair; such text is stored as UTF-16. */
function fromText(text: string): SQLInputValue {
  return text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
}

function toText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf16le') : (value as string)
}
