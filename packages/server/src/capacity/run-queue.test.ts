import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRunQueue } from './run-queue.ts'

const never = new AbortController().signal

afterEach(() => void vi.useRealTimers())

describe('the queue of runs', () => {
  it('assigns places in order of arrival', async () => {
    const queue = createRunQueue({ runs: 1, queuedRuns: 3 })
    const leaveFirst = await queue.enter(never)
    const entered: string[] = []
    const others = ['a', 'b', 'c'].map(async (name) => {
      const leave = await queue.enter(never)
      entered.push(name)
      leave()
    })
    await Promise.resolve()
    expect(entered).toEqual([])
    leaveFirst()
    await Promise.all(others)
    expect(entered).toEqual(['a', 'b', 'c'])
  })

  it('refuses a run when the queue is full, with Retry-After', async () => {
    const queue = createRunQueue({ runs: 1, queuedRuns: 0 })
    const leave = await queue.enter(never)
    await expect(queue.enter(never)).rejects.toMatchObject({
      code: 'overloaded',
      status: 503,
      headers: { 'retry-after': '1' },
    })
    leave()
    await expect(queue.enter(never)).resolves.toBeTypeOf('function')
  })

  it('estimates Retry-After from the average duration of runs', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const queue = createRunQueue({ runs: 2, queuedRuns: 4 })
    for (let run = 0; run < 3; run++) {
      const leave = await queue.enter(never)
      vi.advanceTimersByTime(6_000)
      leave()
    }
    await queue.enter(never)
    await queue.enter(never)
    for (let run = 0; run < 4; run++) void queue.enter(never)
    // Five runs, two at once, six seconds each.
    await expect(queue.enter(never)).rejects.toMatchObject({ headers: { 'retry-after': '15' } })
  })

  it('removes a client that leaves', async () => {
    const queue = createRunQueue({ runs: 1, queuedRuns: 1 })
    const leave = await queue.enter(never)
    const client = new AbortController()
    const waiting = queue.enter(client.signal)
    client.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded' })
    const next = queue.enter(never)
    leave()
    await expect(next).resolves.toBeTypeOf('function')
    await expect(queue.enter(AbortSignal.abort())).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('frees a place once, however often it is released', async () => {
    const queue = createRunQueue({ runs: 1, queuedRuns: 0 })
    const leave = await queue.enter(never)
    leave()
    leave()
    await queue.enter(never)
    await expect(queue.enter(never)).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('refuses queued runs when it closes, and is idle when the last run has left', async () => {
    const queue = createRunQueue({ runs: 1, queuedRuns: 1 })
    const leave = await queue.enter(never)
    const waiting = queue.enter(never)
    let idle = false
    const settled = queue.idle().then(() => {
      idle = true
    })
    queue.close()
    await expect(waiting).rejects.toMatchObject({
      code: 'overloaded',
      detail: expect.stringContaining('shutting down'),
    })
    await expect(queue.enter(never)).rejects.toMatchObject({ code: 'overloaded' })
    expect(idle).toBe(false)
    leave()
    await settled
  })

  it('logs one of many refusals', () => {
    const queue = createRunQueue({ runs: 1, queuedRuns: 0 })
    expect([1, 2, 3].map(() => queue.overloaded('Full.').quiet)).toEqual([false, true, true])
  })
})
