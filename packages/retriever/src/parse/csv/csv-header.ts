/** The start of a table and the names of its columns. */
export type CsvHeader = {
  /** The number of records above the table's first data record: titles, notes, and the header itself. */
  above: number
  /** Absent when the table has no header. */
  names?: string[]
  title?: string
}

/** Finds the header of a table in its first records. */
export function findHeader(records: readonly string[][]): CsvHeader {
  const filled = records.slice(0, 100).flatMap((record, index) => (countFilled(record) > 0 ? [{ record, index }] : []))
  const typical = median(filled.map(({ record }) => countFilled(record)))
  const start = filled.slice(0, mostTitles).findIndex(({ record }) => !isTitle(record, typical))
  const first = filled[start]
  if (first === undefined) return { above: 0 }
  const title = start > 0 ? onlyCell(filled[0]?.record ?? []) : undefined
  const below = filled.slice(start + 1, start + 51).map(({ record }) => record)
  return {
    above: first.index + (isData(first.record, below) ? 0 : 1),
    ...(!isData(first.record, below) && { names: nameColumns(first.record) }),
    ...(title !== undefined && { title }),
  }
}

const mostTitles = 20

/** Whether a record has far fewer cells than those below it. */
function isTitle(record: readonly string[], typical: number): boolean {
  const count = countFilled(record)
  if (typical >= 4 && count < typical * 0.6) return true
  return typical >= 2 && count === 1 && isFilled(record[0])
}

/** Whether a header candidate looks like the data records below it. */
function isData(record: readonly string[], below: readonly string[][]): boolean {
  const columns = record.map((cell, index) => ({ cell: cell.trim(), index, type: typeOf(cell) }))
  const values = columns.filter(({ type }) => type !== 'name')
  if (values.length < columns.length && isSeries(values, below)) return false
  const isAlike = ({ type, index }: (typeof columns)[number]): boolean =>
    isColumnOf((cell) => typeOf(cell) === type, index, below)
  if (values.some((column) => column.type !== 'long' && isAlike(column))) return true
  // In a table with a header, columns of numbers begin with words.
  if (columns.some(({ cell, index }) => cell !== '' && isMeasured(index, below))) return false
  // A question at the head of a column may be as long as the answers.
  if (values.some(isAlike)) return true
  // The words of a header are distinct; the values of a column repeat. A header that is repeated as a whole is an exception.
  const filled = columns.filter(({ cell }) => cell !== '')
  const repeated = filled.filter(({ cell, index }) => below.filter((row) => row[index]?.trim() === cell).length > 1)
  return repeated.length > 0 && repeated.length < filled.length
}

const types = {
  number: /^[+-]?[$€£]?\s?(?:\d[\d.,' ]*|\.\d+)(?:e[+-]?\d+)?\s?%?$/i,
  date: /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ][\d:.Z+-]*)?$/,
  address: /^(?:https?:\/\/|www\.)\S+$|^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i,
  long: /^[\s\S]{120}/,
} as const

function typeOf(cell: string): keyof typeof types | 'name' {
  const value = cell.trim().slice(0, 200)
  if (types.date.test(value)) return 'date'
  if (types.number.test(value)) return 'number'
  if (types.address.test(value)) return 'address'
  return types.long.test(value) ? 'long' : 'name'
}

/** Whether most cells of a column pass a test. Without records below, a candidate that passes is data. */
function isColumnOf(isSuch: (cell: string) => boolean, index: number, below: readonly string[][]): boolean {
  const cells = below.map((record) => record[index] ?? '').filter(isFilled)
  return cells.filter(isSuch).length * 2 >= cells.length
}

/** Whether a column has mostly numbers, dates or addresses. */
function isMeasured(index: number, below: readonly string[][]): boolean {
  const isFilledBelow = below.some((record) => isFilled(record[index]))
  return isFilledBelow && isColumnOf((cell) => !['name', 'long'].includes(typeOf(cell)), index, below)
}

/** Whether numbers can be column names: 1990, 1995, 2000 above values that are not years; 0, 1, 2. */
function isSeries(cells: readonly { cell: string; index: number }[], below: readonly string[][]): boolean {
  if (cells.length === 0) return false
  if (cells.every(({ cell, index }) => isYear(cell) && !isColumnOf(isYear, index, below))) return true
  return cells.length > 1 && cells.every(({ cell }, at) => at === 0 || Number(cell) === Number(cells[at - 1]?.cell) + 1)
}

function isYear(cell: string): boolean {
  return /^(?:1[89]|2[01])\d\d$/.test(cell.trim())
}

function nameColumns(header: readonly string[]): string[] {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return header.map((cell, index) => {
    const name = cell.replace(/\s+/g, ' ').trim() || columnName(index)
    let unique = name
    // Another column may already be named `name (2)`.
    while (used.has(unique)) {
      const count = (counts.get(name) ?? 1) + 1
      counts.set(name, count)
      unique = `${name} (${count})`
    }
    used.add(unique)
    return unique
  })
}

/** The name of a column without a name. */
export function columnName(index: number): string {
  return `column ${index + 1}`
}

function onlyCell(record: readonly string[]): string | undefined {
  const cells = record.filter(isFilled)
  return cells.length === 1 ? cells[0]?.replace(/\s+/g, ' ').trim().slice(0, 200) : undefined
}

function countFilled(record: readonly string[]): number {
  return record.filter(isFilled).length
}

function isFilled(cell: string | undefined): boolean {
  return cell !== undefined && cell.trim() !== ''
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
