import type { Chunk } from '../../data/chunk.ts'
import { packBytes, unpackBytes, unpackChunks } from '../../data/pack-chunks.ts'
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

/** Collects the passages of a file as its parts arrive. */
export function collectPassages(
  file: string,
  spools: Spools | undefined,
): PartTaker & { end(): Chunk[] | SpooledChunks; drop(): void } {
  let parts: ParsePart[] = []
  let held = 0
  let spool: Spool | undefined

  const spill = (to: Spool, part: ParsePart): void => {
    if ('packed' in part) {
      to.add(part.packed, part.count)
      return
    }
    const chunks = chunksOf(file, part)
    if (chunks.length > 0) to.add(packBytes(chunks), chunks.length)
  }
  return {
    add(part) {
      if (spool) {
        spill(spool, part)
        return
      }
      parts.push(part)
      if ('packed' in part) held += part.packed.length
      if (held <= mostHeld || !spools) return
      spool = spools.open()
      for (const one of parts.splice(0)) spill(spool, one)
    },
    clear() {
      parts = []
      held = 0
      spool?.clear()
    },
    end: () => spool?.chunks(file) ?? parts.flatMap((part) => chunksOf(file, part)),
    drop: () => spool?.close(),
  }
}

function chunksOf(file: string, part: ParsePart): Chunk[] {
  if ('packed' in part) return unpackBytes(file, part.packed)
  return 'chunks' in part ? unpackChunks(file, part.chunks) : []
}
