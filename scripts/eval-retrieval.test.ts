import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Evaluation } from './eval-retrieval/evaluate.ts'
import { fakeEmbedders } from './eval-retrieval/fake-embedders.ts'
import { printTable } from './eval-retrieval/print-table.ts'
import { writeFiles } from './eval-retrieval/write-files.ts'
import { evalRetrieval } from './eval-retrieval.ts'

const subjects = ['apples', 'bridges', 'candles', 'dolphins', 'engines', 'forests', 'glaciers', 'harbours']
/** Three documents per subject; one repeats its title in the text, one uses other words. */
const documents = subjects.flatMap((subject) => [
  {
    id: `${subject}/1`,
    title: `About ${subject}`,
    text: `About ${subject}\nThey say that ${subject} are *old* & dear.`,
  },
  { id: `${subject}/2`, text: `In 1999 nobody had seen better ${subject} <here> than ours.` },
  { id: `${subject}/3`, text: `Number ${subjects.indexOf(subject)} has no name and tells nothing at all.` },
])
const queries = subjects.map((subject) => ({ id: subject, text: `What is known of ${subject}?` }))
const judgments = subjects.flatMap((query) => [1, 2, 3].map((number) => ({ query, doc: `${query}/${number}`, rel: 1 })))

let place: string
let folder: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'eval-test-'))
  folder = join(place, 'little')
  mkdirSync(folder)
  const files = { 'docs.jsonl': documents, 'queries.jsonl': queries, 'qrels.jsonl': judgments }
  for (const [file, lines] of Object.entries(files)) {
    writeFileSync(join(folder, file), lines.map((line) => JSON.stringify(line)).join('\n'))
  }
})
afterAll(() => rmSync(place, { recursive: true }))

it('measures each tool by words, and with an embedder, which must not make it worse', async () => {
  const notices: string[] = []
  const plot = join(place, 'quality.svg')
  const options = ['--json', '--tool=basic', '--embedder=random', `--plot=${plot}`]
  const json = await evalRetrieval([folder, ...options], (line) => notices.push(line))
  expect(readFileSync(plot, 'utf8')).toContain('little, basic, fake/random')
  // Our own figures, as printed.
  const [words, random] = JSON.parse(json) as Evaluation[]
  expect(words).toMatchObject({ collection: 'little', tool: 'basic', embedder: 'none' })
  // The search by words finds two of three relevant documents, and ranks them first.
  expect(words?.recall).toBeCloseTo(2 / 3, 12)
  expect(words?.map).toBeCloseTo(2 / 3, 12)
  expect(words?.chunkRecall).toBeGreaterThan(0.5)
  expect(random).toMatchObject({ embedder: 'fake/random', ndcg: words?.ndcg, map: words?.map })
  expect(notices).toEqual(['little, basic …', 'little, basic, random …'])
})

it('prints a table', () => {
  const scores = { ndcg: 0.36951, map: 0.3, recall: 0.4, chunkRecall: 0.5, indexSeconds: 1.23, searchMs: 4.56 }
  expect(printTable([{ collection: 'little', tool: 'basic', embedder: 'none', ...scores }]).split('\n')).toEqual([
    '| collection | tool | embedder | nDCG@10 | MAP | recall@10 | text recall in 8,000 characters | index, s | search, ms |',
    '| --- | --- | --- | --: | --: | --: | --: | --: | --: |',
    '| little | `basic` | none | 0.3695 | 0.3000 | 0.4000 | 0.5000 | 1.2 | 4.6 |',
  ])
})

it.each([
  [[], 'Name the folders'],
  [['nowhere'], 'Cannot read'],
  [['.', '--tool=fast'], '--tool knows no "fast". There are: basic, localstore.'],
  [['.', '--embedder=real'], '--embedder knows no "real"'],
  [['.', '--max=0'], '--max is a number of documents'],
])('reports the problem of %o', async (args, message) => {
  await expect(evalRetrieval(args, () => {})).rejects.toThrow(message)
})

it('writes a title once', () => {
  const files = writeFiles(
    [{ id: '1', title: 'About  apples', text: 'About\napples\nThey are old.' }],
    join(place, 'out'),
  )
  expect([...files.keys()]).toEqual(['000000.md'])
})

it('has an oracle that recognizes a document by its passages', async () => {
  const collection = {
    name: 'little',
    documents: documents.map(({ title = '', ...rest }) => ({ title, ...rest })),
    queries: queries.map(({ id, text }) => ({ id, text, relevant: new Map([[`${id}/2`, 1]]) })),
  }
  const texts = ['What is known of apples?', 'Heading\nIn 1999 nobody had seen better apples <here> than ours', 'Else']
  const [query, right, other] = (await fakeEmbedders.oracle?.(collection).embed(texts, AbortSignal.timeout(1000))) ?? []
  const like = (vector: Float32Array | undefined): number =>
    vector?.reduce((sum, number, index) => sum + number * (query?.[index] ?? 0), 0) ?? 0
  expect(like(right)).toBeGreaterThan(5 * Math.abs(like(other)))
})
