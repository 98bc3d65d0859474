import type { MemoryStore, SessionKey, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoreUnderTest } from './session-store-contract.ts'
import { answer, calls, key, result, runTurn, tick, user } from './turns.ts'

const owner = { agentId: 'helper', userId: 'ann' }
const bob = { agentId: 'helper', userId: 'bob' }
const otherAgent = { agentId: 'clerk', userId: 'ann' }

/**
 * Registers the vitest tests that every `SessionStore` with `memory` passes.
 *
 * @param name of the store, for the report
 * @param makeStore creates an empty store; called before each test
 * @example
 * memoryStoreContract('memorySessions', async () => ({ store: memorySessions() }))
 */
export function memoryStoreContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a memory`, () => {
    let subject: StoreUnderTest
    let store: SessionStore
    let memory: MemoryStore
    beforeEach(async () => {
      subject = await makeStore()
      store = subject.store
      if (!store.memory) throw new Error(`${name} has no memory.`)
      memory = store.memory
    })
    afterEach(async () => {
      await store.close()
      await subject.cleanup?.()
    })

    const say = (session: SessionKey, runId: string, text: string): Promise<void> =>
      runTurn(store, session, runId, [user(text), answer(`Noted: ${text}`)])
    const recalled = async (who = owner): Promise<string[]> => {
      const listed = await memory.turns(who, 0)
      const read = await memory.read(
        who,
        listed.map(({ id }) => id),
        0,
      )
      expect(new Set(read.map(({ id }) => id))).toEqual(new Set(listed.map(({ id }) => id)))
      return read.map(({ runId }) => runId).sort()
    }

    it('recalls what user and model wrote in finished turns, without what tools did', async () => {
      await runTurn(store, key, 'r1', [user('Echo a.'), calls('a'), result('a'), answer('It is a.')])
      const [listed] = await memory.turns(owner, 0)
      const [turn] = await memory.read(owner, [listed?.id ?? 0], 0)
      const messages = [
        { role: 'user', text: 'Echo a.' },
        { role: 'assistant', text: 'It is a.' },
      ]
      expect(turn).toEqual({ id: listed?.id, at: listed?.at, runId: 'r1', sessionId: 's1', messages })
      expect(Math.abs(Date.now() - (turn?.at ?? 0))).toBeLessThan(60_000)
    })

    it('lists turns in the order of their ends, from a time on', async () => {
      await say(key, 'r1', 'one')
      await tick()
      await say({ ...key, sessionId: 's2' }, 'r2', 'two')
      const [first, second] = await memory.turns(owner, 0)
      expect(first?.at).toBeLessThan(second?.at ?? 0)
      expect(await memory.turns(owner, second?.at ?? 0)).toEqual([second])
      expect(await memory.turns(owner, (second?.at ?? 0) - 0.5)).toEqual([second])
      expect(await memory.read(owner, [first?.id ?? 0, second?.id ?? 0], (second?.at ?? 0) - 0.5)).toHaveLength(1)
      expect(await memory.read(owner, [first?.id ?? 0], second?.at ?? 0)).toEqual([])
    })

    it('recalls no turn that runs, waits, has failed, is replaced or deleted', async () => {
      await say(key, 'r1', 'one')
      await runTurn(store, { ...key, sessionId: 'failed' }, 'r2', [user('x')], { status: 'failed' })
      await runTurn(store, { ...key, sessionId: 'waiting' }, 'r3', [user('x')], { status: 'waiting' })
      await store.begin({ ...key, sessionId: 'running' }, { runId: 'r4', expectedVersion: 0, input: [user('x')] })
      await say({ ...key, sessionId: 'deleted' }, 'r5', 'five')
      await say({ ...key, sessionId: 'replaced' }, 'r6', 'six')
      expect(await recalled()).toEqual(['r1', 'r5', 'r6'])
      const ids = (await memory.turns(owner, 0)).map(({ id }) => id)
      await store.delete({ ...key, sessionId: 'deleted' })
      const replacement = { runId: 'r7', expectedVersion: 2, input: [user('seven')], replaces: 'r6' }
      await store.begin({ ...key, sessionId: 'replaced' }, replacement)
      expect(await recalled()).toEqual(['r1'])
      expect((await memory.read(owner, ids, 0)).map(({ runId }) => runId)).toEqual(['r1'])
      await store.end('r7', 'done')
      expect(await recalled()).toEqual(['r1', 'r7'])
    })

    it('returns nothing of another user or agent, whichever turns or notes are asked for', async () => {
      await say(key, 'r1', 'one')
      await say({ ...key, userId: 'bob' }, 'r2', 'two')
      await memory.addNote(owner, { noteId: 'n1', text: 'Ann', runId: 'r1' }, 50)
      const ids = (await memory.turns(owner, 0)).map(({ id }) => id)
      for (const other of [bob, otherAgent]) {
        expect(await memory.read(other, ids, 0)).toEqual([])
        expect(await memory.notes(other)).toEqual([])
        expect(await memory.removeNote(other, 'n1')).toBe(false)
        await memory.clear(other)
      }
      expect(await recalled(bob)).toEqual([])
      expect(await recalled()).toEqual(['r1'])
      expect(await memory.notes(owner)).toHaveLength(1)
    })

    it('keeps notes with the turn that they cite, each id once, and no more than it may', async () => {
      await say(key, 'r1', 'one')
      const note = { noteId: 'n1', text: 'Likes tea: "Earl \u0000Grey".', runId: 'r1' }
      expect(await memory.addNote(owner, note, 2)).toBe(true)
      expect(await memory.addNote(owner, { ...note, text: 'again' }, 2)).toBe(true)
      expect(await memory.addNote(owner, { noteId: 'n2', text: 'two', runId: 'r1/call/member' }, 2)).toBe(true)
      expect(await memory.addNote(owner, { noteId: 'n3', text: 'three', runId: 'r1' }, 2)).toBe(false)
      expect(await memory.addNote(owner, { ...note, text: 'again' }, 2)).toBe(true)
      const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
      expect(await memory.notes(owner)).toEqual([
        { noteId: 'n1', text: note.text, at, sessionId: 's1', runId: 'r1' },
        { noteId: 'n2', text: 'two', at, sessionId: 's1', runId: 'r1' },
      ])
      expect(await memory.removeNote(owner, 'n1')).toBe(true)
      expect(await memory.removeNote(owner, 'n1')).toBe(false)
      expect(await memory.removeNote(owner, '')).toBe(false)
      expect((await memory.notes(owner)).map(({ noteId }) => noteId)).toEqual(['n2'])
    })

    it('removes a note with its turn: when the session is deleted, and when the turn is replaced', async () => {
      await say(key, 'r1', 'one')
      await say({ ...key, sessionId: 's2' }, 'r2', 'two')
      await memory.addNote(owner, { noteId: 'n1', text: 'one', runId: 'r1' }, 50)
      await memory.addNote(owner, { noteId: 'n2', text: 'two', runId: 'r2' }, 50)
      await memory.addNote(owner, { noteId: 'n3', text: 'of no run', runId: 'unknown' }, 50)
      await store.delete(key)
      expect((await memory.notes(owner)).map(({ noteId }) => noteId)).toEqual(['n2', 'n3'])
      const replacement = { runId: 'r3', expectedVersion: 2, input: [user('three')], replaces: 'r2' }
      await store.begin({ ...key, sessionId: 's2' }, replacement)
      expect(await memory.notes(owner)).toEqual([{ noteId: 'n3', text: 'of no run', at: expect.any(String) }])
    })

    it('forgets what the retention removes, where the store has runs', async () => {
      await say(key, 'r1', 'one')
      await memory.addNote(owner, { noteId: 'n1', text: 'one', runId: 'r1' }, 50)
      await tick()
      await store.runs?.prune({ sessionsMs: 1 })
      expect(await recalled()).toEqual(store.runs ? [] : ['r1'])
      expect(await memory.notes(owner)).toHaveLength(store.runs ? 0 : 1)
    })

    it('forgets everything until now when it is cleared, and keeps the sessions', async () => {
      await say(key, 'r1', 'one')
      await say({ ...key, userId: 'bob' }, 'r2', 'two')
      const begun = { runId: 'r4', expectedVersion: 0, input: [user('begun before')] }
      await store.begin({ ...key, sessionId: 'begun' }, begun)
      await memory.addNote(owner, { noteId: 'n1', text: 'one', runId: 'r1' }, 50)
      const ids = (await memory.turns(owner, 0)).map(({ id }) => id)
      await memory.clear(owner)
      await memory.clear(owner)
      expect(await recalled()).toEqual([])
      expect(await memory.read(owner, ids, 0)).toEqual([])
      expect(await memory.notes(owner)).toEqual([])
      expect(await store.turns(key)).toHaveLength(1)
      expect(await recalled(bob)).toEqual(['r2'])
      await tick()
      await store.end('r4', 'done')
      expect(await recalled()).toEqual([])
      await memory.clear(owner)
      await say({ ...key, sessionId: 'at once' }, 'r5', 'five')
      expect(await recalled()).toEqual(['r5'])
      await tick()
      await say(key, 'r3', 'three')
      await memory.addNote(owner, { noteId: 'n1', text: 'again', runId: 'r3' }, 1)
      expect(await recalled()).toEqual(['r3', 'r5'])
      expect((await memory.notes(owner)).map(({ text }) => text)).toEqual(['again'])
    })
  })
}
