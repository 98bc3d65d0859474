import { setImmediate as nextTurn } from 'node:timers/promises'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import { type Ledger, RunLedger } from './ledger.ts'
import type { Reservation } from './reservation.ts'
import { beginToolCalls, createSharedLedger, reserveShared, type SharedBudgetStore } from './shared-budget.ts'
import { type SharedBudget, type TreeBudget, treeBudgetOf, withCaller } from './tree-budget.ts'

const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 4, asOf: '2026-01-01' }
const model = scriptedModel([], { info: { maxOutputTokens: 300, price } })
const request: ModelRequest = { messages: [{ role: 'user', content: 'How are you today?' }] }
const prompt = estimateRequest(request, model.info)
const most = prompt + 300
const used = { inputTokens: prompt, outputTokens: 20, totalTokens: prompt + 20 }
const { signal } = new AbortController()

describe('a budget that two processes share', () => {
  it('allows a call only where it fits beside what the other has reserved', async () => {
    const { join } = treeOf({ tokens: most + prompt + 200 })
    const [ann, ben] = [join('ann'), join('ben')]
    expect(await reserve(ann)).toMatchObject({ lowered: false })
    expect(await reserve(ben)).toMatchObject({ maxOutputTokens: 200, lowered: true })
    await expect(reserve(ann)).rejects.toMatchObject({ code: 'budget' })
  })

  it('frees what a settled call has not used, and lets a call wait for that', async () => {
    const { join, store } = treeOf({ tokens: 2 * most - 1 })
    const [ann, ben] = [join('ann'), join('ben')]
    const first = await reserve(ann)
    const waiting = reserve(ben, true)
    await expect.poll(() => store.reads).toBeGreaterThan(4)
    first.settle(used)
    expect(await waiting).toMatchObject({ lowered: false })
  })

  it.each<[string, Budget, (ledger: Ledger) => Promise<unknown>]>([
    ['model calls', { modelCalls: 2 }, (ledger) => reserve(ledger)],
    ['tool calls', { toolCalls: 2 }, async (ledger) => beginToolCalls(ledger, 1)],
    ['US dollars', { usd: 2 * 0.00131 }, (ledger) => reserve(ledger)],
  ])('counts %s of both', async (_what, budget, call) => {
    const { join } = treeOf(budget)
    const [ann, ben] = [join('ann'), join('ben')]
    await Promise.all([call(ann), call(ben)])
    for (const ledger of [ann, ben]) await expect(call(ledger)).rejects.toMatchObject({ code: 'budget' })
  })

  it('ends with the seconds of the caller', async () => {
    const { join, store } = treeOf({ seconds: 10 }, { endsAt: 10_000 })
    const ledger = join('ann')
    await ledger.shared?.update(() => ({ value: undefined }))
    expect(ledger.msLeft()).toBeGreaterThan(9_000)
    store.time = 10_000
    await expect(reserve(ledger)).rejects.toMatchObject({ code: 'budget' })
  })

  it('counts what the caller itself has used', async () => {
    const { join } = treeOf({ modelCalls: 3 }, { used: { tokens: 0, usd: 0, modelCalls: 2, toolCalls: 0 } })
    await reserve(join('ann'))
    await expect(reserve(join('ben'))).rejects.toMatchObject({ code: 'budget' })
  })

  it('holds for a run within a run, and for what a tool starts in it', async () => {
    const { join, store } = treeOf({ modelCalls: 2 })
    await reserve(join('ann'))
    const inner = join('ann-inner', ['ann', 'root'])
    await reserve(new RunLedger({ budget: {}, prices: {}, parent: inner }))
    await expect(reserve(join('ben'))).rejects.toMatchObject({ code: 'budget' })
    expect(Object.keys(store.tree.runs)).toEqual(['ann', 'ann-inner'])
  })
})

describe('a process that dies', () => {
  it('reserves nothing any more once its run is taken over', async () => {
    const { join } = treeOf({ tokens: 2 * most - 1 })
    await reserve(join('ann'))
    const ben = join('ben')
    expect(await reserve(ben)).toMatchObject({ lowered: true })
    // Another process continues the run of Ann.
    await join('ann').shared?.update(() => ({ value: undefined }))
    expect(await reserve(join('cas'))).toMatchObject({ lowered: false })
  })
})

describe('a member that is collected', () => {
  it('counts in the account of its caller from then on, and so do those within it', async () => {
    const { join, store } = treeOf({ modelCalls: 5 })
    for (const name of ['ann', 'ben']) await reserve(join(name))
    await reserve(join('ann-inner', ['ann', 'root']))
    const account = { used: { tokens: 9, usd: 0, modelCalls: 2, toolCalls: 0 } }
    store.tree = withCaller(store.tree, { runId: 'root', accounts: { root: account }, open: ['ben'] })
    expect(Object.keys(store.tree.runs)).toEqual(['ben'])
    const ben = join('ben')
    // Ben is a run that was taken over: it has made none of its calls.
    for (let call = 0; call < 3; call++) await reserve(ben)
    await expect(reserve(ben)).rejects.toMatchObject({ code: 'budget' })
  })
})

it('is never exceeded by many runs in many processes, and exact in the end', async () => {
  const budget = { tokens: 40 * most, modelCalls: 90, toolCalls: 60 }
  const { join, store } = treeOf(budget)
  const worst = { tokens: 0 }
  const spent = { tokens: 0, modelCalls: 0, toolCalls: 0 }
  const work = async (name: string): Promise<Ledger> => {
    const ledger = join(name)
    for (;;) {
      try {
        const { settle, maxOutputTokens = 300 } = await reserve(ledger, true)
        worst.tokens += prompt + maxOutputTokens
        spent.modelCalls++
        expect(spent.tokens + worst.tokens).toBeLessThanOrEqual(budget.tokens)
        expect(spent.modelCalls).toBeLessThanOrEqual(budget.modelCalls)
        await nextTurn()
        const outputTokens = Math.ceil(Math.random() * maxOutputTokens)
        worst.tokens -= prompt + maxOutputTokens
        spent.tokens += prompt + outputTokens
        settle({ inputTokens: prompt, outputTokens })
        await beginToolCalls(ledger, 1)
        spent.toolCalls++
        expect(spent.toolCalls).toBeLessThanOrEqual(budget.toolCalls)
      } catch (error) {
        expect(error).toMatchObject({ code: 'budget' })
        return ledger
      }
    }
  }
  const ledgers = await Promise.all(Array.from({ length: 12 }, (_, index) => work(`run-${index}`)))
  for (const ledger of ledgers) await ledger.shared?.update(() => ({ value: undefined }))
  const runs = Object.values(store.tree.runs)
  const sum = (figure: 'tokens' | 'modelCalls' | 'toolCalls'): number =>
    runs.reduce((total, run) => total + run.used[figure], 0)
  expect({ tokens: sum('tokens'), modelCalls: sum('modelCalls'), toolCalls: sum('toolCalls') }).toEqual(spent)
  expect(runs.every(({ reserved }) => reserved.tokens === 0)).toBe(true)
  expect(Math.max(spent.modelCalls / 90, spent.toolCalls / 60, spent.tokens / budget.tokens)).toBeGreaterThan(0.8)
})

function reserve(ledger: Ledger, mayWait = false): Promise<Reservation> {
  return reserveShared(ledger, ledger.shared as SharedBudget, { model, request }, { signal, mayWait })
}

/** A tree whose outermost run has this budget and has called members. Each ledger is one of another process. */
function treeOf(budget: Budget, account: Partial<TreeBudget['accounts'][string]> = {}) {
  const used = { tokens: 0, usd: 0, modelCalls: 0, toolCalls: 0 }
  const empty = treeBudgetOf(undefined)
  const store = {
    reads: 0,
    time: 0,
    version: 1,
    tree: withCaller(empty, { runId: 'root', accounts: { root: { used, ...account } }, open: [] }),
  }
  const open = (): SharedBudgetStore => ({
    async read() {
      store.reads++
      await nextTurn()
      return structuredClone({ version: store.version, tree: store.tree })
    },
    async write(expected, tree) {
      await nextTurn()
      if (expected !== store.version) return false
      store.version++
      store.tree = structuredClone(tree)
      return true
    },
    inTurn: (work) => work(),
    now: () => store.time,
  })
  const join = (runId: string, within: readonly string[] = ['root']): Ledger => {
    const accounts = [{ name: 'root', budget }]
    const parent = createSharedLedger({ store: open(), runId, within, accounts, prices: {} })
    return new RunLedger({ budget: {}, prices: {}, parent })
  }
  return { join, store }
}
