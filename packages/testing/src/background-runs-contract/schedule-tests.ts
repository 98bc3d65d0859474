import type { StoredSchedule } from '@agentkit/core'
import { expect, it } from 'vitest'
import { alone, enqueue, type GetBackground, queued, statusOf } from './background.ts'

/** Schedules, each due time of which starts one run. */
export function scheduleTests(getStores: GetBackground): void {
  it('stores, replaces, lists and removes schedules', async () => {
    const { background } = getStores()
    const digest = schedule('digest', { nextAt: 5_000, entry: { input: 'é' } })
    const never = schedule('never')
    await background.setSchedule(digest)
    await background.setSchedule(never)
    await background.setSchedule(schedule('digest', { agentId: 'other', nextAt: 9_000 }))
    expect(byName(await background.schedules({ agentIds: ['helper'] }))).toEqual([digest, never])
    expect(await background.schedules({})).toHaveLength(3)
    expect(await background.schedules({ dueBefore: 4_999 })).toEqual([])
    expect(await background.schedules({ dueBefore: 5_000 })).toEqual([digest])
    expect(await background.schedules({ agentIds: ['other'], dueBefore: 5_000 })).toEqual([])
    const replaced = schedule('digest', { cron: '5 * * * *', timeZone: 'Europe/Berlin', missed: 'once', userId: 'bob' })
    await background.setSchedule(replaced)
    expect(byName(await background.schedules({ agentIds: ['helper'] }))).toEqual([replaced, never])
    expect(await background.removeSchedule('helper', 'digest')).toBe(true)
    expect(await background.removeSchedule('helper', 'digest')).toBe(false)
    expect(await background.schedules({ agentIds: ['helper'] })).toEqual([never])
  })

  it('starts one run for a due time, whichever caller moves the schedule', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await background.setSchedule(schedule('digest', { nextAt: 5_000 }))
    const others = await Promise.all([stores.open(), stores.open(), stores.open()])
    const moved = await Promise.all(
      others.map((other, index) =>
        other.runs.background?.moveSchedule(
          { agentId: 'helper', name: 'digest', expectedNextAt: 5_000 },
          { nextAt: 6_000, run: alone(`r${index}`) },
        ),
      ),
    )
    expect(moved.filter(Boolean)).toHaveLength(1)
    const queuedRuns = await runs.list({ agentId: 'helper' }, { limit: 10 })
    expect(queuedRuns.map(({ runId }) => runId)).toEqual([`r${moved.indexOf(true)}`])
    const [after] = await background.schedules({})
    expect(after).toMatchObject({ nextAt: 6_000 })
    expect(Math.abs((after?.lastAt ?? 0) - runs.now())).toBeLessThan(60_000)
  })

  it('moves without a run, and to no time at all', async () => {
    const { runs, background } = getStores()
    const place = { agentId: 'helper', name: 'digest' }
    await background.setSchedule(schedule('digest', { nextAt: 5_000 }))
    expect(await background.moveSchedule({ ...place, expectedNextAt: 4_000 }, { nextAt: 6_000 })).toBe(false)
    expect(await background.moveSchedule({ ...place, expectedNextAt: 5_000 }, {})).toBe(true)
    expect(await background.schedules({})).toEqual([schedule('digest')])
    expect(await background.moveSchedule({ ...place, expectedNextAt: 5_000 }, { run: alone('r1') })).toBe(false)
    const gone = { agentId: 'helper', name: 'gone', expectedNextAt: 5_000 }
    expect(await background.moveSchedule(gone, { run: alone('r1') })).toBe(false)
    expect(await runs.read('r1')).toBeUndefined()
  })

  it('moves nothing where its run cannot be stored', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, queued('r1'))
    await background.setSchedule(schedule('digest', { nextAt: 5_000 }))
    const move = background.moveSchedule(
      { agentId: 'helper', name: 'digest', expectedNextAt: 5_000 },
      { nextAt: 6_000, run: queued('r2', { onBusy: 'reject' }) },
    )
    await expect(move).rejects.toMatchObject({ code: 'session-busy' })
    expect(await background.schedules({})).toEqual([schedule('digest', { nextAt: 5_000 })])
    expect(await statusOf(runs, 'r2')).toBeUndefined()
  })

  it('starts no run beyond the bounds of the queue', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, alone('r1'))
    await background.setSchedule(schedule('digest', { nextAt: 5_000 }))
    const move = background.moveSchedule(
      { agentId: 'helper', name: 'digest', expectedNextAt: 5_000 },
      { nextAt: 6_000, run: alone('r2'), bounds: { queued: 100, userQueued: 1 } },
    )
    await expect(move).rejects.toMatchObject({ code: 'overloaded' })
    expect(await background.schedules({})).toEqual([schedule('digest', { nextAt: 5_000 })])
    expect(await statusOf(runs, 'r2')).toBeUndefined()
  })

  it('keeps the last start of a schedule that is replaced', async () => {
    const { background } = getStores()
    await background.setSchedule(schedule('digest', { nextAt: 5_000 }))
    const due = { agentId: 'helper', name: 'digest', expectedNextAt: 5_000 }
    await background.moveSchedule(due, { nextAt: 6_000, run: alone('r1') })
    const [before] = await background.schedules({})
    const replaced = schedule('digest', { cron: '0 8 * * *', nextAt: 7_000 })
    await background.setSchedule(replaced)
    const [after] = await background.schedules({})
    expect(after).toEqual({ ...replaced, lastAt: before?.lastAt })
  })

  it('keeps the next time of a schedule that is replaced by one with the same times', async () => {
    const { background } = getStores()
    await background.setSchedule(schedule('digest', { nextAt: 5_000 }))
    const again = schedule('digest', { missed: 'once', userId: 'bob', entry: { input: 'new' }, nextAt: 9_000 })
    await background.setSchedule(again)
    expect(await background.schedules({})).toEqual([{ ...again, nextAt: 5_000 }])
    const elsewhere = { ...again, timeZone: 'Europe/Berlin' }
    await background.setSchedule(elsewhere)
    expect(await background.schedules({})).toEqual([elsewhere])
    await background.moveSchedule({ agentId: 'helper', name: 'digest', expectedNextAt: 9_000 }, {})
    await background.setSchedule(elsewhere)
    expect(await background.schedules({})).toEqual([elsewhere])
  })
}

function schedule(name: string, options: Partial<StoredSchedule> = {}): StoredSchedule {
  const times = { cron: '0 7 * * *', timeZone: 'UTC', missed: 'skip' } as const
  return { agentId: 'helper', name, ...times, userId: 'ann', entry: { input: name }, ...options }
}

function byName(schedules: StoredSchedule[]): StoredSchedule[] {
  return schedules.toSorted((a, b) => a.name.localeCompare(b.name))
}
