import { Agent, type SessionStore } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { lastWords, modelOf } from './sqlite/__fixtures__/team.ts'

describe.each(storeKinds)('a direct chat in %s, of another process than the worker', (kind) => {
  const place = storePlace(kind)

  it('waits for the running run of its session and goes before those that are queued', {
    timeout: 30_000,
  }, async () => {
    const asked: string[] = []
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    const open = (sessions: SessionStore): Agent => {
      const model = modelOf('Ann', async (request) => {
        asked.push(lastWords(request))
        if (asked.length === 1) {
          begin()
          await stopped
        }
        return 'Done.'
      })
      return new Agent({ name: 'Ann', model, sessions })
    }
    const worker = await open(place.open()).work()
    place.afterTest(() => worker.close())
    place.afterTest(stop)
    const agent = open(place.open())
    const questions = ['queued 1', 'queued 2', 'queued 3', 'queued 4']
    const runs = await agent.enqueueMany(questions.map((input) => ({ input, ...session })))
    await begun
    const chats = ['direct 1', 'direct 2'].map((question) => open(place.open()).chat(question, session))
    // Afterwards the waiting callers pause longer between their tries than a run takes.
    await new Promise((resolve) => setTimeout(resolve, 800))
    stop()
    await Promise.all([...chats, ...runs.map(({ runId }) => agent.result(runId))])
    expect(asked.slice(1, 3).toSorted()).toEqual(['direct 1', 'direct 2'])
    expect(asked.slice(3)).toEqual(['queued 2', 'queued 3', 'queued 4'])
  })
})
