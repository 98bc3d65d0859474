import { relative, resolve, sep } from 'node:path'
import { isRemote, type RetrieverSettings } from './options.ts'
import type { GenerationOf } from './sync/generation-name.ts'

/** The inputs from which the index of a retriever is built. */
export function madeOf({ folder, indexPath, tool, embedder }: RetrieverSettings): GenerationOf {
  // Folder and index may be moved together, so only the relative path between them counts.
  const place = isRemote(indexPath) ? resolve(folder) : relative(resolve(indexPath), resolve(folder))
  return { folder: place.split(sep).join('/'), ...(embedder && { embedder: embedder.id }), place: [tool] }
}
