import { Agent, type RunResult, Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventsOf, scoredRun } from '../__fixtures__/scored-run.ts'
import type { Score, ScoredRun, Scorer } from '../data/scorer.ts'
import { runCase } from '../run/run-case.ts'
import { scoreRun } from '../run/score-run.ts'
import { jsonShape } from './json-shape.ts'
import { latency, withinBudget } from './limit-scorers.ts'
import { contains, exact, regex } from './text-scorers.ts'
import { toolTrajectory } from './tool-trajectory.ts'

async function scoreOf(scorer: Scorer, run: ScoredRun): Promise<number> {
  const score: Score = await scorer.score(run, new AbortController().signal)
  return Number(typeof score === 'object' ? score.score : score)
}

describe('exact', () => {
  it.each<[string, unknown, number]>([
    [' Oslo\n', 'Oslo', 1],
    ['oslo', 'Oslo', 0],
    ['Oslo.', 'Oslo', 0],
    ['caf\u0065\u0301', 'café', 1],
    ['{"b":2,"a":[1]}', { a: [1], b: 2 }, 1],
    ['```json\n{"a":1}\n```', { a: 1 }, 1],
    ['{"a":1,"b":2}', { a: 1 }, 0],
    ['no JSON', { a: 1 }, 0],
    ['false', false, 1],
  ])('compares %j with %j', async (text, expected, score) => {
    expect(await scoreOf(exact(), scoredRun(text, { expected }))).toBe(score)
  })

  it('compares the structured output of a run, case where it matters, and needs `expected`', async () => {
    expect(await scoreOf(exact(), scoredRun('x', { expected: { a: 1 }, result: { output: { a: 1 } } }))).toBe(1)
    for (const text of ['"yes"', '{"value":"yes"}']) {
      expect(await scoreOf(exact(), scoredRun(text, { expected: 'yes', result: { output: 'yes' } }))).toBe(1)
      expect(await scoreOf(exact(), scoredRun(text, { expected: 'no', result: { output: 'yes' } }))).toBe(0)
    }
    expect(await scoreOf(exact({ ignoreCase: true }), scoredRun('oslo', { expected: 'OSLO' }))).toBe(1)
    for (const [answer, expected] of [
      ['istanbul', 'İSTANBUL'],
      ['HAUPTSTRASSE', 'Hauptstraße'],
    ] as const)
      expect(await scoreOf(exact({ ignoreCase: true }), scoredRun(answer, { expected }))).toBe(1)
    await expect(scoreOf(exact(), scoredRun('x'))).rejects.toThrow('`exact` needs `expected` in the case.')
  })
})

it('reasons are cut between characters', async () => {
  const expected = '🌲'.repeat(200)
  const signal = new AbortController().signal
  for (const scorer of [exact(), contains()]) {
    const score = await scorer.score(scoredRun('No tree', { expected }), signal)
    expect(score).toMatchObject({ reason: expect.stringMatching(/🌲…$/u) })
  }
  const { reasons } = await scoreRun(
    scoredRun('No tree'),
    [{ name: 'long', score: () => ({ score: 0, reason: `a${expected.repeat(50)}` }) }],
    { signal, timeoutMs: 1_000 },
  )
  expect(reasons.long?.isWellFormed()).toBe(true)
})

it('contains is the share of the texts that are there', async () => {
  expect(await scoreOf(contains(), scoredRun('From Basel to Cologne', { expected: ['Basel', 'Cologne'] }))).toBe(1)
  expect(await scoreOf(contains(), scoredRun('From Basel', { expected: ['Basel', 'Cologne'] }))).toBe(0.5)
  expect(await scoreOf(contains(), scoredRun('basel', { expected: 'Basel' }))).toBe(0)
  expect(await scoreOf(contains({ ignoreCase: true }), scoredRun('basel', { expected: 'Basel' }))).toBe(1)
  await expect(scoreOf(contains(), scoredRun('x', { expected: [1] }))).rejects.toThrow('a list of texts')
  await expect(scoreOf(contains(), scoredRun('x', { expected: [] }))).rejects.toThrow('a list of texts')
})

it('scorers of one case may compare different fields of `expected`', async () => {
  const expected = { text: 'Oslo', tools: [] }
  const run = scoredRun('Oslo', { expected })
  expect(await scoreOf(exact({ field: 'text' }), run)).toBe(1)
  expect(await scoreOf(contains({ field: 'text' }), run)).toBe(1)
  expect(await scoreOf(toolTrajectory({ order: 'exact', field: 'tools' }), run)).toBe(1)
  await expect(scoreOf(exact({ field: 'other' }), run)).rejects.toThrow('`exact` needs `expected.other` in the case.')
  expect(() => exact({ ignorecase: true } as object)).toThrow('Did you mean `exact.ignoreCase`?')
})

describe('regex', () => {
  it('searches from the start each time, also with the flag g', async () => {
    const scorer = regex(/o/g)
    expect(await scoreOf(scorer, scoredRun('Oslo'))).toBe(1)
    expect(await scoreOf(scorer, scoredRun('Oslo'))).toBe(1)
    expect(await scoreOf(regex(/^\d+$/u), scoredRun('Oslo'))).toBe(0)
    // In JavaScript.
    expect(() => regex('x' as unknown as RegExp)).toThrow('`regex` takes a regular expression')
  })

  it('ends a search that takes for ever', async () => {
    const scorer = regex(/^(a+)+$/)
    await expect(scoreOf(scorer, scoredRun(`${'a'.repeat(60)}!`))).rejects.toThrow('took longer than 1000 ms')
  })

  it('searches the first million characters', async () => {
    const answer = (spaces: number): string => `${' '.repeat(spaces)}Oslo`
    expect(await scoreOf(regex(/Oslo/), scoredRun(answer(999_996)))).toBe(1)
    expect(await scoreOf(regex(/Oslo/), scoredRun(answer(999_997)))).toBe(0)
  })
})

describe('jsonShape', () => {
  const shape = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

  it.each([
    ['JSON Schema', shape],
    ['zod', z.object({ city: z.string() })],
  ])('validates by %s', async (_, schema) => {
    const scorer = jsonShape(schema)
    expect(await scoreOf(scorer, scoredRun('{"city":"Oslo"}'))).toBe(1)
    expect(await scoreOf(scorer, scoredRun('{"city":7}'))).toBe(0)
    expect(await scoreOf(scorer, scoredRun('Oslo'))).toBe(0)
    expect(await scoreOf(scorer, scoredRun('', { result: { output: { city: 'Oslo' } } }))).toBe(1)
  })

  it('runs the asynchronous checks of a schema once', async () => {
    let checks = 0
    const scorer = jsonShape(z.object({ city: z.string().refine(async () => ++checks > 0) }))
    expect(await scoreOf(scorer, scoredRun('{"city":"Oslo"}'))).toBe(1)
    expect(checks).toBe(1)
  })

  it('has another version for another schema', () => {
    expect(jsonShape(z.object({ a: z.string() })).version).not.toBe(jsonShape(z.object({ a: z.number() })).version)
    expect(() => jsonShape('x' as never)).toThrow('`jsonShape` takes a JSON Schema')
  })
})

describe('toolTrajectory', () => {
  const call = (name: string, path = ['clerk']) => ({ type: 'tool-call', callId: 'c', name, input: {}, path }) as const
  const called = eventsOf(call('find'), call('check'), call('refund'), call('find'))

  it.each<['exact' | 'in-order' | 'any-order', string[] | string, number]>([
    ['exact', ['find', 'check', 'refund', 'find'], 1],
    ['exact', ['find', 'check', 'refund'], 0],
    ['exact', ['check', 'find', 'refund', 'find'], 0],
    ['in-order', ['find', 'refund'], 1],
    ['in-order', ['refund', 'check'], 0],
    ['in-order', ['find', 'find'], 1],
    ['in-order', 'find, refund', 1],
    ['any-order', ['refund', 'check'], 1],
    ['any-order', ['find', 'find', 'refund'], 1],
    ['any-order', ['refund', 'refund'], 0],
  ])('in order %s expects %j', async (order, expected, score) => {
    expect(await scoreOf(toolTrajectory({ order }), scoredRun('', { expected, events: called }))).toBe(score)
  })

  it('counts calls of members, and no calls of an attempt that was tried again', async () => {
    const error = { code: 'network', message: '', retryable: true } as const
    const events = eventsOf(
      { type: 'step-start', step: 1 },
      call('find'),
      { type: 'step-restart', step: 1, error },
      call('find'),
      { type: 'tool-result', callId: 'c', name: 'find', output: '', isError: false, durationMs: 1 },
      call('search', ['clerk', 'helper']),
      { type: 'step-start', step: 2 },
      { type: 'step-restart', step: 2, error },
    )
    expect(
      await scoreOf(toolTrajectory({ order: 'exact' }), scoredRun('', { expected: ['find', 'search'], events })),
    ).toBe(1)
    const none = scoredRun('', { expected: [], events: [] })
    expect(await scoreOf(toolTrajectory({ order: 'exact' }), none)).toBe(1)
    expect(() => toolTrajectory({ order: 'sorted' as never })).toThrow(
      '`toolTrajectory.order` is "exact", "in-order" or',
    )
  })
})

it('withinBudget compares each figure, and has no score where one is not known', async () => {
  const run = scoredRun('', { result: { cost: { usd: 0.02 } } })
  expect(await scoreOf(withinBudget({ usd: 0.02, tokens: 15, modelCalls: 2, toolCalls: 0, seconds: 1.5 }), run)).toBe(1)
  for (const budget of [{ usd: 0.01 }, { tokens: 14 }, { modelCalls: 1 }, { seconds: 1 }]) {
    expect(await scoreOf(withinBudget(budget), run)).toBe(0)
  }
  // Providers count differently what is in the total, and what is input or output.
  for (const usage of [
    { inputTokens: 10, outputTokens: 5, totalTokens: 20 },
    { inputTokens: 12, outputTokens: 8, totalTokens: 15 },
  ]) {
    expect(await scoreOf(withinBudget({ tokens: 19 }), scoredRun('', { result: { usage } }))).toBe(0)
    expect(await scoreOf(withinBudget({ tokens: 20 }), scoredRun('', { result: { usage } }))).toBe(1)
  }
  await expect(scoreOf(withinBudget({ usd: 1 }), scoredRun(''))).rejects.toThrow('The `usd` of the run are not known')
  await expect(scoreOf(withinBudget({ tokens: 1 }), scoredRun('', { result: { usage: {} } }))).rejects.toThrow(
    'not known',
  )
  expect(() => withinBudget({})).toThrow('`withinBudget` needs a figure')
  expect(() => withinBudget({ euros: 1 } as object)).toThrow('Unknown option `withinBudget.euros`')
})

it.each(['manager', 'sequence'] as const)(
  'withinBudget counts the calls of members of a swarm: %s',
  async (collaboration) => {
    const member = (name: string): Agent => {
      return new Agent({ name, description: 'Counts.', functions: [], model: scriptedModel(['1', '2']) })
    }
    const calls = {
      toolCalls: [
        { name: 'ann', input: { task: 'Count' } },
        { name: 'bob', input: { task: 'Count' } },
      ],
    }
    const model = scriptedModel([calls, 'Two.'])
    const agents = [member('Ann'), member('Bob')]
    const agent = new Swarm({ name: 'Team', agents, collaboration, ...(collaboration === 'manager' && { model }) })
    const { result, events } = await runCase(agent, { id: '1', input: 'How many?' }, new AbortController().signal)
    const run = { ...scoredRun(''), result: result as RunResult, events } // it has one
    const made = collaboration === 'manager' ? 4 : 2
    expect(await scoreOf(withinBudget({ modelCalls: made }), run)).toBe(1)
    expect(await scoreOf(withinBudget({ modelCalls: made - 1 }), run)).toBe(0)
  },
)

it('latency compares the duration of the run', async () => {
  expect(await scoreOf(latency(1_500), scoredRun(''))).toBe(1)
  expect(await scoreOf(latency(1_499), scoredRun(''))).toBe(0)
  expect(() => latency(0)).toThrow('above 0')
})
