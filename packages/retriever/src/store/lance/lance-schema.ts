import type { DataType, Field, Schema } from 'apache-arrow'
import type { Lance } from './lance-package.ts'

/** The order of rows: chunks have their order in the file, other rows have values below 0. */
export const recordOrder = -1
export const metaOrder = -2
/** Marks a row that was deleted by the commit that replaced it, until `maintain` removes it. */
export const deletedOrder = -3

/** The `n` of a row while readers must not see it, and the other way round. All queries leave hidden rows out. */
export function hidden(n: number): number
export function hidden(n: 'n'): string
export function hidden(n: number | string): number | string {
  return typeof n === 'number' ? -10 - n : `-10 - ${n}`
}

/**
 * The table of a generation. Chunks, the records of their files and the metadata of the index are rows of the same
 * table, so that one commit changes them together.
 */
export function lanceSchema({ arrow }: Lance, dimensions: number | undefined): Schema {
  const { Field, Float32, FixedSizeList, Int32, Utf8 } = arrow
  const required = (name: string, type: DataType): Field => new Field(name, type, false)
  const optional = (name: string, type: DataType): Field => new Field(name, type, true)
  return new arrow.Schema([
    // When two writers add the same chunk at once, the key lets the second replace the row of the first. It has to be set
    // here: set later, it is a commit of its own.
    new Field('id', new Utf8(), false, new Map([['lance-schema:unenforced-primary-key', 'true']])),
    // `order` is a word of SQL.
    required('n', new Int32()),
    required('file', new Utf8()),
    required('ext', new Utf8()),
    // The searched form of the text: see `foldText` and `withParts`.
    optional('text', new Utf8()),
    // Only where it is not the end of `text`.
    optional('quote', new Utf8()),
    optional('start', new Int32()),
    optional('end', new Int32()),
    optional('heading', new Utf8()),
    optional('page', new Int32()),
    optional('pageEnd', new Int32()),
    optional('row', new Int32()),
    optional('rowEnd', new Int32()),
    // `textHash`: SQL takes names in lower case only.
    optional('hash', new Utf8()),
    // JSON, of rows that are no chunks.
    optional('record', new Utf8()),
    ...(dimensions === undefined
      ? []
      : [optional('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)))]),
  ])
}

/** How many numbers a table's vectors have; undefined when it has none. */
export function dimensionsOf(schema: Schema): number | undefined {
  const type: unknown = schema.fields.find(({ name }) => name === 'vector')?.type
  return type !== undefined && typeof type === 'object' && type !== null && 'listSize' in type
    ? Number(type.listSize)
    : undefined
}
