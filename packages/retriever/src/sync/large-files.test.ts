import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { createRetriever } from '../retriever.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

/** Larger than what is held in memory of one file. */
const table = (mark: string): string =>
  Array.from(
    { length: 30_000 },
    (_, row) => `${mark}${row},Customer ${row % 977},${row * 7},a comment that takes space ${row}`,
  ).join('\n')

it.each(['basic', 'localstore'] as const)(
  '%s indexes a large file completely, embeds each text once, and replaces it',
  async (retrievalTool) => {
    const embedder = countingEmbedder('acme/small', { dimensions: 8 })
    const where = { folder: join(folder.path, 'files'), indexPath: join(folder.path, 'index') }
    const retriever = createRetriever({ ...where, embedder, retrievalTool })
    await folder.write('files/table.csv', `id,name,amount,comment\n${table('first')}`)
    const { chunks } = await retriever.sync()

    const read = await retriever.read('table.csv')
    expect(read).toHaveLength(chunks)
    expect(read.map(({ order }) => order)).toEqual(read.map((_, order) => order))
    const passages = embedder.texts.filter((text) => text.includes('Customer'))
    // The trial of the embedder embeds some texts too.
    expect(passages.length).toBeLessThanOrEqual(chunks + 256)
    expect(new Set(passages).size).toBeGreaterThanOrEqual(chunks)
    expect(await retriever.verify()).toEqual([])

    await folder.write('files/table.csv', `id,name,amount,comment\n${table('second')}`)
    await retriever.sync()
    expect(await retriever.verify()).toEqual([])
    expect((await retriever.read('table.csv'))[0]?.quote).toContain('second0')
    await retriever.close()
  },
)
