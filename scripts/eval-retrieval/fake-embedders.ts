import type { Embedder } from '@agentkit/core'
import type { Collection, Document } from './collection.ts'
import { randomVector, seedOf } from './random-numbers.ts'

/** Embedders without a network: bad ones, to test the fusion with text search, and an ideal one. */
export const fakeEmbedders: Record<string, (collection: Collection) => Embedder> = {
  random: () => embedderOf('fake/random', (text) => randomVector(seedOf(text), dimensions)),
  constant: () => embedderOf('fake/constant', () => new Float32Array(dimensions).fill(1)),
  hashed: () => embedderOf('fake/hashed', hashWords),
  oracle,
}

const dimensions = 256

function embedderOf(id: string, toVector: (text: string) => Float32Array): Embedder {
  return { id, dimensions, embed: async (texts) => texts.map(toVector) }
}

function hashWords(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const seed = seedOf(word)
    vector[seed % dimensions] = (vector[seed % dimensions] ?? 0) + (seed & 0x8000_0000 ? -1 : 1)
  }
  return vector
}

/** Uses the judgments: each query is a direction, and a document lies near the queries that it answers. */
function oracle({ documents, queries }: Collection): Embedder {
  const asked = new Map(queries.map(({ id, text }) => [text, randomVector(seedOf(`query ${id}`), dimensions)]))
  const vectors = new Map(documents.map(({ id }) => [id, randomVector(seedOf(`document ${id}`), dimensions)]))
  for (const { text, relevant } of queries) {
    const direction = asked.get(text)
    for (const [document, grade] of relevant) {
      vectors.get(document)?.forEach((value, index, vector) => {
        vector[index] = value + 2 * grade * (direction?.[index] ?? 0)
      })
    }
  }
  const documentOf = finderOf(documents)
  return embedderOf('fake/oracle', (text) => {
    const document = documentOf(text)
    return asked.get(text) ?? (document && vectors.get(document.id)) ?? randomVector(seedOf(text), dimensions)
  })
}

/** The number of letters that distinguish documents. */
const tellingLetters = 40

/** Finds the document of a passage by its end, because it begins with headings. */
function finderOf(documents: readonly Document[]): (passage: string) => Document | undefined {
  const ends: number[] = []
  let all = ''
  for (const { text } of documents) {
    all += `${lettersOf(text)}\n`
    ends.push(all.length)
  }
  return (passage) => {
    const at = all.indexOf(lettersOf(passage).slice(-tellingLetters))
    return at < 0 ? undefined : documents[ends.findIndex((end) => at < end)]
  }
}

/** The text without markup and white space. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
