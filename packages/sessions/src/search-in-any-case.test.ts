import { memorySessions, type SessionStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import { type StoreKind, storeKinds, storePlace } from './__fixtures__/store-places.ts'

const key = { agentId: 'writer', userId: 'ann', sessionId: 's1' }
const places = Object.fromEntries(storeKinds.map((kind) => [kind, storePlace(kind)])) as Record<
  StoreKind,
  ReturnType<typeof storePlace>
>
const stores: [string, () => SessionStore][] = [
  ['memory', () => memorySessions()],
  ...storeKinds.map((kind): [string, () => SessionStore] => [kind, () => places[kind].open()]),
]

it.each(stores)('finds sessions in %s in the case of Turkish, and in either form of Unicode', async (_name, open) => {
  const store = open()
  await store.begin(key, {
    runId: 'r1',
    expectedVersion: 0,
    input: [{ v: 1, role: 'user', content: 'Where is the Straße in ΟΔΟΣ?' }],
  })
  await store.end('r1', 'done')
  await store.rename(key, 'İSTANBUL, Isparta and Cafe\u0301s')
  for (const q of ['istanbul', 'ısparta', 'CAFÉ', 'STRASSE', 'οδος', 'οδοσ']) {
    expect([q, (await store.list(key, { q })).length]).toEqual([q, 1])
  }
})
