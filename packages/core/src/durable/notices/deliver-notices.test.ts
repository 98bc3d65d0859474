import { afterEach, describe, expect, it, vi } from 'vitest'
import { clerk } from '../../__fixtures__/clerk.ts'
import { calls } from '../../__fixtures__/payer.ts'
import { Agent, type RunNotice, type RunRecord, type Worker } from '../../index.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { workOn } from '../worker/work.ts'
import { deliverNotices, type Receivers } from './deliver-notices.ts'

const workers: Worker[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(workers.splice(0).map((worker) => worker.close()))
})

describe('onRunEnd', () => {
  it('is called in a worker with each run that waits, ends or fails', async () => {
    const seen: RunRecord[] = []
    const office = clerk((question) => (question === 'Pay.' ? [calls('pay 1'), 'Paid.'] : ['Done.']), {
      onRunEnd: (run) => void seen.push(run),
    })
    const { agent } = office.open()
    const done = await agent.enqueue('Hi.', { userId: 'ann' })
    const paid = await agent.enqueue('Pay.', { userId: 'ann' })
    const stopped = await agent.enqueue('Later.', { startAfter: new Date(Date.now() + 3_600_000) })
    await agent.cancel(stopped.runId)
    workers.push(await office.open().agent.work())
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(3)
    const { approvals } = await agent.result(paid.runId)
    await agent.decide(paid.runId, { [approvals[0]?.approvalId ?? '']: true })
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(4)
    const statusesOf = (id: string): string[] => seen.filter(({ runId }) => runId === id).map(({ status }) => status)
    expect(statusesOf(done.runId)).toEqual(['done'])
    expect(statusesOf(paid.runId)).toEqual(['waiting', 'done'])
    expect(statusesOf(stopped.runId)).toEqual(['failed'])
  })

  it('is called in a worker of an agent that has it, where the process that enqueued the run has none', async () => {
    const seen: string[] = []
    const office = clerk(['Done.'], { onRunEnd: ({ runId }) => void seen.push(runId) })
    const { agent, store } = office.open()
    const producer = new Agent({ name: 'Clerk', functions: [], model: agent.models, sessions: store })
    const { runId } = await producer.enqueue('Hi.')
    workers.push(await office.open().agent.work())
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual([runId])
  })

  it('is called by another worker when its process dies before', async () => {
    const seen: string[] = []
    const office = clerk(['Done.'], { onRunEnd: ({ runId }) => void seen.push(runId) })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Hi.')
    await agent.cancel(runId)
    // A process takes the notice, and dies.
    const leaseMs = 0
    expect(await store.runs.background?.takeNotices(['clerk'], { limit: 10, leaseMs })).toHaveLength(1)
    workers.push(await office.open().agent.work())
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual([runId])
  })
})

describe('a notice that cannot be delivered', () => {
  it('is tried again after 5 s, doubling to an hour, for 24 h; then it is shown with its run', async () => {
    let now = Date.now()
    const office = clerk(['Done.'], { now: () => now, onRunEnd() {} })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Hi.')
    await agent.cancel(runId)
    const began = now
    const waits: number[] = []
    const ids = new Set<string>()
    let last = now
    const receivers: Receivers = {
      hookOf: () => undefined,
      deliverOf:
        () =>
        async ({ noticeId }: RunNotice) => {
          ids.add(noticeId)
          waits.push(now - last)
          last = now
          throw new Error('The webhook answered 503.')
        },
    }
    const runs = store.runs as BackgroundStore
    for (; now < began + 26 * 3_600_000; now += 5_000) await deliverNotices(store, ['clerk'], receivers, new Set())
    expect(waits.slice(0, 12).map((ms) => ms / 1000)).toEqual([
      ...[0, 5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600],
    ])
    expect(last - began).toBeGreaterThan(22 * 3_600_000)
    expect(last - began).toBeLessThanOrEqual(24 * 3_600_000)
    expect(ids.size).toBe(1)
    const [undelivered] = (await runs.background.undelivered(runId)) ?? []
    expect(undelivered).toMatchObject({ failed: 'The webhook answered 503.', tries: waits.length })
  })

  it('is tried again where the hook does not return within 30 s, and holds up no other for longer', async () => {
    let now = Date.now()
    const called: string[] = []
    const office = clerk(['Done.'], { now: () => now, onRunEnd() {} })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Hi.')
    await agent.cancel(runId)
    const receivers: Receivers = {
      hookOf: () => (run) => {
        called.push(run.runId)
        return called.length === 1 ? new Promise<void>(() => {}) : undefined
      },
      deliverOf: () => undefined,
    }
    const deliver = (): Promise<number> => deliverNotices(store, ['clerk'], receivers, new Set())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const first = deliver()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await first).toBe(now + 5_000)
    now += 60_000
    expect(await deliver()).toBe(0)
    expect(called).toEqual([runId, runId])
    expect(await store.runs.background?.undelivered(runId)).toEqual([])
  })

  it('does not hold up the notices of other agents while its receiver hangs', async () => {
    const called = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const hook = (): Promise<void> => {
      called.resolve()
      return held.promise
    }
    const { agent: hanging, store } = clerk(['Done.'], { name: 'Hanging', onRunEnd: hook }).open()
    const seen: string[] = []
    const { agent: other } = clerk(['Done.'], { onRunEnd: ({ runId }) => void seen.push(runId) }).open(store)
    // Cancelled by a process that has no hook: its worker delivers the notice.
    const cancelled = async (agent: Agent): Promise<string> => {
      const { runId } = await agent.enqueue('Hi.', { startAfter: new Date(Date.now() + 3_600_000) })
      await new Agent({ name: agent.name, functions: [], model: agent.models, sessions: store }).cancel(runId)
      return runId
    }
    await cancelled(hanging)
    workers.push(await workOn([hanging, other]))
    await called.promise
    const runId = await cancelled(other)
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual([runId])
    held.resolve()
  })

  it('is reported by its worker, the only place with the reason', async () => {
    const office = clerk(['Done.'], {
      onRunEnd() {
        throw new Error('The receiver answered 401.')
      },
    })
    const { agent } = office.open()
    await agent.cancel((await agent.enqueue('Hi.')).runId)
    const errors: unknown[] = []
    workers.push(await workOn([agent], { onError: (error) => errors.push(error) }))
    await expect.poll(() => errors, { timeout: 20_000 }).toMatchObject([{ message: 'The receiver answered 401.' }])
  })

  it('does not call a hook again that has returned', async () => {
    let now = Date.now()
    let hooked = 0
    let delivered = 0
    const office = clerk(['Done.'], { now: () => now, onRunEnd() {} })
    const { agent, store } = office.open()
    await agent.cancel((await agent.enqueue('Hi.')).runId)
    const known = new Set<string>()
    const receivers: Receivers = {
      hookOf: () => () => void hooked++,
      deliverOf: () => async () => {
        if (++delivered < 3) throw new Error('Not yet.')
      },
    }
    for (let times = 0; times < 5; times++, now += 60_000) {
      await deliverNotices(store, ['clerk'], receivers, known)
    }
    expect([hooked, delivered, known.size]).toEqual([1, 3, 0])
  })

  it('is sent to the webhook where the hook fails, and only the hook is called again', async () => {
    let now = Date.now()
    let hooked = 0
    let delivered = 0
    const office = clerk(['Done.'], { now: () => now, onRunEnd() {} })
    const { agent, store } = office.open()
    await agent.cancel((await agent.enqueue('Hi.')).runId)
    const known = new Set<string>()
    const receivers: Receivers = {
      hookOf: () => () => {
        if (++hooked < 3) throw new Error('Not yet.')
      },
      deliverOf: () => async () => void delivered++,
    }
    for (let times = 0; times < 5; times++, now += 60_000) {
      await deliverNotices(store, ['clerk'], receivers, known)
      expect(delivered).toBe(1)
    }
    expect([hooked, known.size]).toEqual([3, 0])
  })

  it('does not call the hook again for the worker of a process that has called it already', async () => {
    let now = Date.now()
    const tries: RunNotice[] = []
    let hooked = 0
    const host = {
      notifies: true,
      workerParts: () => ({
        async deliver(notice: RunNotice) {
          if (tries.push(notice) === 1) throw new Error('The webhook answered 503.')
        },
      }),
    }
    const { store, agent: other } = clerk(['Done.'], { now: () => now }).open()
    class Served extends Agent {
      protected override readonly host = host
    }
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const agent = new Served({
      ...{ name: 'Clerk', functions: [], model: other.models, sessions: store },
      onRunEnd: () => void hooked++,
    })
    await agent.chat('Hi.', { userId: 'ann', sessionId: 's' })
    await expect.poll(() => tries.length, { timeout: 20_000 }).toBe(1)
    now += 6_000
    workers.push(await workOn([agent]))
    await expect.poll(() => tries.length, { timeout: 20_000 }).toBe(2)
    print.mockRestore()
    expect(new Set(tries.map(({ noticeId }) => noticeId)).size).toBe(1)
    expect(hooked).toBe(1)
  })

  it('is left to workers that can deliver it', async () => {
    const office = clerk(['Done.'], { onRunEnd() {} })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Hi.')
    await agent.cancel(runId)
    const silent = clerk(['Done.']).open(store)
    const worker = await workOn([silent.agent])
    await worker.close()
    expect(await store.runs.background?.undelivered(runId)).toHaveLength(1)
  })
})
