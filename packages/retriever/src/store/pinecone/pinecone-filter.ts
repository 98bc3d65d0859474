import type { RecordMetadata } from '@pinecone-database/pinecone'
import { extOf } from '../../data/ext-of.ts'
import type { Filter } from '../../data/search-filter.ts'
import { shortHash } from './pinecone-settings.ts'

/** What Pinecone is told of a chunk: only what filters need, its text stays here. */
export function chunkMetadata(file: string): RecordMetadata {
  const ext = extOf(file)
  const folders = foldersOf(file).map(shortHash)
  // Pinecone takes neither nulls nor, in pods, lists of nothing.
  return { file, ...(ext && { ext }), ...(folders.length > 0 && { folders }) }
}

/** A filter in Pinecone's language; undefined where all may pass. */
export function pineconeFilter({ paths, exts }: Filter): object | undefined {
  const clauses: object[] = []
  if (exts && exts.length > 0) clauses.push({ ext: { $in: exts } })
  if (paths && paths.length > 0) {
    const files = paths.filter((path) => !path.endsWith('/'))
    const folders = paths.filter((path) => path.endsWith('/')).map(shortHash)
    const either: object[] = []
    if (files.length > 0) either.push({ file: { $in: files } })
    if (folders.length > 0) either.push({ folders: { $in: folders } })
    clauses.push(either.length === 1 && either[0] ? either[0] : { $or: either })
  }
  return clauses.length > 1 ? { $and: clauses } : clauses[0]
}

/** The same, of a chunk that is here: what is hashed may be something else's. */
export function passes(file: string, { paths, exts }: Filter): boolean {
  if (exts && exts.length > 0 && !exts.includes(extOf(file))) return false
  if (!paths || paths.length === 0) return true
  return paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path))
}

/** `a/` and `a/b/` of `a/b/c.md`. As many as a path may have, their names would pass what metadata may weigh. */
function foldersOf(file: string): string[] {
  const folders: string[] = []
  for (let end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1)) folders.push(file.slice(0, end + 1))
  return folders
}
