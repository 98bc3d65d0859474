import type { Citation, ToolContext } from '@agentkit/core'
import { userFolder } from '@agentkit/core/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestLibrary, testLibrary } from '../__fixtures__/test-retriever.ts'
import type { Retriever } from '../retriever.ts'

const canary = 'canary-7f3a'
let library: TestLibrary
let retriever: Retriever

beforeAll(async () => {
  library = await testLibrary()
  const { files } = library
  await files.write(`${userFolder('ada')}/diary.md`, `The secret is ${canary}.`)
  await files.write(`${userFolder('bob')}/notes.md`, 'The secret is nothing.')
  await files.write(`${userFolder('bob')}/trips/oslo.md`, 'The secret beach.')
  await files.write('common.md', `The shared secret ${canary}.`)
  retriever = library.retriever()
  retriever.separateUsers()
  await retriever.sync()
})
afterAll(() => library.close())

async function callAs(userId: string, name: string, input: object): Promise<{ text: string; cited: Citation[] }> {
  const cited: Citation[] = []
  const { signal } = new AbortController()
  const base = { signal, userId, runId: 'r', callId: 'c', idempotencyKey: 'k' }
  const context: ToolContext = { ...base, cite: (sources) => void cited.push(...sources) }
  const tool = retriever.tools().find((one) => one.name === name)
  return { text: String(await tool?.execute(input, context)), cited }
}

const hers = `${userFolder('ada')}/`
const paths = [
  '',
  '.',
  '/',
  '..',
  '../',
  `../${hers}`,
  hers,
  `../${hers}diary.md`,
  `/${hers}diary.md`,
  `./../../${hers}`,
]
const others = [
  ...paths,
  'diary.md',
  'common.md',
  '../common.md',
  `${userFolder('bob')}/../${hers}diary.md`,
  '*',
  '%2e%2e/',
]

describe('the tools of agents whose users have files of their own', () => {
  it('find, read and list the files of the user, without the name of the folder', async () => {
    const found = await callAs('ada', 'search_files', { query: 'secret' })
    expect(found.text).toContain(canary)
    expect(found.cited.map(({ file }) => file)).toEqual(['diary.md'])
    expect((await callAs('ada', 'read_file', { file: 'diary.md' })).text).toContain(canary)
    expect((await callAs('bob', 'list_files', {})).text).toMatch(/^notes\.md: .*\ntrips\/oslo\.md: .*$/)
    expect((await callAs('bob', 'list_files', { folder: 'trips' })).text).toMatch(/^trips\/oslo\.md: .*$/)
    expect((await callAs('bob', 'search_files', { query: 'secret', files: ['trips'] })).cited).toHaveLength(1)
  })

  it.each(others)('show nothing of another user, asked for "%s"', async (path) => {
    const answers = [
      await callAs('bob', 'search_files', { query: `secret ${canary} diary`, files: [path] }),
      await callAs('bob', 'search_files', { query: canary, files: ['notes.md', path] }),
      await callAs('bob', 'read_file', { file: path }),
      await callAs('bob', 'list_files', { folder: path }),
      await callAs('bob', 'list_files', { after: path }),
    ]
    for (const { text, cited } of answers) {
      // The answer repeats only names that the model has sent.
      expect(text).not.toMatch(/is canary|Is "diary|diary\.md:/)
      expect(cited.every(({ file }) => ['notes.md', 'trips/oslo.md'].includes(file))).toBe(true)
    }
  })

  it('show a user without files none, and describe none to the model', async () => {
    expect((await callAs('eve', 'list_files', {})).text).toBe('There are no files yet.')
    expect((await callAs('eve', 'search_files', { query: 'secret' })).text).toContain('no files')
    expect(JSON.stringify(retriever.tools())).not.toMatch(/diary|notes|ada/)
  })
})
