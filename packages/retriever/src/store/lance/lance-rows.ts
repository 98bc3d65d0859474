import { posix } from 'node:path'
import type { Data, DataType, RecordBatch, Schema, Table } from 'apache-arrow'
import { type Chunk, type NewChunk, searchedText } from '../../data/chunk.ts'
import { slicesOf } from '../../data/chunk-slices.ts'
import type { FileRecord } from '../../data/file-record.ts'
import { breathe } from '../../util/breathe.ts'
import { foldText } from '../fold-text.ts'
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

/** Every row of a change; those of a large file a slice at a time. */
export async function* rowsOf({ changed }: Change): AsyncGenerator<LanceRow[], void, undefined> {
  for (const { record, chunks } of changed) {
    yield [recordRow(record)]
    if (chunks === 'keep') continue
    for await (const slice of slicesOf(chunks, { vectors: true })) yield slice.map(chunkRow)
  }
}

/** What the index knows of itself, as a row. */
export function metaRow(meta: object): LanceRow {
  return { id: 'meta', n: metaOrder, file: '', ext: '', record: JSON.stringify(meta) }
}

/** What takes the place of a row that is deleted. */
export function deletedRow(id: string): LanceRow {
  return { id, n: deletedOrder, file: '', ext: '' }
}

/** A file's extension as filters name it. */
export function extOf(file: string): string {
  return posix.extname(file).toLowerCase()
}

function recordRow(record: FileRecord): LanceRow {
  const { file } = record
  return { id: `file:${file}`, n: recordOrder, file, ext: extOf(file), record: JSON.stringify(record) }
}

function chunkRow(chunk: NewChunk): LanceRow {
  const { quote, order, textHash, ...rest } = chunk
  const said = searchedText(chunk)
  const text = foldText(said)
  return { ...rest, n: order, hash: textHash, ext: extOf(chunk.file), text, ...(text === said ? {} : { quote }) }
}

/** A chunk of a row that holds `chunkColumns`. */
export function chunkOf(row: Record<string, unknown>): Chunk {
  const { text, quote, n: order, hash, vector: _vector, ...rest } = row
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  const said = String(text)
  const below = typeof known['heading'] === 'string' ? said.slice(known['heading'].length + 1) : said
  // The columns are those of a chunk: `chunkRow` wrote them.
  return { ...known, order, quote: quote ?? below, textHash: hash } as Chunk
}

/** So many rows are made into Arrow before others have their turn. */
const sliceLength = 250

/** Rows as an Arrow table. */
export async function toArrow(
  { arrow }: Lance,
  schema: Schema,
  rows: AsyncIterable<readonly LanceRow[]>,
  signal: AbortSignal,
): Promise<Table> {
  const batches: RecordBatch[] = []
  const flush = (slice: LanceRow[]): void => {
    const columns = Object.fromEntries(
      schema.fields.map(({ name, type }) => [name, columnOf({ arrow }, name, type, slice)]),
    )
    batches.push(...new arrow.Table(schema, columns).batches)
  }
  let slice: LanceRow[] = []
  for await (const some of rows) {
    for (const row of some) {
      slice.push(row)
      if (slice.length < sliceLength) continue
      flush(slice)
      slice = []
      await breathe(signal)
    }
  }
  if (slice.length > 0) flush(slice)
  return new arrow.Table(schema, batches)
}

function columnOf({ arrow }: Pick<Lance, 'arrow'>, name: string, type: DataType, rows: LanceRow[]): Data {
  if (name === 'vector') return vectorColumn({ arrow }, type, rows)
  // A column's name is a key of its rows.
  const values = rows.map((row) => row[name as keyof LanceRow] ?? null)
  const [data] = arrow.vectorFromArray(values, type).data
  return data as Data // a vector of one array is one piece
}

/** Arrow's own builder takes them number by number. */
function vectorColumn({ arrow }: Pick<Lance, 'arrow'>, type: DataType, rows: LanceRow[]): Data {
  const { listSize } = type as InstanceType<Lance['arrow']['FixedSizeList']> // so the schema says
  const numbers = new Float32Array(rows.length * listSize)
  const known = new Uint8Array(Math.ceil(rows.length / 8))
  let nullCount = 0
  for (const [place, { vector }] of rows.entries()) {
    if (vector === undefined) nullCount++
    else {
      numbers.set(vector, place * listSize)
      known[place >> 3] = (known[place >> 3] ?? 0) | (1 << (place & 7))
    }
  }
  const child = arrow.makeData({ type: new arrow.Float32(), length: numbers.length, data: numbers })
  return arrow.makeData({ type, length: rows.length, nullCount, nullBitmap: known, child } as never)
}
