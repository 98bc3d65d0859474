import type { StoreMeta } from '../store/store.ts'
import { dimensionsOf, type GenerationOf, generationName } from './generation-name.ts'

/** Another index of the same folder. */
export type OtherGeneration = { name: string; meta: StoreMeta }

/** For so long an index is kept that no sync has used, in milliseconds, and so many at the most. */
const keptForMs = 24 * 60 * 60 * 1000
const mostKept = 2

/**
 * Of the other indexes of a folder, those that stay beside ours: their vectors were paid for, and who takes two
 * embedders in turn, or shares the folder with another process, goes on with them.
 *
 * @param dimensions of our embedder, where it says
 */
export function keptGenerations(
  others: readonly OtherGeneration[],
  made: GenerationOf,
  dimensions: number | undefined,
): string[] {
  // Without an embedder nothing else takes their place.
  if (made.embedder === undefined) return others.map(({ name }) => name).filter((name) => dimensionsOf(name) > 0)
  const kept = others.filter(({ name, meta }) => {
    const { embedder } = meta
    if (embedder === undefined || Date.now() - Date.parse(usedAt(meta)) > keptForMs) return false
    // Another model answers to its name now.
    if (embedder === made.embedder && dimensions === undefined) return false
    // Nobody reads again what an older version has made of the files.
    return name === generationName({ ...made, embedder }, dimensionsOf(name))
  })
  kept.sort((one, other) => (usedAt(one.meta) > usedAt(other.meta) ? -1 : 1))
  return kept.slice(0, mostKept).map(({ name }) => name)
}

/** When a sync has last used an index, to the hour; an old date where none has. */
export function usedAt({ usedAt = '', completedAt = '' }: StoreMeta): string {
  const last = usedAt > completedAt ? usedAt : completedAt
  return last === '' ? new Date(0).toISOString() : last
}
