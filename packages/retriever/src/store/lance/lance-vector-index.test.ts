import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { adding, makeFile, never, vectorOf } from '../../__fixtures__/make-file.ts'
import type { Store } from '../store.ts'
import { guardOf } from './lance-error.ts'
import { readMeta } from './lance-meta.ts'
import { loadLance } from './lance-package.ts'
import { lancePlaces } from './lance-places.ts'
import { lanceSpace } from './lance-space.ts'
import type { LanceTable } from './lance-table.ts'
import { keepVectorIndex } from './lance-vector-index.ts'

const dimensions = 64
const many = 1200
let folder: string
let store: Store
let at: LanceTable
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
  store = await lanceSpace(folder).open('first', { dimensions })
  const passages = Array.from({ length: many }, (_, number) => `Passage ${number}`)
  await store.apply(adding(makeFile('a.md', passages, { dimensions })), never)
  const lance = loadLance()
  const table = await (await lance.lancedb.connect(folder, { readConsistencyInterval: 0 })).openTable('first')
  const address = { kind: 'lance', uri: folder, generation: 'first', dimensions } as const
  const parts = { lance, table, schema: await table.schema(), dimensions, address }
  at = { ...parts, guard: guardOf(folder), places: lancePlaces() }
})
afterEach(async () => {
  at.table.close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const indexes = async (): Promise<string[]> => (await at.table.listIndices()).map(({ name }) => name)

it('compares each vector while they are few', async () => {
  await keepVectorIndex(at)
  expect(await indexes()).toEqual(['text_idx'])
  expect(await readMeta(at)).toEqual({})
})

it('makes an index once they are many, and again only when they have doubled', async () => {
  await store.setMeta({ embedder: 'acme/small' })
  await keepVectorIndex(at, { from: 1000 })
  expect(await indexes()).toContain('vector_idx')
  const { vectorIndex, ...rest } = await readMeta(at)
  expect(vectorIndex).toMatchObject({ rows: many, recall: expect.toSatisfy((recall) => recall >= 0.95) })
  expect(rest).toEqual({ embedder: 'acme/small' })
  expect(await store.meta()).toEqual({ embedder: 'acme/small' })

  const version = await at.table.version()
  await keepVectorIndex(at, { from: 1000 })
  expect(await at.table.version()).toBe(version)
})

it('finds by the index, also with a filter, and rows that were added after it', async () => {
  await keepVectorIndex(at, { from: 1000 })
  const late = makeFile('late.md', ['A late passage'], { dimensions })
  await store.apply(adding(late), never)
  const nearest = await store.searchVector(vectorOf('A late passage', dimensions), { limit: 3, filter: {} })
  expect(nearest[0]).toMatchObject({ id: late.chunks[0]?.id, score: expect.closeTo(1, 4) })
  const filter = { paths: ['late.md'] }
  expect(await store.searchVector(vectorOf('Passage 7', dimensions), { limit: 3, filter })).toHaveLength(1)
})

it('drops an index that does not find enough, and remembers that', async () => {
  await keepVectorIndex(at, { from: 1000, least: 1.01 })
  expect(await indexes()).toEqual(['text_idx'])
  expect((await readMeta(at)).vectorIndex).toMatchObject({ rows: many })
})
