import type { StoreMeta } from '../store/store.ts'
import { dimensionsOf, type GenerationOf, generationName } from './generation-name.ts'

/** Another index of the same folder. */
export type OtherGeneration = { name: string; meta: StoreMeta }

/** How long an unused index is kept, in milliseconds, and how many at most. */
const keptForMs = 24 * 60 * 60 * 1000
const mostKept = 2

/**
 * Other indexes of a folder that are kept: their vectors were paid for, and a user who alternates between two embedders,
 * or shares the folder with another process, continues with them.
 *
 * @param dimensions of our embedder, if declared
 */
export function keptGenerations(
  others: readonly OtherGeneration[],
  made: GenerationOf,
  dimensions: number | undefined,
): string[] {
  // Without an embedder, nothing replaces them.
  if (made.embedder === undefined) return others.map(({ name }) => name).filter((name) => dimensionsOf(name) > 0)
  const kept = others.filter(({ name, meta }) => {
    const { embedder } = meta
    if (embedder === undefined || Date.now() - Date.parse(usedAt(meta)) > keptForMs) return false
    // Another model has this name now.
    if (embedder === made.embedder && dimensions === undefined) return false
    // Results of an older version are not reused.
    return name === generationName({ ...made, embedder }, dimensionsOf(name))
  })
  kept.sort((one, other) => (usedAt(one.meta) > usedAt(other.meta) ? -1 : 1))
  return kept.slice(0, mostKept).map(({ name }) => name)
}

/** When a sync last used an index, to the hour; the epoch if never. */
export function usedAt({ usedAt = '', completedAt = '' }: StoreMeta): string {
  const last = usedAt > completedAt ? usedAt : completedAt
  return last === '' ? new Date(0).toISOString() : last
}
