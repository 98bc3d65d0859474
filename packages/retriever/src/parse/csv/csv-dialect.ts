import { type CsvDialect, spacesBeforeQuotes, tightened } from './csv-records.ts'

const delimiters = [',', ';', '\t', '|']
/** Occurs in no text: the file has one column. */
const none = '\u001f'
const sampledRecords = 100

/**
 * The dialect of a CSV file, detected from its beginning.
 * @param isWhole whether the sample is the whole file
 * @param declared the delimiter, if the file declares one
 */
export async function detectDialect(sample: string, isWhole: boolean, declared?: string): Promise<CsvDialect> {
  const { default: papa } = await import('papaparse')
  const found = (declared === undefined ? delimiters : [declared]).map((delimiter) => {
    const parser = new papa.Parser({ delimiter, newline: '\n', preview: sampledRecords })
    const isSpaced = hasSpacedQuotes(sample, delimiter)
    // The library types it as `any`; it returns records.
    const { data } = parser.parse(tightened(sample, { delimiter, isSpaced }), 0, !isWhole) as { data: string[][] }
    return { delimiter, isSpaced, ...lookOf(data) }
  })
  const [best] = found.filter(({ width, share }) => width > 1 && share >= 0.5).sort((a, b) => rate(b) - rate(a))
  if (best !== undefined) return dialectOf(best)
  const [ragged] = found.filter(({ split }) => split >= 0.6).sort((a, b) => b.split - a.split)
  if (ragged !== undefined) return dialectOf(ragged)
  return { delimiter: declared ?? none, width: 1, isSpaced: false }
}

function dialectOf({ delimiter, width, isSpaced }: CsvDialect): CsvDialect {
  return { delimiter, width, isSpaced }
}

/** Whether spaces are written before the quotes that follow a delimiter; the texts of cells may have either. */
function hasSpacedQuotes(sample: string, delimiter: string): boolean {
  // Each space would begin a cell, and be compared with all that follow it.
  if (delimiter === ' ') return false
  const spaced = sample.match(spacesBeforeQuotes(delimiter))?.length ?? 0
  return spaced > 3 * (sample.split(`${delimiter}"`).length - 1)
}

/** The shape of a sample's records with a delimiter. */
type Look = {
  /** The most frequent number of cells, and the share of records with it. */
  width: number
  share: number
  /** The share of records with more than one cell. */
  split: number
  /** Whether the first record, mostly the header, has more than one cell: the texts below may all have the sign as well. */
  isHeadSplit: boolean
  /** The share of records with half a quoted text in a cell. */
  torn: number
  /** Whether a column has numbers with a decimal comma. */
  hasDecimals: boolean
}

function lookOf(records: readonly string[][]): Look {
  const said = records.filter((record) => record.some((cell) => cell.trim() !== ''))
  const filled = said.length > 0 ? said : records
  const all = Math.max(1, filled.length)
  const counts = new Map<number, number>()
  for (const { length } of filled) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [width = 1, count = 0] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? []
  const shareOf = (is: (record: string[]) => boolean): number => filled.filter(is).length / all
  return {
    width,
    share: count / all,
    split: shareOf(({ length }) => length > 1),
    isHeadSplit: (filled[0]?.length ?? 0) > 1,
    torn: shareOf((record) => record.some((cell) => cell.split('"').length % 2 === 0)),
    hasDecimals: columnsOf(filled, width).some((share) => share >= 0.8),
  }
}

/** For each column, the share of numbers with a decimal comma. */
function columnsOf(records: readonly string[][], width: number): number[] {
  const shares = new Array<number>(Math.min(width, 100)).fill(0)
  for (const record of records)
    for (const column of shares.keys())
      if (decimal.test(record[column]?.trim() ?? '')) shares[column] = (shares[column] ?? 0) + 1
  return shares.map((count) => count / Math.max(1, records.length))
}

const decimal = /^[-+]?\d[\d.' ]{0,20},\d{1,8}$/

/** Regular records count most; among about equally regular candidates, more cells win. */
function rate({ delimiter, width, share, isHeadSplit, torn, hasDecimals }: Look & { delimiter: string }): number {
  const regular = share * (1 + Math.log2(width) / 10)
  // Texts have commas, semicolons and bars, and hardly any tabs.
  const usual = delimiter === '\t' ? 1.15 : 1
  return regular * usual * (isHeadSplit ? 1 : 0.8) * (1 - 0.3 * torn) * (hasDecimals ? 1.2 : 1)
}

/** The delimiter of a first line `sep=;`, which Excel writes and does not show. */
export function declaredDelimiter(text: string): { delimiter: string; length: number } | undefined {
  const match = /^"?sep=([^\n"])"?(?:\n|$)/i.exec(text.slice(0, 20))
  return match?.[1] === undefined ? undefined : { delimiter: match[1], length: match[0].length }
}
