import type { TimeSlices } from '../util/time-slices.ts'
import { grown } from './grown.ts'
import { mostDocs, type Segment } from './segment.ts'
import { termWriter } from './term-writer.ts'
import { currentVocabulary, type Vocabulary, type Word } from './vocabulary.ts'
import { eachWord } from './words.ts'

/** Builds a segment from documents that are added one by one. */
export interface SegmentBuilder {
  readonly size: number
  /** Whether the segment accepts no more documents. */
  readonly isFull: boolean
  /** @param document.doc the store's number of the document, larger than the previous one */
  add(document: { doc: number; file: number; text: string }): void
  /** Returns the segment. Called once, after the last document. */
  build(slices: TimeSlices): Promise<Segment>
}

/** The largest values of the columns' types. */
const mostFrequent = 0xff
const longest = 0xffff

/** @param docsPerSegment the number of documents at which the segment is full */
export function segmentBuilder(docsPerSegment: number = mostDocs): SegmentBuilder {
  const vocabulary = currentVocabulary()
  const docs: number[] = []
  const files: number[] = []
  const lengths: number[] = []
  // Postings in the order of documents, with the numbers of the vocabulary; they are sorted by term at the end.
  let terms = new Uint32Array(1024)
  let postings = new Uint16Array(1024)
  let frequencies = new Uint8Array(1024)
  let count = 0
  // The document that is being added: its terms and their frequencies.
  let said: number[] = []
  let frequencyOf = new Uint8Array(1024)
  let length = 0

  const say = (number: number): void => {
    while (number >= frequencyOf.length) frequencyOf = grown(frequencyOf)
    const frequency = frequencyOf[number] ?? 0
    if (frequency === 0) said.push(number)
    if (frequency < mostFrequent) frequencyOf[number] = frequency + 1
  }
  const visit = (word: Word): void => {
    length += word.length
    if (word.number < 0) return
    say(word.number)
    if (word.others.length > 0) for (const number of word.others) say(number)
  }

  return {
    get size() {
      return docs.length
    },
    get isFull() {
      return docs.length >= docsPerSegment || vocabulary.isFull
    },

    add({ doc, file, text }) {
      eachWord(text, visit, vocabulary)
      while (count + said.length > terms.length) {
        terms = grown(terms)
        postings = grown(postings)
        frequencies = grown(frequencies)
      }
      for (const number of said) {
        terms[count] = number
        postings[count] = docs.length
        frequencies[count] = frequencyOf[number] ?? 0
        frequencyOf[number] = 0
        count++
      }
      docs.push(doc)
      files.push(file)
      lengths.push(Math.min(length, longest))
      said = []
      length = 0
    },

    async build(slices) {
      const writer = termWriter()
      const isFound = await foundTerms(terms.subarray(0, count), vocabulary, slices)
      const placeOf = new Uint32Array(vocabulary.terms.length)
      let places = 0
      for (const number of await vocabulary.inOrder(slices)) {
        if (isFound[number] !== 1) continue
        placeOf[number] = places++
        writer.write(vocabulary.terms[number] ?? '')
        if (slices.isOver) await slices.next()
      }
      const columns = await sortPostings({ terms, postings, frequencies, count }, { placeOf, places }, slices)
      return {
        docs: Int32Array.from(docs),
        files: Int32Array.from(files),
        lengths: Uint16Array.from(lengths),
        ...writer.end(),
        ...columns,
      }
    },
  }
}

type Postings = { terms: Uint32Array; postings: Uint16Array; frequencies: Uint8Array; count: number }

/** The number of postings that are moved between two checks of the clock. */
const stride = 50_000

/** 1 at the number of each term that has postings. */
async function foundTerms(numbers: Uint32Array, { terms }: Vocabulary, slices: TimeSlices): Promise<Uint8Array> {
  const isFound = new Uint8Array(terms.length)
  for (let from = 0; from < numbers.length; from += stride) {
    for (const number of numbers.subarray(from, from + stride)) isFound[number] = 1
    if (slices.isOver) await slices.next()
  }
  return isFound
}

/** Sorts postings by the positions of their terms; the sort is stable. */
async function sortPostings(
  { terms, postings, frequencies, count }: Postings,
  { placeOf, places }: { placeOf: Uint32Array; places: number },
  slices: TimeSlices,
): Promise<Pick<Segment, 'postingStarts' | 'postings' | 'frequencies'>> {
  const postingStarts = new Uint32Array(places + 1)
  const inStrides = async (work: (posting: number) => void): Promise<void> => {
    for (let from = 0; from < count; from += stride) {
      const to = Math.min(from + stride, count)
      for (let posting = from; posting < to; posting++) work(posting)
      if (slices.isOver) await slices.next()
    }
  }
  // Indices are within bounds by construction; `?? 0` satisfies the compiler.
  await inStrides((posting) => {
    const place = (placeOf[terms[posting] ?? 0] ?? 0) + 1
    postingStarts[place] = (postingStarts[place] ?? 0) + 1
  })
  for (let place = 1; place < postingStarts.length; place++) {
    postingStarts[place] = (postingStarts[place] ?? 0) + (postingStarts[place - 1] ?? 0)
  }
  const next = postingStarts.slice()
  const sorted = { postings: new Uint16Array(count), frequencies: new Uint8Array(count) }
  await inStrides((posting) => {
    const place = placeOf[terms[posting] ?? 0] ?? 0
    const to = next[place] ?? 0
    next[place] = to + 1
    sorted.postings[to] = postings[posting] ?? 0
    sorted.frequencies[to] = frequencies[posting] ?? 0
  })
  return { postingStarts, ...sorted }
}
