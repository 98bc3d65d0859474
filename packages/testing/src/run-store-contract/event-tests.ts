import { expect, it } from 'vitest'
import { key } from '../session-store-contract/turns.ts'
import { afterCrash, conflict, done, event, type GetRuns, newRun } from './runs.ts'

/** Stored events. */
export function eventTests(getRuns: GetRuns): void {
  it('returns events after a number, in order, in pages', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1'))
    expect(await runs.eventRange('r1')).toBeUndefined()
    expect(await runs.events('r1', 0, 10)).toEqual([])
    await runs.append('r1', { attempt: 1, events: [event('r1', 1), event('r1', 2)] })
    await runs.end('r1', { attempt: 1, events: [event('r1', 3), event('r1', 7)], ...done })
    expect(await runs.events('r1', 0, 10)).toEqual([1, 2, 3, 7].map((seq) => event('r1', seq)))
    expect(await runs.events('r1', 2, 1)).toEqual([event('r1', 3)])
    expect(await runs.events('r1', 3, 10)).toEqual([event('r1', 7)])
    expect(await runs.events('r1', 7, 10)).toEqual([])
    expect(await runs.eventRange('r1')).toEqual({ oldest: 1, last: 7 })
    expect((await runs.read('r1'))?.lastSeq).toBe(7)
    expect(await runs.events('unknown', 0, 10)).toEqual([])
    expect(await runs.eventRange('unknown')).toBeUndefined()
  })

  it('stores none for a run that keeps none', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1', { keepsEvents: false }))
    await runs.append('r1', { attempt: 1, events: [event('r1', 1)] })
    expect(await runs.events('r1', 0, 10)).toEqual([])
    expect(await runs.read('r1')).toMatchObject({ keepsEvents: false, lastSeq: 0 })
  })

  it('continues the events of a run in another process', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1'))
    await runs.append('r1', { attempt: 1, events: [event('r1', 1), event('r1', 2)] })
    const other = await afterCrash(getRuns())
    expect(await other.runs.takeOver('r1', { expectedVersion: 1 })).toMatchObject({ lastSeq: 2 })
    const late = { attempt: 1, events: [event('r1', 3)] }
    await expect(other.runs.append('r1', late)).rejects.toMatchObject(conflict)
    await other.runs.append('r1', { attempt: 2, events: [event('r1', 1_002)] })
    expect((await other.runs.events('r1', 0, 10)).map(({ seq }) => seq)).toEqual([1, 2, 1_002])
  })
}
