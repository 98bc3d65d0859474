import { Agent, type SessionStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import { storePlace } from '../__fixtures__/store-places.ts'
import { session } from '../sqlite/__fixtures__/background.ts'
import { modelOf } from '../sqlite/__fixtures__/team.ts'

const place = storePlace('Postgres')

it('begins the first run of a session without loading it, unless another one has begun meanwhile', async () => {
  const store = place.open()
  let loads = 0
  const load: SessionStore['load'] = (key) => {
    loads++
    return store.load(key)
  }
  const shown: number[] = []
  const model = modelOf('Ann', ({ messages }) => {
    shown.push(messages.length)
    return 'Done.'
  })
  const agent = new Agent({ name: 'Ann', model, sessions: { ...store, load } })
  const [first, second, third] = await agent.enqueueMany(['1', '2', '3'].map((input) => ({ input, ...session })))
  const known = await store.runs?.read(second?.runId ?? '')
  expect(known?.hasNewSession).toBe(true)
  await agent.continueRun(first?.runId ?? '').result
  expect([loads, shown]).toEqual([0, [1]])
  await agent.continueRun(second?.runId ?? '', { ...(known && { known }) }).result
  await agent.continueRun(third?.runId ?? '').result
  expect(shown).toEqual([1, 3, 5])
})
