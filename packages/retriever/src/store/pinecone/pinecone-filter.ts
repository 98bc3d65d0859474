import type { RecordMetadata } from '@pinecone-database/pinecone'
import { extOf } from '../../data/ext-of.ts'
import type { Filter } from '../../data/search-filter.ts'
import { shortHash } from './pinecone-settings.ts'

/** The metadata of a chunk in Pinecone: only the fields of filters, its text stays here. */
export function chunkMetadata(file: string): RecordMetadata {
  const ext = extOf(file)
  const folders = foldersOf(file).map(shortHash)
  // Pinecone accepts neither null nor, in pods, empty lists.
  return { file, ...(ext && { ext }), ...(folders.length > 0 && { folders }) }
}

/** A filter in Pinecone's language; undefined when all files pass. */
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

/** The same for a local chunk: hashes may collide. */
export function passes(file: string, { paths, exts }: Filter): boolean {
  if (exts && exts.length > 0 && !exts.includes(extOf(file))) return false
  if (!paths || paths.length === 0) return true
  return paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path))
}

/** `a/` and `a/b/` of `a/b/c.md`. The names of the deepest paths would exceed the size limit of metadata. */
function foldersOf(file: string): string[] {
  const folders: string[] = []
  for (let end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1)) folders.push(file.slice(0, end + 1))
  return folders
}
