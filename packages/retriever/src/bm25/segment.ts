/**
 * An immutable part of the index: which documents say which words, and how often. Documents are numbered twice: here
 * from 0 on, in the store by ascending numbers that are never given again.
 */
export type Segment = {
  /** The store's numbers of its documents, ascending. */
  docs: Int32Array
  /** The number of each document's file. */
  files: Int32Array
  /** How many words each document has. */
  lengths: Uint16Array
  /** All terms in the order of JavaScript's `<`, without anything between. */
  terms: Buffer
  /** Where each term begins, and where the last one ends. */
  termStarts: Uint32Array
  /** Where each term's postings begin, and where the last one's end. */
  postingStarts: Uint32Array
  /** Documents by their number in the segment, ascending for each term. */
  postings: Uint16Array
  /** How often the term stands in the document of the same place in `postings`. */
  frequencies: Uint8Array
}

/** As many documents as 16 bits can number. */
export const mostDocs = 0xffff

const magic = 0x35_32_6d_62
const headerBytes = 16

/** The segment as bytes, for `decodeSegment`. */
export function encodeSegment(segment: Segment): Uint8Array {
  const { docs, termStarts, postings, terms } = segment
  const header = Int32Array.of(magic, docs.length, termStarts.length - 1, postings.length)
  const parts = [header, ...columnsOf(segment), terms]
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at)
    at += part.byteLength
  }
  return bytes
}

/** The wide ones first, so that each stands where its width wants it. */
function columnsOf(segment: Segment): (Int32Array | Uint32Array | Uint16Array | Uint8Array)[] {
  const { docs, files, termStarts, postingStarts, lengths, postings, frequencies } = segment
  return [docs, files, termStarts, postingStarts, lengths, postings, frequencies]
}

/** Views on the bytes, which are not copied; undefined when they are no segment. */
export function decodeSegment({ buffer, byteLength }: Uint8Array<ArrayBuffer>): Segment | undefined {
  if (byteLength < headerBytes) return undefined
  const [found, docs = 0, terms = 0, postings = 0] = new Int32Array(buffer, 0, headerBytes / 4)
  if (found !== magic || headerBytes + docs * 10 + terms * 8 + postings * 3 > byteLength) return undefined
  let at = headerBytes
  const take = (width: number, count: number): [ArrayBuffer, number, number] => {
    at += width * count
    return [buffer, at - width * count, count]
  }
  return {
    docs: new Int32Array(...take(4, docs)),
    files: new Int32Array(...take(4, docs)),
    termStarts: new Uint32Array(...take(4, terms + 1)),
    postingStarts: new Uint32Array(...take(4, terms + 1)),
    lengths: new Uint16Array(...take(2, docs)),
    postings: new Uint16Array(...take(2, postings)),
    frequencies: new Uint8Array(...take(1, postings)),
    terms: Buffer.from(buffer, at, byteLength - at),
  }
}

export function termAt({ terms, termStarts }: Segment, place: number): string {
  return terms.toString('utf8', termStarts[place], termStarts[place + 1])
}

/** The place of a term among the segment's; -1 when nobody says it. */
export function findTerm(segment: Segment, term: string): number {
  let low = 0
  let high = segment.termStarts.length - 2
  while (low <= high) {
    const middle = (low + high) >> 1
    const there = termAt(segment, middle)
    if (there === term) return middle
    if (there < term) low = middle + 1
    else high = middle - 1
  }
  return -1
}
