import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, AgentKitError, type Citation, type Knowledge, Swarm } from '@agentkit/core'
import { offline } from '@agentkit/providers-offline'
import { createRetriever } from '@agentkit/retriever'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { citationOf, scoredRun } from '../__fixtures__/scored-run.ts'
import type { Score } from '../data/scorer.ts'
import { limits } from '../limits.ts'
import { evaluate } from '../run/evaluate.ts'
import { citations } from './citations.ts'
import { claimsOf, hasClaim, normalized } from './claims.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-citations-'))
  await writeFile(
    join(folder, 'notes.md'),
    '# Notes\n\nThe bridge of Oslo was built in 1933 by Ada Berg.\n\nIt is 40 m long.\n',
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the claims of an answer', () => {
  it.each<[string, string[]]>([
    ['It was built in 1933 by Ada Berg.', ['1933', 'Ada Berg']],
    ['Ada Berg built it.', ['Ada Berg']],
    ['The bridge is long.', []],
    ['Bridges are long. However, I like them.', []],
    ['It costs 1,250.50 and opens at 9:30.', ['1,250.50', '9:30']],
    ['NASA paid.', ['NASA']],
    ['1. It is **long** [2].', []],
    ['## Heading\n- See notes.md, row 7', ['7']],
    ["It is Norway's on 12 May 2024.", ['12', '2024', 'Norway', 'May']],
    ['It takes A4 since the 1990s, v2.1 at 5km.', ['A4', '1990', 'v2.1', '5']],
    ['The value of MAX_RETRIES is 3.', ['3', 'MAX', 'RETRIES']],
    ['塔于1889年建成。', ['1889']],
    ['Ask Ada Berg. According to Ada Berg it is long. However, Norway paid.', ['Ada Berg', 'Ada Berg', 'Norway']],
    ['See Oslo. After May it is open, see Call of Duty.', ['Oslo', 'May', 'Call', 'Duty']],
    ['Eva Berg built it.', ['Eva Berg']],
    ['Die Brücke in der Stadt wurde 1933 von Ada Berg gebaut. Sie hat drei Bögen.', ['1933', 'Ada Berg']],
    ['Für den Bau zahlte die NATO, laut Bericht.', ['NATO']],
    ['The Berliner Dom is of 1905, and die Brücke is old.', ['1905', 'Berliner Dom', 'Brücke']],
  ])('%j are %j', (text, claims) => {
    expect(claimsOf(text, ['notes.md']).flatMap((one) => one.claims)).toEqual(claims)
  })

  it.each<[string, string, boolean]>([
    ['built in 1933.', '1933', true],
    ['built in 2012', '12', false],
    ['3.5 m', '3', false],
    ['3.5 m', '5', false],
    ['by ADA\nBERG', 'Ada Berg', true],
    ['Adam', 'Ada', false],
    ['a fee of 1,250.50 EUR', '1250.50', true],
    ['a fee of 1250 EUR', '1,250', true],
    ['in 1,2 and 3', '12', false],
    ['since the 1990s', '1990', true],
    ['a run of 5km', '5', true],
    ['a run of 15km', '5', false],
    ['on A4 paper', 'A4', true],
    ['on A4 paper', '4', false],
    ['on A44', 'A4', false],
    ['1.6x10', 'x10', true],
    ['塔建于1889年', '1889', true],
    ['in Adaville', 'Ada', false],
  ])('%j contains %j: %s', (quote, claim, is) => {
    expect(hasClaim(normalized(quote), claim)).toBe(is)
  })

  it('are found in linear time in a hostile answer', () => {
    expect(claimsOf('A '.repeat(100_000)).length).toBeLessThan(10)
    expect(claimsOf('1.'.repeat(100_000)).length).toBeLessThanOrEqual(100_000)
    expect(claimsOf('a1'.repeat(100_000))).toHaveLength(1)
    expect(claimsOf(`${'a'.repeat(190_000)}1`)).toHaveLength(1)
    expect(claimsOf('_'.repeat(200_000))).toHaveLength(0)
    for (const end of ['b', 'c', 'd']) expect(claimsOf(`a${'_'.repeat(190_000)}${end} 1`)).toHaveLength(1)
    expect(claimsOf(`${"A'".repeat(100_000)}`).length).toBeLessThan(10)
    const startedAt = performance.now()
    expect(claimsOf(`In A${'-'.repeat(90_000)}b it is.`)).toHaveLength(1)
    // Linear code takes some milliseconds, quadratic code twenty seconds.
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })
})

async function scoreOf(text: string, sources: Citation[], options = { folder }): Promise<Exclude<Score, boolean>> {
  const score = await citations(options).score(scoredRun(text, { result: { sources } }), new AbortController().signal)
  return score as Exclude<Score, boolean>
}

describe('citations', () => {
  const quote = 'The bridge of Oslo was built in 1933 by Ada Berg.'

  it('hold where quotes are in their files, and contain the facts of the answer', async () => {
    expect(await scoreOf('It was built in 1933.', [citationOf(quote)])).toBe(1)
    expect(await scoreOf('It is a bridge.', [])).toBe(1)
    const paper = 'Since the 1990s it takes A4 and Q3 sheets, the 2nd from 10:30am, with MAX_RETRIES set to 75s.'
    await writeFile(join(folder, 'paper.md'), paper)
    expect(await scoreOf(paper, [{ ...citationOf(paper), file: 'paper.md' }])).toBe(1)
    expect(await scoreOf('It was built in 1934.', [citationOf(quote)])).toEqual({
      score: 0.5,
      reason: 'no source has 1934 of "It was built in 1934."',
    })
    expect(await scoreOf('It was built in 1934.', [citationOf('It was built in 1934.')])).toEqual({
      score: 0.5,
      reason: 'notes.md: the quote is not in the file',
    })
    expect(await scoreOf('It was built in 1933.', [])).toMatchObject({ score: 0 })
  })

  it.each<[string, number]>([
    ['It was built in 1933 (notes.md, page 3).', 1],
    ['It was built in 1933 (notes.md, pages 3–4).', 1],
    ['It was built in 1933, as p. 4 and pp. 3-4 say.', 1],
    ['On Page 4 it says: built in 1933.', 1],
    ['It was built in 1933 (notes.md, rows 7–9).', 1],
    ['It was built in 1933 (notes.md, "The Old Bridges").', 1],
    ['It was built in 1933 (notes.md, page 5).', 0.5],
    ['It was built in 1933 (notes.md, pages 3–5).', 0.5],
    ['It was built in 1933 (notes.md, row 3).', 0.5],
    ['It has 3 arches.', 0.5],
    ['It was built in 1933 (notes.md, "The New Bridges").', 0.5],
  ])('hold where the answer names the place of a source: %j is %d', async (text, score) => {
    const source = { ...citationOf(quote), page: 3, pageEnd: 4, row: 7, rowEnd: 9, heading: 'Norway > The Old Bridges' }
    const scored = await scoreOf(text, [source])
    expect(typeof scored === 'number' ? scored : scored.score).toBe(score)
  })

  it('read each quote once, however many claims the answer has', async () => {
    const text = Array.from({ length: 300 }, (_, index) => `${1_000 + index}`).join(' ')
    const sources = Array.from({ length: 10 }, () => citationOf('word '.repeat(400)))
    const { normalize } = String.prototype
    let characters = 0
    vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
      characters += this.length
      return normalize.call(this, form)
    })
    await citations().score(scoredRun(text, { result: { sources } }), AbortSignal.timeout(60_000))
    vi.restoreAllMocks()
    expect(characters).toBeLessThan(100_000)
  })

  it('may be of an address that ends with a slash', async () => {
    const sources = [citationOf(quote, 'https://example.com/bridges/')]
    const run = scoredRun('It was built in 1933.', { result: { sources } })
    expect(await citations().score(run, new AbortController().signal)).toMatchObject({ score: 1 })
  })

  it.each(['', ' \n'])('do not hold where their quote is %j', async (quote) => {
    expect(await scoreOf('It is long.', [citationOf(quote)])).toEqual({
      score: 0,
      reason: 'notes.md: the quote is empty',
    })
  })

  it('are read from no file outside of the folder', async () => {
    expect(await scoreOf('', [citationOf('root:', '../../../../etc/passwd')])).toMatchObject({
      score: 0,
      reason: '../../../../etc/passwd: the file is outside of the folder',
    })
    expect(await scoreOf('', [citationOf('x', 'none.md')])).toMatchObject({
      reason: 'none.md: the file cannot be read',
    })
    await writeFile(join(folder, 'large.md'), '')
    await truncate(join(folder, 'large.md'), limits.quotedFileBytes + 1)
    expect(await scoreOf('', [citationOf('x', 'large.md')])).toMatchObject({
      reason: 'large.md: the file is too large',
    })
  })

  it('report quotes that were not compared with their files', async () => {
    const score = await citations().score(
      scoredRun('It was built in 1933.', { result: { sources: [citationOf(quote)] } }),
      new AbortController().signal,
    )
    expect(score).toEqual({ score: 1, reason: 'the files of the quotes were not read: pass `folder`' })
  })

  it('do not hold where the file has changed since', async () => {
    const stub = { tools: () => [], sync: async () => ({}), passage: async () => ({ quote, stale: true }) }
    const knowledge = stub as unknown as Knowledge // of which `passage` alone is called
    const agent = new Agent({ name: 'Reader', functions: [], model: scriptedModel([]), knowledge })
    const run = scoredRun('It was built in 1933.', { agent, result: { sources: [citationOf(quote)] } })
    expect(await citations().score(run, new AbortController().signal)).toMatchObject({
      score: 0.5,
      reason: 'notes.md: the file has changed since',
    })
  })

  it('of members are looked up by what the members know', async () => {
    const unknown = new AgentKitError('not-found', 'There is no passage.')
    const knowing = (passage: () => Promise<unknown>): Knowledge =>
      ({ tools: () => [], sync: async () => ({}), passage }) as unknown as Knowledge // of which `passage` alone is called
    const member = (name: string, passage: () => Promise<unknown>): Agent =>
      new Agent({ name, functions: [], model: scriptedModel([]), knowledge: knowing(passage) })
    const agents = [member('Ann', () => Promise.reject(unknown)), member('Bob', async () => ({ quote }))]
    const agent = new Swarm({ name: 'Team', agents, model: scriptedModel([]) })
    const sources = [citationOf(quote), citationOf('never said')]
    const run = scoredRun('It is long.', { agent, result: { sources } })
    expect(await citations().score(run, new AbortController().signal)).toEqual({
      score: 0.5,
      reason: 'notes.md: the quote is not in the file',
    })
  })

  it('of earlier conversations are in no file', async () => {
    const session = { sessionId: 'first', runId: 'run_1', at: '2026-11-30T12:00:00.000Z' }
    const sources = [{ ...citationOf('Ada Berg built it.', 'session/first'), session }]
    expect(await scoreOf('Ada Berg built it.', sources)).toBe(1)
  })

  it('of the offline model on a folder of files are looked up by its knowledge', async () => {
    const indexPath = join(folder, '.index')
    const knowledge = createRetriever({ folder, indexPath, requiredExts: ['.md'] })
    try {
      const agent = new Agent({ name: 'Reader', functions: [], model: offline().model('extractive'), knowledge })
      const cases = [{ input: 'When was the bridge of Oslo built?' }]
      const one = { agent, cases, scorers: [citations()], out: join(folder, 'out') }
      const good = await evaluate({ ...one, name: 'good' })
      expect(good.results[0]).toMatchObject({ text: expect.stringContaining('1933'), scores: { citations: 1 } })
      // A model that quotes right and answers wrong.
      const liar = new Agent({
        name: 'Liar',
        functions: [],
        knowledge,
        model: scriptedModel([
          { toolCalls: [{ name: 'search_files', input: { query: 'bridge Oslo built' } }] },
          'It was built in 1843 by Eva Holm.',
        ]),
      })
      const bad = await evaluate({ ...one, agent: liar, name: 'bad' })
      expect(bad.results[0]?.scores.citations).toBeLessThan(1)
      expect(bad.results[0]?.reasons?.citations).toContain('no source has 1843, Eva Holm')
    } finally {
      await knowledge.close()
    }
  }, 60_000)
})
