import type { RunQueue } from '@agentkit/core'
import { expect, it } from 'vitest'
import { postgresSessions } from './postgres-sessions.ts'

it('closes its connections also where the queue cannot be closed', async () => {
  const failure = new Error('The queue cannot be closed.')
  // Nothing else is called.
  const queue = { take: async () => [], close: () => Promise.reject(failure) } as Partial<RunQueue> as RunQueue
  const store = postgresSessions('postgres://ann@127.0.0.1:1/app', { queue, retryMs: 1 })
  await expect(store.close()).rejects.toBe(failure)
  await expect(store.load({ agentId: 'a', userId: 'u', sessionId: 's' })).rejects.toThrow('closed')
})
