import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Clerk, type ClerkProcess, clerk } from '../../__fixtures__/clerk.ts'
import { mortalProcess } from '../../__fixtures__/mortal-process.ts'
import { calls } from '../../__fixtures__/payer.ts'
import { type AgentEvent, AgentKitError, type RunRecord, type SessionStore, type Worker } from '../../index.ts'
import { limits } from '../../limits.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { sweep } from './sweep.ts'
import { workOn } from './work.ts'

const workers: Worker[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(workers.splice(0).map((worker) => worker.close()))
})

describe('a worker', () => {
  it.each([0, -1, 1.5, 1_001, Number.NaN, '5'])('refuses a concurrency of %s', async (concurrency) => {
    const { agent } = clerk([]).open()
    const refused = { code: 'invalid-argument', message: expect.stringMatching(/1 to 1000/) }
    await expect(agent.work({ concurrency: concurrency as number })).rejects.toMatchObject(refused)
    await expect(agent.work({ concurrencyPerUser: concurrency as number })).rejects.toMatchObject(refused)
  })

  it('refuses to start on a queue that it does not know, and waits for one that is away', async () => {
    const { agent, store } = clerk(['Done.']).open()
    const { queue } = (store.runs as BackgroundStore).background
    const migrate = vi.spyOn(queue, 'migrate')
    const newer = { code: 'invalid-config', message: 'The schema has version 47, and pg-boss 12 knows 46.' } as const
    migrate.mockRejectedValueOnce(new AgentKitError(newer.code, newer.message))
    await expect(agent.work()).rejects.toMatchObject(newer)
    migrate.mockRejectedValueOnce(new AgentKitError('storage', 'Postgres is away.', { retryable: true }))
    const errors: unknown[] = []
    workers.push(await workOn([agent], { onError: (error) => errors.push(error) }))
    expect(errors).toMatchObject([{ code: 'storage' }])
    const { runId } = await agent.enqueue('Hi.')
    expect(await agent.result(runId)).toMatchObject({ text: 'Done.' })
  })

  it('that cannot start leaves none of another store behind', async () => {
    const [good, bad] = [clerk(['Done.']).open(), clerk(['Done.'], { name: 'Other' }).open()]
    const { background } = bad.store.runs as BackgroundStore
    vi.spyOn(background, 'beatWorker').mockRejectedValueOnce(new Error('The disk is full.'))
    await expect(workOn([good.agent, bad.agent])).rejects.toThrow('The disk is full.')
    const { runId } = await good.agent.enqueue('Hi.')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await good.store.runs.read(runId)).toMatchObject({ record: { status: 'queued' } })
  })

  it('runs as many at once as it has places', async () => {
    const gate = gated()
    const office = clerk([calls('look 1'), 'Done.'], { look: gate.pass })
    const { agent } = office.open()
    const accepted = await agent.enqueueMany(Array.from({ length: 9 }, () => ({ input: 'Look.' })))
    workers.push(await office.open().agent.work({ concurrency: 3 }))
    await expect.poll(gate.waiting, { timeout: 10_000 }).toBe(3)
    gate.open()
    await Promise.all(accepted.map(({ runId }) => agent.result(runId)))
    expect(gate.most()).toBe(3)
  })

  it('takes only runs of agents that it has', async () => {
    const office = clerk(['Done.'])
    const { agent, store } = office.open()
    const other = clerk(['Other.'], { name: 'Other' }).open(store)
    const mine = await agent.enqueue('Hi.')
    const theirs = await other.agent.enqueue('Hi.')
    workers.push(await agent.work())
    expect(await agent.result(mine.runId)).toMatchObject({ text: 'Done.' })
    expect(await other.agent.runs({ status: 'queued' })).toMatchObject([{ runId: theirs.runId }])
    workers.push(await workOn([agent, other.agent]))
    expect(await other.agent.result(theirs.runId)).toMatchObject({ text: 'Other.' })
  })

  it('hands back runs that do not end in time: another worker continues them at once, and repeats no finished call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const gate = gated()
    const office = clerk([calls('count 1'), calls('look 2'), 'Done.'], { look: gate.pass })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    const worker = await office.open().agent.work()
    while (gate.waiting() === 0) await vi.advanceTimersByTimeAsync(10)
    const closed = worker.close()
    await vi.advanceTimersByTimeAsync(limits.drainMs + 100)
    await closed
    expect(await agent.runs()).toMatchObject([{ runId, status: 'running' }])
    gate.open()
    vi.useRealTimers()
    workers.push(await office.open().agent.work())
    expect(await agent.result(runId)).toMatchObject({ text: 'Done.', finishReason: 'stop' })
    expect(office.done).toEqual(['count 1', 'look 2', 'look 2'])
  })

  it('charges its runs to no other run, within which it may have been woken', async () => {
    const turns = (question: string) => (question === 'Ask.' ? [calls('look 1'), 'Asked.'] : ['Done.'])
    const office = clerk(turns, {
      async look() {
        const { runId } = await agent.enqueue('Look.')
        workers.push(await office.open().agent.work())
        return (await agent.result(runId)).text
      },
    })
    const { agent } = office.open()
    expect(await agent.chat('Ask.', { budget: { modelCalls: 2 } })).toBe('Asked.')
  })

  it('leaves a run alone that is delivered again while it runs here', async () => {
    const gate = gated()
    const office = clerk([calls('count 1'), calls('look 2'), 'Done.'], { look: gate.pass })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    workers.push(await agent.work())
    await expect.poll(gate.waiting, { timeout: 10_000 }).toBe(1)
    const { error } = await agent.continueRun(runId).result
    expect(error).toMatchObject({ code: 'session-conflict' })
    gate.open()
    expect(await agent.result(runId)).toMatchObject({ text: 'Done.', finishReason: 'stop' })
    expect(await agent.runs()).toMatchObject([{ runId, attempts: 1 }])
    expect(office.done).toEqual(['count 1', 'look 2'])
    expect(office.modelCalls()).toBe(3)
  })

  it('closes although its store and its queue are away, after the time that its runs have', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { agent, store } = clerk([calls('look 1')], { look: () => new Promise(() => {}) }).open()
    const { background } = store.runs as BackgroundStore
    const errors: unknown[] = []
    const worker = await workOn([agent], { onError: (error) => errors.push(error) })
    await agent.enqueue('Look.')
    await vi.advanceTimersByTimeAsync(100)
    const away = new Promise<never>((_, reject) => setTimeout(reject, 300_000, new Error('Postgres is away.')))
    vi.spyOn(background, 'beatWorker').mockReturnValue(away)
    vi.spyOn(background, 'removeWorker').mockReturnValue(away)
    vi.spyOn(background.queue, 'settle').mockReturnValue(away)
    await vi.advanceTimersByTimeAsync(limits.keepMs)
    const begunAt = performance.now()
    const closed = worker.close().then(() => performance.now() - begunAt)
    await vi.advanceTimersByTimeAsync(limits.drainMs + limits.lastCallsMs)
    expect(await closed).toBe(30_000)
    // What it still tries then is not reported: it is no worker any more.
    await vi.advanceTimersByTimeAsync(300_000)
    expect(errors).toEqual([])
  })

  it('lets runs end that end in time', async () => {
    const gate = gated()
    const office = clerk([calls('look 1'), 'Done.'], { look: gate.pass })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    const worker = await office.open().agent.work()
    await expect.poll(gate.waiting, { timeout: 10_000 }).toBe(1)
    const closed = worker.close()
    gate.open()
    await closed
    expect(await agent.runs()).toMatchObject([{ runId, status: 'done', attempts: 1 }])
  })

  it('hands the run of a job that it has lost back after its step', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const gate = gated()
    const office = clerk([calls('look 1'), 'Done.'], { look: gate.pass })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    const { store, agent: cutOff } = office.open()
    const worker = await cutOff.work()
    while (gate.waiting() === 0) await vi.advanceTimersByTimeAsync(10)
    await store.runs.background?.queue.clear()
    await vi.advanceTimersByTimeAsync(limits.keepMs)
    gate.open()
    while ((await store.runs.read(runId))?.record.status === 'running') await vi.advanceTimersByTimeAsync(100)
    expect(await agent.runs()).toMatchObject([{ runId, status: 'done', attempts: 2 }])
    expect(office.done).toEqual(['look 1'])
    await worker.close()
  })

  it('stops a run that another process has cancelled, also while its tool does not end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const stopped = Promise.withResolvers<void>()
    let isWorking = false
    const office = clerk([calls('look 1'), 'Done.'], {
      look(_, signal) {
        isWorking = true
        signal.addEventListener('abort', () => stopped.resolve())
        return stopped.promise
      },
    })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    const worker = await office.open().agent.work()
    while (!isWorking) await vi.advanceTimersByTimeAsync(10)
    expect(await agent.cancel(runId)).toBe(true)
    await vi.advanceTimersByTimeAsync(2 * limits.keepMs)
    await stopped.promise
    expect(await agent.runs()).toMatchObject([{ runId, status: 'failed', finishReason: 'aborted' }])
    const closed = worker.close()
    await vi.advanceTimersByTimeAsync(1_000)
    await closed
  })

  it('stops such a run while it closes, too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    let isWorking = false
    const office = clerk([calls('look 1'), 'Done.'], {
      look(_, signal) {
        isWorking = true
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
    })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    const worker = await office.open().agent.work()
    while (!isWorking) await vi.advanceTimersByTimeAsync(10)
    let isClosed = false
    const closed = worker.close().then(() => {
      isClosed = true
    })
    expect(await agent.cancel(runId)).toBe(true)
    await vi.advanceTimersByTimeAsync(3 * limits.keepMs)
    expect(isClosed).toBe(true)
    await closed
  })

  it('adds a job for a run that has none', async () => {
    const office = clerk(['Done.'])
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Hi.')
    await store.runs.background?.queue.clear()
    expect(office.disk.jobs).toEqual([])
    workers.push(await office.open().agent.work())
    expect(await agent.result(runId)).toMatchObject({ text: 'Done.' })
  })

  it('ends a run whose approvals have expired, and calls no model', async () => {
    let now = Date.now()
    const office = clerk([calls('pay 1'), 'Paid.'], { now: () => now })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Pay.')
    workers.push(await office.open().agent.work())
    await agent.result(runId)
    now += 31 * 86_400_000
    const before = office.modelCalls()
    await sweep(store, [{ id: 'clerk', approvalMs: 30 * 86_400_000 }], new AbortController().signal)
    const result = await agent.result(runId)
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'approval' } })
    expect(office.modelCalls()).toBe(before)
  })

  it('ends a run as cancelled, with its last event, that is cancelled while it is stored as waiting', async () => {
    const office = clerk([calls('pay 1'), 'Paid.'])
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Pay.')
    const { suspend } = store.runs
    let cancelled: Promise<boolean> | undefined
    store.runs.suspend = async (...entry) => {
      const decisions = await suspend(...entry)
      cancelled = agent.cancel(runId)
      // Until the run, which is still in this process, has learned of it.
      for (let turns = 0; turns < 20; turns++) await nextTurnOfTheLoop()
      return decisions
    }
    workers.push(await agent.work())
    await expect.poll(() => cancelled, { timeout: 30_000 }).toBeDefined()
    expect(await cancelled).toBe(true)
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted' } })
    const events: AgentEvent[] = []
    for await (const event of agent.follow(runId)) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'aborted' })
  })

  it('fails a run that may not begin, with the reason', async () => {
    const office = clerk(['Done.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Hi.', { userId: 'ann' })
    const admit = ({ userId }: { userId: string }): void => {
      throw new AgentKitError('budget', `${userId} has used up the day.`)
    }
    const settled: unknown[] = []
    workers.push(await workOn([office.open().agent], { admit, onSettled: (...ended) => settled.push(ended) }))
    expect(await agent.result(runId)).toMatchObject({ error: { code: 'budget', message: 'ann has used up the day.' } })
    await expect
      .poll(() => settled)
      .toMatchObject([[{ runId, userId: 'ann' }, {}, { runId, finishReason: 'error', error: { code: 'budget' } }]])
    expect(office.modelCalls()).toBe(0)
  })

  it('fails a run that cannot be read back, and continues with the others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const office = clerk(['Done.'], { now: () => performance.now() })
    const { agent, store } = office.open()
    const broken = await agent.enqueue('Broken')
    const fine = await agent.enqueue('Fine')
    const { runs } = store
    const unreadable: SessionStore = {
      ...store,
      runs: {
        ...runs,
        async takeOver(runId, options) {
          if (runId === broken.runId) throw new SyntaxError('Unexpected end of JSON input')
          return runs.takeOver(runId, options)
        },
      },
    }
    const errors: unknown[] = []
    const worker = await workOn([office.open(unreadable).agent], { onError: (error) => errors.push(error) })
    const ended = async (runId: string): Promise<RunRecord | undefined> => {
      for (;;) {
        const record = (await runs.read(runId))?.record
        if (record?.status === 'done' || record?.status === 'failed') return record
        await vi.advanceTimersByTimeAsync(500)
      }
    }
    expect(await ended(fine.runId)).toMatchObject({ status: 'done' })
    expect(await ended(broken.runId)).toMatchObject({ status: 'failed', error: { code: 'storage' } })
    expect(errors).toHaveLength(limits.jobAttempts - 1)
    const closed = worker.close()
    await vi.advanceTimersByTimeAsync(limits.drainMs)
    await closed
  })
})

describe('a store that fails for a while', () => {
  it.each(['append', 'end'] as const)('in %s: fails no run, and no effect is repeated', async (name) => {
    const office = clerk([calls('count 1'), calls('count 2'), 'Done.'])
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Count.')
    let left = 2
    const { runs } = store
    const failing = async <Value>(write: () => Promise<Value>): Promise<Value> => {
      if (office.done.length > 0 && left-- > 0) throw new AgentKitError('storage', 'The disk is full.')
      return write()
    }
    const unreliable: SessionStore = {
      ...store,
      runs: {
        ...runs,
        append: (id, entry) => (name === 'append' ? failing(() => runs.append(id, entry)) : runs.append(id, entry)),
        end: (id, entry) => (name === 'end' ? failing(() => runs.end(id, entry)) : runs.end(id, entry)),
      },
    }
    const errors: unknown[] = []
    workers.push(await workOn([office.open(unreliable).agent], { onError: (error) => errors.push(error) }))
    let result = await agent.result(runId)
    if (result.approvals.length > 0) {
      for (const { approvalId } of result.approvals) await agent.decide(runId, { [approvalId]: { result: 'ok' } })
      result = await agent.result(runId)
    }
    expect(result).toMatchObject({ text: 'Done.', finishReason: 'stop' })
    expect(office.done).toEqual(['count 1', 'count 2'])
    expect(errors.length).toBeGreaterThan(0)
  })
})

describe('a run with which processes die', () => {
  it('starts later at the third death, and ends visibly at the fifth', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const office = clerk(['Done.'])
    const { runId } = await office.open().agent.enqueue('Die.')
    const waits: number[] = []
    for (let death = 0; death < 5; death++) waits.push(await dieAtFirstWrite(office))
    expect(waits.map((ms) => Math.floor(ms / 1000))).toEqual([0, 0, 0, 1, 5])
    const closing = await office.open().agent.work()
    const { store } = office.open()
    while ((await store.runs.read(runId))?.record.status !== 'failed') await vi.advanceTimersByTimeAsync(100)
    const { record } = (await store.runs.read(runId)) ?? {}
    expect(record).toMatchObject({
      status: 'failed',
      error: { code: 'crashed', message: expect.stringMatching('5 times') },
    })
    const closed = closing.close()
    await vi.advanceTimersByTimeAsync(limits.drainMs)
    await closed
    expect(office.modelCalls()).toBe(0)
  })
})

/** @returns how long the process waited before it began */
async function dieAtFirstWrite(office: Clerk): Promise<number> {
  const { store, died } = mortalProcess(office.disk, { number: 1, hasEffect: true })
  const begun = performance.now()
  let isDead = false
  void died.then(() => {
    isDead = true
  })
  await (office.open(store) as ClerkProcess).agent.work()
  while (!isDead) await vi.advanceTimersByTimeAsync(50)
  return performance.now() - begun
}

/** A tool that waits until it is let through. */
function gated() {
  const { promise, resolve } = Promise.withResolvers<string>()
  let waiting = 0
  let most = 0
  return {
    pass: async () => {
      most = Math.max(most, ++waiting)
      await promise
      waiting--
      return 'seen'
    },
    open: () => resolve('seen'),
    waiting: () => waiting,
    most: () => most,
  }
}
