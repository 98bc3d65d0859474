import { memoryStoreContract, sessionStoreContract } from '@agentkit/testing/vitest'
import { expect, it } from 'vitest'
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
