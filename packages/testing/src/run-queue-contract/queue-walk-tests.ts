import type { QueuedJob, RunQueue, TakenJob } from '@agentkit/core'
import { expect, it } from 'vitest'
import type { Random } from '../random-walk/random.ts'
import { walk, walks } from '../random-walk/walk.ts'
import { type GetQueue, idsOf, type QueueUnderTest, until } from './jobs.ts'
import { QueueModel, type Request } from './queue-model.ts'

const agents = ['helper', 'other'] as const
const users = ['ann', 'bob', 'eve'] as const

/** Random operations of two workers, compared with a model of the contract. */
export function queueWalkTests(getQueue: GetQueue, canMoveTime: () => boolean): void {
  it('keeps its promises in random sequences of operations', async () => {
    const queues = getQueue()
    const workers = [queues.queue, await queues.open()] as const
    await walk(walks(canMoveTime() ? 200 : 10), (random, seed, note) =>
      tryOperations({ ...queues, workers, random, seed, note, margin: canMoveTime() ? 0 : 1_500 }),
    )
  }, 3_600_000)
}

type Walk = Pick<QueueUnderTest, 'now' | 'pass'> & {
  workers: readonly [RunQueue, RunQueue]
  random: Random
  seed: number
  margin: number
  note(operation: string): void
}

async function tryOperations(context: Walk): Promise<void> {
  const { workers, random, now, pass, note, margin } = context
  const model = new QueueModel(now, margin)
  const held: TakenJob[] = []
  let ids = 0
  const check = (problem: string | undefined): void => {
    if (problem !== undefined) throw new Error(problem)
  }

  const add = async (): Promise<void> => {
    const jobs = Array.from({ length: 1 + random.below(4) }, () => anyJob(`r${ids++}`))
    note(`add ${jobs.map((job) => JSON.stringify(job)).join(' ')}`)
    await random.pick(workers).add(jobs)
    model.add(jobs)
  }
  const anyJob = (runId: string): QueuedJob => {
    const [agentId, userId] = [random.pick(agents), random.pick(users)]
    return {
      ...{ runId, agentId, userId },
      ...(random.oneIn(2) && { sessionKey: `${agentId} ${userId} ${random.below(2)}` }),
      ...(random.oneIn(3) && { priority: random.below(3) - 1 }),
      ...(random.oneIn(5) && { startAfter: now() + random.below(8_000) }),
    }
  }
  const take = async (): Promise<void> => {
    const request: Request = {
      agentIds: random.oneIn(3) ? [random.pick(agents)] : agents,
      limit: 1 + random.below(4),
      ...(random.oneIn(3) && { perUser: 1 + random.below(2) }),
    }
    const taken = await random.pick(workers).take(request)
    note(`take ${JSON.stringify(request)} → ${idsOf(taken).join(' ')}`)
    held.push(...taken)
    check(model.take(request, taken))
  }
  const keep = async (): Promise<void> => {
    const some = held.filter(() => random.oneIn(2))
    const lost = await random.pick(workers).keep(some)
    note(`keep ${idsOf(some).join(' ')} → lost ${idsOf(lost).join(' ')}`)
    check(model.keep(some, lost))
  }
  const settle = async (): Promise<void> => {
    if (held.length === 0) return
    const job = held.splice(random.below(held.length), 1)[0] as TakenJob // there is one
    const afterMs = random.oneIn(3) ? random.pick([0, 500, 3_000]) : undefined
    const worker = random.pick(workers)
    await worker.settle(job, ...(afterMs === undefined ? [] : [{ afterMs }]))
    const isThere = (await worker.missing([job.runId])).length === 0
    note(`settle ${job.runId} ${afterMs ?? ''} → ${isThere ? 'there' : 'gone'}`)
    check(model.settle(job, afterMs, isThere))
  }
  const letPass = async (): Promise<void> => {
    const ms = random.pick([100, 1_000, 4_000, 11_000])
    note(`pass ${ms}`)
    await pass(ms)
  }
  const compare = async (): Promise<void> => {
    const ids = [...model.jobs.keys(), 'unknown']
    expect(await random.pick(workers).missing(ids)).toEqual(['unknown'])
    const counts = await random.pick(workers).counts()
    for (const agentId of agents) {
      const count = counts.find((one) => one.agentId === agentId)
      const open = [...model.jobs.values()].filter((job) => job.agentId === agentId)
      expect((count?.queued ?? 0) + (count?.taken ?? 0)).toBe(open.length)
    }
  }
  const clear = async (): Promise<void> => {
    note('clear')
    await random.pick(workers).clear()
    model.clear()
  }

  const operations = [add, add, take, take, take, settle, settle, keep, letPass, compare]
  for (let step = 0; step < 25; step++) await (random.oneIn(60) ? clear() : random.pick(operations)())
  await compare()
  // Every job is delivered, including jobs that lost workers have left.
  await pass(20_000)
  await until(async () => {
    const taken = await workers[0].take({ agentIds: agents, limit: 10 })
    note(`drain → ${idsOf(taken).join(' ')}`)
    check(model.take({ agentIds: agents, limit: 10 }, taken))
    for (const job of taken) {
      await workers[0].settle(job)
      check(model.settle(job, undefined, false))
    }
    return model.jobs.size === 0
  })
  expect(await workers[1].counts()).toEqual([])
}
