import type { Embedder } from '@agentkit/core'
import { afterEach, describe, expect, it } from 'vitest'
import { never } from '../__fixtures__/make-file.ts'
import { type TestStore, testStore } from '../__fixtures__/test-store.ts'
import {
  constantEmbedder,
  embedderWith,
  knowingEmbedder,
  passageOf,
  randomEmbedder,
  topicChunks,
  topicCount,
  wordEmbedder,
} from '../__fixtures__/topics.ts'
import { knownMeanings } from './known-meanings.ts'
import { besideWords, measureTrust, unknownTrust, wordsOnlyTrust } from './trust.ts'
import { familyOf, wordsOf } from './words.ts'

let opened: TestStore | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function trustOf(embedder: Embedder, count = topicCount): Promise<number> {
  opened = await testStore(await topicChunks(count, embedder))
  return measureTrust(opened.store, embedder, never)
}

describe('an embedder', () => {
  it('that carries meaning is trusted', async () => {
    expect(await trustOf(knowingEmbedder())).toBeGreaterThan(0.6)
  })

  it('that matches words only is recognized, however well it finds by them', async () => {
    expect(await trustOf(wordEmbedder())).toBe(wordsOnlyTrust)
  })

  it.each([randomEmbedder(), constantEmbedder()])('without information is not trusted: $id', async (embedder) => {
    expect(await trustOf(embedder)).toBe(unknownTrust)
  })

  it.each([randomEmbedder(), wordEmbedder()])(
    'that knows whole passages alone is not judged by what it does elsewhere: $id',
    async (elsewhere) => {
      const known = await topicChunks(topicCount, knowingEmbedder())
      const vectors = known.map(({ quote, vector = new Float32Array() }) => [quote, vector] as const)
      const embedder = embedderWith(new Map(vectors), elsewhere)
      opened = await testStore(known)
      expect(await measureTrust(opened.store, embedder, never)).toBe(unknownTrust)
    },
  )

  it('without a model is not called', async () => {
    opened = await testStore(await topicChunks(30))
    const embed = (): never => expect.fail('asked')
    expect(await measureTrust(opened.store, { id: 'offline/hashed', embed }, never)).toBe(wordsOnlyTrust)
  })

  it('receives whether texts are queries or documents', async () => {
    const asked = new Map<string | undefined, string[]>()
    const inner = knowingEmbedder()
    const embedder: Embedder = {
      ...inner,
      async embed(texts, signal, task) {
        asked.set(task, [...(asked.get(task) ?? []), ...texts])
        return inner.embed(texts, signal)
      },
    }
    await trustOf(embedder)
    expect(asked.get('query')).toContain('How do I get my money back?')
    expect(asked.get('document')).toContain('Refunds are paid out within fourteen days.')
    expect([...asked.keys()].sort()).toEqual(['document', 'query'])
  })
})

it('throws our errors for any error of the embedder, and waits for no embedder after an abort', async () => {
  const failing: Embedder = { id: 'acme/small', embed: () => Promise.reject(new TypeError('no questions')) }
  opened = await testStore([])
  await expect(measureTrust(opened.store, failing, never)).rejects.toMatchObject({
    code: 'provider-error',
    message: 'The embedder acme/small failed: no questions',
  })
  const deaf: Embedder = { id: 'acme/small', embed: () => new Promise(() => {}) }
  await expect(measureTrust(opened.store, deaf, AbortSignal.timeout(20))).rejects.toMatchObject({ code: 'timeout' })
})

it('has no weight when it finds worse than words do, and full weight when it finds a tenth better', () => {
  expect([0.4, 0.46, 0.475, 0.55, 0.65].map((byMeaning) => besideWords(byMeaning, 0.5))).toEqual([0, 0, 0, 1, 1])
  expect(besideWords(0.5, 0.5)).toBeCloseTo(1 / 3)
  expect([0.95, 1].map((byMeaning) => besideWords(byMeaning, 1))).toEqual([0, 1])
})

describe('a general embedder', () => {
  const subject = new Map(
    knownMeanings.flatMap(({ question, answer }, at) => [[question, at] as const, [answer, at] as const]),
  )
  /** Carries the meaning of English, and finds passages like a hash of words. */
  const general = embedderWith(
    new Map([...subject].map(([text, at]) => [text, Float32Array.from({ length: 64 }, (_, index) => +(index === at))])),
    wordEmbedder('fake/general'),
  )

  it('is trusted in a folder that is too small for a trial', async () => {
    expect(await trustOf(general, 3)).toBe(1)
  })

  it('is recognized as useless where words find much better, even if it is good elsewhere', async () => {
    expect(await trustOf(general)).toBe(wordsOnlyTrust)
  })
})

it('is asked in words that the answers do not contain', () => {
  for (const { question, answer } of knownMeanings) {
    const said = new Set(wordsOf(answer).map(({ word }) => familyOf(word)))
    expect(
      wordsOf(question).filter(({ word }) => said.has(familyOf(word))),
      question,
    ).toEqual([])
  }
})

it('is tried on texts whose words show their topics', () => {
  const words = Array.from({ length: topicCount }, (_, topic) => new Set(passageOf(topic, 1).split(' ')))
  expect(new Set(words.flatMap((all) => [...all])).size).toBe(words.reduce((sum, all) => sum + all.size, 0))
})
