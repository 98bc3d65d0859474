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
    return { delimiter, isSpaced, ...usualWidth(data) }
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
  const spaced = sample.match(spacesBeforeQuotes(delimiter))?.length ?? 0
  return spaced > 3 * (sample.split(`${delimiter}"`).length - 1)
}

/** The most frequent number of cells, the share of records with it, and the share of records with more than one cell. */
function usualWidth(records: readonly string[][]): { width: number; share: number; split: number } {
  const said = records.filter((record) => record.some((cell) => cell.trim() !== ''))
  const filled = said.length > 0 ? said : records
  const counts = new Map<number, number>()
  for (const { length } of filled) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [width = 1, count = 0] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? []
  const split = filled.filter(({ length }) => length > 1).length
  return { width, share: count / Math.max(1, filled.length), split: split / Math.max(1, filled.length) }
}

/** Regular records count most; among about equally regular candidates, more cells win. */
function rate({ width, share }: { width: number; share: number }): number {
  return share * (1 + Math.log2(width) / 10)
}

/** The delimiter of a first line `sep=;`, which Excel writes and does not show. */
export function declaredDelimiter(text: string): { delimiter: string; length: number } | undefined {
  const match = /^"?sep=([^\n"])"?(?:\n|$)/i.exec(text.slice(0, 20))
  return match?.[1] === undefined ? undefined : { delimiter: match[1], length: match[0].length }
}
