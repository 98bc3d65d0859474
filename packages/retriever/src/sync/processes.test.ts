import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SyncReport } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Child, startChild } from '../__fixtures__/child.ts'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { createRetriever, type Retriever } from '../retriever.ts'

let folder: TemporaryFolder
let where: { folder: string; indexPath: string }
beforeEach(async () => {
  folder = await temporaryFolder()
  where = { folder: join(folder.path, 'files'), indexPath: join(folder.path, 'index') }
})
afterEach(() => folder.remove())

const write = (index: number, content: string): Promise<void> => folder.write(`files/${index}.md`, content)
const start = (...more: string[]): Child => startChild('sync-folder.ts', [where.folder, where.indexPath, ...more])
const embeddedBy = ({ lines }: Child): string[] => lines.flatMap((line) => parsed(line).embedded ?? [])
const reportOf = ({ lines }: Child): SyncReport | undefined => parsed(lines.at(-1) ?? '').report

function parsed(line: string): { embedded?: string[]; report?: SyncReport } {
  return line.startsWith('{') ? JSON.parse(line) : {}
}

/** The index contains exactly the text of the files, once. */
async function expectWhole(retriever: Retriever, texts: ReadonlyMap<string, string>): Promise<void> {
  expect(await retriever.verify()).toEqual([])
  expect(await retriever.files()).toEqual([...texts.keys()].sort())
  for (const [file, text] of texts) {
    const chunks = await retriever.read(file)
    expect(chunks.map(({ quote }) => quote.trim()).join('\n')).toBe(text)
  }
}

it('leaves nothing inconsistent when it is killed at any moment, and is complete after the next sync', {
  timeout: 120_000,
}, async () => {
  const texts = new Map<string, string>()
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 60; index++) {
      const text = `Words of file ${index}, in round ${index % 3 === 0 ? round : 0}`
      texts.set(`${index}.md`, text)
      await write(index, text)
    }
    if (round > 0) {
      await rename(join(where.folder, '7.md'), join(where.folder, `renamed-${round}.md`))
      texts.set(`renamed-${round}.md`, texts.get('7.md') as string)
      texts.delete('7.md')
      await rm(join(where.folder, '8.md'))
      texts.delete('8.md')
    }
    const child = start()
    await child.printed('begins')
    await sleep(Math.random() * 200)
    child.process.kill('SIGKILL')
    await child.exited
    const retriever = createRetriever({ ...where, embedder: countingEmbedder('acme/small', { dimensions: 8 }) })
    const problems = await retriever.verify()
    expect(problems.filter((problem) => !problem.startsWith('There is no index yet'))).toEqual([])
    await retriever.sync()
    await expectWhole(retriever, texts)
    await retriever.close()
  }
})

it.each([
  [
    'its passages are in the temporary file, and the first of its vectors in the journal',
    () => untilLarger(/embeddings-.*\.db/, 0),
  ],
  ['they are written to the index', () => untilLarger(/index-.*-wal$/, 1_000_000)],
])('leaves nothing inconsistent when it is killed while %s, for a large file', async (_, untilThen) => {
  const rows = Array.from({ length: 30_000 }, (_, row) => `first${row},Customer ${row % 977},a comment ${row}`)
  await folder.write('files/table.csv', `id,name,comment\n${rows.join('\n')}`)
  const child = start()
  await child.printed('begins')
  await untilThen()
  child.process.kill('SIGKILL')
  await child.exited

  const retriever = createRetriever({ ...where, embedder: countingEmbedder('acme/small', { dimensions: 8 }) })
  expect((await retriever.verify()).filter((problem) => !problem.startsWith('There is no index yet'))).toEqual([])
  // On a machine that is busy elsewhere the kill may come after the commit.
  expect([[], ['table.csv']]).toContainEqual(await retriever.files().catch(() => []))
  const { chunks } = await retriever.sync()
  expect(chunks).toBeGreaterThan(1_000)
  expect(await retriever.read('table.csv')).toHaveLength(chunks)
  expect(await retriever.verify()).toEqual([])
  await retriever.close()
  if (process.platform !== 'win32') expect(await namesIn(where.indexPath, /passages/)).toEqual([])
})

/** Waits until a file of the index has more than this many bytes. */
async function untilLarger(name: RegExp, bytes: number): Promise<void> {
  for (;;) {
    for (const file of await namesIn(where.indexPath, name)) {
      const { size } = await stat(join(where.indexPath, file)).catch(() => ({ size: 0 }))
      if (size > bytes) return
    }
    await sleep(5)
  }
}

async function namesIn(path: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(path, { recursive: true }).catch(() => [])
  return names.filter((name) => pattern.test(name))
}

it('pays for no vector twice when the first sync is killed', async () => {
  // Some hundred texts per request, and several requests per change of the index.
  const texts = new Map(Array.from({ length: 800 }, (_, index) => [`${index}.md`, `Words of file ${index}`]))
  for (const [file, text] of texts) await folder.write(`files/${file}`, text)
  const killed = start('3')
  await killed.printed('hangs')
  killed.process.kill('SIGKILL')
  await killed.exited
  const paid = embeddedBy(killed)
  expect(paid.length).toBeGreaterThan(256)

  const embedder = countingEmbedder('acme/small', { dimensions: 8 })
  const retriever = createRetriever({ ...where, embedder })
  expect(await retriever.sync()).toMatchObject({ chunks: 800 })
  const words = [...paid, ...embedder.texts].filter((text) => text.startsWith('Words of file'))
  // The trials of the embedder use the same words, and run once.
  const trials = words.length - new Set(words).size
  await retriever.close()
  expect(new Set(words).size).toBe(800)
  expect(trials).toBeLessThanOrEqual(192)
})

it('lets processes index one folder at once: one does the work, all succeed', async () => {
  const texts = new Map(Array.from({ length: 100 }, (_, index) => [`${index}.md`, `Words of file ${index}`]))
  for (const [file, text] of texts) await folder.write(`files/${file}`, text)
  const children = [start(), start(), start()]
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0])
  const reports = children.map(reportOf)
  expect(reports.map((report) => report?.indexed).sort()).toEqual([0, 0, 100])
  expect(reports.map((report) => report?.chunks)).toEqual([100, 100, 100])
  const retriever = createRetriever({ ...where, embedder: countingEmbedder('acme/small', { dimensions: 8 }) })
  await expectWhole(retriever, texts)
  await retriever.close()
})
