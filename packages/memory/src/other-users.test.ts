import type { MemoryStore, SessionKey, SessionStore } from '@agentkit/core'
import { memorySessions } from '@agentkit/core'
import { postgresSessions, sqliteSessions } from '@agentkit/sessions'
import { testDatabase } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'

const agentId = 'helper'
const topics = ['garden', 'invoice', 'holiday', 'engine', 'recipe', 'doctor', 'school', 'concert']

/** A generator of the same numbers for the same seed, below 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A fact that no other turn has: a word of its own among words that all users share. */
type Fact = { word: string; userId: string; sessionId: string; runId: string; isGone: boolean }

/**
 * Conversations of many users who talk of the same topics: each turn has a word of its own. Some turns are replaced, some
 * sessions deleted, some users deleted their memory. What is searched meanwhile is indexed before it is removed.
 */
async function generate(store: SessionStore, { users, seed }: { users: number; seed: number }): Promise<Fact[]> {
  const next = numbers(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item
  const facts: Fact[] = []
  let count = 0
  const say = async (key: SessionKey, replaces?: string): Promise<void> => {
    const word = `zq${(count++).toString(36)}x`
    const runId = `run_${word}`
    const input = { v: 1, role: 'user', content: `About my ${pick(topics)} and ${pick(topics)}: ${word}.` } as const
    const expectedVersion = (await store.load(key))?.version ?? 0
    await store.begin(key, { runId, expectedVersion, input: [input], ...(replaces !== undefined && { replaces }) })
    await store.append(runId, [
      { v: 1, role: 'assistant', content: [{ type: 'text', text: `I see: ${pick(topics)}.` }] },
    ])
    await store.end(runId, 'done')
    facts.push({ word, userId: key.userId, sessionId: key.sessionId, runId, isGone: false })
  }
  for (let user = 0; user < users; user++) {
    const userId = `user-${user}`
    // Two sessions of six turns: one block of four that is closed, and one that is open.
    for (let turn = 0; turn < 12; turn++) await say({ agentId, userId, sessionId: `s${Math.floor(turn / 6)}` })
  }
  // Every fifth user is in the index of this process before anything is removed.
  const { search } = createMemory()({ agentId, sessions: store })
  searchers.set(store, search)
  for (let user = 0; user < users; user += 5) await search('garden', { userId: `user-${user}` })
  for (let user = 0; user < users; user++) {
    const userId = `user-${user}`
    const own = facts.filter((fact) => fact.userId === userId)
    const chance = next()
    if (chance < 0.3) {
      await store.delete({ agentId, userId, sessionId: 's0' })
      for (const fact of own) if (fact.sessionId === 's0') fact.isGone = true
    } else if (chance < 0.7) {
      const from = own.filter(({ sessionId }) => sessionId === 's1')[Math.floor(next() * 6)]
      await say({ agentId, userId, sessionId: 's1' }, from?.runId)
      const replaced = own.slice(own.indexOf(from as Fact))
      for (const fact of replaced) fact.isGone = true
    } else if (chance < 0.8) {
      await store.memory?.clear({ agentId, userId })
      for (const fact of own) fact.isGone = true
    }
  }
  return facts
}

const searchers = new WeakMap<SessionStore, ReturnType<ReturnType<typeof createMemory>>['search']>()

it.each([
  ['SQLite', 1_000, async (): Promise<SessionStore> => sqliteSessions(':memory:')],
  ['Postgres', 60, async () => postgresSessions(await testDatabase())],
  ['memory', 100, async () => memorySessions()],
])(
  'finds in %s each fact for its own user alone, and none that was replaced or deleted (%i users)',
  async (_name, users, makeStore) => {
    const store = await makeStore()
    const facts = await generate(store, { users, seed: 20_261_124 })
    const gone = facts.filter(({ isGone }) => isGone)
    expect(gone.length).toBeGreaterThan(users / 2)
    const byUser = Map.groupBy(facts, ({ userId }) => userId)
    // One search has an index of earlier users; the other one starts empty.
    const known = searchers.get(store) ?? createMemory()({ agentId, sessions: store }).search
    const fresh = createMemory()({ agentId, sessions: store }).search
    const leaks: string[] = []
    const missing: string[] = []
    let hits = 0
    for (const [userId, own] of byUser) {
      const search = hits % 2 === 0 ? known : fresh
      const foreign = byUser.get(`user-${(Number(userId.slice(5)) + 1) % users}`)?.[0]?.word
      const query = [...own.map(({ word }) => word), foreign, ...topics].join(' ')
      const found = await search(query, { userId, limit: 50 })
      hits += found.length
      const text = JSON.stringify(found)
      for (const [word] of text.matchAll(/zq[0-9a-z]+x/g)) {
        const fact = own.find((one) => one.word === word)
        if (!fact || fact.isGone) leaks.push(`${userId}: ${word}`)
      }
      for (const fact of own) {
        const [hit] = await search(fact.word, { userId, limit: 1 })
        // A deleted word finds nothing, not even its neighbours.
        if (fact.isGone && hit) leaks.push(`${userId}: ${fact.word} finds ${hit.quote}`)
        if (!fact.isGone && hit?.session.runId !== fact.runId) missing.push(`${userId}: ${fact.word}`)
      }
    }
    expect(leaks).toEqual([])
    expect(missing).toEqual([])
    expect(hits).toBeGreaterThan(users)
    await store.close()
  },
)

it('asks the store for the turns of its own user alone', async () => {
  const asked: unknown[] = []
  const memory: Partial<MemoryStore> = {
    settlesMs: 1,
    turns: async (owner) => {
      asked.push(owner)
      return []
    },
    read: async (owner) => {
      asked.push(owner)
      return []
    },
  }
  const sessions = { ...memorySessions(), memory: memory as MemoryStore }
  const { search } = createMemory()({ agentId, sessions })
  await search('x', { userId: 'ada' })
  await search('x', { userId: 'bob' })
  expect(asked).toEqual([ada(), ada(), bob(), bob()])

  function ada() {
    return { agentId, userId: 'ada' }
  }
  function bob() {
    return { agentId, userId: 'bob' }
  }
})
