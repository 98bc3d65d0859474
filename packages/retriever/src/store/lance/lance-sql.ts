import type { Filter } from '../../data/search-filter.ts'

/** A text as SQL writes it. Nothing but the quote has a meaning within. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** `column IN (…)`; false for no texts at all. */
export function isOneOf(column: string, texts: readonly string[]): string {
  return texts.length === 0 ? 'false' : `${column} IN (${texts.map(literal).join(', ')})`
}

/** The SQL condition of a filter; undefined if every row matches. */
export function filterSql({ paths, exts }: Filter): string | undefined {
  const conditions: string[] = []
  if (paths) {
    const folders = paths.filter((path) => path.endsWith('/'))
    const files = paths.filter((path) => !path.endsWith('/'))
    const within = folders.map((folder) => `starts_with(file, ${literal(folder)})`)
    conditions.push(`(${[isOneOf('file', files), ...within].join(' OR ')})`)
  }
  if (exts) conditions.push(isOneOf('ext', exts))
  return conditions.length === 0 ? undefined : conditions.join(' AND ')
}
