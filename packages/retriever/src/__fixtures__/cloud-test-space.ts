import type { CloudOptions } from '@agentkit/core/internal'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloudSpace, type CloudSpaceOptions } from '../store/pinecone/cloud-space.ts'
import type { Store, StoreSpace } from '../store/store.ts'
import type { NewChunk } from '../data/chunk.ts'
import { fakePinecone } from './fake-pinecone.ts'
import type { FakePinecone } from './fake-pinecone-types.ts'
import type { FakeIndex, NewIndex } from './fake-pinecone-index.ts'
import { makeFile } from './make-file.ts'

export const dimensions = 8

/** A cloud space on a folder of its own, over a Pinecone of its own, that waits for nothing. */
export type CloudUnderTest = {
  fake: FakePinecone
  index: FakeIndex
  folder: string
  /** Another handle on the same place. */
  again(cloud?: CloudOptions, timing?: CloudSpaceOptions['timing']): StoreSpace
  /** The ids of a generation that Pinecone has. */
  idsThere(generation?: string): string[]
  cleanup(): Promise<void>
}

export async function cloudUnderTest(kind: Partial<NewIndex> = {}): Promise<CloudUnderTest> {
  const fake = await fakePinecone()
  const index = fake.add({ name: 'docs', dimension: dimensions, ...kind })
  const folder = await mkdtemp(join(tmpdir(), 'cloud-'))
  const spaces: StoreSpace[] = []
  return {
    fake,
    index,
    folder,
    again(cloud = {}, timing = {}) {
      const access = { apiKey: fake.apiKey, controllerHostUrl: fake.url, indexName: 'docs', namespace: 'test' }
      const space = cloudSpace({
        folder,
        retrievalTool: 'cloudindex-serverless',
        cloud: { ...access, ...cloud },
        retry: { attempts: 3, firstWaitMs: 1 },
        timing: { pollMs: 1, ...timing },
      })
      spaces.push(space)
      return space
    },
    idsThere: (generation = 'first') => [...(index.namespaces.get(`test-${generation}`)?.keys() ?? [])].sort(),
    async cleanup() {
      for (const space of spaces) await space.close()
      await fake.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type File = ReturnType<typeof makeFile>

/** A file with this number of passages: `Honey 0`, `Honey 1`, … */
export function fileOf(name: string, count: number, word = 'Honey', length: number = dimensions): File {
  const passages = Array.from({ length: count }, (_, place) => `${word} ${place}`)
  return makeFile(name, passages, { dimensions: length })
}

export function idsOf(...files: { chunks: readonly NewChunk[] }[]): string[] {
  return files.flatMap(({ chunks }) => chunks.map(({ id }) => id)).sort()
}

/** The ids of the nearest to a chunk's vector. */
export async function nearest(store: Store, chunk: NewChunk | undefined, limit = 1): Promise<string[]> {
  const vector = chunk?.vector ?? new Float32Array(dimensions)
  return (await store.searchVector(vector, { limit, filter: {} })).map(({ id }) => id)
}
