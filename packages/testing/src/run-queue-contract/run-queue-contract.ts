import type { RunQueue } from '@agentkit/core'
import { afterEach, beforeEach, describe } from 'vitest'
import { deliveryTests } from './delivery-tests.ts'
import { fairnessTests } from './fairness-tests.ts'
import type { QueueUnderTest } from './jobs.ts'
import { queueWalkTests } from './queue-walk-tests.ts'
import { readyTests } from './ready-tests.ts'

/** An empty database to test. */
export type RunQueueUnderTest = {
  /** Opens a queue of the database, as another process would. The test closes it. */
  open(): Promise<RunQueue>
  /**
   * Moves the clock of the database forward, which does not advance by itself. Without this method, tests of later
   * times wait.
   */
  moveTime?(ms: number): void | Promise<void>
  /** The time of the database, in milliseconds since 1970; the time of this machine when absent. */
  now?(): number
  /** Called after each test, when all queues are closed. */
  cleanup?(): Promise<void>
}

/**
 * Registers the vitest tests that every {@link RunQueue} passes. One of them is a walk of random operations: it prints its
 * seed, and `AGENTKIT_WALKS` sets how many sequences it tries.
 *
 * @param name of the queue, for the report
 * @param makeDatabase creates an empty database; called before each test
 * @example
 * runQueueContract('files', async () => {
 *   const folder = await mkdtemp(join(tmpdir(), 'queue-'))
 *   return { open: async () => fileQueue(folder), cleanup: () => rm(folder, { recursive: true }) }
 * })
 */
export function runQueueContract(name: string, makeDatabase: () => Promise<RunQueueUnderTest>): void {
  describe(`${name} keeps the contract of a run queue`, () => {
    let database: RunQueueUnderTest
    let current: QueueUnderTest
    let opened: RunQueue[]
    const open = async (): Promise<RunQueue> => {
      const queue = await database.open()
      opened.push(queue)
      await queue.migrate()
      return queue
    }
    beforeEach(async () => {
      opened = []
      database = await makeDatabase()
      current = {
        queue: await open(),
        open,
        pass: async (ms) => database.moveTime?.(ms),
        now: () => database.now?.() ?? Date.now(),
      }
    })
    afterEach(async () => {
      await Promise.all(opened.map((queue) => queue.close()))
      await database.cleanup?.()
    })

    const get = (): QueueUnderTest => current
    deliveryTests(get)
    fairnessTests(get)
    readyTests(get)
    queueWalkTests(get, () => database.moveTime !== undefined)
  })
}
