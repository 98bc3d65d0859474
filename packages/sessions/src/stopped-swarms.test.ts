import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { effect, lastWords, swarmOf, type TeamOptions, worker } from './sqlite/__fixtures__/team.ts'

describe.each(storeKinds)('a swarm in %s that is aborted', (kind) => {
  const { open } = storePlace(kind)

  it.each([
    ['read', true],
    ['awaited', false],
  ])('keeps what a member of a member had finished: %s', async (_, isRead) => {
    const controller = new AbortController()
    let calls = 0
    const options: TeamOptions = {
      sessions: open(),
      called: (agent) => {
        if (agent !== 'Cas' || ++calls < 2) return
        controller.abort()
        return new Promise(() => {})
      },
    }
    const inner = swarmOf('Inner', 'sequence', [worker('Cas', [effect('look', options)], options)], options)
    const swarm = swarmOf('Team', 'parallel', [inner], options)
    const run = swarm.stream('Go.', { ...session, signal: controller.signal })
    if (isRead) for await (const _event of run);
    const { finishReason, messages } = await run.result
    expect(finishReason).toBe('aborted')
    const other = open()
    for (const agentId of ['team', 'team/inner', 'team/inner/cas']) {
      const stored = (await other.load({ agentId, ...session }))?.messages ?? []
      expect(JSON.stringify(stored), agentId).toContain('look')
      expect(lastWords({ messages: stored }), agentId).toBe('[stopped: aborted]')
      if (agentId === 'team') expect(stored).toEqual(messages)
    }
  })
})
