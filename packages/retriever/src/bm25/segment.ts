/**
 * An immutable part of the index: the documents of each word, with the word's frequencies. Documents have two numbers:
 * one within the segment, from 0 on, and an ascending one of the store, which is never reused.
 */
export type Segment = {
  /** The store's numbers of the documents, ascending. */
  docs: Int32Array
  /** The file number of each document. */
  files: Int32Array
  /** The number of words of each document. */
  lengths: Uint16Array
  /** All terms, sorted with JavaScript's `<` and concatenated without separators. */
  terms: Buffer
  /** The start of each term in `terms`, and the end of the last one. */
  termStarts: Uint32Array
  /** The start of each term's postings, and the end of the last one's. */
  postingStarts: Uint32Array
  /** Document numbers within the segment, ascending for each term. */
  postings: Uint16Array
  /** The frequency of the term in the document at the same index of `postings`. */
  frequencies: Uint8Array
}

/** The number of documents that 16 bits can address. */
export const mostDocs = 0xffff

const magic = 0x35_32_6d_62
const headerBytes = 16

/** Encodes a segment as bytes for `decodeSegment`. */
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

/** The columns with wide elements come first, so that each column is aligned. */
function columnsOf(segment: Segment): (Int32Array | Uint32Array | Uint16Array | Uint8Array)[] {
  const { docs, files, termStarts, postingStarts, lengths, postings, frequencies } = segment
  return [docs, files, termStarts, postingStarts, lengths, postings, frequencies]
}

/** Returns views of the bytes, without a copy; undefined when the bytes are not a segment. */
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

/** The index of a term in the segment; -1 when the segment does not contain it. */
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
