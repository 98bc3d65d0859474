import { createHash } from 'node:crypto'

/** Incremented when the output of parsers or chunker changes: indexes are then rebuilt. */
const madeBy = 16

export type GenerationOf = {
  /** Distinguishes this folder from others in the same index. */
  folder: string
  embedder?: string
  /** Everything else that requires an index of its own. */
  place: readonly string[]
}

/**
 * The name of an index is a fingerprint of its inputs: `<folder>-<embedder and versions>-<dimensions>`, in letters,
 * digits and dashes, which every store accepts.
 */
export function generationName(made: GenerationOf, dimensions: number): string {
  return `${likeness(made)}${dimensions}`
}

/** The common prefix of a folder's generations. */
export function folderPrefix({ folder }: Pick<GenerationOf, 'folder'>): string {
  return `f${fingerprint(folder)}-`
}

/** The common prefix of generations that differ in their dimensions only. */
export function likeness({ folder, embedder = '', place }: GenerationOf): string {
  return `${folderPrefix({ folder })}${fingerprint(JSON.stringify([madeBy, embedder, ...place]))}-`
}

/** The length of a generation's vectors; 0 without vectors. */
export function dimensionsOf(generation: string): number {
  return Number(generation.slice(generation.lastIndexOf('-') + 1)) || 0
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}
