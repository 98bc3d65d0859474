import { memoryStoreContract, sessionStoreContract } from '@agentkit/testing/vitest'
import { expect, it, vi } from 'vitest'
import { type Message, memorySessions } from '../index.ts'

sessionStoreContract('memorySessions', async () => ({ store: memorySessions() }))
memoryStoreContract('memorySessions', async () => ({ store: memorySessions() }))

const key = { agentId: 'a', userId: 'u', sessionId: 's' }

it('keeps copies: neither stored nor loaded messages can be changed', async () => {
  const store = memorySessions()
  const message: Message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
  await store.begin(key, { runId: 'r', expectedVersion: 0, input: [message] })
  message.content = 'changed'
  await store.end('r', 'done')
  const loaded = await store.load(key)
  loaded?.messages.pop()
  const [kept] = (await store.load(key))?.messages ?? []
  expect(kept).toEqual({ role: 'user', content: [{ type: 'text', text: 'Hello' }] })
  expect(() => Object.assign(kept?.content[0] as object, { text: 'changed' })).toThrow(TypeError)
})

it('keeps two stores apart', async () => {
  const first = memorySessions()
  await first.begin(key, { runId: 'r', expectedVersion: 0, input: [{ role: 'user', content: 'Hello' }] })
  expect(await memorySessions().load(key)).toBeUndefined()
})

it('lists the sessions that were used within a millisecond in the order of their use', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const store = memorySessions()
    const use = async (sessionId: string, runId: string): Promise<void> => {
      const expectedVersion = (await store.load({ ...key, sessionId }))?.version ?? 0
      await store.begin({ ...key, sessionId }, { runId, expectedVersion, input: [{ role: 'user', content: runId }] })
      await store.end(runId, 'done')
    }
    for (const [index, sessionId] of ['s1', 's2', 's3', 's1'].entries()) await use(sessionId, `r${index}`)
    expect((await store.list(key)).map(({ sessionId }) => sessionId)).toEqual(['s1', 's3', 's2'])
  } finally {
    vi.useRealTimers()
  }
})

it.each([-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY])('refuses %s as a limit', async (limit) => {
  const store = memorySessions()
  await expect(store.list(key, { limit })).rejects.toMatchObject({ code: 'invalid-argument' })
  await expect(store.turns(key, { limit })).rejects.toMatchObject({ code: 'invalid-argument' })
})
