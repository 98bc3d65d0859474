import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isAgentKitError } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { adding, makeFile, never, stored, unit } from '../../__fixtures__/make-file.ts'
import type { Store, StoreSpace } from '../store.ts'
import { sqliteSpace } from './sqlite-space.ts'

let folder: string
let path: string
let space: StoreSpace
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-index-'))
  path = join(folder, 'index-a.db')
  space = sqliteSpace(folder)
})
afterEach(async () => {
  await space.close()
  await rm(folder, { recursive: true })
})

const all = { limit: 100, filter: {} }
const bees = makeFile('bees.md', ['Bees make honey', 'Bees live in hives'], { dimensions: 4 })

/** Changes the file without the store's knowledge. */
function tamper(sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

describe('the file', () => {
  it('is for its owner only, and shares its folder with foreign files', async () => {
    await writeFile(join(folder, 'lock.db'), '')
    await space.open('a', {})
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await space.generations()).toEqual(['a'])
  })

  it.runIf(process.platform !== 'win32')(
    'is for its owner only where a link leads to it, and in a new folder',
    async () => {
      await symlink(join(folder, 'volume.db'), path)
      await space.open('a', {})
      expect((await stat(join(folder, 'volume.db'))).mode & 0o777).toBe(0o600)
      const inNewFolder = sqliteSpace(join(folder, 'new', 'index'))
      await inNewFolder.open('a', {})
      for (const made of ['new', 'new/index']) {
        expect([made, (await stat(join(folder, made))).mode & 0o777]).toEqual([made, 0o700])
      }
      await inNewFolder.close()
    },
  )

  it.each([
    ['some text', 'is not an index. Delete the file'],
    [`SQLite format 3\0${'x'.repeat(5_000)}`, 'Delete the file'],
  ])('says what to do when it is another file: %j', async (content, advice) => {
    await writeFile(path, content)
    const opening = space.open('a', {})
    await expect(opening).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining(advice) })
    await expect(opening).rejects.toThrow(path)
  })

  it("does not touch another program's database", async () => {
    tamper('CREATE TABLE precious (value); INSERT INTO precious VALUES (1)')
    await expect(space.open('a', {})).rejects.toMatchObject({ code: 'storage' })
    const database = new DatabaseSync(path)
    expect(database.prepare('SELECT value FROM precious').all()).toHaveLength(1)
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
    database.close()
  })

  it('is reported with the fix when it is damaged', async () => {
    const many = makeFile(
      'many.md',
      Array.from({ length: 3_000 }, (_, number) => `Honey in jar number ${number}`),
    )
    const store = await space.open('a', {})
    await store.apply(adding(many), never)
    await store.close()
    const { size } = await stat(path)
    await writeFile(path, Buffer.alloc(size - 8_192, 0xaa), { flag: 'r+', flush: true }).catch(() => {})
    const damaged = space.open('a', {}).then((opened) => opened.searchText('honey', all))
    await expect(damaged).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining(path) })
  })

  it('is reported when its text index is damaged', async () => {
    await (await space.open('a', {})).apply(adding(bees), never)
    tamper('UPDATE segment_parts SET bytes = zeroblob(length(bytes))')
    const store = await space.open('a', {})
    await expect(store.searchText('honey', all)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('is damaged. Delete the file'),
    })
  })

  it.each(['chunks', 'segments', 'segment_parts', 'graves'])(
    'fails by an error of ours, whatever its %s',
    async (table) => {
      const store = await space.open('a', {})
      await store.apply(adding(bees), never)
      tamper(`DROP TABLE ${table}; INSERT INTO state VALUES ('changed', 1)`)
      const fresh = await space.open('a', {})
      const failed: unknown[] = []
      for (const opened of [store, fresh]) {
        const calls = [
          () => opened.searchText('honey', all),
          () => opened.verify(),
          () => opened.maintain(never),
          () => opened.apply(adding(makeFile('more.md', ['Wax'])), never),
        ]
        for (const call of calls) await call().catch((error: unknown) => failed.push(error))
      }
      expect(failed.length).toBeGreaterThan(0)
      expect(failed.filter((error) => !isAgentKitError(error))).toEqual([])
    },
  )

  it('is rebuilt when it is of another version', async () => {
    const store = await space.open('a', {})
    await store.apply(adding(bees), never)
    await store.close()
    tamper('PRAGMA user_version = 999; CREATE TABLE of_the_future (value)')
    const reopened = await space.open('a', {})
    expect(await reopened.files()).toEqual([])
    expect(await reopened.searchText('honey', all)).toEqual([])
    await reopened.apply(adding(bees), never)
    expect(await reopened.searchText('honey', all)).toHaveLength(1)
    expect(await reopened.verify()).toEqual([])
  })

  it.each([
    ['a folder of that name', (file: string) => mkdir(file)],
    ['a path through a file', async () => (space = sqliteSpace(join(folder, 'file', 'index')))],
  ])('says what to do about %s', async (_what, prepare) => {
    await writeFile(join(folder, 'file'), '')
    await prepare(path)
    await expect(space.open('a', {})).rejects.toMatchObject({ code: 'storage' })
  })

  it('takes in its log during maintenance', async () => {
    const store = await space.open('a', {})
    const text = 'Honey and wax and pollen '.repeat(40)
    const much = makeFile(
      'much.md',
      Array.from({ length: 2_000 }, (_, number) => `${text} ${number}`),
    )
    await store.apply(adding(much), never)
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(2e6)
    await store.maintain(never)
    expect((await stat(`${path}-wal`)).size).toBe(0)
    expect((await stat(path)).size).toBeGreaterThan(2e6)
    expect(await store.searchText('honey', { limit: 5, filter: {} })).toHaveLength(5)
  })

  it('has no rows of old chunks, also when there was no time to delete them', async () => {
    const rows = (): unknown => {
      const database = new DatabaseSync(path)
      const tables = ['chunks', 'vectors', 'docs_by_id', 'docs_by_text', 'graves']
      const counts = tables.map((table) => database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
      database.close()
      return counts
    }
    const store = await space.open('a', { dimensions: 4 })
    await store.apply(adding(bees), never)
    await store.apply(adding(makeFile('bees.md', ['Bees fly'], { dimensions: 4 })), never)
    expect(rows()).toEqual([1, 1, 1, 1, 0])

    tamper(`INSERT INTO chunks SELECT doc + 1000, file, place, 'old', text_hash, start, "end", page, page_end, "row",
      row_end, heading, quote FROM chunks; INSERT INTO graves SELECT doc, 1 FROM chunks WHERE id = 'old'`)
    expect(rows()).toEqual([2, 1, 1, 1, 1])
    expect(await store.count()).toBe(1)
    expect(await store.verify()).toEqual([])
    await store.maintain(never)
    expect(rows()).toEqual([1, 1, 1, 1, 0])
  })

  it('is not written after it was deleted while it was open', async () => {
    const store = await space.open('a', {})
    await store.apply(adding(bees), never)
    await rm(path)
    const change = adding(makeFile('wasps.md', ['Wasps make paper']))
    await expect(store.apply(change, never)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('was deleted while it was open'),
    })
    expect(await space.generations()).toEqual([])
  })

  it('leaves nothing behind when it is dropped', async () => {
    await (await space.open('a', {})).apply(adding(bees), never)
    await space.drop('a')
    expect(await readdir(folder)).toEqual([])
  })

  it.each(['', '../up', 'a/b', 'a b', '.'])('is not named %j', async (name) => {
    await expect(space.open(name, {})).rejects.toMatchObject({ code: 'invalid-argument' })
    await expect(space.drop(name)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('reuses free space', async () => {
    const store = await space.open('a', {})
    const text = 'Honey and wax and pollen '.repeat(40)
    const much = (round: number) =>
      makeFile(
        `much${round}.md`,
        Array.from({ length: 1_000 }, (_, number) => `${text} ${round} ${number}`),
      )
    for (let round = 0; round < 6; round++) {
      await store.apply({ changed: [much(round)], removed: [`much${round - 1}.md`] }, never)
      await store.maintain(never)
    }
    await store.close()
    expect((await stat(path)).size).toBeLessThan(4e6)
  })
})

describe('the store', () => {
  it('keeps any text: halves of pairs, zeros, every plane', async () => {
    const odd = makeFile('odd.md', ['half \ud83d of a pair', 'a zero \0 in honey', '🐝 𠮷', ' \t\r\n '])
    const store = await space.open('a', {})
    await store.apply(adding(odd), never)
    expect(await store.chunksOf('odd.md')).toEqual(odd.chunks.map(stored))
    expect(await store.searchText('pair', all)).toEqual([{ id: odd.chunks[0]?.id, score: expect.any(Number) }])
    expect(await store.searchText('honey', all)).toHaveLength(1)
    expect(await store.verify()).toEqual([])
  })

  it('reads no list of files for extensions that all of them have', async () => {
    const store = await space.open('a', {})
    const read = vi.spyOn(StatementSync.prototype, 'iterate')
    const names = async (exts: string[]) =>
      (await store.chunks((await store.searchText('honey', { limit: 9, filter: { exts } })).map(({ id }) => id))).map(
        ({ file }) => file,
      )
    await store.apply(adding(makeFile('a.md', ['honey']), makeFile('b.txt', ['honey'])), never)
    expect((await names(['.md', '.txt', '.pdf'])).sort()).toEqual(['a.md', 'b.txt'])
    expect(read).not.toHaveBeenCalled()
    expect(await names(['.md'])).toEqual(['a.md'])
    expect(await names(['.pdf'])).toEqual([])
    expect(read).toHaveBeenCalledTimes(2)
    await store.apply(adding(makeFile('c.csv', ['honey'])), never)
    expect((await names(['.md', '.txt', '.pdf'])).sort()).toEqual(['a.md', 'b.txt'])
    read.mockRestore()
  })

  it('ranks after a long history like a new one', async () => {
    const old = await space.open('old', {})
    const passages = (round: number, number: number): string[] => [
      `Honey of jar ${number} and of round ${round}`,
      `${'Bees '.repeat((number % 4) + 1)} fly in round ${round % 3}`,
      `Wax ${'and pollen '.repeat(number % 5)} of hive ${number % 7}`,
    ]
    for (let round = 0; round < 30; round++) {
      const numbers = [0, 1, 2, 3].map((step) => (round * 3 + step) % 25)
      const changed = numbers.map((number) => makeFile(`file${number}.md`, passages(round, number)))
      await old.apply({ changed, removed: [`file${(round * 7) % 25}.md`] }, never)
      if (round === 20) await old.maintain(never)
    }
    const fresh = await space.open('fresh', {})
    const changed = []
    for (const record of await old.files()) changed.push({ record, chunks: await old.chunksOf(record.file) })
    await fresh.apply({ changed, removed: [] }, never)

    const ranking = async (store: Store, query: string): Promise<string[]> =>
      (await store.searchText(query, all)).map(({ id, score }) => `${score.toFixed(9)} ${id}`).sort()
    for (const query of ['honey', 'bees wax', 'round 29 pollen', 'hive 3', 'jar 11 and honey']) {
      expect(await ranking(old, query)).toEqual(await ranking(fresh, query))
      expect((await ranking(old, query)).length).toBeGreaterThan(0)
    }
    expect(await old.verify()).toEqual([])
  })

  it('does not add a segment for each change', async () => {
    const store = await space.open('a', {})
    for (let round = 0; round < 60; round++) {
      await store.apply(adding(makeFile(`file${round}.md`, [`Honey ${round}`])), never)
    }
    await store.close()
    const database = new DatabaseSync(path)
    expect(database.prepare('SELECT count(*) AS count FROM segments').get()?.count).toBeLessThan(16)
    database.close()
  })

  it('finds stop words when the query has no others', async () => {
    const band = makeFile('band.md', ['The Who play tonight', 'Nobody plays', 'The others'])
    const store = await space.open('a', {})
    await store.apply(adding(band), never)
    const find = async (query: string): Promise<(string | undefined)[]> => {
      const found = await store.searchText(query, all)
      return (await store.chunks(found.map(({ id }) => id))).map(({ quote }) => quote)
    }
    expect(await find('the who')).toEqual(['The Who play tonight', 'The others'])
    expect(await find('Who plays?')).toEqual(['The Who play tonight', 'Nobody plays'])
  })

  it.each([
    ['getUserName', 'user name', true],
    ['getUserName', 'getusername', true],
    ['user_name', 'userName', true],
    ['e-mail', 'email', true],
    ['v2.1.0', '2.1.0', true],
    ['3.14', '3', false],
  ])('finds in %j what %j says: %s', async (text, query, isFound) => {
    const store = await space.open('a', {})
    await store.apply(adding(makeFile('code.md', [`Call ${text} here`])), never)
    expect(await store.searchText(query, all)).toHaveLength(isFound ? 1 : 0)
  })

  it('accepts only vectors of its own length', async () => {
    const store = await space.open('a', { dimensions: 3 })
    await expect(store.apply(adding(bees), never)).rejects.toMatchObject({ code: 'invalid-argument' })
    expect(await store.files()).toEqual([])
    await expect(store.searchVector(unit([1, 1]), all)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('refuses calls when it is closed', async () => {
    const store = await space.open('a', {})
    await store.close()
    const calls = [store.files(), store.searchText('honey', all), store.apply(adding(bees), never), store.meta()]
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'storage' })
    await space.close()
    await expect(space.open('a', {})).rejects.toMatchObject({ code: 'storage' })
  })

  it('serializes changes, and continues after a failed one', async () => {
    const store = await space.open('a', { dimensions: 4 })
    const wrong = makeFile('wrong.md', ['One'], { dimensions: 3 })
    const outcomes = await Promise.allSettled([
      store.apply(adding(bees), never),
      store.apply(adding(wrong), never),
      store.setMeta({ trust: 1 }),
      store.apply({ changed: [], removed: ['bees.md'] }, never),
      store.maintain(never),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', ...new Array(3).fill('fulfilled')])
    expect(await store.files()).toEqual([])
    expect(await store.verify()).toEqual([])
  })
})

describe('verify', () => {
  it.each([
    ['DELETE FROM chunks WHERE place = 1', ['bees.md should have 2 chunks, and has 1.', 'are gone']],
    ['DELETE FROM docs_by_id', ['2 chunks are not found by their ids.']],
    ["INSERT INTO docs_by_id VALUES ('abc', 1), ('abc', 99)", ['1 ids belong to no chunk.', '1 ids belong to several']],
    ['DELETE FROM docs_by_text WHERE doc = 2', ['1 vectors are not found by their texts.']],
    ["UPDATE files SET chunks = 3 WHERE file = 'bees.md'", ['bees.md should have 3 chunks, and has 2.']],
    ['UPDATE chunks SET place = place + 1', ['The chunks of bees.md are not numbered']],
    ['DELETE FROM files', ['2 chunks belong to no file.']],
    ['DELETE FROM segments', ['2 chunks are not in the text index.', '2 of 2']],
    ["UPDATE chunks SET quote = 'Wasps' WHERE place = 0", ['1 of 2 chunks are not found by their own words.']],
    ["UPDATE segments SET dead = x'01'", ['1 chunks are not in the text index.']],
    ['UPDATE vectors SET vector = zeroblob(4) WHERE doc = 1', ['1 vectors do not have 4 numbers.']],
    ['UPDATE vectors SET doc = 77 WHERE doc = 1', ['1 vectors belong to no chunk.']],
  ])('reports what is wrong after %s', async (sql, problems) => {
    const store = await space.open('a', { dimensions: 4 })
    await store.apply(adding(bees), never)
    expect(await store.verify()).toEqual([])
    tamper(sql)
    const reported = await store.verify()
    for (const problem of problems) expect(reported.join('\n')).toContain(problem)
  })
})
