import { afterEach, expect, it } from 'vitest'
import { type CloudUnderTest, cloudUnderTest, dimensions, fileOf, idsOf } from '../../__fixtures__/cloud-test-space.ts'
import { adding, makeFile, never, unit } from '../../__fixtures__/make-file.ts'
import { storeContract } from '../../__fixtures__/store-contract.ts'

let subject: CloudUnderTest | undefined
afterEach(async () => {
  await subject?.cleanup()
  subject = undefined
})

storeContract('A cloud index', async () => {
  const { again, cleanup } = await cloudUnderTest()
  return { space: again(), reopen: async () => again(), cleanup }
})

it.each([
  ['of pods', { pod: true }],
  ['of the metric dotproduct', { metric: 'dotproduct' }],
  ['of the metric euclidean', { metric: 'euclidean' }],
] as const)('A Pinecone index %s does as well', async (_what, kind) => {
  subject = await cloudUnderTest(kind)
  const space = subject.again()
  const store = await space.open('first', { dimensions })
  const east = unit([1, 0, 0, 0, 0, 0, 0, 0])
  const north = unit([1, 1, 0, 0, 0, 0, 0, 0])
  const compass = [
    { quote: 'north', vector: north },
    { quote: 'west', vector: east.map((value) => -value) },
    { quote: 'east', vector: east },
  ]
  const file = makeFile('docs/compass.md', compass, { dimensions })
  await store.apply(adding(file, fileOf('b.txt', 3)), never)
  const found = await store.searchVector(east, { limit: 3, filter: { paths: ['docs/'], exts: ['.md'] } })
  expect(found.map(({ id }) => file.chunks.find((chunk) => chunk.id === id)?.quote)).toEqual(['east', 'north', 'west'])
  expect(found.map(({ score }) => score)).toEqual([1, Math.SQRT1_2, -1].map((score) => expect.closeTo(score, 5)))
  await store.apply({ changed: [], removed: ['b.txt'] }, never)
  expect(subject.idsThere()).toEqual(idsOf(file))
  expect(await store.verify()).toEqual([])
  await store.close()
  await space.drop('first')
  expect(subject.idsThere()).toEqual([])
})
