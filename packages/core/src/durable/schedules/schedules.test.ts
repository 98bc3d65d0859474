import { describe, expect, it } from 'vitest'
import { type Clerk, clerk } from '../../__fixtures__/clerk.ts'
import type { ScheduleTimes } from '../../index.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { scheduleStarter, startScheduled } from './start-scheduled.ts'

const everyDay = { cron: '0 7 * * *' }
const start = Date.parse('2026-11-24T06:00:00Z')
const seven = Date.parse('2026-11-24T07:00:00Z')
const day = 86_400_000

describe('a schedule', () => {
  it.each<[string, Partial<ScheduleTimes>, RegExp]>([
    ['no cron', {}, /`cron`/],
    ['a cron that never comes', { cron: '0 0 31 2 *' }, /`cron` "0 0 31 2 \*" never comes/],
    ['six fields', { cron: '0 0 7 * * *' }, /`cron`/],
    ['an unknown time zone', { ...everyDay, timeZone: 'Berlin' }, /`timeZone`/],
    ['another rule for missed times', { ...everyDay, missed: 'all' as never }, /missed/],
    ['an option that does not exist', { ...everyDay, zone: 'UTC' } as ScheduleTimes, /zone/],
  ])('with %s is refused, naming the field', async (_, times, message) => {
    const { agent } = clerk([]).open()
    const refused = { code: 'invalid-argument', message: expect.stringMatching(message) }
    await expect(agent.schedule('digest', times as ScheduleTimes, 'Hi.')).rejects.toMatchObject(refused)
    expect(await agent.schedules()).toEqual([])
  })

  it('is refused with a bad name, bad input, and options of a single run', async () => {
    const { agent } = clerk([]).open()
    for (const name of ['', 'x'.repeat(2_000), '\ud83d', 5]) {
      await expect(agent.schedule(name as string, everyDay, 'Hi.')).rejects.toMatchObject({ code: 'invalid-argument' })
    }
    await expect(agent.schedule('digest', everyDay, '')).rejects.toMatchObject({ code: 'invalid-argument' })
    const once = { startAfter: new Date() } as object
    await expect(agent.schedule('digest', everyDay, 'Hi.', once)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('is listed by name, replaced and removed', async () => {
    const { agent } = clerk([], { now: () => start }).open()
    await agent.schedule('weekly', { cron: '0 7 * * 1', timeZone: 'Europe/Berlin', missed: 'once' }, 'Hi.', {
      userId: 'ann',
    })
    await agent.schedule('digest', { cron: '0 0 * * *' }, 'Hi.')
    await agent.schedule('digest', everyDay, 'Hi.')
    expect(await agent.schedules()).toEqual([
      {
        name: 'digest',
        ...everyDay,
        timeZone: 'UTC',
        missed: 'skip',
        userId: 'default',
        next: '2026-11-24T07:00:00.000Z',
      },
      {
        ...{ name: 'weekly', cron: '0 7 * * 1', timeZone: 'Europe/Berlin', missed: 'once', userId: 'ann' },
        next: '2026-11-30T06:00:00.000Z',
      },
    ])
    expect(await agent.unschedule('digest')).toBe(true)
    expect(await agent.unschedule('digest')).toBe(false)
    expect(await agent.schedules()).toHaveLength(1)
  })

  const minute = 60_000
  it.each([
    [
      'of each minute starts at the next one',
      '* * * * *',
      start + minute,
      start - 59.5 * minute,
      start - 59 * minute,
      1,
    ],
    ['of a day starts, where the clock was ahead by a day', everyDay.cron, seven + day, start + minute, seven, 1],
    ['of a day does not start twice at one time', everyDay.cron, seven + 2_000, seven - minute, seven, 0],
  ])('%s after the clock was set back', async (_, cron, firstAt, backTo, thenAt, more) => {
    let now = start
    const { agent, store } = clerk(['Done.'], { now: () => now }).open()
    await agent.schedule('digest', { cron }, 'Write it.')
    const startRuns = scheduleStarter(store.runs as BackgroundStore, ['clerk'], fail)
    for (const at of [start, firstAt]) {
      now = at
      await startRuns()
    }
    expect(await agent.runs()).toHaveLength(1)
    for (const at of [backTo, thenAt]) {
      now = at
      await startRuns()
    }
    expect(await agent.runs()).toHaveLength(1 + more)
  })

  it.each([200, 50_000])(
    'of each minute starts once at a time, where the clock is set back by %i ms',
    async (behindMs) => {
      let now = start
      const { agent, store } = clerk(['Done.'], { now: () => now }).open()
      await agent.schedule('digest', { cron: '* * * * *' }, 'Write it.')
      const starter = () => scheduleStarter(store.runs as BackgroundStore, ['clerk'], fail)
      now = start + minute + 100
      await starter()()
      expect(await agent.runs()).toHaveLength(1)
      const startRuns = starter()
      for (const at of [start + minute + 100 - behindMs, start + minute + 900]) {
        now = at
        await startRuns()
      }
      expect(await agent.runs()).toHaveLength(1)
    },
  )

  it('starts one run per due time, however many workers there are and whichever dies', async () => {
    let now = start
    const office = clerk(['Done.'], { now: () => now })
    await office.open().agent.schedule('digest', everyDay, 'Write it.', { userId: 'ann', sessionId: 's', priority: 3 })
    const stores = [office.open(), office.open(), office.open()]
    for (let due = 0; due < 100; due++) {
      now = seven + due * day + (due % 25) * 1_000
      await Promise.all(stores.map(({ store }) => startScheduled(store.runs as BackgroundStore, ['clerk'], fail)))
    }
    const { agent } = office.open()
    const runs = await agent.runs({ limit: 1_000 })
    expect(runs).toHaveLength(100)
    expect(runs[0]).toMatchObject({ status: 'queued', userId: 'ann', sessionId: 's' })
    expect(office.disk.jobs).toHaveLength(100)
    const [{ next, last } = {}] = await agent.schedules()
    expect([next, last]).toEqual([new Date(seven + 100 * day).toISOString(), new Date(now).toISOString()])
    const worker = await agent.work()
    expect(await agent.result(runs.at(-1)?.runId ?? '')).toMatchObject({ text: 'Done.' })
    await worker.close()
  })

  it.each<['skip' | 'once', number, number]>([
    ['skip', 30_000, 1],
    ['skip', 31_000, 0],
    ['skip', 3 * day - 1_000, 0],
    // The third missed time is found in time.
    ['skip', 3 * day + 5_000, 1],
    ['once', 31_000, 1],
    ['once', 3 * day, 1],
  ])('with missed: %j that is found %i ms late starts %i runs', async (missed, lateMs, count) => {
    let now = start
    const office = clerk([], { now: () => now })
    await office.open().agent.schedule('digest', { ...everyDay, missed }, 'Write it.')
    now = seven + lateMs
    for (let times = 0; times < 3; times++) await look(office)
    expect(office.disk.jobs).toHaveLength(count)
    const [schedule] = await office.open().agent.schedules()
    expect(Date.parse(schedule?.next ?? '')).toBeGreaterThan(now)
  })

  it('that is set again at the start of a program starts the time that was missed, with the new input', async () => {
    let now = start
    const office = clerk([], { now: () => now })
    const times = { ...everyDay, missed: 'once' } as const
    await office.open().agent.schedule('digest', times, 'Write it.')
    now = seven + 3_600_000
    await office.open().agent.schedule('digest', times, 'Write it well.', { sessionId: 's' })
    for (let looks = 0; looks < 2; looks++) await look(office)
    expect(await office.open().agent.runs()).toMatchObject([{ sessionId: 's', status: 'queued' }])
    await office.open().agent.schedule('digest', times, 'Write it well.', { sessionId: 's' })
    await look(office)
    expect(await office.open().agent.runs()).toHaveLength(1)
  })

  it('whose times are changed starts nothing for those that it had', async () => {
    let now = start
    const office = clerk([], { now: () => now })
    await office.open().agent.schedule('digest', { ...everyDay, missed: 'once' }, 'Write it.')
    now = seven + 3_600_000
    await office.open().agent.schedule('digest', { cron: '0 9 * * *', missed: 'once' }, 'Write it.')
    await look(office)
    expect(office.disk.jobs).toEqual([])
  })

  it('starts nothing before its time, and nothing for another agent', async () => {
    let now = start
    const office = clerk([], { now: () => now })
    await office.open().agent.schedule('digest', everyDay, 'Write it.')
    now = seven - 1
    await look(office)
    now = seven
    await look(office, 'other')
    expect(office.disk.jobs).toEqual([])
  })

  it('starts no run for a user who has too many, and continues with the next time', async () => {
    let now = start
    const office = clerk([], { now: () => now })
    const { agent } = office.open()
    await agent.enqueueMany(Array.from({ length: 10_000 }, () => ({ input: 'Hi.' })))
    await agent.schedule('digest', everyDay, 'Write it.')
    now = seven
    const errors: unknown[] = []
    await startScheduled(office.open().store.runs as BackgroundStore, ['clerk'], (error) => errors.push(error))
    expect(errors).toMatchObject([{ code: 'overloaded' }])
    expect((await agent.schedules())[0]?.next).toBe(new Date(seven + day).toISOString())
  })
})

function look(office: Clerk, agentId = 'clerk'): Promise<void> {
  return startScheduled(office.open().store.runs as BackgroundStore, [agentId], fail)
}

function fail(error: unknown): never {
  throw error
}
