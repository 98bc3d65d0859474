import type { Segment } from './segment.ts'

/** A segment, and what has become of its documents since it was made. */
export type LiveSegment = {
  segment: Segment
  /** A 1 for each document that is dead; absent while all live. */
  isDead?: Uint8Array
  /** How many documents live, and how many words they have in all. */
  docs: number
  words: number
}

/** @param deadBits a bit for each document, the lowest first; empty while all live */
export function liveSegment(segment: Segment, deadBits: Uint8Array): LiveSegment {
  const isDead = new Uint8Array(segment.docs.length)
  let docs = 0
  let words = 0
  for (let number = 0; number < isDead.length; number++) {
    if (((deadBits[number >> 3] ?? 0) >> (number & 7)) & 1) {
      isDead[number] = 1
    } else {
      docs++
      words += segment.lengths[number] ?? 0
    }
  }
  return { segment, docs, words, ...(docs < isDead.length && { isDead }) }
}
