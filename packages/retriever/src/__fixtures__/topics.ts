import type { Embedder } from '@agentkit/core'
import type { NewChunk } from '../data/chunk.ts'
import { makeFile } from './make-file.ts'

/** Texts of a made-up language, each about one topic, whose words have it in common and nothing else. */
export const topicCount = 80
const wordsOfTopic = 60
const vowels = 'aeiou'
const consonants = 'bdfgklmnprstvz'

/** A topic's word; all words differ in their first letters. */
export function topicWord(topic: number, index: number): string {
  let rest = topic * wordsOfTopic + index
  let word = ''
  for (const letters of [consonants, vowels, consonants, vowels]) {
    word += letters[rest % letters.length]
    rest = Math.floor(rest / letters.length)
  }
  return `${word}n`
}

/** A passage of `length` words about a topic. */
export function passageOf(topic: number, seed: number, length = 36): string {
  return Array.from({ length }, (_, at) => topicWord(topic, hashOf(`${seed} ${at}`) % wordsOfTopic)).join(' ')
}

/** Chunks about all topics in turn, each a file of its own, with the embedder's vectors. */
export async function topicChunks(count: number, embedder?: Embedder): Promise<NewChunk[]> {
  const texts = Array.from({ length: count }, (_, index) => passageOf(index % topicCount, index))
  const vectors = await embedder?.embed(texts, AbortSignal.timeout(10_000), 'document')
  return texts.flatMap((quote, index) => {
    const vector = vectors?.[index]
    const passage = vector ? { quote, vector: unit(vector) } : quote
    return makeFile(`topics/${index}.md`, [passage], { dimensions: vector?.length }).chunks
  })
}

/** Knows which words are about the same. */
export function knowingEmbedder(id = 'fake/knowing'): Embedder {
  const topics = new Map<string, number>()
  for (let topic = 0; topic < topicCount; topic++) {
    for (let index = 0; index < wordsOfTopic; index++) topics.set(topicWord(topic, index), topic)
  }
  return embedderOf(id, topicCount, (text, vector) => {
    for (const word of text.split(' ')) add(vector, topics.get(word))
  })
}

/** Knows which words are the same, roughly. */
export function wordEmbedder(id = 'fake/words'): Embedder {
  return embedderOf(id, 64, (text, vector) => {
    for (const word of text.split(' ')) add(vector, hashOf(word) % vector.length)
  })
}

/** Knows the same texts again. */
export function randomEmbedder(id = 'fake/random'): Embedder {
  return embedderOf(id, 128, (text, vector) => {
    let state = hashOf(text)
    for (let index = 0; index < vector.length; index++) {
      state = hashOf(`${state} ${index}`)
      vector[index] = state / 2 ** 31 - 1
    }
  })
}

/** Knows nothing. */
export function constantEmbedder(id = 'fake/constant'): Embedder {
  return embedderOf(id, 8, (_text, vector) => void vector.fill(1))
}

/** Answers for the texts that it is given, and elsewhere as another does. */
export function embedderWith(known: ReadonlyMap<string, Float32Array>, other: Embedder): Embedder {
  const embed: Embedder['embed'] = async (texts, signal, task) => {
    const vectors = await other.embed(texts, signal, task)
    return texts.map((text, index) => known.get(text) ?? (vectors[index] as Float32Array))
  }
  return { ...other, embed }
}

function embedderOf(id: string, dimensions: number, fill: (text: string, vector: Float32Array) => void): Embedder {
  return {
    id,
    dimensions,
    embed: async (texts) =>
      texts.map((text) => {
        const vector = new Float32Array(dimensions)
        fill(text, vector)
        return vector
      }),
  }
}

function add(vector: Float32Array, index: number | undefined): void {
  if (index !== undefined) vector[index] = (vector[index] ?? 0) + 1
}

function hashOf(text: string): number {
  let hash = 0x811c_9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193) >>> 0
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 0
  return (hash ^ (hash >>> 13)) >>> 0
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((number) => number / (length || 1))
}
