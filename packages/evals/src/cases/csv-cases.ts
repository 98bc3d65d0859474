import { messageOf, nearestWord } from '@agentkit/core/internal'
import { limits } from '../limits.ts'
import { type FoundCase, invalid } from './check-case.ts'
import { decodeLines } from './decode-lines.ts'

const columns = ['id', 'input', 'expected', 'tags']

/**
 * The cases of a CSV file (RFC 4180). Its first row names the columns: `id`, `input`, `expected` and `tags`, of which only
 * `input` is needed. An empty cell is an absent value; tags are separated by commas.
 */
export async function csvCases(bytes: Uint8Array, path: string): Promise<FoundCase[]> {
  const lines = decodeLines(bytes, path)
  const [header, ...rows] = await parse(lines.map(({ text }) => text).join('\n'), path)
  const names = header?.record.map((name) => name.trim().toLowerCase()) ?? []
  checkColumns(names, path)
  return rows
    .filter(({ record }) => record.some((cell) => cell !== ''))
    .map(({ record, line }) => {
      const where = `line ${line} of ${path}`
      if (record.length > names.length) {
        throw invalid(
          where,
          `has ${record.length} cells, and there are ${names.length} columns. Quote cells with commas`,
        )
      }
      const cells = names.flatMap((name, index) => (record[index] ? [[name, record[index]] as const] : []))
      const { tags, ...value } = Object.fromEntries(cells) as Record<string, string>
      return { value: { ...value, ...(tags && { tags: tagsOf(tags) }) }, where }
    })
}

type Row = { record: string[]; line: number }

/** Each record, with the line on which it begins. */
async function parse(text: string, path: string): Promise<Row[]> {
  const { parse: parseCsv } = await import('csv-parse/sync')
  let lastLine = 0
  try {
    const rows = parseCsv(text, {
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: limits.caseBytes,
      on_record(record, { lines }) {
        lastLine = lines
        return record
      },
    })
    // The cast holds: with `info`, each row is a record with the line at which it ends.
    return (rows as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => {
      const breaks = record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
      return { record, line: info.lines - breaks }
    })
  } catch (error) {
    // The record after the last whole one: a quote that is not closed is found at the end of the file.
    const rest = text.split('\n').slice(lastLine)
    const empty = rest.findIndex((line) => line !== '')
    throw invalid(`line ${lastLine + empty + 1} of ${path}`, `is no CSV: ${messageOf(error).slice(0, 200)}`)
  }
}

function checkColumns(names: readonly string[], path: string): void {
  const where = `line 1 of ${path}`
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw invalid(where, `has the column ${JSON.stringify(name.slice(0, 60))} twice`)
    if (columns.includes(name)) continue
    const nearest = nearestWord(name, columns)
    const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    // Excel writes such files where numbers have a decimal comma.
    const hint = /[;\t]/.test(name) ? ' Separate the cells by commas.' : meant
    throw invalid(
      where,
      `has an unknown column ${JSON.stringify(name.slice(0, 60))}.${hint} The columns are ${columns.join(', ')}`,
    )
  }
  if (!names.includes('input')) throw invalid(where, `has no column "input". The columns are ${columns.join(', ')}`)
}

function tagsOf(cell: string): string[] {
  return cell
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
