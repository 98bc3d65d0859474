import type { TimeSlices } from '../util/time-slices.ts'
import type { LiveSegment } from './live-segment.ts'
import { type Segment, termAt } from './segment.ts'
import { termWriter } from './term-writer.ts'

/** Marks a document that the merge drops. */
const dead = 0xffff

/** Merges segments, given in the order of their documents, into one without the deleted documents. */
export async function mergeSegments(sources: readonly LiveSegment[], slices: TimeSlices): Promise<Segment> {
  const { docs, files, lengths, heads } = renumber(sources)
  const most = sources.reduce((sum, { segment }) => sum + segment.postings.length, 0)
  const postings = new Uint16Array(most)
  const frequencies = new Uint8Array(most)
  const postingStarts = [0]
  const writer = termWriter()
  let count = 0

  for (;;) {
    const term = firstTerm(heads)
    if (term === undefined) break
    const before = count
    for (const head of heads) {
      if (head.term !== term) continue
      const { segment, numbers, place } = head
      const end = segment.postingStarts[place + 1] ?? 0
      for (let posting = segment.postingStarts[place] ?? 0; posting < end; posting++) {
        const number = numbers[segment.postings[posting] ?? 0] ?? dead
        if (number === dead) continue
        postings[count] = number
        frequencies[count] = segment.frequencies[posting] ?? 0
        count++
      }
      step(head)
    }
    if (count > before) {
      writer.write(term)
      postingStarts.push(count)
    }
    if (slices.isOver) await slices.next()
  }
  return {
    docs,
    files,
    lengths,
    ...writer.end(),
    postingStarts: Uint32Array.from(postingStarts),
    postings: postings.subarray(0, count),
    frequencies: frequencies.subarray(0, count),
  }
}

/** The position of the merge in one segment, and the new numbers of that segment's documents. */
type Head = { segment: Segment; numbers: Uint16Array; place: number; term: string | undefined }

function renumber(sources: readonly LiveSegment[]): Pick<Segment, 'docs' | 'files' | 'lengths'> & { heads: Head[] } {
  const docs: number[] = []
  const files: number[] = []
  const lengths: number[] = []
  const heads = sources.map(({ segment, isDead }): Head => {
    const numbers = new Uint16Array(segment.docs.length).fill(dead)
    for (const [number, doc] of segment.docs.entries()) {
      if (isDead?.[number] === 1) continue
      numbers[number] = docs.length
      docs.push(doc)
      files.push(segment.files[number] ?? 0)
      lengths.push(segment.lengths[number] ?? 0)
    }
    const head: Head = { segment, numbers, place: -1, term: undefined }
    step(head)
    return head
  })
  return { docs: Int32Array.from(docs), files: Int32Array.from(files), lengths: Uint16Array.from(lengths), heads }
}

function step(head: Head): void {
  head.place++
  head.term = head.place < head.segment.termStarts.length - 1 ? termAt(head.segment, head.place) : undefined
}

function firstTerm(heads: readonly Head[]): string | undefined {
  let first: string | undefined
  for (const { term } of heads) if (term !== undefined && (first === undefined || term < first)) first = term
  return first
}
