import type { MemoryStore, SessionKey } from '@agentkit/core'
import { afterEach, describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { setStoreTime } from './util/store-time.ts'

const owner = { agentId: 'garden', userId: 'ada' }
let restoreTime = (): void => {}
afterEach(() => restoreTime())

describe.each(storeKinds)('the memory of a store in %s', (kind) => {
  const place = storePlace(kind)

  it('forgets turns from when the clock was ahead, once it is cleared', async () => {
    const store = place.open()
    const memory = store.memory as MemoryStore // both kinds have one
    const say = async (sessionId: string): Promise<void> => {
      const key: SessionKey = { ...owner, sessionId }
      await store.begin(key, { runId: sessionId, expectedVersion: 0, input: [{ v: 1, role: 'user', content: 'Hi' }] })
      await store.end(sessionId, 'done')
    }
    restoreTime = setStoreTime(() => Date.now() + 3_600_000)
    await say('early')
    restoreTime()
    await say('late')
    const turns = await memory.turns(owner, 0)
    expect(turns).toHaveLength(2)
    await memory.clear(owner)
    expect(await memory.turns(owner, 0)).toEqual([])
    const ids = turns.map(({ id }) => id)
    expect(await memory.read(owner, ids, 0)).toEqual([])
  })
})
