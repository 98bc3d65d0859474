import { describe, expect, it } from 'vitest'
import type { Budget } from '../data/budget.ts'
import { checkBudget, tighten } from './budget.ts'

describe('a budget', () => {
  it.each<Budget>([
    {},
    { usd: 0.5, tokens: 100_000, modelCalls: 10, toolCalls: 0, seconds: 1.5 },
    // Values that are possible in plain JavaScript.
    { usd: undefined } as unknown as Budget,
    { tokens: Number.POSITIVE_INFINITY },
  ])('may be %o', (budget) => {
    expect(() => checkBudget(budget)).not.toThrow()
  })

  it.each([
    [{ dollars: 1 }, 'Unknown option `budget.dollars`. Known: usd, tokens, modelCalls, toolCalls, seconds.'],
    [{ maxTokens: 1 }, 'Did you mean `budget.tokens`?'],
    [{ usd: -1 }, '`budget.usd` is a number, 0 or more.'],
    [{ tokens: Number.NaN }, '`budget.tokens`'],
    [{ seconds: '5' }, '`budget.seconds`'],
    [{ modelCalls: null }, '`budget.modelCalls`'],
    [5, '`budget` is an object such as { usd: 0.5 }.'],
    [null, '`budget` is an object'],
  ])('must not be %o', (budget, message) => {
    expect(() => checkBudget(budget as Budget)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(() => checkBudget(budget as Budget)).toThrow(message)
  })
})

describe('a run', () => {
  it.each<[Budget, Budget, Budget]>([
    [{ tokens: 100 }, { tokens: 50 }, { tokens: 50 }],
    [{ tokens: 100 }, { tokens: 500 }, { tokens: 100 }],
    [{ tokens: 100 }, {}, { tokens: 100 }],
    [{}, { usd: 0 }, { usd: 0 }],
    [
      { usd: 1, modelCalls: 3 },
      { usd: 2, modelCalls: 1, seconds: 9 },
      { usd: 1, modelCalls: 1, seconds: 9 },
    ],
    [{ toolCalls: 2 }, { toolCalls: Number.POSITIVE_INFINITY }, { toolCalls: 2 }],
    [{ toolCalls: 2 }, JSON.parse('{ "toolCalls": null }'), { toolCalls: 2 }],
  ])('with %o of its agent and %o of its own has %o', (agent, run, both) => {
    const before = structuredClone([agent, run])
    expect(tighten(agent, run)).toEqual(both)
    expect([agent, run]).toEqual(before)
  })
})
