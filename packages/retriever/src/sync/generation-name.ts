import { createHash } from 'node:crypto'

/** To be raised when what parsers and chunker make of a file changes: indexes are then built anew. */
const madeBy = 4

export type GenerationOf = {
  /** What tells this folder from others in the same index. */
  folder: string
  embedder?: string
  /** What else makes an index another one. */
  place: readonly string[]
}

/**
 * The name of an index is a fingerprint of what it is made of: `<folder>-<embedder and versions>-<dimensions>`, in
 * letters, digits and dashes, which is a name anywhere.
 */
export function generationName(made: GenerationOf, dimensions: number): string {
  return `${likeness(made)}${dimensions}`
}

/** What the names of a folder's generations begin with. */
export function folderPrefix({ folder }: Pick<GenerationOf, 'folder'>): string {
  return `f${fingerprint(folder)}-`
}

/** What the names of the generations begin with that differ in their dimensions only. */
export function likeness({ folder, embedder = '', place }: GenerationOf): string {
  return `${folderPrefix({ folder })}${fingerprint(JSON.stringify([madeBy, embedder, ...place]))}-`
}

/** The length of a generation's vectors; 0 where it has none. */
export function dimensionsOf(generation: string): number {
  return Number(generation.slice(generation.lastIndexOf('-') + 1)) || 0
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}
