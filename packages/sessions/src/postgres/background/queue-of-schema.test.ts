import type { RunQueue } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, expect, it } from 'vitest'
import { postgresSessions } from '../postgres-sessions.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

it('leaves the jobs of other schemas alone, whose agents and sessions have the same ids', async () => {
  const url = await testDatabase()
  const queueOf = (schema?: string): RunQueue => {
    const store = postgresSessions(url, { queue: postgresQueue(url), ...(schema !== undefined && { schema }) })
    closing.push(store.close)
    // It has background runs, as it has a queue.
    return store.runs?.background?.queue as RunQueue
  }
  const [usual, staging, other] = [queueOf(), queueOf('staging'), queueOf('other')]
  await usual.add([{ runId: 'of usual', agentId: 'a', userId: 'u', sessionKey: 's' }])
  await staging.add([{ runId: 'of staging', agentId: 'a', userId: 'u', sessionKey: 's' }])
  const request = { agentIds: ['a'], limit: 5 }
  expect(await other.take(request)).toEqual([])
  expect(await usual.take(request)).toMatchObject([{ runId: 'of usual' }])
  const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
  const stop = staging.onReady(['a'], wake)
  const jobs = await staging.take(request)
  expect(jobs).toMatchObject([{ runId: 'of staging', agentId: 'a', userId: 'u' }])
  expect(await staging.keep(jobs)).toEqual([])
  expect(await staging.counts()).toMatchObject([{ agentId: 'a', queued: 0, taken: 1 }])
  const [job] = jobs
  if (!job) throw new Error('The job was taken above.')
  await staging.settle(job, { afterMs: 0 })
  await woken
  stop()
  expect(await staging.keep([job])).toEqual([job])
  const [again] = await staging.take(request)
  if (!again) throw new Error('The job is there again.')
  await staging.settle(again)
  expect(await staging.missing(['of staging', 'of usual'])).toEqual(['of staging'])
  await staging.add([{ runId: 'cancelled', agentId: 'a', userId: 'u' }])
  await staging.remove?.(['cancelled'])
  expect(await staging.counts()).toEqual([])

  for (const queue of [usual, staging, other]) await queue.add([{ runId: 'r', agentId: 'b', userId: 'u' }])
  await staging.clear()
  const counted = { agentId: 'b', queued: 1 }
  expect(await staging.counts()).toEqual([])
  expect(await usual.counts()).toMatchObject([{ agentId: 'a', taken: 1 }, counted])
  await usual.clear()
  expect(await usual.counts()).toEqual([])
  expect(await other.counts()).toMatchObject([counted])
})
