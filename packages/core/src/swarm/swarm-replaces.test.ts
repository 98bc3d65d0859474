import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { member, thinking } from '../__fixtures__/team.ts'
import { memorySessions, type SessionStore, Swarm } from '../index.ts'

const session = { userId: 'ann', sessionId: 's' }

describe.each<[string, () => SessionStore]>([
  ['in memory', memorySessions],
  ['in a store that records runs', () => memoryDisk().open().store],
])('a run of a swarm that replaces another one, %s', (_, makeStore) => {
  it('is not seen by members, which remember their own tasks', async () => {
    const sessions = makeStore()
    const seen: string[] = []
    const clerk = thinking(({ messages }) => {
      seen.push(JSON.stringify(messages))
      return 'Done.'
    })
    const boss = thinking(({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'user' ? [['clerk', { task: `Task of ${last.content}` }]] : 'All done.'
    })
    const swarm = new Swarm({ name: 'Firm', model: boss, history: 'own', sessions, agents: [member('Clerk', clerk)] })
    await swarm.chat('word1', session)
    const { runId } = await swarm.stream('word2', session).result
    await swarm.chat('word3', session)
    expect(seen.at(-1)).toMatch(/word1.*word2.*word3/)
    await swarm.chat('word4', { ...session, replaces: runId })
    expect(seen.at(-1)).toMatch(/word1.*word4/)
    expect(seen.at(-1)).not.toMatch(/word[23]/)
    const own = await sessions.load({ agentId: 'firm/clerk', ...session })
    expect(own?.messages).toHaveLength(4)
  })

  it('begins with the member that had the conversation before', async () => {
    const sessions = makeStore()
    const speaker = (name: string, other: string) =>
      thinking(({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'user' && last.content === 'hand over' ? [[`transfer_to_${other}`]] : `${name} is here.`
      })
    const swarm = new Swarm({
      ...{ name: 'Desk', collaboration: 'handoff', sessions },
      agents: [member('Ann', speaker('Ann', 'bob')), member('Bob', speaker('Bob', 'ann'))],
    })
    expect(await swarm.chat('hello', session)).toBe('Ann is here.')
    const { runId, text } = await swarm.stream('hand over', session).result
    expect(text).toBe('Bob is here.')
    expect(await swarm.chat('hello', session)).toBe('Bob is here.')
    expect(await swarm.chat('hello', { ...session, replaces: runId })).toBe('Ann is here.')
    expect(await swarm.chat('hello', session)).toBe('Ann is here.')
  })
})
