import { posix } from 'node:path'
import type { Data, DataType, RecordBatch, Schema, Table } from 'apache-arrow'
import { type Chunk, type NewChunk, searchedText } from '../../data/chunk.ts'
import { slicesOf } from '../../data/chunk-slices.ts'
import type { FileRecord } from '../../data/file-record.ts'
import { yieldOrAbort } from '../../util/yield-or-abort.ts'
import { foldText, withParts } from '../fold-text.ts'
import type { Change } from '../store.ts'
import type { Lance } from './lance-package.ts'
import { deletedOrder, metaOrder, recordOrder } from './lance-schema.ts'

/** A row as Arrow takes it. Columns that are left out are null. */
export type LanceRow = { id: string; n: number; file: string; ext: string; vector?: Float32Array } & {
  [column in 'text' | 'quote' | 'heading' | 'hash' | 'record']?: string | undefined
} & { [column in 'start' | 'end' | 'page' | 'pageEnd' | 'row' | 'rowEnd']?: number | undefined }

/** The columns that make a chunk. */
export const chunkColumns: string[] = [
  ...['id', 'file', 'n', 'text', 'quote', 'start', 'end', 'heading'],
  ...['page', 'pageEnd', 'row', 'rowEnd', 'hash'],
]

/** Every row of a change; rows of a large file come in slices. */
export async function* rowsOf({ changed }: Change): AsyncGenerator<LanceRow[], void, undefined> {
  for (const { record, chunks } of changed) {
    yield [recordRow(record)]
    if (chunks === 'keep') continue
    for await (const slice of slicesOf(chunks, { vectors: true })) yield slice.map(chunkRow)
  }
}

/** The row with the metadata of the index. */
export function metaRow(meta: object): LanceRow {
  return { id: 'meta', n: metaOrder, file: '', ext: '', record: JSON.stringify(meta) }
}

/** The row that replaces a deleted row. */
export function deletedRow(id: string): LanceRow {
  return { id, n: deletedOrder, file: '', ext: '' }
}

/** A file's extension as filters name it. */
function extOf(file: string): string {
  return posix.extname(file).toLowerCase()
}

function recordRow(record: FileRecord): LanceRow {
  const { file } = record
  return { id: `file:${file}`, n: recordOrder, file, ext: extOf(file), record: JSON.stringify(record) }
}

function chunkRow(chunk: NewChunk): LanceRow {
  const { quote, order, textHash, ...rest } = chunk
  const said = searchedText(chunk)
  const text = withParts(foldText(said))
  return { ...rest, n: order, hash: textHash, ext: extOf(chunk.file), text, ...(text === said ? {} : { quote }) }
}

/** A chunk of a row that holds `chunkColumns`. */
export function chunkOf(row: Record<string, unknown>): Chunk {
  const { text, quote, n: order, hash, vector: _vector, ...rest } = row
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  const said = String(text)
  const below = typeof known.heading === 'string' ? said.slice(known.heading.length + 1) : said
  // The cast holds: `chunkRow` has written the columns of a chunk.
  return { ...known, order, quote: quote ?? below, textHash: hash } as Chunk
}

/** Rows that are made into Arrow at once: others have their turn afterwards. */
const rowsAtOnce = 250

/** Makes Arrow tables of rows. It copies the contents, so rows do not stay in memory. */
export interface TableBuilder {
  /** The bytes of the rows since the last table that are converted to Arrow. */
  readonly bytes: number
  add(rows: readonly LanceRow[], signal: AbortSignal): Promise<void>
  /** All rows since the last table. */
  take(): Table
}

export function tableBuilder({ lance: { arrow }, schema }: { lance: Lance; schema: Schema }): TableBuilder {
  let batches: RecordBatch[] = []
  let rows: LanceRow[] = []
  let bytes = 0
  const flush = (): void => {
    const children = schema.fields.map(({ name, type }) => columnOf({ arrow }, name, type, rows))
    const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: rows.length, children })
    bytes += data.byteLength
    batches.push(new arrow.RecordBatch(schema, data))
    rows = []
  }
  return {
    get bytes() {
      return bytes
    },
    async add(more, signal) {
      for (const row of more) {
        rows.push(row)
        if (rows.length < rowsAtOnce) continue
        flush()
        await yieldOrAbort(signal)
      }
    },
    take() {
      if (rows.length > 0) flush()
      const table = new arrow.Table(schema, batches)
      batches = []
      bytes = 0
      return table
    },
  }
}

function columnOf({ arrow }: Pick<Lance, 'arrow'>, name: string, type: DataType, rows: LanceRow[]): Data {
  // A column's name is a key of its rows.
  const values = rows.map((row) => row[name as keyof LanceRow])
  const nullBitmap = new Uint8Array(Math.ceil(rows.length / 8))
  let nullCount = 0
  for (const [place, value] of values.entries()) {
    if (value === undefined) nullCount++
    else nullBitmap[place >> 3] = (nullBitmap[place >> 3] ?? 0) | (1 << (place & 7))
  }
  const column = { type, length: rows.length, nullCount, nullBitmap }
  if (name === 'vector') return arrow.makeData({ ...column, child: vectorNumbers({ arrow }, type, rows) } as never)
  const parts = arrow.DataType.isInt(type)
    ? { data: Int32Array.from(rows, (row) => Number(row[name as keyof LanceRow] ?? 0)) }
    : textsOf(values as (string | undefined)[]) // so the schema says
  return arrow.makeData({ ...column, ...parts } as never)
}

/** Arrow's own builders take values one by one, and leave several times as much garbage. */
function textsOf(values: readonly (string | undefined)[]): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = new Int32Array(values.length + 1)
  let size = 0
  for (const [place, value] of values.entries()) {
    if (value !== undefined) size += Buffer.byteLength(value)
    valueOffsets[place + 1] = size
  }
  const data = Buffer.allocUnsafeSlow(size)
  for (const [place, value] of values.entries()) if (value !== undefined) data.write(value, valueOffsets[place] ?? 0)
  return { valueOffsets, data }
}

function vectorNumbers({ arrow }: Pick<Lance, 'arrow'>, type: DataType, rows: LanceRow[]): Data {
  const { listSize } = type as InstanceType<Lance['arrow']['FixedSizeList']> // so the schema says
  const numbers = new Float32Array(rows.length * listSize)
  for (const [place, { vector }] of rows.entries()) if (vector !== undefined) numbers.set(vector, place * listSize)
  return arrow.makeData({ type: new arrow.Float32(), length: numbers.length, data: numbers })
}
