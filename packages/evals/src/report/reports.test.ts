import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, AgentKitError, type Model, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseResult } from '../data/eval-report.ts'
import type { Scorer } from '../data/scorer.ts'
import { limits } from '../limits.ts'
import { type EvalRun, runEval } from '../run/run-eval.ts'
import { contains, exact } from '../scorers/text-scorers.ts'
import { reportLines } from './report-lines.ts'
import { writeHtml } from './write-html.ts'
import { writeJunit } from './write-junit.ts'

const hostile = `</pre><script>alert(1)</script><img src=x onerror="alert('2')">\u0000\u001b[31m\ud800 ]]> & fine`

let out: string
let run: EvalRun
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'agentkit-reports-'))
  const model: Model = {
    id: 'test/own',
    async *stream(request, signal) {
      const question = String(request.messages.at(-1)?.content)
      if (question === 'fail') throw new AgentKitError('auth', `No ${hostile}`)
      yield* scriptedModel([question.startsWith('good') ? 'good' : hostile]).stream(request, signal)
    },
  }
  const broken: Scorer = {
    name: `broken<b>`,
    score: ({ result }) => {
      if (result.text === 'good') return 1
      throw new Error(hostile)
    },
  }
  const agent = new Agent({ name: 'Clerk', functions: [], model })
  run = await runEval({
    variants: { 'a<i>"': agent, b: agent },
    cases: [
      ...Array.from({ length: 10 }, (_, index) => ({ input: `good ${index}`, expected: 'good' })),
      { id: `id ${hostile}`.slice(0, 190), input: 'bad', expected: 'good', tags: ['<u>tag'] },
      { input: 'fail', expected: 'good' },
    ],
    scorers: [exact(), broken],
    ...{ out, name: 'hostile' },
  })
})
afterAll(() => rm(out, { recursive: true, force: true }))

it('the lines for a terminal have means, comparisons and failed cases', () => {
  const lines = reportLines(run.report)
  expect(lines.join('\n')).toContain('a<i>"    exact      0.833  0.552 to 0.953  12')
  expect(lines.join('\n')).toMatch(/b against a<i>" {2}exact +0\.000/)
  expect(lines).toContain('4 of 24 runs did not pass:')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(300)
})

it('the lines for a narrow terminal have each row as a list of its cells', () => {
  const shown = { shown: (text: string) => text, widthOf: (text: string) => text.length }
  const { report } = run
  expect(reportLines(report, { ...shown, columns: 200 })).toEqual(reportLines(report))
  const lines = reportLines({ ...report, results: [] }, { ...shown, columns: 40 })
  expect(lines.slice(0, 6)).toEqual([
    ...['variant: a<i>"', '  scorer: exact', '  mean: 0.833', '  95 % interval: 0.552 to 0.953', '  n: 12', ''],
  ])
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}won\/tied\/lost: \d+\/\d+\/\d+$/))
})

it('lists a failure in one line, even if its reason has several', () => {
  const [first] = run.report.results
  const result = { ...first, scores: { exact: 0 }, reasons: { exact: 'Too long:\n- one\r\n\t- two' }, passed: false }
  const lines = reportLines({ ...run.report, results: [result as CaseResult] }) // the report has results
  expect(lines.at(-1)).toMatch(/: exact 0\.000: Too long: - one - two$/)
})

it('lists 20 failures, each in a line of a bounded length', () => {
  const [first] = run.report.results
  const result = { ...first, scores: { exact: 0 }, reasons: { exact: 'x'.repeat(1_000) }, passed: false }
  const results = Array<CaseResult>(25).fill(result as CaseResult) // the report has results
  const lines = reportLines({ ...run.report, results })
  expect(lines.slice(lines.indexOf('25 of 25 runs did not pass:'))).toHaveLength(1 + 20 + 1)
  expect(lines.at(-1)).toBe('  and 5 more')
  expect(lines.at(-2)).toMatch(/^.{299}…$/)
})

describe('the HTML page', () => {
  let html: string
  beforeAll(async () => {
    const path = join(out, 'pages/report.html')
    await writeHtml(path, run.report, run)
    html = await readFile(path, 'utf8')
  })

  it('shows texts of answers, scorers, cases and variants as text', () => {
    expect(html).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;')
    expect(html).not.toMatch(/<script|<img|<u>|<i>"|<b>(?!(?:user|assistant|tool|system)<\/b>)/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it must not have
    expect(html).not.toMatch(/[\u0000\u001b\ud800]/)
  })

  it('loads nothing, and has a conversation per run', () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/\b(?:src|href)="/)
    expect(html.match(/<details/g)).toHaveLength(24)
    expect(html).toContain('<b>user</b><pre>good 3</pre>')
    expect(html.match(/<svg/g)).toHaveLength(6)
  })
})

it("the page has the texts and calls of a swarm's members, and no member of a handoff twice", async () => {
  const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => hostile })
  const clerk = (): Agent => {
    const model = scriptedModel([
      { text: 'I look.', toolCalls: [{ name: 'look', input: { at: '<b>' } }] },
      'Three bolts.',
    ])
    return new Agent({ name: 'Clerk', functions: [look], model })
  }
  const lead = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Count.' } }] }, 'There are three.'])
  const office = new Swarm({ name: 'Office', model: lead, agents: [clerk()] })
  const desk = new Swarm({ name: 'Desk', agents: [clerk()], collaboration: 'handoff' })
  const cases = [{ input: 'How many?', expected: 'three' }]
  const swarms = await runEval({ variants: { office, desk }, cases, scorers: [contains()], out, name: 'swarms' })
  const path = join(out, 'swarms.html')
  await writeHtml(path, swarms.report, swarms)
  const html = await readFile(path, 'utf8')
  expect(html.match(/<details class="member"><summary>clerk<\/summary>/g)).toHaveLength(1)
  const [, member = ''] = html.split('<details class="member">')
  expect(member).toContain('<b>assistant</b><pre>I look.\nlook({&quot;at&quot;:&quot;&lt;b&gt;&quot;})</pre>')
  expect(member).toContain('<b>tool</b><pre>look: &lt;/pre&gt;&lt;script&gt;')
  expect(member).toContain('<b>assistant</b><pre>Three bolts.</pre>')
  expect(html).not.toContain('<script')
  expect(JSON.stringify(swarms.report)).not.toContain('I look.')
})

it('JUnit has a test per run: failures of scores, errors of runs and scorers', async () => {
  const path = join(out, 'junit.xml')
  await writeJunit(path, run.report, run.results)
  const xml = await readFile(path, 'utf8')
  expect(xml).toMatch(/<testsuites name="hostile" tests="24" failures="0" errors="4" time="\d+\.\d{3}">/)
  expect(xml.match(/<testcase /g)).toHaveLength(24)
  expect(xml).toContain('<error message="auth: No &lt;/pre&gt;&lt;script&gt;')
  expect(xml).not.toContain('<script')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not have these
  expect(xml).not.toMatch(/[\u0000\u001b\ud800]/)
})

it('a page of many runs has those that did not pass, and is bounded', async () => {
  const cases = Array.from({ length: 2_100 }, (_, index) => ({
    input: index < 2_099 ? `good ${index}` : 'bad',
    expected: 'good',
  }))
  const model: Model = {
    id: 'test/own',
    stream: (request, signal) =>
      scriptedModel([String(request.messages.at(-1)?.content).startsWith('good') ? 'good' : 'bad']).stream(
        request,
        signal,
      ),
  }
  const agent = new Agent({ name: 'Clerk', functions: [], model })
  const many = await runEval({ agent, cases, scorers: [exact()], out, name: 'many' })
  const path = join(out, 'many.html')
  await writeHtml(path, many.report, many)
  const html = await readFile(path, 'utf8')
  expect(html.match(/<details/g)).toHaveLength(2_000)
  expect(html.match(/<details class="missed"/g)).toHaveLength(1)
  expect(html).toContain('100 more runs that passed are in report.json.')
}, 60_000)

it('a page has conversations up to a number of characters, and of the other runs their answers', async () => {
  const half = 'x'.repeat(limits.htmlTranscriptChars / 2)
  const { report, results } = run
  const folder = join(out, 'long')
  await mkdir(folder)
  const lines = results.slice(0, 2).map((result) => ({ ...result, messages: [{ role: 'user', content: half }] }))
  await writeFile(
    join(folder, 'results.jsonl'),
    lines.map((line) => `${JSON.stringify(line)}\n`),
  )
  const path = join(out, 'long.html')
  await writeHtml(path, report, { folder, results })
  const { size } = await stat(path)
  expect([size > half.length, size < 2 * half.length]).toEqual([true, true])
})
