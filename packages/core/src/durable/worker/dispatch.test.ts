import { expect, it } from 'vitest'
import type { RunQueue, TakenJob } from '../../contracts/run-queue.ts'
import { limits } from '../../limits.ts'
import { type Dispatcher, dispatch } from './dispatch.ts'

const jobOf = (runId: string): TakenJob => ({ runId, agentId: 'clerk', userId: 'ann', token: runId })

/** A queue of which only some methods matter. */
function queueOf(methods: Pick<RunQueue, 'take' | 'settle'>): RunQueue {
  return {
    ...methods,
    keep: async () => [],
    add: async () => {},
    missing: async () => [],
    onReady: () => () => {},
    counts: async () => [],
    clear: async () => {},
    migrate: async () => {},
    close: async () => {},
  }
}

/** Two places, whose runs end at once. */
function dispatchTwo(queue: RunQueue, begun: string[]): Dispatcher {
  return dispatch({
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
}

it('gives the places of runs that have ended to others before the queue knows it, to as many as it has places', async () => {
  const begun: string[] = []
  const settled = Promise.withResolvers<void>()
  const queue = queueOf({
    take: async ({ limit }) => Array.from({ length: limit }, (_, index) => jobOf(`r${begun.length + index}`)),
    settle: () => settled.promise,
  })
  const dispatcher = dispatchTwo(queue, begun)
  await expect.poll(() => begun.length).toBe(4)
  // Each wakes it once more.
  for (let turn = 0; turn < 5; turn++) {
    dispatcher.wake()
    await new Promise((resolve) => setTimeout(resolve, limits.takeMs))
  }
  expect(begun).toHaveLength(4)
  expect(dispatcher.jobs).toHaveLength(4)
  const closed = dispatcher.close()
  settled.resolve()
  await closed
})

it('begins no job that it is taking when it is closed, and gives it back before close() resolves', async () => {
  const job = jobOf('r1')
  const taken = Promise.withResolvers<TakenJob[]>()
  const settled: unknown[] = []
  const begun: string[] = []
  const queue = queueOf({ take: () => taken.promise, settle: async (...call) => void settled.push(call) })
  const dispatcher = dispatchTwo(queue, begun)
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
