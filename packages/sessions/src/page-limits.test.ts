import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'

const key = { agentId: 'a', userId: 'u', sessionId: 's' }

describe.each(storeKinds)('pages of sessions and turns in %s', (kind) => {
  const place = storePlace(kind)

  it('refuses a limit that is no count, and takes any count', async () => {
    const store = place.open()
    await store.begin(key, { runId: 'r1', expectedVersion: 0, input: [{ role: 'user', content: 'Hello' }] })
    await store.end('r1', 'done')
    const refused = { code: 'invalid-argument', message: expect.stringContaining('`limit`') }
    for (const limit of [-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY]) {
      await expect(store.list(key, { limit })).rejects.toMatchObject(refused)
      await expect(store.list(key, { limit, q: 'Hello' })).rejects.toMatchObject(refused)
      await expect(store.turns(key, { limit })).rejects.toMatchObject(refused)
    }
    for (const limit of [1, 2 ** 53, 1e300, Number.POSITIVE_INFINITY]) {
      expect(await store.list(key, { limit })).toHaveLength(1)
      expect(await store.turns(key, { limit })).toHaveLength(1)
    }
    expect(await store.list(key, { limit: 0 })).toEqual([])
    expect(await store.turns(key, { limit: 0 })).toEqual([])
  })
})
