import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { adding, inSlices, makeFile, never, stored, vectorOf } from '../../__fixtures__/make-file.ts'
import type { ChunkSlices } from '../../data/chunk-slices.ts'
import type { Store, StoreSpace } from '../store.ts'
import { loadLance } from './lance-package.ts'
import { lanceSpace } from './lance-space.ts'

const dimensions = 8
let folder: string
let space: StoreSpace
let store: Store
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
  space = lanceSpace(folder)
  store = await space.open('first', { dimensions })
})
afterEach(async () => {
  await space.close()
  await rm(folder, { recursive: true, force: true })
})

/** The table as LanceDB sees it. */
async function rawTable() {
  const { lancedb } = loadLance()
  return (await lancedb.connect(folder, { readConsistencyInterval: 0 })).openTable('first')
}

const found = async (query: string): Promise<string[]> => {
  const hits = await store.searchText(query, { limit: 10, filter: {} })
  return (await store.chunks(hits.map(({ id }) => id))).map(({ quote }) => quote)
}

it('makes each change one commit', async () => {
  const table = await rawTable()
  await store.apply(adding(makeFile('a.md', ['One', 'Two']), makeFile('b.md', ['Three'])), never)
  const before = await table.version()
  const changed = [makeFile('a.md', ['One', 'Four']), makeFile('c.md', ['Five'])]
  await store.apply({ changed, removed: ['b.md'] }, never)
  expect((await table.version()) - before).toBe(1)
})

it('has another version where it was deleted and built again, by as many commits', async () => {
  await store.apply(adding(makeFile('a.md', ['One'])), never)
  const [number, version] = [await (await rawTable()).version(), await store.version()]
  await rm(join(folder, 'first.lance'), { recursive: true })
  const other = await lanceSpace(folder).open('first', { dimensions })
  await other.apply(adding(makeFile('b.md', ['Two'])), never)
  expect(await (await rawTable()).version()).toBe(number)
  expect(await store.version()).not.toBe(version)
  await other.close()
})

it('shows all of a large file at once, to searches too', async () => {
  const versions = ['Old', 'New'].map((word) =>
    makeFile(
      'a.csv',
      Array.from({ length: 400 }, (_, row) => `${word} row ${row} ${'x'.repeat(20_000)}`),
      { dimensions },
    ),
  )
  const [before, after] = versions.map(({ record, chunks }) => ({ record, chunks: inSlices(chunks) })) as [Large, Large]
  await store.apply(adding(before), never)
  const other = await lanceSpace(folder).open('first', { dimensions })
  const seen = new Set<string>()
  const look = async (): Promise<void> => {
    const hits = await other.searchText('row', { limit: 1_000, filter: {} })
    const near = await other.searchVector(new Float32Array(dimensions).fill(1), { limit: 1_000, filter: {} })
    const words = new Set((await other.chunksOf('a.csv')).map(({ quote }) => quote.slice(0, 3)))
    seen.add([hits.length, near.length, await other.count(), ...words].join(' '))
  }
  // Four commits add the new rows.
  const slices = (options?: { vectors?: boolean }) => lookedAt(after.chunks.slices(options))
  async function* lookedAt<Slice>(all: AsyncIterable<Slice>) {
    for await (const slice of all) {
      await look()
      yield slice
    }
  }
  await store.apply(adding({ record: after.record, chunks: { length: after.chunks.length, slices } }), never)
  await look()
  expect([...seen]).toEqual(['400 400 400 Old', '400 400 400 New'])
  await other.close()
})

type Large = { record: ReturnType<typeof makeFile>['record']; chunks: ChunkSlices }

it('hides the rows of an interrupted change, and deletes them at the next change', async () => {
  await store.apply(adding(makeFile('a.csv', ['Old row'], { dimensions })), never)
  const table = await rawTable()
  // The state that a process leaves if it is killed before its last commit.
  const left = makeFile('a.csv', ['New row', 'Old row'], { dimensions }).chunks
  await store.apply(adding({ record: makeFile('b.csv', []).record, chunks: left }), never)
  await table.update({ where: 'n >= 0 AND "text" = \'New row\'', valuesSql: { n: '-10 - n' } })

  expect(await found('row')).toEqual(['Old row'])
  expect(await store.searchVector(vectorOf('New row', dimensions), { limit: 10, filter: {} })).toHaveLength(1)
  expect(await store.sample(10)).toHaveLength(1)
  expect(await table.countRows('n <= -10')).toBe(1)
  await store.apply(adding(makeFile('c.md', ['Another'], { dimensions })), never)
  expect(await table.countRows('n <= -10')).toBe(0)
})

it('adds no chunk twice when several write the same at once, even without a lock', async () => {
  const change = adding(...Array.from({ length: 20 }, (_, number) => makeFile(`${number}.md`, ['One', 'Two', 'Three'])))
  const others = await Promise.all([0, 1].map(() => lanceSpace(folder).open('first', { dimensions })))
  await Promise.all([store, ...others].map((writer) => writer.apply(change, never)))
  expect(await store.count()).toBe(60)
  expect(await store.verify()).toEqual([])
  for (const other of others) await other.close()
})

it('takes tens of thousands of paths, which LanceDB does not survive', async () => {
  const files = ['a.md', 'b/a.md', 'b/c/a.md', 'd.md'].map((file) => makeFile(file, ['A word'], { dimensions }))
  await store.apply(adding(...files), never)
  const others = Array.from({ length: 40_000 }, (_, number) => `folder ${number}/`)
  const options = { limit: 10, filter: { paths: ['a.md', 'b/', 'd.md/', ...others] } }
  for (const hits of [
    await store.searchText('word', options),
    await store.searchText('wrod', { ...options, fuzzy: true }),
    await store.searchVector(new Float32Array(dimensions).fill(1), options),
  ]) {
    const chunks = await store.chunks(hits.map(({ id }) => id))
    expect(chunks.map(({ file }) => file).sort()).toEqual(['a.md', 'b/a.md', 'b/c/a.md'])
  }
  expect(await store.searchText('word', { limit: 10, filter: { paths: others } })).toEqual([])
})

it.each(['war', 'sea', 'care', 'face', '3', 'C++'])('finds the word %j, which LanceDB leaves out', async (word) => {
  await store.apply(adding(makeFile('a.md', [`Here is ${word} to be read`, 'And here is none'])), never)
  expect(await found(word)).toEqual([`Here is ${word} to be read`])
})

it('finds accents that come before an ending, and gives the text back as it was', async () => {
  const file = makeFile('a.md', [
    { quote: 'Son résumé', heading: 'Été' },
    { quote: 'Plain', heading: 'Été' },
  ])
  await store.apply(adding(file), never)
  expect(await found('resume')).toEqual(['Son résumé'])
  expect(await found('résumés')).toEqual(['Son résumé'])
  expect(await store.chunksOf('a.md')).toEqual(file.chunks.map(stored))
})

it('finds words of the most common kind when nothing else is asked for, if it may be fuzzy', async () => {
  await store.apply(adding(makeFile('a.md', ['They saw The Who, live', 'Who saw the band?'])), never)
  const hits = await store.searchText('the who', { limit: 5, filter: {}, fuzzy: true })
  expect((await store.chunks(hits.map(({ id }) => id))).map(({ quote }) => quote)).toEqual(['They saw The Who, live'])
})

it('has its words indexed when its first sync comes to an end', async () => {
  const passages = Array.from({ length: 2500 }, (_, number) => `Passage ${number}`)
  await store.apply(adding(makeFile('a.md', passages)), never)
  const table = await rawTable()
  expect(await table.indexStats('text_idx')).toMatchObject({ numIndexedRows: 0 })
  await store.setMeta({ completedAt: '2026-11-22T10:00:00.000Z' })
  expect(await table.indexStats('text_idx')).toMatchObject({ numIndexedRows: 2502 })

  // And when all of them are replaced.
  await store.apply(
    adding(
      makeFile(
        'a.md',
        passages.map((passage) => `${passage} again`),
      ),
    ),
    never,
  )
  expect(await table.indexStats('text_idx')).toMatchObject({ numIndexedRows: expect.toSatisfy((rows) => rows >= 2500) })
})

it('takes new rows into the index when it is tidied up', async () => {
  await store.apply(adding(makeFile('a.md', ['One', 'Two'])), never)
  await store.maintain(never)
  const table = await rawTable()
  expect(await table.indexStats('text_idx')).toMatchObject({ numIndexedRows: 3, numUnindexedRows: 0 })
  const version = await table.version()
  await store.maintain(never)
  expect(await table.version()).toBe(version)
})

it('keeps deleted rows for their current readers', async () => {
  await store.apply(adding(makeFile('a.md', ['Before'])), never)
  const reader = await rawTable()
  await reader.checkout(await reader.version())
  for (let round = 0; round < 25; round++) await store.apply(adding(makeFile('a.md', [`After ${round}`])), never)
  await store.maintain(never)
  expect((await reader.query().where('n >= 0').select(['text']).toArray()).map(({ text }) => text)).toEqual(['Before'])
})

it('keeps no deleted row after maintenance', async () => {
  const passages = Array.from({ length: 150 }, (_, number) => `Passage ${number}`)
  await store.apply(adding(makeFile('a.md', passages, { dimensions }), makeFile('b.md', ['Other'])), never)
  await store.apply({ changed: [makeFile('a.md', ['One is left'], { dimensions })], removed: ['b.md'] }, never)
  const table = await rawTable()
  expect(await store.searchVector(vectorOf('Passage 3', dimensions), { limit: 9, filter: {} })).toHaveLength(1)
  expect(await store.verify()).toEqual([])
  await store.maintain(never)
  expect(await table.countRows()).toBe(2)
  await store.apply(adding(makeFile('a.md', passages)), never)
  expect(await store.count()).toBe(150)
})

it('makes no change while it is aborted, and cleans up nothing', async () => {
  await expect(store.maintain(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
})

it('refuses a vector of another length than its own', async () => {
  const vector = vectorOf('a', 4)
  const change = adding(makeFile('a.md', [{ quote: 'One', vector }], { dimensions }))
  await expect(store.apply(change, never)).rejects.toMatchObject({
    code: 'invalid-argument',
    message: 'A vector of a.md has 4 numbers, but this index keeps 8.',
  })
})

it('opens an index with vectors without their length, and not with another length', async () => {
  await store.apply(adding(makeFile('a.md', ['One'], { dimensions })), never)
  const text = await space.open('first', {})
  expect(await text.count()).toBe(1)
  await expect(space.open('first', { dimensions: 16 })).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining(join(folder, 'first.lance')),
  })
})

it('names the problem', async () => {
  await store.apply(adding(makeFile('a.md', ['One', 'Two']), makeFile('b.md', ['Three'])), never)
  const table = await rawTable()
  await table.delete("n >= 0 AND file = 'a.md'")
  await table.delete("n = -1 AND file = 'b.md'")
  await table.dropIndex('text_idx')
  await store.setMeta({ dimensions: 4 })
  expect(await store.verify()).toEqual([
    'a.md should have 2 chunks, but has 0.',
    'b.md has chunks, but no record.',
    'The index of words is missing.',
    'Its embedder makes 4 numbers of a text, but the table keeps 8.',
  ])
})

it('makes the index of words that its maker had not come to', async () => {
  await (await rawTable()).dropIndex('text_idx')
  const again = await space.open('first', { dimensions })
  expect(await again.verify()).toEqual([])
})

it('says which folder to delete when its files are damaged', async () => {
  await store.apply(adding(makeFile('a.md', ['One', 'Two'])), never)
  await space.close()
  const data = join(folder, 'first.lance', 'data')
  for (const file of await readdir(data)) await writeFile(join(data, file), 'no data')
  const damaged = await lanceSpace(folder).open('first', { dimensions })
  const says = `delete the folder ${join(folder, 'first.lance')}: the next sync builds it again`
  await expect(damaged.chunksOf('a.md')).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining(says),
  })
  expect(await damaged.verify()).toEqual([expect.stringContaining(says)])
  await damaged.close()
})

it('says so when the index of words is damaged', async () => {
  await store.apply(adding(makeFile('a.md', ['One', 'Two'])), never)
  await store.maintain(never)
  await space.close()
  const indices = join(folder, 'first.lance', '_indices')
  const names = (await readdir(indices, { recursive: true })).filter((name) => name.endsWith('.lance'))
  for (const name of names) await writeFile(join(indices, name), 'no index')
  const damaged = await lanceSpace(folder).open('first', { dimensions })
  expect(await damaged.verify()).toEqual([expect.stringContaining('LanceDB could not read the index')])
  await damaged.close()
})

it('reads a found passage at its current place, also when it was rewritten meanwhile', async () => {
  const others = Array.from({ length: 30 }, (_, number) => makeFile(`${number}.md`, [`Other ${number}`]))
  const [, moved] = makeFile('a.md', ['Wax', 'Honey']).chunks
  if (!moved) throw new Error('There are two.')
  await store.apply(adding(makeFile('a.md', ['Wax', 'Honey'])), never)
  for (const other of others) await store.apply(adding(other), never)
  const hits = await store.searchText('honey', { limit: 5, filter: {} })
  const read = async () => store.chunks(hits.map(({ id }) => id))
  expect(await read()).toEqual([stored(moved)])

  const lower = { ...moved, start: moved.start + 100, end: moved.end + 100 }
  const { record } = makeFile('a.md', ['Wax', 'Honey'])
  await store.apply({ changed: [{ record, chunks: [lower] }], removed: [] }, never)
  expect(await read()).toEqual([stored(lower)])

  await store.searchText('honey', { limit: 5, filter: {} })
  await store.maintain(never)
  expect(await read()).toEqual([stored(lower)])
  await store.apply({ changed: [], removed: ['a.md'] }, never)
  expect(await read()).toEqual([])
})
