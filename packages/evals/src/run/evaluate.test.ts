import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, AgentKitError, type Model, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EvalCase } from '../data/eval-case.ts'
import type { Scorer } from '../data/scorer.ts'
import { contains, exact } from '../scorers/text-scorers.ts'
import { evaluate } from './evaluate.ts'

let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'agentkit-evals-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

/** A model that answers by a function of the question, and counts its calls. */
function answering(answer: (question: string, call: number) => string): Model & { calls: number } {
  const model: Model & { calls: number } = {
    id: 'test/answering',
    calls: 0,
    async *stream({ messages }, signal) {
      const question = String(messages.at(-1)?.content)
      yield* scriptedModel([answer(question, ++model.calls)]).stream({ messages }, signal)
    },
  }
  return model
}

function agentOf(model: Model, name = 'Clerk'): Agent {
  return new Agent({ name, functions: [], model })
}

const cases: EvalCase[] = Array.from({ length: 12 }, (_, index) => ({ input: `${index}`, expected: `${index}` }))

describe('evaluate', () => {
  it('asks as the user of each case', async () => {
    const who = tool({
      ...{ name: 'who', description: 'Who asks.', input: { type: 'object' } },
      execute: (_, { userId }) => userId,
    })
    const model: Model = {
      id: 'test/who',
      async *stream({ messages }, signal) {
        const last = messages.at(-1)
        const turn = last?.role === 'tool' ? String(last.content) : { toolCalls: [{ name: 'who' }] }
        yield* scriptedModel([turn]).stream({ messages }, signal)
      },
    }
    const agent = new Agent({ name: 'Clerk', functions: [who], model })
    const asked = [
      { input: 'Who?', userId: 'ada', expected: 'ada' },
      { input: 'Who?', userId: 'bob', expected: 'bob' },
    ]
    const run = (cases: EvalCase[]) => evaluate({ agent, cases, scorers: [exact()], out, name: 'users' })
    expect((await run(asked)).results.map(({ text }) => text)).toEqual(['ada', 'bob'])
    // The stored result is that of another user.
    const others = asked.map(({ input }) => ({ input, userId: 'eve', expected: 'eve' }))
    expect((await run(others)).results.map(({ text }) => text)).toEqual(['eve', 'eve'])
  })

  it('reports means, intervals and each result', async () => {
    const model = answering((question) => (Number(question) < 9 ? question : 'no'))
    const report = await evaluate({ agent: agentOf(model), cases, scorers: [exact()], out, name: 'means' })
    expect(report.variants).toEqual({
      clerk: {
        cases: 12,
        failed: 0,
        // Wilson's interval of 9 among 12, as SciPy has it.
        scores: { exact: { mean: 0.75, low: expect.closeTo(0.46769, 4), high: expect.closeTo(0.911059, 4), n: 12 } },
        usage: { inputTokens: 120, outputTokens: 60, totalTokens: 180 },
        durationMs: { p50: expect.any(Number), p95: expect.any(Number) },
      },
    })
    expect(report.comparisons).toEqual([])
    expect(report.results.map((result) => result.case)).toEqual(cases.map((_, index) => `${index + 1}`))
    expect(report.results[11]).toEqual({
      variant: 'clerk',
      case: '12',
      repeat: 1,
      text: 'no',
      scores: { exact: 0 },
      reasons: { exact: 'expected 11' },
      passed: false,
    })
    const stored = JSON.parse(await readFile(join(out, 'means/report.json'), 'utf8'))
    expect(stored).toEqual(JSON.parse(JSON.stringify(report)))
  })

  it('compares variants on the cases that both have, averaging repeats first', async () => {
    const old = answering(() => 'no')
    const better = answering((question, call) => (call % 2 === 0 ? question : 'no'))
    const report = await evaluate({
      variants: { old: agentOf(old), better: agentOf(better) },
      cases,
      scorers: [exact()],
      repeats: 2,
      concurrency: 1,
      ...{ out, name: 'compared' },
    })
    expect(report.variants.better?.scores.exact).toEqual({ mean: 0.5, low: 0.5, high: 0.5, n: 12 })
    expect(report.comparisons).toEqual([
      {
        ...{ a: 'old', b: 'better', scorer: 'exact', difference: 0.5, low: 0.5, high: 0.5, n: 12 },
        ...{ p: 2 / 2 ** 12, pAdjusted: 2 / 2 ** 12, wins: 12, ties: 0, losses: 0, verdict: 'better' },
      },
    ])
    expect(report.results.map(({ repeat }) => repeat).slice(0, 4)).toEqual([1, 2, 1, 2])
  })

  it('counts equal scores as ties, in whichever order their repeats came', async () => {
    const [up, down] = [0, 1].map((wanted) => agentOf(answering((_, call) => `${call % 3}${wanted}`)))
    const tenths: Scorer = {
      name: 'tenths',
      score: ({ result: { text } }) => (text.endsWith('1') ? [0.3, 0.1, 0.2] : [0.1, 0.3, 0.2])[Number(text[0])] ?? 0,
    }
    const options = { cases, scorers: [tenths], repeats: 3, concurrency: 1, out, name: 'ties' }
    const { comparisons } = await evaluate({ ...options, variants: { up, down } as Record<string, Agent> }) // both exist
    expect(comparisons).toMatchObject([{ wins: 0, ties: 12, losses: 0, p: 1 }])
  })

  it('finds no difference, never equality, and gives few cases no p', async () => {
    const variants = { one: agentOf(answering(() => '1')), two: agentOf(answering(() => '1')) }
    const all = { variants, scorers: [exact()], out }
    const { comparisons } = await evaluate({ ...all, cases, name: 'equal' })
    expect(comparisons[0]).toMatchObject({
      p: 1,
      verdict: 'no difference found (n = 12; a difference of 0.58 would have been seen)',
    })
    const few = await evaluate({ ...all, cases: cases.slice(0, 9), name: 'few' })
    expect(few.comparisons[0]).not.toHaveProperty('p')
    expect(few.comparisons[0]?.verdict).toBe('no difference found (n = 9; at least 10 cases are needed)')
  })

  it('scores 0 for a run that fails, and counts it', async () => {
    const model = answering((question) => {
      if (question === '3') throw new AgentKitError('auth', 'No.')
      return question
    })
    const always: Scorer = { name: 'always', score: () => 1 }
    const report = await evaluate({ agent: agentOf(model), cases, scorers: [exact(), always], out, name: 'failing' })
    expect(report.variants.clerk).toMatchObject({ failed: 1, scores: { always: { mean: 11 / 12, n: 12 } } })
    expect(report.results[3]).toMatchObject({
      text: '',
      error: { code: 'auth', message: 'No.' },
      scores: { exact: 0, always: 0 },
      passed: false,
    })
  })

  it('gives no mean of a scorer that has scored no run, even if runs have failed', async () => {
    const model = answering((question) => {
      if (question === '3') throw new AgentKitError('auth', 'No.')
      return question
    })
    const broken: Scorer = { name: 'broken', score: () => Promise.reject(new Error('Broken.')) }
    const report = await evaluate({ agent: agentOf(model), cases, scorers: [exact(), broken], out, name: 'broken' })
    expect(report.variants.clerk).toMatchObject({
      failed: 1,
      scores: { exact: { n: 12 }, broken: { mean: Number.NaN, n: 0 } },
    })
  })

  it('keeps no secret that is in the failure of a run', async () => {
    const model = answering(() => {
      throw new AgentKitError('auth', 'Wrong key: sk-12345678901234.')
    })
    const thrower = agentOf(answering(() => 'x'))
    thrower.stream = () => {
      throw new Error('Broken: sk-12345678901234')
    }
    const variants = { model: agentOf(model), thrower }
    const report = await evaluate({ variants, cases: cases.slice(0, 1), scorers: [exact()], out, name: 'secrets' })
    expect(report.results.map(({ error }) => error)).toMatchObject([
      { code: 'auth', message: 'Wrong key: [redacted].' },
      { code: 'provider-error', message: 'The agent failed: Broken: [redacted]' },
    ])
    expect(JSON.stringify(report)).not.toContain('sk-123')
  })

  it('fails a run that waits for approval', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      needsApproval: true,
      execute: () => 'paid',
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }])
    const agent = new Agent({ name: 'Payer', functions: [pay], model })
    const report = await evaluate({ agent, cases: [{ input: 'Pay' }], scorers: [exact()], out })
    expect(report.results.map(({ error }) => error?.code)).toEqual(['approval'])
  })

  it('lists the scores that are missing: of scorers that throw, never end, or return no score', async () => {
    const scorers: Scorer[] = [
      { name: 'throws', score: () => Promise.reject(new Error('Broken: sk-12345678901234')) },
      { name: 'ends-never', score: () => new Promise(() => {}) },
      { name: 'too-high', score: () => 5 },
      { name: 'not-a-number', score: () => 0 / 0 },
      { name: 'nothing', score: () => undefined as unknown as number }, // in JavaScript
      { name: 'within', score: () => ({ score: 0 / 0, reason: 'x' }) },
      { name: 'bigint', score: () => 1n as unknown as number },
      { name: 'good', score: ({ durationMs }) => ({ score: durationMs >= 0 ? 0.5 : 0, reason: 'sk-12345678901234' }) },
      { name: 'yes', score: () => true },
    ]
    const report = await evaluate({
      agent: agentOf(answering(() => 'x')),
      cases: cases.slice(0, 1),
      scorers,
      scorerTimeoutMs: 5,
      threshold: 0.5,
      ...{ out, name: 'missing' },
    })
    expect(report.results[0]).toMatchObject({
      scores: { good: 0.5, yes: 1 },
      reasons: { good: '[redacted]' },
      missing: {
        throws: 'Broken: [redacted]',
        'ends-never': 'The scorer took longer than 5 ms.',
        'too-high': 'The scorer returned 5. A score is a number from 0 to 1, or a boolean.',
        'not-a-number': 'The scorer returned NaN. A score is a number from 0 to 1, or a boolean.',
        nothing: 'The scorer returned undefined. A score is a number from 0 to 1, or a boolean.',
        within: "The scorer returned { score: NaN, reason: 'x' }. A score is a number from 0 to 1, or a boolean.",
        bigint: 'The scorer returned 1n. A score is a number from 0 to 1, or a boolean.',
      },
      passed: false,
    })
    expect(report.variants.clerk?.scores.throws).toEqual({ mean: Number.NaN, low: Number.NaN, high: Number.NaN, n: 0 })
  })

  it('stops when the signal aborts, also within a scorer', async () => {
    const controller = new AbortController()
    const model = answering(() => 'x')
    const scorer: Scorer = {
      name: 'aborts',
      score: () => {
        controller.abort()
        return new Promise(() => {})
      },
    }
    const running = evaluate({
      agent: agentOf(model),
      cases,
      scorers: [scorer],
      signal: controller.signal,
      out,
      concurrency: 1,
    })
    await expect(running).rejects.toMatchObject({ code: 'aborted' })
    expect(model.calls).toBe(1)
  })

  it('runs the given number of cases at once and no more', async () => {
    let running = 0
    let most = 0
    const model = answering((question) => question)
    const agent = agentOf(model)
    const { stream } = model
    model.stream = async function* (request, signal) {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      yield* stream(request, signal)
      running--
    }
    await evaluate({ agent, cases, scorers: [exact()], concurrency: 3, out, name: 'parallel' })
    expect(most).toBe(3)
  })

  const manyScorers = Array.from({ length: 51 }, (_, index) => ({ ...exact(), name: `exact ${index}` }))
  it.each<[object, string]>([
    [{}, 'Pass `agent`, or `variants` to compare several'],
    [{ agent: 7 }, '`evaluate.agent` is an agent or a swarm.'],
    [{ variants: {} }, '`evaluate.variants` is an object of agents by name'],
    [{ variants: 7 }, '`evaluate.variants` is an object of agents by name'],
    [
      { variants: Object.fromEntries(Array(21).entries()) },
      '`evaluate.variants` is an object of agents by name, such as { old, new }, of 1 to 20.',
    ],
    [{ variants: { a: 1 } }, '`evaluate.variants.a` is an agent or a swarm.'],
    [{ scorer: [] }, 'Unknown option `evaluate.scorer`. Did you mean `evaluate.scorers`?'],
    [{ agent: agentOf(answering(() => '')), scorers: [] }, '`evaluate.scorers` is a list of 1 to 50 scorers'],
    [{ agent: agentOf(answering(() => '')), scorers: 'exact' }, '`evaluate.scorers` is a list of 1 to 50 scorers'],
    [{ agent: agentOf(answering(() => '')), scorers: manyScorers }, '`evaluate.scorers` is a list of 1 to 50 scorers'],
    [{ agent: agentOf(answering(() => '')), scorers: [{ name: 'a' }] }, 'A scorer is an object of `name` and `score`.'],
    [{ agent: agentOf(answering(() => '')), scorers: [{ ...exact(), name: 5 }] }, 'A scorer is an object of'],
    [{ agent: agentOf(answering(() => '')), scorers: [{ ...exact(), name: '' }] }, 'A scorer is an object of'],
    [
      {
        agent: agentOf(answering(() => '')),
        cases: Array(1_001)
          .fill(0)
          .map(() => ({ input: 'a' })),
        repeats: 1_000,
      },
      'The eval has 1001000 runs, more than 1000000. Use fewer repeats.',
    ],
    [{ cassette: { mode: 'replay' } }, '`evaluate.cassette` is an object such as'],
    [
      { agent: agentOf(answering(() => '')), scorers: [exact] },
      'A scorer of this package is made by calling it: exact().',
    ],
    [{ agent: agentOf(answering(() => '')), scorers: [exact(), exact()] }, 'Two scorers have the name "exact".'],
    [{ repeats: 0 }, '`evaluate.repeats` is a whole number from 1 to 1,000.'],
    [{ threshold: 2 }, '`evaluate.threshold` is a number from 0 to 1.'],
    [{ threshold: '' }, '`evaluate.threshold` is a number from 0 to 1.'],
    [{ name: 5 }, '`evaluate.name` is a name of at most 100'],
    [{ name: '../up' }, '`evaluate.name` is a name of at most 100'],
    [{ cassette: { file: 'x' } }, '`evaluate.cassette` is an object such as'],
    [{ cassette: { file: 'x', mode: 'auto' } }, '`evaluate.cassette.mode` is "replay" or "record".'],
  ])('refuses wrong options (%#)', async (options, message) => {
    await expect(evaluate({ cases, scorers: [exact()], ...options })).rejects.toThrow(message)
  })
})

describe('stored results', () => {
  it('are not repeated, unless agent, case, scorer or `fresh` require it', async () => {
    const model = answering((question) => question)
    const one = { agent: agentOf(model), cases, scorers: [exact()], out, name: 'stored' }
    const first = await evaluate(one)
    expect(await evaluate(one)).toEqual(first)
    expect(model.calls).toBe(12)
    await evaluate({ ...one, cases: [...cases.slice(0, 11), { input: 'new', expected: 'new' }] })
    expect(model.calls).toBe(13)
    await evaluate({ ...one, scorers: [exact({ ignoreCase: true })] })
    expect(model.calls).toBe(25)
    await evaluate({ ...one, agent: new Agent({ name: 'Clerk', functions: [], model, instruction: 'Be brief.' }) })
    expect(model.calls).toBe(37)
    await evaluate({ ...one, fresh: true })
    expect(model.calls).toBe(49)
    // The results of the other agent and scorers have stayed.
    await evaluate({ ...one, scorers: [exact({ ignoreCase: true })] })
    expect(model.calls).toBe(49)
    const path = join(out, 'stored/results.jsonl')
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(12 + 1 + 12 + 12)
  })

  it('of an eval that was killed are kept, also after a line that was cut off', async () => {
    const model = answering((question) => question)
    const one = { agent: agentOf(model), cases, scorers: [exact()], out, name: 'killed' }
    await evaluate(one)
    const path = join(out, 'killed/results.jsonl')
    const lines = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, `${lines.slice(0, 5).join('\n')}\n${lines[5]?.slice(0, 40)}`)
    await evaluate(one)
    expect(model.calls).toBe(12 + 7)
    await evaluate(one)
    expect(model.calls).toBe(12 + 7)
    await appendFile(path, '{"key":"x"}\nnull\n')
    await evaluate(one)
    expect(model.calls).toBe(12 + 7)
  })

  it('with a failure or a missing score are made again', async () => {
    let isDown = true
    const model = answering((question) => {
      if (isDown) throw new AgentKitError('auth', 'Down.')
      return question
    })
    const scorer: Scorer = {
      name: 'at-times',
      score: () => {
        if (isDown) throw new Error('Down.')
        return 1
      },
    }
    const one = { agent: agentOf(model), cases: cases.slice(0, 1), scorers: [scorer], out, name: 'again' }
    expect((await evaluate(one)).variants.clerk?.failed).toBe(1)
    isDown = false
    expect((await evaluate(one)).variants.clerk?.failed).toBe(0)
  })

  it('of a run that waited for an approval are made again once its tool needs none', async () => {
    const payer = (needsApproval: boolean): Agent => {
      const description = 'Pays.'
      const pay = tool({ name: 'pay', description, input: { type: 'object' }, needsApproval, execute: () => 'paid' })
      const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'It is paid.'])
      return new Agent({ name: 'Payer', functions: [pay], model })
    }
    const one = { cases: [{ input: 'Pay', expected: 'paid' }], scorers: [contains()], out, name: 'approved' }
    expect((await evaluate({ ...one, agent: payer(true) })).variants.payer?.failed).toBe(1)
    expect((await evaluate({ ...one, agent: payer(false) })).results[0]).toMatchObject({ text: 'It is paid.' })
  })
})

it('10,000 cases, and answers of 1 MB, are evaluated with a short report', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ input: `${index}` }))
  const model = answering((question) => question)
  const yes: Scorer = { name: 'yes', score: () => 1 }
  const report = await evaluate({
    agent: agentOf(model),
    cases: many,
    scorers: [yes],
    out,
    name: 'many',
    concurrency: 50,
  })
  expect(report.variants.clerk?.scores.yes).toMatchObject({ n: 10_000, mean: 1 })

  const long = answering(() => `${'<b>'.repeat(350_000)}`)
  const { results } = await evaluate({
    agent: agentOf(long),
    cases: [{ input: 'x'.repeat(1_000_000) }],
    scorers: [yes],
    out,
    name: 'long',
  })
  expect(results[0]?.text.length).toBeLessThan(20_100)
}, 120_000)
