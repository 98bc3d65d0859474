import { afterEach, describe, expect, it, vi } from 'vitest'
import { RunQueue } from './run-queue.ts'

const limits = { runs: 4, queuedRuns: 8, userRuns: 2, userQueuedRuns: 2 }
const never = new AbortController().signal

afterEach(() => void vi.useRealTimers())

describe('the queue of runs', () => {
  it('assigns places in order of arrival', async () => {
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 3 })
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

  it('has free places only where none waits for one, and none while it closes', async () => {
    const queue = new RunQueue({ ...limits, runs: 2 })
    let wasFree = 0
    const stop = queue.onFree(() => wasFree++)
    expect(queue.free).toBe(2)
    const leave = queue.tryEnter()
    const leaveOther = await queue.enter(never)
    expect([queue.free, queue.running, queue.tryEnter()]).toEqual([0, 2, undefined])
    const waiting = queue.enter(never)
    leave?.()
    expect([queue.free, queue.running, wasFree]).toEqual([0, 2, 0])
    leaveOther()
    expect([queue.free, wasFree]).toEqual([1, 1])
    stop()
    ;(await waiting)()
    expect([queue.free, wasFree]).toEqual([2, 1])
    queue.close()
    expect([queue.free, queue.tryEnter()]).toEqual([0, undefined])
  })

  it('has free places while a user waits who may take none of them', async () => {
    const queue = new RunQueue({ ...limits, runs: 4, userRuns: 1 })
    const leave = await queue.enter(never, { userId: 'ada' })
    const waiting = queue.enter(never, { userId: 'ada' })
    expect([queue.queued, queue.free]).toEqual([1, 3])
    const leaveOther = queue.tryEnter()
    expect([queue.free, queue.running]).toEqual([2, 2])
    leave()
    const leaveNext = await waiting
    expect([queue.queued, queue.free, queue.running]).toEqual([0, 2, 2])
    leaveNext()
    leaveOther?.()
    expect(queue.free).toBe(4)
  })

  it('refuses a run when the queue is full, with Retry-After', async () => {
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 0 })
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
    const queue = new RunQueue({ ...limits, runs: 2, queuedRuns: 4 })
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
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 1 })
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
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 0 })
    const leave = await queue.enter(never)
    leave()
    leave()
    await queue.enter(never)
    await expect(queue.enter(never)).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('refuses queued runs when it closes, and is idle when the last run has left', async () => {
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 1 })
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
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 0 })
    expect([1, 2, 3].map(() => queue.overloaded('Full.').quiet)).toEqual([false, true, true])
  })

  it('logs the next refusal after a run has left the queue, which is not logged', async () => {
    const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 1 })
    await queue.enter(never)
    const left = new AbortController()
    const waiting = queue.enter(left.signal)
    left.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded', quiet: true })
    expect(queue.overloaded('Full.').quiet).toBe(false)
  })

  describe('with users', () => {
    const enter = (queue: RunQueue, userId: string) => queue.enter(never, { userId })

    it('gives a user so many places at once, and a queue', async () => {
      const queue = new RunQueue(limits)
      const leave = await enter(queue, 'ada')
      await enter(queue, 'ada')
      const third = enter(queue, 'ada')
      void enter(queue, 'ada')
      await expect(enter(queue, 'ada')).rejects.toMatchObject({
        code: 'rate-limit',
        status: 429,
        detail: '2 runs of this user are active and 2 wait, which is the limit of one user.',
        headers: {
          'retry-after': '1',
          'ratelimit-policy': '"user-runs";q=2;qu="concurrent-requests"',
          ratelimit: '"user-runs";r=0;t=1',
          'ratelimit-limit': '2',
          'ratelimit-remaining': '0',
          'ratelimit-reset': '1',
        },
      })
      await expect(enter(queue, 'bob')).resolves.toBeTypeOf('function')
      leave()
      await expect(third).resolves.toBeTypeOf('function')
    })

    it('leaves a place for others, for any limit of a user', async () => {
      const queue = new RunQueue({ ...limits, userRuns: 100 })
      for (let run = 0; run < 3; run++) await enter(queue, 'ada')
      const fourth = enter(queue, 'ada')
      let started = false
      void fourth.then(() => {
        started = true
      })
      const leave = await enter(queue, 'bob')
      leave()
      await Promise.resolve()
      expect(started).toBe(false)
    })

    it('has a place for the only one', async () => {
      await expect(enter(new RunQueue({ ...limits, runs: 1 }), 'ada')).resolves.toBeTypeOf('function')
    })

    it('lets users take turns, and starts the runs of each in their order', async () => {
      const queue = new RunQueue({ runs: 1, queuedRuns: 20, userRuns: 1, userQueuedRuns: 10 })
      const leave = await enter(queue, 'eve')
      const started: string[] = []
      const runs = ['ada 1', 'ada 2', 'ada 3', 'bob 1', 'bob 2', 'cleo 1'].map(async (name) => {
        const leaveIt = await enter(queue, name.split(' ')[0] ?? '')
        started.push(name)
        leaveIt()
      })
      leave()
      await Promise.all(runs)
      expect(started).toEqual(['ada 1', 'bob 1', 'cleo 1', 'ada 2', 'bob 2', 'ada 3'])
    })

    it('passes over a user who has enough places', async () => {
      const queue = new RunQueue({ ...limits, runs: 3 })
      await enter(queue, 'ada')
      await enter(queue, 'ada')
      const leave = await enter(queue, 'bob')
      const third = enter(queue, 'ada')
      const other = enter(queue, 'cleo')
      leave()
      await expect(other).resolves.toBeTypeOf('function')
      expect(await Promise.race([third, Promise.resolve('waits')])).toBe('waits')
    })

    it('reports the limit of the server as such', async () => {
      const queue = new RunQueue({ ...limits, runs: 1, queuedRuns: 0, userQueuedRuns: 0 })
      await enter(queue, 'ada')
      await expect(enter(queue, 'bob')).rejects.toMatchObject({ code: 'overloaded', status: 503 })
      await expect(enter(queue, 'ada')).rejects.toMatchObject({ code: 'rate-limit', status: 429 })
    })

    it('estimates the Retry-After of a user', async () => {
      vi.useFakeTimers({ toFake: ['performance'] })
      const queue = new RunQueue(limits)
      const leave = await enter(queue, 'bob')
      vi.advanceTimersByTime(6_000)
      leave()
      for (let run = 0; run < 4; run++) void enter(queue, 'ada')
      // Three runs, two at once, six seconds each.
      await expect(enter(queue, 'ada')).rejects.toMatchObject({ headers: { 'retry-after': '9' } })
    })

    it('closes for all of them', async () => {
      const queue = new RunQueue({ ...limits, runs: 1 })
      await enter(queue, 'ada')
      const waiting = ['ada', 'bob', 'bob'].map((user) => enter(queue, user))
      queue.close()
      for (const run of waiting) await expect(run).rejects.toMatchObject({ code: 'overloaded' })
    })
  })
})
