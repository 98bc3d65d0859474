import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { writerProcesses } from '../__fixtures__/writer-processes.ts'
import { createRetriever } from '../retriever.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await temporaryFolder()
  // In all more than what this process writes itself; the table is larger than what is held in memory of one file.
  for (let number = 0; number < 16; number++) await folder.write(`files/${number}.txt`, textOf(number, 9_000))
  await folder.write('files/table.csv', `id,animal,count\n${rowsOf(60_000)}`)
})
afterEach(() => folder.remove())

const textOf = (file: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, line) => `Line ${line} of file ${file} counts ${line * 7} walruses and herons.\n\n`,
  ).join('')
const rowsOf = (rows: number): string =>
  Array.from({ length: rows }, (_, row) => `${row},lynx number ${row % 977},${row * 7}`).join('\n')

const where = () => ({ folder: join(folder.path, 'files'), indexPath: join(folder.path, 'index') })

it.each(['basic', 'localstore'] as const)(
  '%s indexes many bytes in one process that ends, and finds all of them',
  async (retrievalTool) => {
    const retriever = createRetriever({ ...where(), retrievalTool })
    const writers = new Set<number>()
    const { chunks } = await retriever.sync({
      onProgress() {
        for (const pid of writerProcesses()) writers.add(pid)
      },
    })

    // The table has one of its own, as it cannot come by messages.
    expect(writers.size).toBeGreaterThan(0)
    expect(writers.size).toBeLessThanOrEqual(2)
    expect(writerProcesses()).toEqual([])
    expect(await retriever.verify()).toEqual([])
    expect(await retriever.files()).toEqual([...texts(), 'table.csv'].sort())
    let read = (await retriever.read('table.csv')).length
    for (const file of texts()) {
      const passages = await retriever.read(file)
      expect(passages.map(({ order }) => order)).toEqual(passages.map((_, order) => order))
      read += passages.length
    }
    expect(read).toBe(chunks)
    expect((await retriever.search('lynx number 976'))[0]?.file).toBe('table.csv')
    await retriever.close()
  },
)

it('embeds each text once, and passes the vectors on', async () => {
  const embedder = countingEmbedder('acme/small', { dimensions: 8 })
  const retriever = createRetriever({ ...where(), embedder, retrievalTool: 'basic' })
  const { chunks } = await retriever.sync()

  // The trial of the embedder embeds some texts too.
  expect(embedder.texts.length).toBeLessThanOrEqual(chunks + 256)
  expect(await retriever.verify()).toEqual([])
  await retriever.close()
})

function texts(): string[] {
  return Array.from({ length: 16 }, (_, number) => `${number}.txt`)
}
