import { type MemoryStore, memorySessions, type SessionKey, type SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { limits } from './limits.ts'
import { type FoundBlock, turnIndex } from './turn-index.ts'

const owner = { agentId: 'garden', userId: 'ada' }
let sessions: SessionStore
let memory: MemoryStore
beforeEach(() => {
  sessions = memorySessions()
  memory = sessions.memory as MemoryStore // memorySessions has one
})

afterEach(() => void vi.useRealTimers())

let runs = 0
async function say(sessionId: string, content: string): Promise<void> {
  const key: SessionKey = { ...owner, sessionId }
  const runId = `run_${runs++}`
  const expectedVersion = (await sessions.load(key))?.version ?? 0
  await sessions.begin(key, { runId, expectedVersion, input: [{ v: 1, role: 'user', content }] })
  await sessions.append(runId, [{ v: 1, role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }])
  await sessions.end(runId, 'done')
}

const sizesOf = (blocks: readonly FoundBlock[]): number[] => blocks.map(({ turns }) => turns.length).sort()

it('finds at most four turns as one, also of turns that came after a search', async () => {
  const index = turnIndex(memory, owner)
  for (let turn = 0; turn < 5; turn++) await say('s', `apple ${turn}`)
  expect(sizesOf(await index.search('apple', 50, 0))).toEqual([1, 4])
  for (let turn = 5; turn < 10; turn++) await say('s', `apple ${turn}`)
  expect(sizesOf(await index.search('apple', 50, 0))).toEqual([2, 4, 4])
})

it('adds nothing to turns that are 8,000 characters long', async () => {
  for (let turn = 0; turn < 3; turn++) await say('s', `apple ${'x'.repeat(limits.blockChars)}`)
  expect(sizesOf(await turnIndex(memory, owner).search('apple', 50, 0))).toEqual([1, 1, 1])
})

it('reads 1,000 turns at once, and finds a turn once where the next thousand continues its session', async () => {
  for (let turn = 1; turn < limits.readTurns; turn++) await say(`s${turn}`, 'birch')
  await say('last', 'apple')
  await say('last', 'cherry')
  const read = vi.spyOn(memory, 'read')
  const index = turnIndex(memory, owner)
  const [apple, ...more] = await index.search('apple', 1, 0)
  expect([apple?.turns.length, more]).toEqual([2, []])
  expect(Math.max(...read.mock.calls.map(([, ids]) => ids.length))).toBe(limits.readTurns)
})

it('returns as many hits as its limit, though the first ones are deleted', async () => {
  const index = turnIndex(memory, owner)
  await say('first', 'apple')
  await say('second', 'apple and a long text about other trees')
  expect(await index.search('apple', 1, 0)).toHaveLength(1)
  await sessions.delete({ ...owner, sessionId: 'first' })
  expect(sizesOf(await index.search('apple', 1, 0))).toEqual([1])
})

it('finds turns that end after the clock was set back, beside those from before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const index = turnIndex(memory, owner)
  await say('first', 'apple')
  expect(await index.search('apple', 9, 0)).toHaveLength(1)
  vi.setSystemTime(Date.now() - 3_600_000)
  await say('second', 'apple')
  expect(await index.search('apple', 9, 0)).toHaveLength(2)
  await say('third', 'apple')
  expect(await index.search('apple', 9, 0)).toHaveLength(3)
  // An index that is made now knows the turns from before first.
  const later = turnIndex(memory, owner)
  expect(await later.search('apple', 9, 0)).toHaveLength(3)
  await say('fourth', 'apple')
  expect(await later.search('apple', 9, 0)).toHaveLength(4)
})
