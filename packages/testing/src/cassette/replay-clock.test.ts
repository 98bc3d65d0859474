import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ReplayClock } from './replay-clock.ts'

const { signal } = new AbortController()

describe('the clock of a replay', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** Calls that request all their turns at once, and report when they get them. */
  function race(clock: ReplayClock, calls: Record<string, number>) {
    const order: string[] = []
    for (const [name, turns] of Object.entries(calls)) {
      const call = Number(name.slice(1))
      clock.begin(call)
      void (async () => {
        for (let turn = 1; turn <= turns; turn++) {
          await clock.turn(call, signal)
          order.push(`${name}.${turn}`)
        }
      })()
    }
    return order
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await nextTurn()
  }

  it('grants calls their turns in the recorded order', async () => {
    const order = race(new ReplayClock([[0, 3, 4], [1, 2, 6], [5, 7]]), { c1: 2, c0: 2, c2: 1 }) // biome-ignore format: rows
    await settle()
    expect(order).toEqual(['c1.1', 'c0.1', 'c0.2', 'c1.2', 'c2.1'])
  })

  it('grants one turn per turn of the event loop', async () => {
    const order = race(new ReplayClock([[0, 1, 2]]), { c0: 2 })
    await nextTurn()
    expect(order).toEqual(['c0.1'])
  })

  it('grants waiting calls one turn each', async () => {
    const order = race(new ReplayClock([[0, 3], [1, 4], [2, 5]]), { c0: 1, c1: 1, c2: 1 }) // biome-ignore format: rows
    await nextTurn()
    expect(order).toEqual(['c0.1'])
  })

  it('waits for a call in progress, though it had ended by then in the recording', async () => {
    const clock = new ReplayClock([[0, 1], [2, 3]]) // biome-ignore format: rows
    clock.begin(0)
    const order = race(clock, { c1: 1 })
    await settle()
    expect(order).toEqual([])
  })

  it('waits for a call that was in progress at that time', async () => {
    const clock = new ReplayClock([[0, 4], [1, 2]]) // biome-ignore format: rows
    const order = race(clock, { c0: 1 })
    await settle()
    expect(order).toEqual([])
    order.push(...race(clock, { c1: 1 }))
    clock.end(1)
    await settle()
    expect(order).toEqual(['c0.1'])
  })

  it('does not wait for a call that had ended by then', async () => {
    const order = race(new ReplayClock([[0, 1], [2, 3]]), { c1: 1 }) // biome-ignore format: rows
    await settle()
    expect(order).toEqual(['c1.1'])
  })

  it('waits at most a second, and then no longer', async () => {
    const order = race(new ReplayClock([[0, 9], [1, 3, 4, 10], [2, 5]]), { c0: 1, c1: 3 }) // biome-ignore format: rows
    await settle()
    expect(order).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    await settle()
    expect(order).toEqual(['c1.1', 'c1.2', 'c0.1', 'c1.3'])
  })

  it('waits for other calls again after a wait that timed out', async () => {
    const clock = new ReplayClock([[0, 3], [1, 2], [4, 7], [5, 6]]) // biome-ignore format: rows
    const order = race(clock, { c0: 1 })
    await settle()
    order.push(...race(clock, { c1: 1 }))
    await settle()
    expect(order).toEqual(['c0.1'])
    clock.end(0)
    clock.end(1)
    await vi.advanceTimersByTimeAsync(1_000)
    const later = race(clock, { c2: 1 })
    await settle()
    expect(later).toEqual([])
  })

  it('blocks no call because of an aborted call that waited', async () => {
    const clock = new ReplayClock([[0, 4], [1, 3], [5, 6]]) // biome-ignore format: rows
    const abort = new AbortController()
    clock.begin(0)
    const aborted = clock.turn(0, abort.signal)
    abort.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    clock.end(0)
    const order = race(clock, { c2: 1 })
    await settle()
    expect(order).toEqual(['c2.1'])
  })

  it('blocks no call on one that ends early, or is aborted', async () => {
    const clock = new ReplayClock([[0, 4], [1, 2], [3, 5]]) // biome-ignore format: rows
    const abort = new AbortController()
    clock.begin(1)
    clock.begin(0)
    const aborted = clock.turn(0, abort.signal)
    abort.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    clock.end(0)
    clock.end(1)
    const order = race(clock, { c2: 1 })
    await settle()
    expect(order).toEqual(['c2.1'])
    await expect(clock.turn(2, abort.signal)).rejects.toMatchObject({ code: 'aborted' })
  })
})
