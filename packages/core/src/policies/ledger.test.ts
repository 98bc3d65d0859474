import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomOf } from '../__fixtures__/random.ts'
import type { Model, ModelInfo, ModelRequest } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import { type Ledger, RunLedger } from './ledger.ts'
import { checkPriced, worstCostOf } from './price.ts'
import type { Reservation } from './reservation.ts'

const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 4, asOf: '2026-01-01' }
const modelWith = (info?: ModelInfo, id = 'test/model'): Model => scriptedModel([], { id, ...(info && { info }) })
const model = modelWith({ maxOutputTokens: 1_000, price })
const request: ModelRequest = { messages: [{ role: 'user', content: 'How are you today?' }] }
const prompt = estimateRequest(request, model.info)
const ledgerOf = (budget: Budget, parent?: Ledger): Ledger => new RunLedger({ budget, prices: {}, parent })
const used = (inputTokens: number, outputTokens: number): Usage => {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('a model call', () => {
  it('begins without limits when there is no budget', () => {
    const reservation = ledgerOf({}).reserve(modelWith(), request)
    expect(reservation).toMatchObject({ maxOutputTokens: undefined, lowered: false })
  })

  it('begins as requested when its worst case fits', () => {
    const exact = worstCostOf({ inputTokens: prompt, outputTokens: 1_000 }, price)
    for (const budget of [{ tokens: prompt + 1_000 }, { usd: exact }, { modelCalls: 1 }]) {
      expect(ledgerOf(budget).reserve(model, request)).toMatchObject({ lowered: false })
    }
  })

  it.each<[string, Budget]>([
    ['tokens', { tokens: prompt + 400.5 }],
    ['US dollars', { usd: worstCostOf({ inputTokens: prompt, outputTokens: 400 }, price) * 1.000_01 }],
    ['the scarcer of both', { tokens: prompt + 400, usd: 1 }],
  ])('is limited to the answer that fits: %s', (_, budget) => {
    expect(ledgerOf(budget).reserve(model, request)).toMatchObject({ maxOutputTokens: 400, lowered: true })
  })

  it.each<[string, Budget]>([
    ['tokens', { tokens: prompt + limits.leastAnswerTokens - 1 }],
    ['US dollars', { usd: worstCostOf({ inputTokens: prompt, outputTokens: limits.leastAnswerTokens - 1 }, price) }],
  ])('is refused when too little is left for a useful answer: %s', (_, budget) => {
    const ledger = ledgerOf(budget)
    expect(codeOf(() => ledger.reserve(model, request))).toBe('budget')
    expect(ledger.spent.modelCalls).toBe(0)
    const [more] = [{ tokens: (budget.tokens ?? 0) + 1 }, { usd: (budget.usd ?? 0) + 0.000_01 }]
    expect(
      ledgerOf(budget.tokens === undefined ? { usd: (budget.usd ?? 0) + 0.000_01 } : more).reserve(model, request),
    ).toBeDefined()
  })

  it('that requests a short answer needs room only for that', () => {
    const short = { ...request, maxOutputTokens: 10 }
    expect(ledgerOf({ tokens: prompt + 10 }).reserve(model, short)).toMatchObject({ lowered: false })
    expect(codeOf(() => ledgerOf({ tokens: prompt + 9 }).reserve(model, short))).toBe('budget')
  })

  it('of a model whose longest answer is unknown is limited to the assumed one', () => {
    const unknown = modelWith({ price })
    const { maxOutputTokens, lowered } = ledgerOf({ tokens: 1_000_000 }).reserve(unknown, request)
    expect([maxOutputTokens, lowered]).toEqual([limits.assumedAnswerTokens, false])
    const small = modelWith({ contextWindow: 4_096 })
    expect(ledgerOf({ tokens: 1_000_000 }).reserve(small, request).maxOutputTokens).toBe(4_096 - prompt)
    const tiny = modelWith({ contextWindow: 10 })
    expect(ledgerOf({ tokens: 1_000_000 }).reserve(tiny, request).maxOutputTokens).toBe(limits.leastAnswerTokens)
    expect(ledgerOf({ modelCalls: 5 }).reserve(unknown, request).maxOutputTokens).toBeUndefined()
  })

  it('of a free model begins with a budget of no dollars', () => {
    const free = modelWith({
      maxOutputTokens: 1_000,
      price: { ...price, inputUsdPerMillion: 0, outputUsdPerMillion: 0 },
    })
    expect(ledgerOf({ usd: 0 }).reserve(free, request)).toMatchObject({ lowered: false })
    expect(codeOf(() => ledgerOf({ usd: 0 }).reserve(model, request))).toBe('budget')
  })

  it('whose prompt alone has a cost begins when that is affordable', () => {
    const prices = { ...price, outputUsdPerMillion: 0 }
    const reader = modelWith({ maxOutputTokens: 1_000, price: prices })
    const usd = worstCostOf({ inputTokens: prompt, outputTokens: 0 }, prices)
    expect(ledgerOf({ usd }).reserve(reader, request)).toMatchObject({ lowered: false })
    expect(codeOf(() => ledgerOf({ usd: usd * 0.99 }).reserve(reader, request))).toBe('budget')
  })

  it('is counted when it begins, and limited in number', () => {
    const ledger = ledgerOf({ modelCalls: 2 })
    ledger.reserve(model, request)
    ledger.reserve(model, request)
    expect(ledger.spent.modelCalls).toBe(2)
    expect(() => ledger.reserve(model, request)).toThrow('2 of 2 model calls were made')
    const half = ledgerOf({ modelCalls: 1.5 })
    half.reserve(model, request)
    expect(codeOf(() => half.reserve(model, request))).toBe('budget')
    expect(codeOf(() => ledgerOf({ modelCalls: 0 }).reserve(model, request))).toBe('budget')
  })

  it('names the exceeded figure', () => {
    const parent = ledgerOf({ tokens: 100_000, usd: 0.000_01 })
    const message =
      /of 0\.00001 US dollars 0\.000010 are left, and the next call may take 0\.000\d+ for its prompt alone/
    expect(() => ledgerOf({ tokens: 50_000 }, parent).reserve(model, request)).toThrow(message)
    expect(() => ledgerOf({ tokens: 10, usd: 9 }).reserve(model, request)).toThrow(
      `of 10 tokens 10 are left, and the next call may take ${prompt} for its prompt alone, beside an answer of 128 tokens.`,
    )
  })
})

describe('calls at the same time', () => {
  it('reserve their worst case before they begin', () => {
    const ledger = ledgerOf({ tokens: 2 * (prompt + 1_000) + 100 })
    const reservations = [1, 2].map(() => ledger.reserve(model, request))
    expect(codeOf(() => ledger.reserve(model, request))).toBe('budget')
    reservations[0]?.settle(used(10, 5))
    expect(ledger.reserve(model, request)).toMatchObject({ lowered: false })
    reservations[1]?.settle(used(10, 5))
    expect(ledger.spent.usage).toEqual(used(20, 10))
  })

  it('are waited for only where their reservation may be released', async () => {
    const ledger = ledgerOf({ tokens: 2 * (prompt + 1_000) })
    expect(ledger.freed(model, request)).toBeUndefined()
    const [first, second] = [1, 2].map(() => ledger.reserve(model, request))
    const freed = ledger.freed(model, request)
    first?.settle(used(10, 5))
    await freed
    expect(ledger.freed(model, request)).toBeInstanceOf(Promise)
    second?.settle(used(10, 5))
    expect(ledger.freed(model, request)).toBeUndefined()
    expect(ledgerOf({ tokens: 10 }).freed(model, request)).toBeUndefined()
  })

  it('do so in US dollars too', () => {
    const one = worstCostOf({ inputTokens: prompt, outputTokens: 1_000 }, price)
    const ledger = ledgerOf({ usd: one * 1.1 })
    const reservation = ledger.reserve(model, request)
    expect(codeOf(() => ledger.reserve(model, request))).toBe('budget')
    reservation.settle(used(1, 1))
    expect(ledger.reserve(model, request)).toBeDefined()
  })

  it('never exceed the budget, whatever they use of their reservation', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { fraction: random } = randomOf(seed)
      const budget = { tokens: Math.floor(random() * 30_000), usd: random() * 0.03 }
      const parent = ledgerOf(budget)
      const open: [Reservation, number][] = []
      for (let call = 0; call < 60; call++) {
        const child = random() < 0.5 ? ledgerOf(random() < 0.5 ? { tokens: random() * 9_000 } : {}, parent) : parent
        try {
          const reservation = child.reserve(model, request)
          open.push([reservation, Math.floor(random() * (reservation.maxOutputTokens ?? 1_000))])
        } catch (error) {
          expect(error).toMatchObject({ code: 'budget' })
        }
        if (random() < 0.5) {
          const [reservation, outputTokens] = open.splice(Math.floor(random() * open.length), 1)[0] ?? []
          reservation?.settle(used(Math.floor(random() * prompt), outputTokens ?? 0))
        }
      }
      for (const [reservation] of open)
        reservation.settle(used(prompt, (reservation.maxOutputTokens ?? 1_000) * random()))
      const { usage, usd } = parent.spent
      expect(usage.totalTokens ?? 0).toBeLessThanOrEqual(budget.tokens)
      expect(usd).toBeLessThanOrEqual(budget.usd + 1e-12)
    }
  })
})

describe('the usage of a call', () => {
  it.each<[string, Usage]>([
    ['the total', { inputTokens: 10, outputTokens: 5, totalTokens: 2_000 }],
    ['input and output', { inputTokens: 1_500, outputTokens: 500, totalTokens: 15 }],
    ['input and output, where no total is reported', { inputTokens: 1_500, outputTokens: 500 }],
  ])('is %s, where that is more', (_, usage) => {
    const next = Math.max(prompt, usage.inputTokens ?? 0)
    const ledger = ledgerOf({ tokens: 2_000 + next + 1_000 })
    ledger.reserve(model, request).settle(usage)
    expect(ledger.reserve(model, request)).toMatchObject({ lowered: false })
    const less = ledgerOf({ tokens: 1_999 + next + 1_000 })
    less.reserve(model, request).settle(usage)
    expect(less.reserve(model, request)).toMatchObject({ lowered: true })
  })
})

describe('the ledger of a run that another one starts', () => {
  it('counts in the accounts of both', () => {
    const parent = ledgerOf({})
    const child = ledgerOf({}, parent)
    const grandchild = ledgerOf({}, child)
    grandchild.reserve(model, request).settle(used(10, 5))
    child.beginToolCalls(2)
    parent.reserve(model, request).settle(used(1, 1))
    expect(grandchild.spent).toMatchObject({ usage: used(10, 5), modelCalls: 1, toolCalls: 0 })
    expect(child.spent).toMatchObject({ usage: used(10, 5), modelCalls: 1, toolCalls: 2 })
    expect(parent.spent).toMatchObject({ usage: used(11, 6), modelCalls: 2, toolCalls: 2 })
    expect(grandchild.cost()?.usd).toBeCloseTo(30e-6, 12)
    expect(parent.cost()?.usd).toBeCloseTo(35e-6, 12)
  })

  it.each<[string, Budget, Budget]>([
    ['its own', { tokens: 10 }, {}],
    ['its own', { modelCalls: 0 }, {}],
    ["its parent's", {}, { tokens: 10 }],
    ["its parent's", {}, { usd: 0 }],
    ["its parent's", { modelCalls: 5 }, { modelCalls: 0 }],
    ["its parent's", { seconds: 5 }, { seconds: 0 }],
  ])('is limited by %s budget: %o in %o', (_, budget, parentBudget) => {
    const child = ledgerOf(budget, ledgerOf(parentBudget))
    expect(codeOf(() => child.reserve(model, request))).toBe('budget')
  })

  it('reserves nothing in either when one of them refuses', () => {
    const parent = ledgerOf({ tokens: 10, toolCalls: 1 })
    const child = ledgerOf({}, parent)
    expect(codeOf(() => child.reserve(model, request))).toBe('budget')
    expect(codeOf(() => child.beginToolCalls(2))).toBe('budget')
    for (const { spent } of [child, parent]) expect(spent).toMatchObject({ modelCalls: 0, toolCalls: 0 })
  })
})

describe('tool calls', () => {
  it('begin all together or not at all', () => {
    const ledger = ledgerOf({ toolCalls: 3 })
    ledger.beginToolCalls(2)
    expect(() => ledger.beginToolCalls(2)).toThrow('2 more tool calls would exceed its 3 tool calls')
    ledger.beginToolCalls(1)
    expect(() => ledger.beginToolCalls(1)).toThrow('1 more tool call would exceed')
    ledger.beginToolCalls(0)
    expect(ledger.spent.toolCalls).toBe(3)
    expect(() => ledgerOf({ toolCalls: 1 }).beginToolCalls(2)).toThrow('would exceed its 1 tool call.')
  })
})

describe('the cost', () => {
  const settled = (models: readonly Model[], usage: Usage = used(1_000, 500), prices = {}): Ledger => {
    const ledger = new RunLedger({ budget: {}, prices })
    for (const asked of models) ledger.reserve(asked, request).settle(usage)
    return ledger
  }

  it('is present after a model call', () => {
    expect(ledgerOf({}).cost()).toBeUndefined()
    expect(settled([model, model]).cost()).toEqual({ usd: 0.006 })
  })

  it('is computed from the price that the user sets, before that of the model', () => {
    const own = { 'test/model': { inputUsdPerMillion: 1_000, outputUsdPerMillion: 0 } }
    expect(settled([model], used(1_000, 500), own).cost()).toEqual({ usd: 1 })
    expect(settled([modelWith()], used(1_000, 500), own).cost()).toEqual({ usd: 1 })
    expect(settled([modelWith(undefined, 'toString')]).cost()).toBeUndefined()
  })

  it('is absent when one of the models has no price', () => {
    expect(settled([model, modelWith()]).cost()).toBeUndefined()
  })

  it('is present when the model without a price has used nothing', () => {
    const ledger = settled([model])
    ledger.reserve(modelWith(), request).settle({})
    expect(ledger.cost()).toEqual({ usd: 0.003 })
  })

  it('is estimated when its usage is', () => {
    expect(settled([model], { ...used(1_000, 500), estimated: true }).cost()).toEqual({ usd: 0.003, estimated: true })
  })
})

describe('a budget in US dollars', () => {
  it.each<[string, () => unknown]>([
    ['at the call', () => ledgerOf({ usd: 1 }).reserve(modelWith(), request)],
    [
      "at the call, also when it is the parent's",
      () => ledgerOf({}, ledgerOf({ usd: 1 })).reserve(modelWith(), request),
    ],
    ['before the run', () => checkPriced([model, modelWith()], {}, { usd: 1 })],
  ])('requires every price: %s', (_, work) => {
    expect(codeOf(work)).toBe('invalid-config')
    expect(work).toThrow('needs the price of "test/model", which is not known. Pass it: prices: { "test/model": {')
  })

  it('waits for models whose info is loaded later', () => {
    const late: Model = { ...modelWith(), load: async () => {} }
    expect(() => checkPriced([late], {}, { usd: 1 })).not.toThrow()
    expect(codeOf(() => checkPriced([late], {}, { usd: 1 }, true))).toBe('invalid-config')
    expect(() => checkPriced([late], {}, { tokens: 1 }, true)).not.toThrow()
    expect(() => checkPriced([late], { 'test/model': price }, { usd: 1 }, true)).not.toThrow()
  })
})

describe('the clock', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs from the start, and blocks calls once it has run out', () => {
    const ledger = ledgerOf({ seconds: 2 })
    expect(ledgerOf({}).msLeft()).toBe(Number.POSITIVE_INFINITY)
    vi.advanceTimersByTime(1_999)
    expect(ledger.msLeft()).toBe(1)
    ledger.reserve(model, request)
    vi.advanceTimersByTime(1)
    expect(() => ledger.reserve(model, request)).toThrow('its 2 seconds are over')
  })

  it('is paused while the run waits for a person', () => {
    const ledger = ledgerOf({ seconds: 2 })
    vi.advanceTimersByTime(500)
    ledger.pause()
    vi.advanceTimersByTime(60_000)
    expect(ledger.msLeft()).toBe(1_500)
    ledger.pause()
    ledger.resume()
    vi.advanceTimersByTime(400)
    expect(ledger.msLeft()).toBe(1_100)
  })

  it('is the one that runs out first, of a run and its parent runs', () => {
    expect(ledgerOf({ seconds: 5 }, ledgerOf({ seconds: 2 })).msLeft()).toBe(2_000)
    expect(ledgerOf({ seconds: 1 }, ledgerOf({ seconds: 2 })).msLeft()).toBe(1_000)
    expect(ledgerOf({}, ledgerOf({ seconds: 2 })).msLeft()).toBe(2_000)
  })
})

describe('a run that is resumed in another process', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('has exactly what it had left', () => {
    const first = ledgerOf({ modelCalls: 2, seconds: 9, toolCalls: Number.POSITIVE_INFINITY })
    first.reserve(model, request).settle(used(10, 5))
    first.beginToolCalls(1)
    vi.advanceTimersByTime(4_000)
    const snapshot = JSON.parse(JSON.stringify(first.pause()))
    vi.advanceTimersByTime(60_000)

    const second = ledgerOf({ modelCalls: 7, toolCalls: 3 })
    vi.advanceTimersByTime(1_000)
    second.resume(snapshot)
    expect(second.spent).toMatchObject({ usage: used(10, 5), modelCalls: 1, toolCalls: 1 })
    expect(second.cost()).toEqual(first.cost())
    expect(second.msLeft()).toBe(4_000)
    second.reserve(model, request)
    expect(codeOf(() => second.reserve(model, request))).toBe('budget')
    second.beginToolCalls(2)
    expect(codeOf(() => second.beginToolCalls(1))).toBe('budget')
  })

  it('does not change what was stored', () => {
    const ledger = ledgerOf({ tokens: 50_000 })
    ledger.reserve(model, request).settle(used(10, 5))
    const snapshot = ledger.pause()
    ledger.resume()
    ledger.reserve(model, request).settle(used(10, 5))
    expect(snapshot).toMatchObject({ budget: { tokens: 50_000 }, spent: { usage: used(10, 5), modelCalls: 1 } })
  })
})
