import type { ChunkSlices } from './chunk-slices.ts'
import { type PackedPart, unpackBytes } from './pack-chunks.ts'

/** All passages of a file, which another process takes as they are. */
export function packedChunks(file: string, parts: readonly PackedPart[]): ChunkSlices {
  return {
    length: parts.reduce((sum, { count }) => sum + count, 0),
    packed: parts.map(({ packed }) => packed),
    async *slices() {
      for (const { packed } of parts) yield unpackBytes(file, packed)
    },
  }
}
