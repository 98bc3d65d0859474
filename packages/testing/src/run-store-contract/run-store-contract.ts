import type { RunStore, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, describe } from 'vitest'
import { answerTests } from './answer-tests.ts'
import { decisionTests } from './decision-tests.ts'
import { eventTests } from './event-tests.ts'
import { recordTests } from './record-tests.ts'
import { replaceTests } from './replace-tests.ts'
import { retentionTests } from './retention-tests.ts'
import type { RunsUnderTest } from './runs.ts'
import { takeoverTests } from './takeover-tests.ts'
import { usageTests } from './usage-tests.ts'
import { writeTests } from './write-tests.ts'

/** An empty database to test. */
export type RunStoreUnderTest = {
  /** Opens a store of the database, as another process would. The test closes it; its running runs are lost then. */
  open(): Promise<SessionStore>
  /** Called after each test, when all stores are closed. */
  cleanup?(): Promise<void>
}

/**
 * Registers the vitest tests that every {@link RunStore} passes. Its store also passes `durableSessionStoreContract`.
 *
 * @param name of the store, for the report
 * @param makeDatabase creates an empty database; called before each test
 * @example
 * runStoreContract('files', async () => {
 *   const folder = await mkdtemp(join(tmpdir(), 'sessions-'))
 *   return { open: async () => fileSessions(folder), cleanup: () => rm(folder, { recursive: true }) }
 * })
 */
export function runStoreContract(name: string, makeDatabase: () => Promise<RunStoreUnderTest>): void {
  describe(`${name} keeps the contract of a run store`, () => {
    let database: RunStoreUnderTest
    let current: RunsUnderTest
    let opened: SessionStore[]
    const open = async (): Promise<{ store: SessionStore; runs: RunStore }> => {
      const store = await database.open()
      opened.push(store)
      if (!store.runs) throw new Error(`${name} has no runs.`)
      return { store, runs: store.runs }
    }
    beforeEach(async () => {
      opened = []
      database = await makeDatabase()
      current = { ...(await open()), open }
    })
    afterEach(async () => {
      await Promise.all(opened.map((store) => store.close()))
      await database.cleanup?.()
    })

    const get = (): RunsUnderTest => current
    writeTests(get)
    recordTests(get)
    takeoverTests(get)
    decisionTests(get)
    replaceTests(get)
    eventTests(get)
    retentionTests(get)
    answerTests(get)
    usageTests(get)
  })
}
