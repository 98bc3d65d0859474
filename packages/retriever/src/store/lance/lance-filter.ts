import type { Filter } from '../../data/search-filter.ts'
import { recordOrder } from './lance-schema.ts'
import { type LanceTable, readRows } from './lance-table.ts'

/** LanceDB needs seconds for a condition of thousands of folders, and overflows its stack with tens of thousands. */
const mostPaths = 100

/** A filter that LanceDB can take, however many paths it has: those become the files that there are. */
export async function knownFilter({ table }: LanceTable, filter: Filter): Promise<Filter> {
  if (filter.paths === undefined || filter.paths.length <= mostPaths) return filter
  const asked = new Set(filter.paths)
  const rows = await readRows(table.query().where(`n = ${recordOrder}`).select(['file']))
  return { ...filter, paths: rows.map(({ file }) => String(file)).filter((file) => isAmong(asked, file)) }
}

/** Whether a file or a folder above it is among the paths. */
function isAmong(paths: ReadonlySet<string>, file: string): boolean {
  for (let end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1)) {
    if (paths.has(file.slice(0, end + 1))) return true
  }
  return paths.has(file)
}
