import type { ErrorCode } from '@agentkit/core'
import type { NewChunk } from '../data/chunk.ts'
import type { SpoolParts } from '../data/chunk-slices.ts'
import type { Change } from './store.ts'

/** Which index the writer opens. */
export type IndexAddress = { dimensions?: number } & (
  | { kind: 'sqlite'; path: string }
  | { kind: 'lance'; uri: string; generation: string; storageOptions?: Record<string, string> }
)

/** A change as the writer receives it. */
export type WriterChange = {
  index: IndexAddress
  removed: readonly string[]
  changed: readonly (Omit<Change['changed'][number], 'chunks'> & {
    chunks: readonly NewChunk[] | 'keep' | SpooledFile | PackedFile
  })[]
}

export type SpooledFile = { length: number; spool: SpoolParts }

/** In parts of `packBytes`. */
export type PackedFile = { packed: readonly Uint8Array[] }

export type ToWriter =
  | { type: 'change'; change: WriterChange }
  | { type: 'abort' }
  /** There are no more changes: index them, and exit. */
  | { type: 'end' }
  /** Maintain the index, and exit. */
  | { type: 'maintain'; index: IndexAddress }
  /** The vectors of the slice that was asked for, one for each of its chunks. */
  | { type: 'vectors'; vectors: readonly (Float32Array | undefined)[] }

export type FromWriter =
  /** Asks for the vectors of the next slice of the file at this index of `changed`. */
  | { type: 'vectors'; of: number }
  | { type: 'applied' }
  | { type: 'failed'; code: ErrorCode; message: string; retryable: boolean; cause?: unknown }
