import { mkdir, readFile, rename, rm, stat, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from './__fixtures__/temporary-folder.ts'
import { extractFile } from './extract-file.ts'
import { createRetriever, type Retriever } from './retriever.ts'

let folder: TemporaryFolder
let files: string
let retriever: Retriever
beforeEach(async () => {
  folder = await temporaryFolder()
  files = join(folder.path, 'files')
  retriever = createRetriever({ folder: files, indexPath: join(folder.path, 'index') })
})
afterEach(async () => {
  await retriever.close()
  await folder.remove()
})

/** Three sections; each is longer than a passage. */
const handbook = ['Rules', 'Holidays', 'Illness']
  .map((title) => `## ${title}\n\n${`A sentence about ${title.toLowerCase()} of 30 days. `.repeat(30).trim()}\n`)
  .join('\n')

async function passageAbout(query: string): Promise<string> {
  const [hit] = await retriever.search(query)
  if (!hit) throw new Error('nothing found')
  return hit.chunkId
}

it('has the text of the file directly before and after its quote', async () => {
  await folder.write('files/handbook.md', handbook)
  await retriever.sync()
  const passage = await retriever.passage(await passageAbout('holidays'), { context: 200 })
  const { text } = await extractFile(join(files, 'handbook.md'))
  const { start, end, quote, before, after } = passage
  expect(passage).toMatchObject({ file: 'handbook.md', heading: 'Holidays' })
  expect(text.slice(start - 200, end + 200)).toBe(before + quote + after)
  expect([before.length, after.length]).toEqual([200, 200])
  expect(passage).not.toHaveProperty('stale')
})

it('has at most 1,000 characters on each side unless asked, and none at the ends of a file', async () => {
  await folder.write('files/handbook.md', handbook.repeat(3))
  await folder.write('files/note.txt', 'Bees make honey.')
  await retriever.sync()
  const long = await retriever.passage(await passageAbout('illness'))
  expect(long.before).toHaveLength(1_000)
  expect(await retriever.passage(await passageAbout('honey'))).toMatchObject({ before: '', after: '' })
  expect(await retriever.passage(long.file && (await passageAbout('illness')), { context: 0 })).toMatchObject({
    before: '',
    after: '',
  })
})

it("has the type of the link's name, and so has the text of its file", async () => {
  await mkdir(files)
  for (const [file, content] of [
    ['cost.csv', 'item,cost\nhoney,7\nwax,3\n'],
    ['bees.md', '## Bees\n\nThey make nectar sweet.\n'],
  ] as const) {
    await folder.write(`files/.store/${file.length}`, content)
    await symlink(`.store/${file.length}`, join(files, file))
  }
  expect(await retriever.sync()).toMatchObject({ indexed: 2, skipped: [] })
  for (const [query, place] of [
    ['honey', { file: 'cost.csv', row: 2, before: '', after: '' }],
    ['nectar', { file: 'bees.md', heading: 'Bees' }],
  ] as const) {
    const { start, end, quote, before, after, ...passage } = await retriever.passage(await passageAbout(query))
    expect({ ...passage, before, after }).toMatchObject(place)
    const { text } = await extractFile(join(files, place.file))
    expect(text.slice(start, end)).toBe(quote)
    expect(text).toBe(before + quote + after)
  }
})

it('does not cut a character in two', async () => {
  await folder.write('files/a.txt', `${'\u{1f600}'.repeat(900)}\n\nBees make honey.\n\n${'\u{1f600}'.repeat(900)}`)
  await retriever.sync()
  const id = await passageAbout('honey')
  for (const context of [3, 4, 5, 6]) {
    const { before, after } = await retriever.passage(id, { context })
    expect(before.isWellFormed() && after.isWellFormed()).toBe(true)
  }
})

it('is stale once its file has other bytes or is gone, and then has its neighbours of the index around it', async () => {
  await folder.write('files/handbook.md', handbook)
  await retriever.sync()
  const id = await passageAbout('holidays')
  const fresh = await retriever.passage(id, { context: 60 })
  await folder.write('files/handbook.md', handbook.replace('Rules', 'Règles'))
  const changed = await retriever.passage(id, { context: 60 })
  expect(changed).toMatchObject({ quote: fresh.quote, stale: true })
  expect(changed.before.replace(/\s+|#+/g, '')).toBe(fresh.before.replace(/\s+|#+/g, '').slice(-changed.before.length))
  expect(changed.before).toContain('of 30 days.')
  expect(changed.after).toContain('Illness')
  await rm(join(files, 'handbook.md'))
  expect(await retriever.passage(id)).toMatchObject({ quote: fresh.quote, stale: true })
})

it('is not stale when only the time of its file has changed', async () => {
  await folder.write('files/handbook.md', handbook)
  await retriever.sync()
  const id = await passageAbout('holidays')
  const later = new Date((await stat(join(files, 'handbook.md'))).mtimeMs + 5_000)
  await utimes(join(files, 'handbook.md'), later, later)
  expect(await retriever.passage(id)).not.toHaveProperty('stale')
})

it('is unknown after an edit of its words is indexed, and never another passage', async () => {
  await folder.write('files/a.txt', 'Bees make honey.')
  await retriever.sync()
  const id = await passageAbout('honey')
  await folder.write('files/a.txt', 'Bees make wax.')
  await retriever.sync()
  await expect(retriever.passage(id)).rejects.toMatchObject({ code: 'not-found' })
  await expect(retriever.passage('x')).rejects.toMatchObject({ code: 'not-found' })
})

it.each([-1, 0.5, 100_001, '10'])('refuses the context %j', async (context) => {
  await expect(retriever.passage('x', { context: context as number })).rejects.toMatchObject({
    code: 'invalid-argument',
  })
})

it('finds the passage of a renamed file under its new name only', async () => {
  await folder.write('files/a.txt', 'Bees make honey.')
  await retriever.sync()
  const id = await passageAbout('honey')
  await rename(join(files, 'a.txt'), join(files, 'b.txt'))
  await retriever.sync()
  await expect(retriever.passage(id)).rejects.toMatchObject({ code: 'not-found' })
  expect(await retriever.passage(await passageAbout('honey'))).toMatchObject({ file: 'b.txt' })
  expect(await readFile(join(files, 'b.txt'), 'utf8')).toBe('Bees make honey.')
})
