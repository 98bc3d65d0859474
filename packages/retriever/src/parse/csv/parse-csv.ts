import type { Parsed, Piece } from '../../data/piece.ts'
import { decodeText } from '../../text/decode-text.ts'
import { createPieceWriter } from '../pieces/piece-writer.ts'
import { noText } from '../text/parse-text.ts'
import { declaredDelimiter, detectDialect } from './csv-dialect.ts'
import { columnName, findHeader } from './csv-header.ts'
import { type CsvBatch, type CsvDialect, csvRecords } from './csv-records.ts'

const pieceSize = 200_000
/** Spreadsheets show vertical tabs and form feeds within a cell: as line ends they would begin records. */
const breakInCell = ' '

/**
 * Parses a table: each record is a block with a line `name: value` for each non-empty cell. Text above the header, and
 * records of a table without a header, are written as their cells in a row.
 */
export async function* parseCsv(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Piece, Parsed> {
  const writer = createPieceWriter()
  const { dialect, parts } = await open(decodeText(bytes, signal, breakInCell))
  const { first, rest } = await begin(csvRecords(parts, dialect, signal))
  const header = findHeader(first.flatMap(({ records }) => records))
  const headerLine = header.names === undefined ? 0 : header.above
  let headerText = ''
  let row = 0
  let hasRecords = false
  let brokenRow: number | undefined

  for await (const { records, isBroken } of rest) {
    for (const record of records) {
      row++
      if (row === headerLine) headerText = toLine(record)
      else {
        const text = row > headerLine && header.names !== undefined ? toPairs(record, header.names) : toLine(record)
        hasRecords ||= row > headerLine && text !== ''
        write(text)
      }
      if (writer.length > pieceSize) yield writer.take()
    }
    if (isBroken) brokenRow ??= row
  }
  // Each record contains the column names; without records, nothing else does.
  row = headerLine
  if (!hasRecords) write(headerText)
  if (!writer.hasText) throw noText(bytes)
  if (writer.length > 0) yield writer.take()
  return {
    ...(header.title !== undefined && { title: header.title }),
    ...(brokenRow === undefined ? { status: 'ok' } : { status: 'low-quality', reason: brokenQuote(brokenRow) }),
  }

  function write(text: string): void {
    if (text !== '') writer.write({ kind: 'row', text, row })
  }
}

function brokenQuote(row: number): string {
  return `A quote in row ${row} is never closed: what follows it was read line by line.`
}

/** Reads enough of the file to detect the delimiter. */
async function open(
  parts: AsyncGenerator<string, void>,
): Promise<{ dialect: CsvDialect; parts: AsyncIterable<string> }> {
  let start = ''
  // The names of thousands of columns are one long line.
  while (endOfLine(start, 2) === undefined && start.length < longestSample) {
    const next = await parts.next()
    if (next.done === true) break
    start += next.value
  }
  const declared = declaredDelimiter(start)
  const table = start.slice(declared?.length ?? 0)
  const sample = table.slice(0, Math.max(usualSample, endOfLine(table, 2) ?? table.length))
  const detected = await detectDialect(sample, sample.length === table.length, declared?.delimiter)
  async function* all(): AsyncGenerator<string, void> {
    yield table
    yield* parts
  }
  return { dialect: detected, parts: all() }
}

const usualSample = 64 * 1024
const longestSample = 2_000_000

/** The offset of the end of a line, counted from 1; undefined if the text ends before the line does. */
function endOfLine(text: string, line: number): number | undefined {
  let end = 0
  for (let count = 0; count < line; count++) {
    const found = text.indexOf('\n', end)
    if (found < 0) return undefined
    end = found + 1
  }
  return end
}

/** The first records together with the rest: a header is recognized by the records below it. */
async function begin(
  batches: AsyncGenerator<CsvBatch, void>,
): Promise<{ first: CsvBatch[]; rest: AsyncIterable<CsvBatch> }> {
  const first: CsvBatch[] = []
  for (let count = 0; count < 100; count += first.at(-1)?.records.length ?? 0) {
    const next = await batches.next()
    if (next.done === true) break
    first.push(next.value)
  }
  async function* all(): AsyncGenerator<CsvBatch, void> {
    yield* first
    yield* batches
  }
  return { first, rest: all() }
}

function toPairs(record: readonly string[], names: readonly string[]): string {
  let pairs = ''
  for (let index = 0; index < record.length; index++) {
    const value = record[index]?.trim() ?? ''
    if (value === '') continue
    if (pairs !== '') pairs += '\n'
    pairs += `${names[index] ?? columnName(index)}: ${value}`
  }
  return pairs
}

function toLine(record: readonly string[]): string {
  return record
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' · ')
}
