import { expect, it } from 'vitest'
import type { Store } from '../store/store.ts'
import { adding, inSlices, makeFile, never, stored } from './make-file.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Tests the contracts of `apply`, `setMeta`, `maintain` and `verify`. */
export function changeTests(underTest: () => StoreUnderTest): void {
  it('is empty at first, and sound', async () => {
    const { store } = underTest()
    expect(await store.files()).toEqual([])
    expect(await store.count()).toBe(0)
    expect(await store.meta()).toEqual({})
    expect(await store.sample(3)).toEqual([])
    expect(await store.verify()).toEqual([])
  })

  it('gives records and chunks back as they came', async () => {
    const { store, dimensions } = underTest()
    const plain = makeFile('a.md', ['One passage', 'Another passage'], { dimensions })
    const rich = makeFile(
      'b.pdf',
      [
        { quote: 'Of a page', heading: 'Part > Chapter', page: 3, pageEnd: 4 },
        { quote: 'Of a row', row: 2, rowEnd: 9 },
      ],
      { dimensions, record: { status: 'low-quality', reason: 'Garbled.', stale: true, title: 'Report', pages: 7 } },
    )
    await store.apply(adding(plain, rich), never)

    expect(byFile(await store.files())).toEqual([plain.record, rich.record])
    expect(await store.files({ file: 'a.md' })).toEqual([plain.record])
    expect(await store.files({ file: 'B.pdf' })).toEqual([])
    expect(await store.files({ stale: true })).toEqual([rich.record])
    expect(await store.chunksOf('a.md')).toEqual(plain.chunks.map(stored))
    expect(await store.chunksOf('b.pdf')).toEqual(rich.chunks.map(stored))
    expect(await store.count()).toBe(4)
  })

  it('has another version after each change, and the same without one', async () => {
    const { store, dimensions } = underTest()
    const versions = [await store.version()]
    const changes = [adding(makeFile('a.md', ['One'], { dimensions })), { changed: [], removed: ['a.md'] }]
    for (const change of changes) {
      await store.apply(change, never)
      await store.searchText('one', { limit: 1, filter: {} })
      versions.push(await store.version())
      expect(await store.version()).toBe(versions.at(-1))
    }
    expect(new Set(versions).size).toBe(3)
  })

  it('takes no name for the mark of an earlier version', async () => {
    const { store } = underTest()
    const record = { title: '"stale":true', status: 'low-quality', reason: '{"stale":true}' } as const
    await store.apply(adding(makeFile('"stale":true\'s.md', [], { record })), never)
    expect(await store.files({ stale: true })).toEqual([])
    expect(await store.files({ file: '"stale":true\'s.md' })).toHaveLength(1)
  })

  it('keeps records of files that have no chunks', async () => {
    const { store } = underTest()
    const record = { status: 'encrypted', reason: 'It wants a password.' } as const
    const secret = makeFile('secret.pdf', [], { record })
    await store.apply(adding(secret), never)
    expect(await store.files()).toEqual([secret.record])
    expect(await store.count()).toBe(0)
    expect(await store.verify()).toEqual([])
  })

  it("puts a file's chunks in the place of those it had", async () => {
    const { store, dimensions } = underTest()
    await store.apply(adding(makeFile('a.md', ['Old honey', 'Shared words', 'Old wax'], { dimensions })), never)
    const next = makeFile('a.md', ['Shared words', 'New nectar'], { dimensions })
    await store.apply(adding(next), never)

    expect(await store.files()).toEqual([next.record])
    expect(await store.chunksOf('a.md')).toEqual(next.chunks.map(stored))
    expect(await store.count()).toBe(2)
    expect(await finds(store, 'honey')).toEqual([])
    expect(await finds(store, 'nectar')).toEqual([next.chunks[1]?.id])
    expect(await finds(store, 'shared')).toEqual([next.chunks[0]?.id])
    expect(await store.verify()).toEqual([])
  })

  it('takes a large file a slice at a time, and puts it in the place of what it was', async () => {
    const { store, dimensions } = underTest()
    await store.apply(adding(makeFile('a.csv', ['Old honey', 'Passage 7 of many'], { dimensions })), never)
    const passages = Array.from({ length: 2_500 }, (_, index) => `Passage ${index} of many`)
    const { record, chunks } = makeFile('a.csv', passages, { dimensions })
    const small = makeFile('b.md', ['A heron'], { dimensions })
    await store.apply(adding(small, makeFile('gone.md', ['A swan'], { dimensions })), never)
    const heron = { ...small.record, mtimeMs: 7 }
    const changed = [{ record: heron, chunks: 'keep' as const }, { record, chunks: inSlices(chunks) }]
    await store.apply({ changed, removed: ['gone.md'] }, never)

    expect(byFile(await store.files())).toEqual([record, heron])
    expect(await store.chunksOf('a.csv')).toEqual(chunks.map(stored))
    expect(await store.count()).toBe(2_501)
    expect(await finds(store, 'heron')).toEqual([small.chunks[0]?.id])
    expect(await finds(store, 'swan')).toEqual([])
    expect(await finds(store, 'honey')).toEqual([])
    expect(await finds(store, '2413')).toEqual([chunks[2413]?.id])
    if (dimensions !== undefined) {
      const { textHash = '', vector } = chunks[2413] ?? {}
      const known = (await store.vectorsOf([textHash])).get(textHash)
      for (const [place, number] of known?.entries() ?? []) expect(number).toBeCloseTo(vector?.[place] ?? 9, 5)
      expect(known).toHaveLength(dimensions)
    }
    expect(await store.verify()).toEqual([])
  })

  it('keeps the chunks of a file whose record alone changes', async () => {
    const { store, dimensions } = underTest()
    const file = makeFile('a.md', ['Bees make honey'], { dimensions })
    await store.apply(adding(file), never)
    const record = { ...file.record, stale: true as const, mtimeMs: 5, status: 'corrupt' as const, reason: 'Cut off.' }
    await store.apply(adding({ record, chunks: 'keep' }), never)

    expect(await store.files()).toEqual([record])
    expect(await store.chunksOf('a.md')).toEqual(file.chunks.map(stored))
    expect(await finds(store, 'honey')).toEqual([file.chunks[0]?.id])
    await store.apply(adding({ record: file.record, chunks: 'keep' }), never)
    expect(await store.files()).toEqual([file.record])
    expect(await store.verify()).toEqual([])
  })

  it('forgets removed files, known or not', async () => {
    const { store, dimensions } = underTest()
    const rest = makeFile('rest.md', ['Honey stays'], { dimensions })
    await store.apply(adding(makeFile('gone.md', ['Honey goes'], { dimensions }), rest), never)
    await store.apply({ changed: [], removed: ['gone.md', 'never-was.md'] }, never)

    expect(await store.files()).toEqual([rest.record])
    expect(await store.chunksOf('gone.md')).toEqual([])
    expect(await finds(store, 'honey')).toEqual([rest.chunks[0]?.id])
    expect(await store.count()).toBe(1)
    expect(await store.verify()).toEqual([])
  })

  it('moves a file in one change', async () => {
    const { store, dimensions } = underTest()
    await store.apply(adding(makeFile('old.md', ['Bees make honey'], { dimensions })), never)
    const moved = makeFile('new/home.md', ['Bees make honey'], { dimensions })
    await store.apply({ changed: [moved], removed: ['old.md'] }, never)
    expect(await store.files()).toEqual([moved.record])
    expect(await finds(store, 'honey')).toEqual([moved.chunks[0]?.id])
    expect(await store.verify()).toEqual([])
  })

  it.each([
    "it's.md",
    'say "hi".md',
    'a\\b.md',
    '100%_of [them]*.md',
    "'; DROP TABLE files; --.md",
    'Übung/größe.md',
    '資料/報告書 1.md',
    'emoji 🐝/🍯.md',
    'e\u0301.md',
  ])('takes the path %j', async (file) => {
    const { store, dimensions } = underTest()
    const subject = makeFile(file, [{ quote: 'Bees make honey', heading: "It's > a \"heading\"" }], { dimensions })
    await store.apply(adding(subject, makeFile('other.md', ['Wasps too: honey'], { dimensions })), never)
    const filter = { paths: [file] }

    expect(await store.chunksOf(file)).toEqual(subject.chunks.map(stored))
    expect(await store.searchText('honey', { limit: 5, filter })).toMatchObject([{ id: subject.chunks[0]?.id }])
    await store.apply({ changed: [], removed: [file] }, never)
    expect((await store.files()).map((record) => record.file)).toEqual(['other.md'])
    expect(await store.count()).toBe(1)
  })

  it('keeps paths apart that differ in case or in how they are composed', async () => {
    const { store, dimensions } = underTest()
    const files = ['a.md', 'A.md', 'é.md', 'e\u0301.md'].map((file) => makeFile(file, [`In ${file}`], { dimensions }))
    await store.apply(adding(...files), never)
    await store.apply({ changed: [], removed: ['A.md', 'é.md'] }, never)
    expect((await store.files()).map(({ file }) => file).sort()).toEqual(['a.md', 'e\u0301.md'])
    expect(await store.count()).toBe(2)
  })

  it('changes nothing when it is aborted before', async () => {
    const { store, dimensions } = underTest()
    const file = makeFile('a.md', ['Bees make honey'], { dimensions })
    await store.apply(adding(file), never)
    const change = { changed: [makeFile('b.md', ['Wasps'], { dimensions })], removed: ['a.md'] }
    await expect(store.apply(change, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    expect(await store.files()).toEqual([file.record])
    expect(await finds(store, 'honey wasps')).toEqual([file.chunks[0]?.id])
  })

  it('makes all of a change or nothing when it is aborted on the way', async () => {
    const { store, dimensions, openAgain } = underTest()
    await store.apply(adding(makeFile('old.md', ['Bees make honey'], { dimensions })), never)
    const passages = Array.from({ length: 800 }, (_, index) => `Passage ${index} of many, with some words to write`)
    const change = { changed: [makeFile('big.md', passages, { dimensions })], removed: ['old.md'] }
    const outcomes = new Set<number>()
    for (const delay of [0, 5, 20]) {
      const stop = new AbortController()
      setTimeout(() => stop.abort(), delay)
      const failed = await store.apply(change, stop.signal).then(
        () => false,
        () => true,
      )
      const count = await store.count()
      outcomes.add(count)
      if (failed && !outcomes.has(800)) expect(count).toBe(1)
      expect([1, 800]).toContain(count)
      expect((await store.files()).map(({ file }) => file)).toEqual([count === 1 ? 'old.md' : 'big.md'])
      expect(await (await openAgain()).count()).toBe(count)
    }
    await store.apply(change, never)
    expect(await store.count()).toBe(800)
    expect(await store.verify()).toEqual([])
  })

  it('stays sound through many small changes, and when they are tidied up', async () => {
    const { store, dimensions } = underTest()
    for (let round = 0; round < 12; round++) {
      const changed = [0, 1, 2].map((number) =>
        makeFile(`file${number}.md`, [`Honey of round ${round}`, `Only file${number} says x${round}x`], { dimensions }),
      )
      await store.apply({ changed: round % 3 === 0 ? changed : changed.slice(0, 1), removed: [] }, never)
      if (round % 5 === 4) await store.maintain(never)
    }
    const tidy = async (): Promise<void> => {
      expect(await store.verify()).toEqual([])
      expect(await store.count()).toBe(6)
      expect(await finds(store, 'x11x')).toHaveLength(1)
      expect(await finds(store, 'x10x x8x')).toEqual([])
      expect((await finds(store, 'honey')).length).toBe(3)
    }
    await tidy()
    await store.maintain(never)
    await tidy()
  })

  it('merges what it knows of itself', async () => {
    const { store, openAgain } = underTest()
    await store.setMeta({ embedder: 'acme/small', dimensions: 8 })
    await store.setMeta({ completedAt: '2026-11-22T10:00:00.000Z', trust: 0.25, trustedAt: 400 })
    await store.setMeta({ trust: 0 })
    const meta = {
      embedder: 'acme/small',
      dimensions: 8,
      completedAt: '2026-11-22T10:00:00.000Z',
      trust: 0,
      trustedAt: 400,
    }
    expect(await store.meta()).toEqual(meta)
    expect(await (await openAgain()).meta()).toEqual(meta)
  })

  it("shows a reader each of a writer's changes at the reader's next call", async () => {
    const { store, dimensions, openAgain } = underTest()
    const reader = await openAgain()
    expect(await finds(reader, 'honey')).toEqual([])
    const first = makeFile('a.md', ['Bees make honey'], { dimensions })
    await store.apply(adding(first), never)
    expect(await finds(reader, 'honey')).toEqual([first.chunks[0]?.id])
    expect(await reader.files()).toEqual([first.record])

    const second = makeFile('a.md', ['Wasps make paper'], { dimensions })
    await store.apply(adding(second), never)
    expect(await finds(reader, 'honey')).toEqual([])
    expect(await finds(reader, 'paper')).toEqual([second.chunks[0]?.id])
    await store.maintain(never)
    expect(await finds(reader, 'paper')).toEqual([second.chunks[0]?.id])
    await store.apply({ changed: [], removed: ['a.md'] }, never)
    expect(await finds(reader, 'paper')).toEqual([])
    expect(await reader.count()).toBe(0)
    expect(await reader.verify()).toEqual([])
  })

  it('lets readers go on while it writes', async () => {
    const { store, dimensions, openAgain } = underTest()
    const reader = await openAgain()
    const before = makeFile('a.md', ['Honey before'], { dimensions })
    await store.apply(adding(before), never)
    const passages = Array.from({ length: 600 }, (_, index) => `Honey after, passage ${index}`)
    let written = false
    const writing = store.apply(adding(makeFile('a.md', passages, { dimensions })), never).then(() => {
      written = true
    })
    const seen = new Set<number>()
    while (!written) {
      seen.add((await reader.searchText('honey', { limit: 1000, filter: {} })).length)
      await new Promise(setImmediate)
    }
    await writing
    seen.add((await reader.searchText('honey', { limit: 1000, filter: {} })).length)
    expect([...seen].filter((count) => count !== 1)).toEqual([600])
  })
}

async function finds(store: Store, query: string): Promise<string[]> {
  return (await store.searchText(query, { limit: 50, filter: {} })).map(({ id }) => id)
}

function byFile<Named extends { file: string }>(files: Named[]): Named[] {
  return files.sort((one, other) => (one.file < other.file ? -1 : 1))
}
