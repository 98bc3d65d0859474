import type { LiveSegment } from './live-segment.ts'
import { findTerm } from './segment.ts'
import { topList } from './top-list.ts'

/** A word of a query with its frequency in the query. */
export type QueryWord = {
  count: number
  /** The index terms that match it, each with its weight relative to the word itself. */
  forms: readonly { term: string; weight: number }[]
}

export type RankOptions = {
  limit: number
  /** 1 for each file number whose documents may be found. Absent: all files. */
  allowed?: Uint8Array | undefined
}

/** BM25's k1 (saturation of the term frequency) and b (normalisation by document length). */
const k1 = 1.2
const b = 0.75

/**
 * Ranks the documents that contain words of the query by BM25, the best first. Word weights are computed from documents
 * that are not deleted, so an index with a long history ranks like a new one.
 */
export function rank(
  segments: readonly LiveSegment[],
  query: readonly QueryWord[],
  { limit, allowed }: RankOptions,
): { doc: number; score: number }[] {
  const docs = segments.reduce((sum, segment) => sum + segment.docs, 0)
  const words = segments.reduce((sum, segment) => sum + segment.words, 0)
  const averageLength = words / Math.max(docs, 1) || 1

  const hits = segments.map((): Hit[] => [])
  for (const { count, forms } of query) {
    const found = forms.flatMap(({ term, weight }) => findEverywhere(segments, term, weight))
    const documentFrequency = found.reduce((sum, { docs }) => sum + docs, 0)
    const rarity = Math.log(1 + Math.max(docs - documentFrequency + 0.5, 0.5) / (documentFrequency + 0.5))
    for (const { place, segment, weight } of found) hits[segment]?.push({ place, weight: weight * rarity * count })
  }

  const best = topList(limit)
  for (const [number, live] of segments.entries()) {
    const found = hits[number] ?? []
    if (found.length === 0) continue
    const scores = scoresOf(live, found, averageLength)
    const { segment, isDead } = live
    for (let doc = 0; doc < scores.length; doc++) {
      const score = scores[doc] ?? 0
      if (score === 0 || isDead?.[doc] === 1) continue
      if (allowed && allowed[segment.files[doc] ?? 0] !== 1) continue
      best.offer(segment.docs[doc] ?? 0, score)
    }
  }
  return best.end()
}

/** A term of the query in one segment. */
type Hit = { place: number; weight: number }

function findEverywhere(
  segments: readonly LiveSegment[],
  term: string,
  weight: number,
): { segment: number; place: number; docs: number; weight: number }[] {
  const found = []
  for (const [segment, live] of segments.entries()) {
    const place = findTerm(live.segment, term)
    if (place >= 0) found.push({ segment, place, docs: countLiving(live, place), weight })
  }
  return found
}

/** The number of documents with the term that are not deleted. */
function countLiving({ segment, isDead }: LiveSegment, place: number): number {
  const from = segment.postingStarts[place] ?? 0
  const to = segment.postingStarts[place + 1] ?? 0
  if (!isDead) return to - from
  let count = 0
  for (let posting = from; posting < to; posting++) count += 1 - (isDead[segment.postings[posting] ?? 0] ?? 0)
  return count
}

/** The scores of a segment's documents, in an array that the next call reuses. */
function scoresOf({ segment }: LiveSegment, hits: readonly Hit[], averageLength: number): Float64Array {
  const { postings, frequencies, postingStarts, lengths } = segment
  if (scratch.length < lengths.length) scratch = new Float64Array(lengths.length)
  const scores = scratch.subarray(0, lengths.length).fill(0)
  const base = k1 * (1 - b)
  const perWord = (k1 * b) / averageLength
  for (const { place, weight } of hits) {
    const full = weight * (k1 + 1)
    const to = postingStarts[place + 1] ?? 0
    for (let posting = postingStarts[place] ?? 0; posting < to; posting++) {
      const doc = postings[posting] ?? 0
      const frequency = frequencies[posting] ?? 0
      scores[doc] = (scores[doc] ?? 0) + (full * frequency) / (frequency + base + perWord * (lengths[doc] ?? 0))
    }
  }
  return scores
}

let scratch = new Float64Array(1024)
