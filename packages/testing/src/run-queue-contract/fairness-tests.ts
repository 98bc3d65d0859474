import { expect, it } from 'vitest'
import { type GetQueue, job, jobs, settleAll, take, takeNow, until } from './jobs.ts'

/** How users share the places of workers. */
export function fairnessTests(getQueue: GetQueue): void {
  it('delivers the few jobs of a user before the many that another one added earlier', async () => {
    const { queue } = getQueue()
    await queue.add(jobs(300, 'a', { userId: 'ann' }))
    await settleAll(queue, await take(queue, 20))
    await queue.add(jobs(10, 'b', { userId: 'bob' }))
    let [ann, bob] = [0, 0]
    await until(async () => {
      const taken = await takeNow(queue, { limit: 10 })
      for (const { userId } of taken) {
        if (userId === 'ann' && bob < 10) ann++
        if (userId === 'bob') bob++
      }
      await settleAll(queue, taken)
      return bob === 10
    })
    expect(ann).toBeLessThanOrEqual(40)
  })

  it('lets many users take turns', async () => {
    const { queue } = getQueue()
    await queue.add(jobs(50, 'a', { userId: 'ann' }))
    for (let user = 0; user < 20; user++) await queue.add([job(`u${user}`, { userId: `u${user}` })])
    const served = new Map<string, number>()
    await until(async () => {
      const taken = await takeNow(queue, { limit: 5 })
      for (const { userId } of taken) served.set(userId, (served.get(userId) ?? 0) + 1)
      await settleAll(queue, taken)
      return served.size === 21
    })
    expect(served.get('ann')).toBeLessThanOrEqual(30)
  })

  it('bounds a user while others wait, over all workers', async () => {
    const { queue, open } = getQueue()
    const other = await open()
    await queue.add([...jobs(50, 'a', { userId: 'ann' }), ...jobs(50, 'b', { userId: 'bob' })])
    const taken = await take(queue, 10, { perUser: 5 })
    const ofAnn = taken.filter(({ userId }) => userId === 'ann')
    expect(ofAnn).toHaveLength(5)
    await settleAll(
      queue,
      taken.filter(({ userId }) => userId === 'bob'),
    )
    const more = await take(other, 5, { perUser: 5 })
    expect(more.map(({ userId }) => userId)).toEqual(['bob', 'bob', 'bob', 'bob', 'bob'])
  })

  it('gives idle places to a user beyond the bound', async () => {
    const { queue } = getQueue()
    await queue.add([...jobs(50, 'a', { userId: 'ann' }), ...jobs(3, 'b', { userId: 'bob' })])
    const taken = await take(queue, 20, { perUser: 5 })
    expect(taken.filter(({ userId }) => userId === 'bob')).toHaveLength(3)
    const alone = await take(queue, 10, { perUser: 5 })
    expect(alone.every(({ userId }) => userId === 'ann')).toBe(true)
  })
}
