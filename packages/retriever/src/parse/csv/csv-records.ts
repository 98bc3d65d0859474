import { yieldOrAbort } from '../../util/yield-or-abort.ts'

/** How a file separates its cells. */
export type CsvDialect = {
  delimiter: string
  /** The usual number of cells in a record. */
  width: number
  /** Whether there are spaces between a delimiter and the quote of its cell: `1, "a, b"`. */
  isSpaced: boolean
}

/** Consecutive records of the file. */
export type CsvBatch = {
  records: string[][]
  /** Whether the last record has an unclosed quote: only its first line was used. */
  isBroken: boolean
}

/** The longest record, in characters; real ones are shorter. */
const longestRecord = 2_000_000
/** After this many unclosed quotes, quotes are read as plain text. */
const mostBroken = 20

/** Reads CSV in batches. An unclosed quote does not consume the records after it. */
export async function* csvRecords(
  parts: AsyncIterable<string>,
  { delimiter, width, isSpaced }: CsvDialect,
  signal: AbortSignal,
): AsyncGenerator<CsvBatch, void> {
  const { default: papa } = await import('papaparse')
  let rest = ''
  let broken = 0

  for await (const part of parts) {
    rest = tightened(rest + part, { delimiter, isSpaced })
    yield* takeRecords(false)
    while (rest.length > longestRecord) {
      yield takeBrokenRecord(0)
      yield* takeRecords(false)
    }
    await yieldOrAbort(signal)
  }
  // With the line end, there would be an additional empty record.
  if (rest.endsWith('\n')) rest = rest.slice(0, -1)
  if (rest !== '') yield* takeRecords(true)

  function* takeRecords(isEnd: boolean): Generator<CsvBatch, void> {
    while (rest !== '') {
      const { data, errors, meta } = parse(rest, !isEnd)
      const bad = errors.find(({ code, row }, index) => {
        return code === 'MissingQuotes' || (row !== errors[index - 1]?.row && isSwallowing(data[row]))
      })
      if (bad === undefined) {
        rest = rest.slice(isEnd ? rest.length : meta.cursor)
        yield { records: data, isBroken: false }
        return
      }
      if (bad.row > 0) yield { records: data.slice(0, bad.row), isBroken: false }
      yield takeBrokenRecord(bad.row === 0 ? 0 : parse(rest, true, bad.row).meta.cursor)
    }
  }

  /** Whether an unclosed quote consumed lines that look like records. */
  function isSwallowing(record: readonly string[] | undefined): boolean {
    if (record === undefined || width < 2) return false
    return record.some((cell) => (cell.split('\n', 2)[1] ?? '').split(delimiter).length >= width)
  }

  function takeBrokenRecord(start: number): CsvBatch {
    broken++
    const lineEnd = rest.indexOf('\n', start)
    const line = rest.slice(start, lineEnd < 0 ? rest.length : lineEnd)
    rest = lineEnd < 0 ? '' : rest.slice(lineEnd + 1)
    const [quoted = []] = parse(line, false).data
    const record =
      quoted.length === width ? quoted : line.split(delimiter).map((cell) => cell.replace(/^"([^"]*)"?$/, '$1'))
    return { records: [record], isBroken: line.split('"').length % 2 === 0 }
  }

  function parse(text: string, isOpen: boolean, preview = 0): Parse {
    const fastMode = broken >= mostBroken ? { fastMode: true } : {}
    const parser = new papa.Parser({ delimiter, newline: '\n', preview, ...fastMode })
    // The library types it as `any`; it returns records.
    return parser.parse(text, 0, isOpen) as Parse
  }
}

/**
 * The text without the spaces before quotes, which would be read as a part of their cells. Within a quoted cell the quote is
 * its end, and the cell only loses these spaces.
 */
export function tightened(text: string, { delimiter, isSpaced }: Pick<CsvDialect, 'delimiter' | 'isSpaced'>): string {
  return isSpaced ? text.replace(spacesBeforeQuotes(delimiter), '') : text
}

/** Before an odd number of quotes, as two of them are one within a cell, or before an empty cell. */
export function spacesBeforeQuotes(delimiter: string): RegExp {
  // A file may declare any character as its delimiter.
  const sign = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return new RegExp(`(?<=${sign}) +(?=(?:"")*"(?!")|"" *(?:${sign}|\n|$))`, 'g')
}

type Parse = { data: string[][]; errors: { code: string; row: number }[]; meta: { cursor: number } }
