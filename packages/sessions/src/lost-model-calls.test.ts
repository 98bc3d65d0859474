import type { AgentEvent, Budget, Swarm } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { drive, type MortalStore, mortalStore } from './sqlite/__fixtures__/mortal-store.ts'
import { type Kind, swarmOf, type TeamOptions, worker } from './sqlite/__fixtures__/team.ts'

describe.each(storeKinds)('the budget of a swarm in %s whose workers die in model calls', (storeKind) => {
  const place = storePlace(storeKind)

  it.each<[Kind, string, { budget?: Budget; own?: Budget; calls: number }]>([
    ['manager', 'Team', { budget: { modelCalls: 3 }, calls: 3 }],
    ['manager', 'Ann', { budget: { modelCalls: 3 }, calls: 3 }],
    ['parallel', 'Ann', { budget: { modelCalls: 2 }, calls: 2 }],
    ['handoff', 'Ann', { budget: { modelCalls: 2 }, calls: 2 }],
    // One before that of the member, and one after it.
    ['manager', 'Ann', { own: { modelCalls: 2 }, calls: 4 }],
  ])('counts the calls that were cut off: %s, in calls of %s, %j', { timeout: 60_000 }, async (kind, dying, bounds) => {
    const { budget, own, calls: most } = bounds
    const begun: string[] = []
    const make = (sessions: TeamOptions['sessions'], called: NonNullable<TeamOptions['called']>): Swarm => {
      const members = { Ann: { ...(own && { budget: own }) } }
      const options: TeamOptions = { sessions, called, members, ...(budget && { budget }) }
      return swarmOf('Team', kind, [worker('Ann', [], options)], options)
    }
    const name = `${kind}_${dying}_${most}`.toLowerCase()
    let runId = ''
    for (let death = 1; death <= 3; death++) {
      const store = place.open(name)
      await store.runs?.background?.beatWorker('test', ['team'])
      const mortal: MortalStore = mortalStore(store)
      const swarm = make(mortal.store, async (agent) => {
        begun.push(agent)
        if (agent !== dying || death === 3) return
        const stored = async (): Promise<number> => beginningsIn(await store.runs.events(runId, 0, 1_000), dying)
        await expect.poll(stored, { timeout: 10_000 }).toBe(death)
        mortal.kill()
        await new Promise(() => {})
      })
      runId ||= (await swarm.enqueue('Go.', session)).runId
      await Promise.race([drive(swarm, mortal), mortal.died])
      await store.close()
    }
    const store = place.open(name)
    const swarm = make(store, () => {})
    const result = await swarm.result(runId)
    // The member's own budget ends the member alone.
    expect(result.finishReason).toBe(budget ? 'budget' : 'stop')
    expect(begun).toHaveLength(most)
    // What they used is not known: the run reports what its finished steps did.
    const events = await store.runs.events(runId, 0, 1_000)
    expect(result.usage.totalTokens ?? 0).toBe(15 * events.filter(({ type }) => type === 'step-end').length)
    await store.close()
  })
})

/** How often a call of this agent has begun, or begun again. */
function beginningsIn(events: readonly AgentEvent[], agent: string): number {
  const own = events.filter(({ path }) => path.at(-1) === agent.toLowerCase())
  const restarts = own.filter(({ type }) => type === 'step-restart').length
  return restarts + Math.min(1, own.filter(({ type }) => type === 'step-start').length)
}
