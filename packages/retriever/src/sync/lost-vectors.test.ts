import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CloudUnderTest, cloudUnderTest } from '../__fixtures__/cloud-test-space.ts'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { paragraphPool } from '../__fixtures__/paragraph-pool.ts'
import { checkRetrieverOptions } from '../options.ts'
import { type Retriever, retrieverOf } from '../retriever.ts'

let cloud: CloudUnderTest
let folder: string
const embedder = countingEmbedder('acme/small', { dimensions: 8 })
const opened: Retriever[] = []
beforeEach(async () => {
  cloud = await cloudUnderTest()
  folder = join(cloud.folder, 'files')
  await mkdir(folder)
  await writeFile(join(folder, 'a.md'), 'Bees make honey\n\nBees dance')
  await writeFile(join(folder, 'b.md'), 'Wasps make paper')
  await retriever().sync()
  await closeAll()
  embedder.texts.length = 0
})
afterEach(async () => {
  await closeAll()
  await cloud.cleanup()
})

/** As another process would create it. */
function retriever(): Retriever {
  const settings = checkRetrieverOptions({ folder, indexPath: join(cloud.folder, 'index'), embedder })
  const made = retrieverOf(settings, {
    pool: paragraphPool(),
    openSpace: () => cloud.again(),
    measureTrust: async () => 1,
  })
  opened.push(made)
  return made
}

async function closeAll(): Promise<void> {
  for (const made of opened.splice(0)) await made.close()
}

/** The only namespace. */
function vectors(): Map<string, unknown> {
  const [all] = cloud.index.namespaces.values()
  return all ?? new Map()
}

it('are sent again by the next sync, and no others', async () => {
  const [lost = ''] = vectors().keys()
  vectors().delete(lost)
  const again = retriever()
  expect(await again.sync()).toMatchObject({ indexed: 1, unchanged: 1, chunks: 3 })
  expect(embedder.texts).toHaveLength(1)
  expect(vectors().size).toBe(3)
  expect(await again.verify()).toEqual([])
})

it('are sent again when the namespace was emptied', async () => {
  cloud.index.namespaces.clear()
  expect(await retriever().sync()).toMatchObject({ indexed: 2, chunks: 3 })
  expect(vectors().size).toBe(3)
  await closeAll()
  embedder.texts.length = 0
  expect(await retriever().sync()).toMatchObject({ indexed: 0, unchanged: 2 })
  expect(embedder.texts).toEqual([])
})

it('are sent again while the retriever is in use, once verify has reported them', async () => {
  const again = retriever()
  await again.sync()
  cloud.index.namespaces.clear()
  expect(await again.verify()).toEqual([expect.stringMatching(/lacks 3. Sync again/)])
  expect(await again.sync()).toMatchObject({ indexed: 2 })
  expect(await again.verify()).toEqual([])
})

it('are searched once, by a request that may fail', async () => {
  const again = retriever()
  cloud.fake.requests.length = 0
  cloud.fake.fail({ of: 'stats', status: 503, times: 99 })
  expect(await again.sync()).toMatchObject({ indexed: 0, unchanged: 2 })
  cloud.fake.recover()
  cloud.fake.requests.length = 0
  await rm(join(folder, 'b.md'))
  await again.sync()
  await again.sync()
  expect(cloud.fake.requestsOf('stats')).toHaveLength(0)
})

it('are not reported while Pinecone has not counted them yet', async () => {
  let counts = 0
  const whole = [...vectors()]
  cloud.fake.onRequest = (operation) => {
    if (operation !== 'stats') return
    counts++
    const all = vectors()
    // The first two counts lag behind.
    if (counts <= 2) all.delete(whole[0]?.[0] ?? '')
    else for (const [id, vector] of whole) all.set(id, vector)
  }
  expect(await retriever().sync()).toMatchObject({ indexed: 0, unchanged: 2 })
  expect(counts).toBe(3)
  expect(embedder.texts).toEqual([])
})
