import type { Segment } from './segment.ts'

/** A segment with the deletions of its documents since it was written. */
export type LiveSegment = {
  segment: Segment
  /** 1 for each deleted document; absent when no document is deleted. */
  isDead?: Uint8Array
  /** The number of documents that are not deleted, and the total number of their words. */
  docs: number
  words: number
}

/** @param deadBits one bit per document, the lowest first; empty when no document is deleted */
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
