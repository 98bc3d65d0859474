import { describe, expect, it } from 'vitest'
import type { RunRecord, RunStore } from '../../index.ts'
import { createDailyUsage, type DailyUsageOptions, type Spent } from './daily-usage.ts'

const noon = Date.UTC(2026, 10, 23, 12)
const hour = 3_600_000
const tokens = (totalTokens: number): Spent => ({ usage: { totalTokens } })

/** The list of a store, newest first in pages; `lists` counts its calls. */
function storeOf(records: Partial<RunRecord>[]): RunStore & { lists: number } {
  const store = {
    lists: 0,
    async list(
      { agentId, userId }: { agentId: string; userId?: string },
      { limit, after }: { limit: number; after?: string },
    ) {
      store.lists++
      const own = records.filter((record) => record.agentId === agentId && record.userId === userId)
      const from = after === undefined ? 0 : own.findIndex(({ runId }) => runId === after) + 1
      return own.slice(from, from + limit) as RunRecord[]
    },
  }
  return store as unknown as RunStore & { lists: number } // only `list` is called
}

function run(runId: string, createdAt: number, spent: Spent, userId = 'ada'): Partial<RunRecord> {
  const { usage = {}, cost } = spent
  return { runId, agentId: 'fake', userId, createdAt: new Date(createdAt).toISOString(), usage, ...(cost && { cost }) }
}

function begun(at: number, record: Partial<RunRecord>): Partial<RunRecord> {
  return { ...record, startedAt: new Date(at).toISOString() }
}

function usageOf({ at = noon, ...options }: Partial<DailyUsageOptions> & { at?: number } = {}) {
  const clock = { now: at }
  const limits = { userDailyTokens: 100 }
  const daily = createDailyUsage({ limits, agentId: 'fake', runs: undefined, now: () => clock.now, ...options })
  return { daily, clock }
}

describe('the daily usage of a user', () => {
  it('is refused once the tokens are used up, until midnight UTC', async () => {
    const { daily, clock } = usageOf()
    daily.add('ada', tokens(99))
    await daily.check('ada')
    daily.add('ada', { usage: { inputTokens: 1 } })
    await expect(daily.check('ada')).rejects.toMatchObject({
      code: 'budget',
      retryAfterMs: 12 * hour,
    })
    await daily.check('bob')
    clock.now = noon + 12 * hour
    await daily.check('ada')
  })

  it('is refused once the dollars are used up', async () => {
    const { daily } = usageOf({ limits: { userDailyUsd: 0.5 } })
    daily.add('ada', { usage: { totalTokens: 1e9 }, cost: { usd: 0.25 } })
    await daily.check('ada')
    daily.add('ada', { cost: { usd: 0.25 } })
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('is that of the day of the store, whatever the clock of the machine says', async () => {
    // The machine is a day ahead.
    const now = (): number => Date.now() - 24 * hour
    const store = { ...storeOf([run('1', now(), tokens(100))]), now }
    const daily = createDailyUsage({ limits: { userDailyTokens: 100 }, agentId: 'fake', runs: store })
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('is not counted without a limit', async () => {
    const store = storeOf([run('1', noon, tokens(1e9))])
    const { daily } = usageOf({ limits: {}, runs: store })
    daily.add('ada', tokens(1e9))
    await daily.check('ada')
    expect(store.lists).toBe(0)
  })

  it('includes the runs of the store since midnight, page after page', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => run(`run ${index}`, noon - index, tokens(1)))
    const yesterday = run('yesterday', noon - 13 * hour, tokens(1_000))
    const store = storeOf([...many, yesterday, run('other', noon, tokens(5_000), 'bob')])
    await usageOf({ limits: { userDailyTokens: 1_501 }, runs: store }).daily.check('ada')
    expect(store.lists).toBe(2)
    const { daily } = usageOf({ limits: { userDailyTokens: 1_500 }, runs: store })
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('includes runs that were queued before midnight and began after it, behind many that wait', async () => {
    const waiting = Array.from({ length: 1_500 }, (_, index) => run(`waits ${index}`, noon - 13 * hour, {}))
    const records = [...waiting, begun(noon, run('queued', noon - 14 * hour, tokens(100)))]
    await expect(usageOf({ runs: storeOf(records) }).daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('does not include runs that began before midnight', async () => {
    const records = [begun(noon - 13 * hour, run('yesterday', noon - 20 * hour, tokens(100)))]
    await usageOf({ runs: storeOf(records) }).daily.check('ada')
  })

  it('reads no more pages than those of two days', async () => {
    const old = Array.from({ length: 3_000 }, (_, index) => run(`old ${index}`, noon - 40 * hour, tokens(100)))
    const store = storeOf(old)
    await usageOf({ runs: store }).daily.check('ada')
    expect(store.lists).toBe(1)
  })

  it('includes runs of other processes within ten seconds, and counts none twice', async () => {
    const records = [run('here', noon, tokens(60))]
    const { daily, clock } = usageOf({ runs: storeOf(records) })
    await daily.check('ada')
    clock.now += 10_000
    daily.add('ada', tokens(30))
    records.unshift(run('here too', noon, tokens(30)))
    await daily.check('ada')
    records.unshift(run('elsewhere', noon, tokens(10)))
    await daily.check('ada')
    clock.now += 10_000
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('counts once the usage of a run that was read from the store and counted at its end', async () => {
    const records = [begun(noon, run('long', noon, tokens(50)))]
    const { daily, clock } = usageOf({ runs: storeOf(records) })
    await daily.check('ada')
    records.splice(0, 1, begun(noon, run('long', noon, tokens(60))))
    daily.add('ada', tokens(60))
    await daily.check('ada')
    records.unshift(run('elsewhere', noon, tokens(40)))
    clock.now += 10_000
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('reads the store once for several refusals', async () => {
    const store = storeOf([run('here', noon, tokens(100))])
    const { daily } = usageOf({ runs: store })
    daily.add('ada', tokens(100))
    for (let tries = 0; tries < 3; tries++) await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
    expect(store.lists).toBe(1)
  })

  it('includes runs of other processes also where the clock was set back', async () => {
    const records: Partial<RunRecord>[] = []
    const { daily, clock } = usageOf({ runs: storeOf(records) })
    await daily.check('ada')
    clock.now -= hour
    records.unshift(run('elsewhere', noon - hour, tokens(100)))
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('counts the runs of this process where the store does not', async () => {
    const { daily, clock } = usageOf({ runs: storeOf([]) })
    daily.add('ada', tokens(100))
    clock.now += 20_000
    await expect(daily.check('ada')).rejects.toMatchObject({ code: 'budget' })
  })

  it('reads the store once for checks at the same time', async () => {
    const store = storeOf([])
    const { daily } = usageOf({ runs: store })
    await Promise.all([daily.check('ada'), daily.check('ada'), daily.check('ada')])
    expect(store.lists).toBe(1)
  })

  it('fails when the store cannot be read, and reads again', async () => {
    const store = storeOf([])
    const { list } = store
    store.list = () => Promise.reject(new Error('locked'))
    const { daily } = usageOf({ runs: store })
    await expect(daily.check('ada')).rejects.toThrow('locked')
    store.list = list
    await daily.check('ada')
  })
})
