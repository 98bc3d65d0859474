import { describe, expect, it } from 'vitest'
import { cronTimes } from './cron-times.ts'

/** The next times after one, as ISO 8601. */
async function timesAfter(from: string, cron: string, timeZone: string, count: number): Promise<string[]> {
  const { after } = await cronTimes({ cron, timeZone })
  const times: string[] = []
  let last: number | undefined = Date.parse(from)
  while (times.length < count) {
    last = after(last)
    if (last === undefined) return times
    times.push(new Date(last).toISOString().slice(0, 16))
  }
  return times
}

describe('the times of a cron expression', () => {
  it('are of its time zone', async () => {
    const times = await timesAfter('2026-11-20T12:00Z', '0 7 * * 1-5', 'Europe/Berlin', 2)
    expect(times).toEqual(['2026-11-23T06:00', '2026-11-24T06:00'])
    expect(await timesAfter('2026-11-20T12:00Z', '*/20 * * * *', 'UTC', 2)).toEqual([
      '2026-11-20T12:20',
      '2026-11-20T12:40',
    ])
  })

  it('that a change to summer time skips come when the clocks have moved', async () => {
    // On 29 March 2026 the clocks of Berlin move from 2:00 to 3:00.
    const times = await timesAfter('2026-03-28T00:00Z', '30 2 * * *', 'Europe/Berlin', 3)
    expect(times).toEqual(['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'])
  })

  it('that come twice at the change from summer time come once', async () => {
    // On 25 October 2026 the clocks of Berlin move from 3:00 to 2:00.
    const times = await timesAfter('2026-10-24T00:00Z', '30 2 * * *', 'Europe/Berlin', 3)
    expect(times).toEqual(['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'])
  })

  it('of each hour come in an hour that comes twice though the next day has none', async () => {
    // On 28 October 2027, a Thursday, the clocks of Cairo move from 24:00 to 23:00, at 21:00 UTC.
    const times = await timesAfter('2027-10-28T20:00Z', '30 * * * 4', 'Africa/Cairo', 3)
    expect(times).toEqual(['2027-10-28T20:30', '2027-10-28T21:30', '2027-11-03T22:30'])
  })

  it('that come twice in two hours come once, the first time', async () => {
    // On 31 October 2027 the clocks of Troll move from 3:00 to 1:00, at 1:00 UTC.
    const times = await timesAfter('2027-10-30T12:00Z', '15,45 1,2 * * *', 'Antarctica/Troll', 5)
    expect(times.map((time) => time.slice(8))).toEqual(['30T23:15', '30T23:45', '31T00:15', '31T00:45', '01T01:15'])
  })

  it('that come twice in half an hour come once, the first time', async () => {
    // On 4 April 2027 the clocks of Lord Howe Island move from 2:00 to 1:30, at 15:00 UTC.
    const zone = 'Australia/Lord_Howe'
    const once = await timesAfter('2027-04-03T12:00Z', '45 1 * * *', zone, 2)
    expect(once).toEqual(['2027-04-03T14:45', '2027-04-04T15:15'])
    const several = await timesAfter('2027-04-03T12:00Z', '*/15 1,2 * * *', zone, 6)
    expect(several.map((time) => time.slice(11))).toEqual(['14:00', '14:15', '14:30', '14:45', '15:30', '15:45'])
  })

  it('of each hour come each hour, over both changes', async () => {
    const spring = await timesAfter('2026-03-28T23:30Z', '0 * * * *', 'Europe/Berlin', 4)
    expect(spring).toEqual(['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00', '2026-03-29T03:00'])
    const autumn = await timesAfter('2026-10-24T23:30Z', '0 * * * *', 'Europe/Berlin', 4)
    expect(autumn).toEqual(['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00', '2026-10-25T03:00'])
  })

  it('of each minute come each minute, over the change from summer time in both hemispheres', async () => {
    for (const [timeZone, from] of [
      ['Europe/Berlin', '2026-10-25T00:00Z'],
      ['America/New_York', '2026-11-01T05:00Z'],
      ['Australia/Sydney', '2026-04-04T15:00Z'],
      ['Australia/Lord_Howe', '2026-04-04T14:00Z'],
      ['America/Santiago', '2026-04-05T02:00Z'],
    ] as const) {
      const start = Date.parse(from)
      const times = await cronTimes({ cron: '* * * * *', timeZone })
      for (let at = start; at < start + 3 * 3_600_000; at += 300_000) expect(times.after(at)).toBe(at + 60_000)
    }
  })

  it('are later than the time that is asked for, also within the hour that comes twice', async () => {
    const start = Date.parse('2026-10-24T23:00Z')
    for (const cron of ['30 2 * * *', '*/10 1-5 * * *', '5,50 2,3 * * *', '*/20 * * * *']) {
      const times = await cronTimes({ cron, timeZone: 'Europe/Berlin' })
      let last = 0
      for (let at = start; at < start + 4 * 3_600_000; at += 300_000) {
        const next = times.after(at) ?? 0
        expect(next).toBeGreaterThan(at)
        // Asking later gives no earlier time.
        expect(next).toBeGreaterThanOrEqual(last)
        last = next
      }
    }
    expect(await timesAfter('2026-10-25T01:45Z', '5,50 2,3 * * *', 'Europe/Berlin', 1)).toEqual(['2026-10-25T02:05'])
  })

  it('with ? for a day are those with *', async () => {
    const times = await timesAfter('2026-01-01T00:00Z', '0 7 ? * MON', 'UTC', 2)
    expect(times).toEqual(['2026-01-05T07:00', '2026-01-12T07:00'])
  })

  it('may never come', async () => {
    expect(await timesAfter('2026-01-01T00:00Z', '0 0 31 2 *', 'UTC', 1)).toEqual([])
  })

  it.each(['', '* * * *', '0 0 7 * * *', '@daily', '61 * * * *', '* * * * mun', 'every day at 7 am', '* '.repeat(200)])(
    'of %j are refused, naming the field',
    async (cron) => {
      const refused = { code: 'invalid-argument', message: expect.stringMatching(/`cron`/) }
      await expect(cronTimes({ cron, timeZone: 'UTC' })).rejects.toMatchObject(refused)
    },
  )

  it('of five fields with a wrong one are refused with the range of each', async () => {
    await expect(cronTimes({ cron: '61 * * * *', timeZone: 'UTC' })).rejects.toThrow('minute is 0–59')
    await expect(cronTimes({ cron: '0 22-2 * * *', timeZone: 'UTC' })).rejects.toThrow('a range goes up')
  })

  it.each(['Berlin', '', 'Europe/Bonn'])('of the time zone %j are refused, naming the field', async (timeZone) => {
    const refused = { code: 'invalid-argument', message: expect.stringMatching(/`timeZone`/) }
    await expect(cronTimes({ cron: '* * * * *', timeZone })).rejects.toMatchObject(refused)
  })
})
