import { relative, resolve, sep } from 'node:path'
import { isRemote, type RetrieverSettings } from './options.ts'
import type { GenerationOf } from './sync/generation-name.ts'

/** What the index of a retriever is made of. */
export function madeOf({ folder, indexPath, tool, embedder }: RetrieverSettings): GenerationOf {
  // Folder and index may be moved together, and are known by each other.
  const place = isRemote(indexPath) ? resolve(folder) : relative(resolve(indexPath), resolve(folder))
  return { folder: place.split(sep).join('/'), ...(embedder && { embedder: embedder.id }), place: [tool] }
}
