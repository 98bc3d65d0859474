import type { DatabaseSync } from 'node:sqlite'
import type { Filter } from '../../data/search-filter.ts'

/** The files that pass a filter: 1 at each file number. Undefined: all. */
type FileFilter = (database: DatabaseSync, filter: Filter, version: number) => Uint8Array | undefined

const mostRemembered = 16

/** Caches results while the index stays at a version. */
export function fileFilter(): FileFilter {
  const remembered = new Map<string, Uint8Array>()
  let rememberedVersion: number | undefined

  return (database, filter, version) => {
    const { paths, exts } = filter
    if (!paths && !exts) return undefined
    if (version !== rememberedVersion || remembered.size >= mostRemembered) remembered.clear()
    rememberedVersion = version
    const key = JSON.stringify([paths, exts])
    const allowed = remembered.get(key) ?? allowedFiles(database, filter)
    remembered.set(key, allowed)
    return allowed
  }
}

function allowedFiles(database: DatabaseSync, { paths, exts }: Filter): Uint8Array {
  const most = database.prepare('SELECT max(number) AS most FROM files').get()?.most
  const allowed = new Uint8Array(((most as number | null) ?? 0) + 1)
  const wanted = exts && new Set(exts)
  for (const { number, ext } of filesAt(database, paths)) {
    if (!wanted || wanted.has(ext)) allowed[number] = 1
  }
  return allowed
}

function* filesAt(database: DatabaseSync, paths: Filter['paths']): Generator<{ number: number; ext: string }> {
  // The columns of our own table.
  type Rows = Iterable<{ number: number; ext: string }>
  if (!paths) {
    yield* database.prepare('SELECT number, ext FROM files').iterate() as unknown as Rows
    return
  }
  const exact = database.prepare('SELECT number, ext FROM files WHERE file = ?')
  const within = database.prepare('SELECT number, ext FROM files WHERE file > ? AND file < ?')
  for (const path of paths) {
    const isFolder = path.endsWith('/')
    // `0` is the character after `/`.
    const rows = isFolder ? within.iterate(path, `${path.slice(0, -1)}0`) : exact.iterate(path)
    yield* rows as unknown as Rows
  }
}
