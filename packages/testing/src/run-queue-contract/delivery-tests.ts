import type { TakenJob } from '@agentkit/core'
import { expect, it } from 'vitest'
import { type GetQueue, idsOf, job, jobs, settleAll, take, takeNow, until } from './jobs.ts'

/** Which jobs are delivered, to whom, and when again. */
export function deliveryTests(getQueue: GetQueue): void {
  it('delivers a job once, until it is settled', async () => {
    const { queue } = getQueue()
    await queue.add([job('r1')])
    const [taken] = await take(queue, 1)
    expect(taken).toEqual({ runId: 'r1', agentId: 'helper', userId: 'ann', token: expect.any(String) })
    expect(await takeNow(queue)).toEqual([])
    expect(await queue.missing(['r1', 'r2'])).toEqual(['r2'])
    await settleAll(queue, [taken as TakenJob])
    expect(await takeNow(queue)).toEqual([])
    expect(await queue.missing(['r1', 'r2'])).toEqual(['r1', 'r2'])
    await queue.settle(taken as TakenJob)
  })

  it('delivers jobs of these agents alone, and no more than the limit', async () => {
    const { queue } = getQueue()
    await queue.add([...jobs(3, 'a'), job('b', { agentId: 'other' }), job('c', { agentId: 'third' })])
    expect(await takeNow(queue, { agentIds: ['nobody'] })).toEqual([])
    expect(await takeNow(queue, { agentIds: [] })).toEqual([])
    expect(await takeNow(queue, { limit: 0 })).toEqual([])
    expect(idsOf(await take(queue, 2))).toHaveLength(2)
    const rest = await take(queue, 2, { agentIds: ['helper', 'other'] })
    expect(rest.map(({ agentId }) => agentId).toSorted()).toEqual(['helper', 'other'])
    expect(await takeNow(queue, { agentIds: ['helper', 'other'] })).toEqual([])
  })

  it('delivers no job before it is due', async () => {
    const { queue, pass, now } = getQueue()
    const startAfter = now() + 2_000
    await queue.add([job('later', { startAfter }), job('past', { startAfter: now() - 5_000 })])
    expect(idsOf(await take(queue, 1))).toEqual(['past'])
    expect(await queue.missing(['later'])).toEqual([])
    await pass(2_100)
    expect(idsOf(await take(queue, 1))).toEqual(['later'])
    // The clocks of this machine and of the database differ by less.
    expect(now()).toBeGreaterThan(startAfter - 1_000)
  })

  it("delivers a user's jobs by priority, then in the order in which they were added", async () => {
    const { queue } = getQueue()
    for (const [runId, priority] of [['r1'], ['r2', -1], ['r3', 5], ['r4'], ['r5', 5]] as const) {
      await queue.add([job(runId, priority === undefined ? {} : { priority })])
    }
    const order: string[] = []
    for (let index = 0; index < 5; index++) {
      const taken = await take(queue, 1)
      order.push(...idsOf(taken))
      await settleAll(queue, taken)
    }
    expect(order).toEqual(['r3', 'r5', 'r1', 'r4', 'r2'])
  })

  it('delivers the jobs of a session in their order, whatever their priorities and when they were added', async () => {
    const { queue, now } = getQueue()
    const options = { sessionKey: 's' }
    const later = Array.from({ length: 30 }, (_, index) => job(`r${index}`, { ...options, priority: index % 3 }))
    await queue.add(later.map((one, index) => ({ ...one, sessionOrder: now() + index })))
    await queue.add([job('first', { ...options, sessionOrder: now() - 60_000 })])
    const order: string[] = []
    for (let index = 0; index < 31; index++) {
      const taken = await take(queue, 1)
      order.push(...idsOf(taken))
      await settleAll(queue, taken)
    }
    expect(order).toEqual(['first', ...idsOf(later)])
  })

  it('has one job of a session taken at a time', async () => {
    const { queue, open, now } = getQueue()
    const other = await open()
    await queue.add([...jobs(3, 'a', { sessionKey: 'a' }), ...jobs(2, 'b', { sessionKey: 'b' }), ...jobs(2, 'free')])
    const first = await take(queue, 4)
    expect(idsOf(first).toSorted()).toEqual(['a0', 'b0', 'free0', 'free1'])
    expect(await takeNow(other)).toEqual([])
    await settleAll(
      queue,
      first.filter(({ runId }) => runId === 'a0'),
    )
    const [second] = await take(other, 1)
    expect(second?.runId).toBe('a1')
    // The job comes before the waiting jobs, but not before the taken job.
    await queue.add([job('early', { sessionKey: 'a', sessionOrder: now() - 60_000 })])
    expect(await takeNow(queue)).toEqual([])
    await settleAll(other, [second as TakenJob])
    expect(idsOf(await take(queue, 1))).toEqual(['early'])
  })

  it('delivers a job again that is settled so, after the time', async () => {
    const { queue, pass } = getQueue()
    await queue.add([job('r1')])
    const [first] = (await take(queue, 1)) as [TakenJob]
    await queue.settle(first, { afterMs: 2_000 })
    expect(await takeNow(queue)).toEqual([])
    expect(await queue.missing(['r1'])).toEqual([])
    await pass(2_100)
    const [second] = (await take(queue, 1)) as [TakenJob]
    expect(second.runId).toBe('r1')
    await queue.settle(second, { afterMs: 0 })
    const third = await take(queue, 1)
    expect(idsOf(third)).toEqual(['r1'])
    await settleAll(queue, third)
    expect(await queue.missing(['r1'])).toEqual(['r1'])
  })

  it('delivers a run that was added while it was taken, once the first job is settled', async () => {
    const { queue } = getQueue()
    await queue.add([job('r1', { sessionKey: 's' })])
    const first = await take(queue, 1)
    await queue.add([job('r1', { sessionKey: 's' })])
    await settleAll(queue, first)
    expect(idsOf(await take(queue, 1))).toEqual(['r1'])
  })

  it('delivers the job of a worker that no longer keeps it to another one', async () => {
    const { queue, open, pass } = getQueue()
    const other = await open()
    await queue.add([job('r1', { sessionKey: 's' }), job('r2', { sessionKey: 's' })])
    const [first] = (await take(queue, 1)) as [TakenJob]
    expect(await queue.keep([first])).toEqual([])
    expect(await takeNow(other)).toEqual([])
    await pass(12_000)
    const [second] = (await take(other, 1)) as [TakenJob]
    expect(second.runId).toBe('r1')
    expect(second.token).not.toBe(first.token)
    expect(await queue.keep([first])).toEqual([first])
    // The first worker settles late: the job belongs to the other worker now.
    await queue.settle(first)
    expect(await queue.missing(['r1'])).toEqual([])
    expect(await other.keep([second])).toEqual([])
    await other.settle(second)
    expect(idsOf(await take(other, 1))).toEqual(['r2'])
  })

  it('leaves jobs with a worker that keeps them', async () => {
    const { queue, open, pass } = getQueue()
    const other = await open()
    await queue.add(jobs(3, 'r'))
    const taken = await take(queue, 3)
    for (let kept = 0; kept < 10; kept++) {
      await pass(3_000)
      expect(await queue.keep(taken)).toEqual([])
      expect(await takeNow(other)).toEqual([])
    }
    expect(await queue.keep([])).toEqual([])
    await settleAll(queue, taken)
    expect(await queue.keep(taken)).toEqual(taken)
  })

  it('delivers each job to one of several workers', async () => {
    const { queue, open } = getQueue()
    const workers = [queue, await open(), await open()]
    await queue.add(jobs(120, 'r'))
    const delivered: string[] = []
    await Promise.all(
      workers.map(async (worker) => {
        await until(async () => {
          const taken = await worker.take({ agentIds: ['helper'], limit: 7 })
          delivered.push(...idsOf(taken))
          await settleAll(worker, taken)
          return delivered.length >= 120
        })
      }),
    )
    expect(delivered.toSorted()).toEqual(idsOf(jobs(120, 'r')).toSorted())
    expect(await takeNow(queue)).toEqual([])
  })

  it('removes the jobs of runs that no worker has, and lets the next one of their sessions come', async () => {
    const { queue, now } = getQueue()
    if (!queue.remove) return
    const later = now() + 3_600_000
    await queue.add([job('taken'), job('first', { sessionKey: 's', sessionOrder: now() - 60_000, startAfter: later })])
    await queue.add([job('next', { sessionKey: 's', sessionOrder: now() }), job('later', { startAfter: later })])
    const taken = await take(queue, 1)
    await queue.remove(['taken', 'first', 'later', 'unknown'])
    expect(await queue.missing(['taken', 'first', 'next', 'later'])).toEqual(['first', 'later'])
    const next = await take(queue, 1)
    expect([idsOf(taken), idsOf(next)]).toEqual([['taken'], ['next']])
    await settleAll(queue, [...taken, ...next])
    expect(await queue.counts()).toEqual([])
    // A run that is retried has a job again.
    await queue.add([job('later')])
    expect(idsOf(await take(queue, 1))).toEqual(['later'])
  })

  it('counts open jobs by agent', async () => {
    const { queue, now, pass } = getQueue()
    expect(await queue.counts()).toEqual([])
    const later = { agentId: 'other', startAfter: now() + 3_600_000 }
    await queue.add([...jobs(3, 'r'), job('later', later)])
    await take(queue, 1)
    const counts = await queue.counts()
    expect(counts.find(({ agentId }) => agentId === 'helper')).toMatchObject({ queued: 2, taken: 1 })
    expect(counts.find(({ agentId }) => agentId === 'other')).toEqual({
      ...{ agentId: 'other', queued: 1, taken: 0, oldestMs: 0 },
    })
    for (const { oldestMs } of counts) expect(oldestMs).toBeGreaterThanOrEqual(0)
    await pass(1_000)
    await until(async () => {
      const [helper] = (await queue.counts()).filter(({ agentId }) => agentId === 'helper')
      return (helper?.oldestMs ?? 0) > 0
    })
  })

  it('removes every job when it is cleared, and takes them again', async () => {
    const { queue } = getQueue()
    await queue.add([...jobs(3, 'r'), job('s1', { sessionKey: 's' }), job('s2', { sessionKey: 's' })])
    const taken = await take(queue, 2)
    await queue.clear()
    expect(await queue.counts()).toEqual([])
    expect(await takeNow(queue)).toEqual([])
    expect(await queue.keep(taken)).toEqual(taken)
    await queue.add([job('s1', { sessionKey: 's' })])
    expect(idsOf(await take(queue, 1))).toEqual(['s1'])
  })

  it('removes the jobs of some agents when it is cleared of them', async () => {
    const { queue } = getQueue()
    await queue.add([...jobs(3, 'r'), job('s1', { sessionKey: 's' }), job('o', { agentId: 'other' })])
    await take(queue, 1)
    await queue.clear([])
    await queue.clear(['helper', 'unknown'])
    expect(await queue.counts()).toMatchObject([{ agentId: 'other', queued: 1, taken: 0 }])
    await queue.add([job('s1', { sessionKey: 's' })])
    expect(idsOf(await take(queue, 1))).toEqual(['s1'])
  })

  it('takes thousands of jobs at once', async () => {
    const { queue } = getQueue()
    await queue.add(jobs(2_000, 'r'))
    const seen = new Set<string>()
    await until(async () => {
      const taken = await queue.take({ agentIds: ['helper'], limit: 500 })
      for (const { runId } of taken) seen.add(runId)
      return seen.size === 2_000
    })
  })
}
