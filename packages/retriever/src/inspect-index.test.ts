import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from './__fixtures__/temporary-folder.ts'
import { createRetriever, type RetrieverOptions } from './index.ts'
import { inspectIndex } from './inspect-index.ts'

let folder: TemporaryFolder
let options: RetrieverOptions & { indexPath: string }
beforeEach(async () => {
  folder = await temporaryFolder()
  options = {
    folder: join(folder.path, 'docs'),
    indexPath: join(folder.path, 'index'),
    retrievalTool: 'localstore',
  }
})
afterEach(() => folder.remove())

async function index(): Promise<void> {
  const retriever = createRetriever(options)
  await retriever.sync()
  await retriever.tidied()
  await retriever.close()
}

it('distinguishes files that cannot be read from those that are hard to read', async () => {
  await folder.write('docs/a.md', 'Bees make honey')
  await folder.write('docs/b.md', '')
  await folder.write('docs/c.txt', 'T h e  h o l i d a y  i s  l o n g  a n d  w a r m .\n'.repeat(40))
  await index()
  expect(await inspectIndex(options)).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(
      /^1 of 3 files cannot be read: b\.md \(no-text: .*\)\. 1 of 3 files are hard to read: c\.txt \(low-quality: .*\)\.$/,
    ),
  })
})

it('says how to create a damaged index again', async () => {
  await folder.write('docs/a.md', 'Bees make honey')
  await index()
  const place = join(options.indexPath, 'localstore')
  const files = (await readdir(place, { recursive: true })).filter((file) => file.endsWith('_docs.lance'))
  for (const file of files) await truncate(join(place, file))
  const finding = await inspectIndex(options)
  expect(finding).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining(`delete the folder ${place}`),
    fix: `rm -r ${place} && npx agentkit index`,
  })
})
