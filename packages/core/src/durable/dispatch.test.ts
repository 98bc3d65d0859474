import { expect, it } from 'vitest'
import type { RunQueue, TakenJob } from '../contracts/run-queue.ts'
import { dispatch } from './dispatch.ts'

it('begins no job that it is taking when it is closed, and gives it back before close() resolves', async () => {
  const job: TakenJob = { runId: 'r1', agentId: 'clerk', userId: 'ann', token: 't1' }
  const taken = Promise.withResolvers<TakenJob[]>()
  const settled: unknown[] = []
  const begun: string[] = []
  const queue: RunQueue = {
    take: () => taken.promise,
    settle: async (...call) => void settled.push(call),
    keep: async () => [],
    add: async () => {},
    missing: async () => [],
    onReady: () => () => {},
    counts: async () => [],
    clear: async () => {},
    migrate: async () => {},
    close: async () => {},
  }
  const dispatcher = dispatch({
    ...{ queue, agentIds: ['clerk'], concurrency: 2, perUser: 2 },
    async run({ runId }) {
      begun.push(runId)
      return 'done'
    },
    handBack: async () => {},
    onError(error) {
      throw error
    },
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  let isClosed = false
  const closed = dispatcher.close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isClosed).toBe(false)
  taken.resolve([job])
  await closed
  expect(settled).toEqual([[job, { afterMs: 0 }]])
  expect(begun).toEqual([])
})
