import type { NewChunk } from './chunk.ts'

/** The places of packed chunks in an open file. Plain data: a process that inherits the descriptor can read them. */
export type SpoolParts = { file: string; descriptor: number; parts: readonly { at: number; bytes: number }[] }

/**
 * The chunks of a file that come a slice at a time, in their order: it is too large to hold all of them in memory, or
 * they are packed.
 */
export interface ChunkSlices {
  /** How many chunks there are. */
  readonly length: number
  /**
   * All chunks, from the first on; may be called several times.
   * @param options.vectors whether they are to have their vectors, which takes a look at where these are; absent, they
   * are not
   */
  slices(options?: { vectors?: boolean }): AsyncIterable<readonly NewChunk[]>
  /** The place where another process can read the same chunks in slices, without their vectors. */
  readonly spool?: SpoolParts
  /** The same chunks, by `packBytes`. */
  readonly packed?: readonly Uint8Array[]
}

export function isSliced(chunks: readonly NewChunk[] | ChunkSlices | 'keep'): chunks is ChunkSlices {
  return typeof chunks === 'object' && 'slices' in chunks
}

/** The chunks of a file, whether it is large or not. */
export async function* slicesOf(
  chunks: readonly NewChunk[] | ChunkSlices,
  options?: { vectors?: boolean },
): AsyncGenerator<readonly NewChunk[], void, undefined> {
  if (isSliced(chunks)) yield* chunks.slices(options)
  else yield chunks
}
