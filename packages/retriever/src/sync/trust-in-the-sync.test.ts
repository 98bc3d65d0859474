import { AgentKitError } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { countingEmbedder } from '../__fixtures__/counting-embedder.ts'
import { type TestLibrary, testLibrary } from '../__fixtures__/test-retriever.ts'
import { wordsOnlyTrust } from '../rank/trust.ts'

let library: TestLibrary
let asked = 0
const embedder = countingEmbedder('acme/small', { dimensions: 4 })
const measure = async (): Promise<number> => {
  asked++
  return 0.5
}
const paragraphs = (count: number, word: string): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n\n')

beforeEach(async () => {
  library = await testLibrary()
  asked = 0
})
afterEach(() => library.close())

it('measures the trust in an embedder once, however the files change', async () => {
  const retriever = library.retriever({ embedder }, measure)
  await library.files.write('a.md', paragraphs(100, 'one'))
  await retriever.sync()
  await library.files.write('b.md', paragraphs(900, 'two'))
  await retriever.sync()
  expect(asked).toBe(1)
})

it('measures it again when there were few passages, and are many', async () => {
  const retriever = library.retriever({ embedder }, measure)
  await library.files.write('a.md', paragraphs(3, 'one'))
  await retriever.sync()
  await library.files.write('b.md', paragraphs(30, 'two'))
  await retriever.sync()
  expect(asked).toBe(1)
  await library.files.write('c.md', paragraphs(300, 'three'))
  await retriever.sync()
  await library.files.write('d.md', paragraphs(900, 'four'))
  await retriever.sync()
  expect(asked).toBe(2)
})

it.each([new AgentKitError('rate-limit', 'Too many requests.'), new TypeError('No questions, please.')])(
  'indexes the files also where it cannot be found out, and tries again at the next sync: %s',
  async (failure) => {
    let tries = 0
    const retriever = library.retriever({ embedder }, async () => {
      if (++tries === 1) throw failure
      return 1
    })
    await library.files.write('a.md', paragraphs(3, 'one'))
    expect(await retriever.sync()).toMatchObject({ indexed: 1, mode: 'hybrid' })
    await retriever.sync()
    await retriever.sync()
    expect(tries).toBe(2)
  },
)

it('does not call a useless embedder any more, and reports why once', async () => {
  const useless = countingEmbedder('acme/useless', { dimensions: 4 })
  const retriever = library.retriever({ embedder: useless }, async () => wordsOnlyTrust)
  await library.files.write('a.md', paragraphs(3, 'one'))
  expect(await retriever.sync()).toMatchObject({
    mode: 'text',
    notice: expect.stringContaining('The embedder acme/useless finds passages of these files worse'),
  })
  const before = useless.texts.length
  await library.files.write('b.md', paragraphs(300, 'two'))
  const report = await retriever.sync()
  expect(report).toMatchObject({ indexed: 1, mode: 'text' })
  expect(report.notice).toBeUndefined()
  expect(await retriever.search('two')).not.toEqual([])
  expect(await retriever.verify()).toEqual([])
  expect(useless.texts).toHaveLength(before)

  const other = library.retriever({ embedder: countingEmbedder('acme/better', { dimensions: 4 }) })
  expect(await other.sync()).toMatchObject({ mode: 'hybrid' })
})
