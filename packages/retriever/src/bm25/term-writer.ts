import { grown } from './grown.ts'
import type { Segment } from './segment.ts'

/** Writes sorted terms in the layout of a segment. */
export interface TermWriter {
  write(term: string): void
  end(): Pick<Segment, 'terms' | 'termStarts'>
}

export function termWriter(): TermWriter {
  let bytes = Buffer.allocUnsafeSlow(1 << 16)
  let starts = new Uint32Array(1 << 12)
  let count = 0
  let at = 0

  return {
    write(term) {
      // UTF-8 needs at most three bytes per code unit.
      while (at + term.length * 3 > bytes.length) bytes = Buffer.from(grown(new Uint8Array(bytes.buffer)).buffer)
      at += bytes.write(term, at)
      count++
      if (count >= starts.length) starts = grown(starts)
      starts[count] = at
    },
    end: () => ({ terms: bytes.subarray(0, at), termStarts: starts.slice(0, count + 1) }),
  }
}
