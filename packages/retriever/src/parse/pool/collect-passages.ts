import type { Chunk } from '../../data/chunk.ts'
import type { ChunkSlices } from '../../data/chunk-slices.ts'
import { type PackedPart, unpackBytes } from '../../data/pack-chunks.ts'
import { packedChunks } from '../../data/packed-chunks.ts'
import type { ParsePart } from '../pieces/worker-messages.ts'
import type { Spool, SpooledChunks, Spools } from './spool.ts'

/** Receives the parts of a file's result. */
export interface PartTaker {
  add(part: ParsePart): void
  /** Discards the added passages, because the file is read again. */
  clear(): void
}

/** The number of bytes of packed passages that are kept in memory; passages of a larger file are written to disk. */
const mostHeld = 2_000_000

/** Passages as they are collected: `isPacked` leaves those in memory as bytes, for another process. */
export type CollectOptions = { spools?: Spools; isPacked?: boolean }

/** Collects the passages of a file as its parts arrive. */
export function collectPassages(
  file: string,
  { spools, isPacked = false }: CollectOptions,
): PartTaker & { end(): Chunk[] | SpooledChunks | ChunkSlices; drop(): void } {
  let parts: PackedPart[] = []
  let held = 0
  let spool: Spool | undefined

  return {
    add(part) {
      if (!('packed' in part) || part.count === 0) return
      parts.push(part)
      held += part.packed.length
      if (!spools || (!spool && held <= mostHeld)) return
      spool ??= spools.open()
      for (const one of parts.splice(0)) spool.add(one.packed, one.count)
    },
    clear() {
      parts = []
      held = 0
      spool?.clear()
    },
    end: () =>
      spool?.chunks(file) ??
      (isPacked ? packedChunks(file, parts) : parts.flatMap(({ packed }) => unpackBytes(file, packed))),
    drop: () => spool?.close(),
  }
}
