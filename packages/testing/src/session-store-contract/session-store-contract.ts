import type { SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { conflictTests } from './conflict-tests.ts'
import { fidelityTests } from './fidelity-tests.ts'
import { listingTests } from './listing-tests.ts'
import { replaceTests } from './replace-tests.ts'
import { stateTests } from './state-tests.ts'
import { titleTests } from './title-tests.ts'
import { turnTests } from './turn-tests.ts'
import { answer, begin, key, load, runTurn, user } from './turns.ts'
import { visibilityTests } from './visibility-tests.ts'
import { durableWaitingTests, waitingTests } from './waiting-tests.ts'

/** An empty store to test. */
export type StoreUnderTest = {
  store: SessionStore
  /** Called after each test, when the store is closed. */
  cleanup?(): Promise<void>
}

/** A store whose data outlives it. */
export type DurableStoreUnderTest = StoreUnderTest & {
  /** Closes the store, and opens another one with its data. */
  reopen(): Promise<SessionStore>
}

/**
 * Registers the vitest tests that every `SessionStore` passes.
 *
 * @param name of the store, for the report
 * @param makeStore creates an empty store; called before each test
 * @example
 * sessionStoreContract('memorySessions', async () => ({ store: memorySessions() }))
 */
export function sessionStoreContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a session store`, () => {
    let subject: StoreUnderTest
    let store: SessionStore
    beforeEach(async () => {
      subject = await makeStore()
      store = subject.store
    })
    afterEach(async () => {
      await store.close()
      await subject.cleanup?.()
    })

    turnTests(() => store)
    conflictTests(() => store)
    visibilityTests(() => store)
    waitingTests(() => store)
    stateTests(() => store)
    replaceTests(() => store)
    fidelityTests(() => store)
    listingTests(() => store)
    titleTests(() => store)

    it('may be closed twice', async () => {
      await store.close()
      await expect(store.close()).resolves.toBeUndefined()
    })
  })
}

/**
 * Registers the vitest tests that every `SessionStore` passes whose data outlives the process: the tests of {@link
 * sessionStoreContract}, and tests of a reopened store.
 *
 * @param name of the store, for the report
 * @param makeStore creates an empty store; called before each test
 * @example
 * durableSessionStoreContract('files', async () => {
 *   const folder = await mkdtemp(join(tmpdir(), 'sessions-'))
 *   const store = fileSessions(folder)
 *   return { store, reopen: async () => (await store.close(), fileSessions(folder)) }
 * })
 */
export function durableSessionStoreContract(name: string, makeStore: () => Promise<DurableStoreUnderTest>): void {
  sessionStoreContract(name, makeStore)

  describe(`${name} keeps the contract of a durable session store`, () => {
    let subject: DurableStoreUnderTest
    let store: SessionStore
    beforeEach(async () => {
      subject = await makeStore()
      store = subject.store
    })
    afterEach(async () => {
      await store.close()
      await subject.cleanup?.()
    })

    it('keeps acknowledged data when it is reopened, and settles abandoned runs', async () => {
      await runTurn(store, key, 'r1', [user('one'), answer('1')], { state: { step: 1 } })
      await store.begin(key, { runId: 'r2', expectedVersion: 2, input: [user('two')] })
      store = await subject.reopen()
      const session = await load(store, key)
      expect(session).toEqual({ version: 4, messages: [user('one'), answer('1')], state: { step: 1 } })
      expect(await store.find('r2')).toMatchObject({ status: 'failed', messages: [user('two')] })
      await runTurn(store, key, 'r3', [user('three'), answer('3')])
      expect((await load(store, key)).messages).toEqual([user('one'), answer('1'), user('three'), answer('3')])
    })

    it('settles an abandoned run in `begin` too, when the version has changed', async () => {
      await store.begin(key, { runId: 'r1', expectedVersion: 0, input: [user('one')] })
      store = await subject.reopen()
      await expect(begin(store, key, 'r2', 1)).rejects.toMatchObject({ code: 'session-conflict' })
      await begin(store, key, 'r2', 2)
      await expect(store.append('r1', [answer('late')])).rejects.toMatchObject({ code: 'session-conflict' })
      await expect(store.end('r1', 'done')).rejects.toMatchObject({ code: 'session-conflict' })
    })

    durableWaitingTests(
      () => store,
      async () => {
        store = await subject.reopen()
      },
    )
  })
}
