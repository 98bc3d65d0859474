import type { BackgroundRuns, RunStore, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, describe } from 'vitest'
import type { RunStoreUnderTest } from '../run-store-contract/run-store-contract.ts'
import type { BackgroundUnderTest } from './background.ts'
import { beginTests } from './begin-tests.ts'
import { endTests } from './end-tests.ts'
import { enqueueTests } from './enqueue-tests.ts'
import { eventTests } from './event-tests.ts'
import { memberTests } from './member-tests.ts'
import { noticeTests } from './notice-tests.ts'
import { scheduleTests } from './schedule-tests.ts'
import { unfinishedTests } from './unfinished-tests.ts'
import { walkTests } from './walk-tests.ts'

/** An empty database to test, whose stores keep background runs. */
export type BackgroundStoreUnderTest = RunStoreUnderTest & {
  /** Moves the clock of all its stores forward. */
  moveTime(ms: number): void | Promise<void>
}

/**
 * Registers the vitest tests that every {@link BackgroundRuns} passes. `runQueueContract` has the tests of its queue.
 * Its store also passes `runStoreContract`.
 *
 * @param name of the store, for the report
 * @param makeDatabase creates an empty database; called before each test
 * @example
 * backgroundRunsContract('files', async () => {
 *   const folder = await mkdtemp(join(tmpdir(), 'sessions-'))
 *   let time = Date.now()
 *   const open = async () => fileSessions(folder, { now: () => time })
 *   return { open, moveTime: (ms) => void (time += ms), cleanup: () => rm(folder, { recursive: true }) }
 * })
 */
export function backgroundRunsContract(name: string, makeDatabase: () => Promise<BackgroundStoreUnderTest>): void {
  describe(`${name} keeps the contract of background runs`, () => {
    let database: BackgroundStoreUnderTest
    let current: BackgroundUnderTest
    let opened: SessionStore[]
    const open = async (): Promise<{ store: SessionStore; runs: RunStore; background: BackgroundRuns }> => {
      const store = await database.open()
      opened.push(store)
      if (!store.runs?.background) throw new Error(`${name} has no background runs.`)
      return { store, runs: store.runs, background: store.runs.background }
    }
    beforeEach(async () => {
      opened = []
      database = await makeDatabase()
      current = { ...(await open()), open, moveTime: (ms) => database.moveTime(ms) }
    })
    afterEach(async () => {
      await Promise.all(opened.map((store) => store.close()))
      await database.cleanup?.()
    })

    const get = (): BackgroundUnderTest => current
    enqueueTests(get)
    beginTests(get)
    endTests(get)
    memberTests(get)
    eventTests(get)
    unfinishedTests(get)
    walkTests(get)
    noticeTests(get)
    scheduleTests(get)
  })
}
