import type { Agent, SessionStore, Swarm } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { effect, swarmOf, type TeamOptions, worker } from './sqlite/__fixtures__/team.ts'

/** Simulates approvals that were requested long ago. */
const longAgo =
  'UPDATE runs SET waiting_since = 0 WHERE waiting_since IS NOT NULL; UPDATE approvals SET requested_at = 0'

describe.each(storeKinds)('a retried run in %s', (kind) => {
  const place = storePlace(kind)
  const work = async (swarm: Agent | Swarm): Promise<void> => {
    const started = await swarm.work()
    place.afterTest(() => started.close())
  }

  it.each<[string, (ann: Agent, options: TeamOptions) => Swarm]>([
    ['a member', (ann, options) => swarmOf('Team', 'manager', [ann, worker('Dan', [], options)], options)],
    [
      'a member of a member',
      (ann, options) => swarmOf('Team', 'manager', [swarmOf('Inner', 'manager', [ann], options)], options),
    ],
  ])('continues %s that was working when the run was cancelled', async (_, make) => {
    const done: string[] = []
    const called: string[] = []
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    const open = (sessions: SessionStore): Swarm => {
      const options: TeamOptions = {
        ...{ sessions, budget: { modelCalls: 20, seconds: 600 } },
        called: (agent) => void called.push(agent),
        async effect(what) {
          done.push(what)
          if (what !== 'count 1' || done.filter((other) => other === what).length > 1) return
          begin()
          await stopped
        },
      }
      const tools = [effect('look', options), effect('count', options, { idempotent: true })]
      return make(worker('Ann', tools, options), options)
    }
    await work(open(place.open()))
    place.afterTest(stop)
    const swarm = open(place.open())
    const { runId } = await swarm.enqueue('Go.', session)
    await begun
    expect(await swarm.cancel(runId)).toBe(true)
    stop()
    await swarm.retry(runId)
    const result = await swarm.result(runId)
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Team: all is done.', warnings: [] })
    // Calls with a result are not repeated.
    expect(done).toEqual(['look 0', 'count 1', 'count 1'])
    expect(called.filter((agent) => agent === 'Ann')).toHaveLength(3)
    expect(result.usage.totalTokens).toBe(called.length * 15)
  })

  it('asks again for the approval of a member that has expired', async () => {
    const done: string[] = []
    const open = (sessions: SessionStore): Swarm => {
      const options: TeamOptions = { sessions, effect: (what) => void done.push(what) }
      const pay = effect('pay', options, { needsApproval: true })
      return swarmOf('Team', 'manager', [worker('Ann', [pay], options)], options)
    }
    const swarm = open(place.open())
    await work(open(place.open()))
    const { runId } = await swarm.enqueue('Go.', session)
    const { approvals } = await swarm.result(runId)
    await place.execute(longAgo)
    const late = swarm.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    await expect(late).rejects.toThrow(/expired at .* Retry the run/)
    await swarm.retry(runId)
    const again = await swarm.result(runId)
    expect(again).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay', path: ['ann'] }] })
    await swarm.decide(runId, { [again.approvals[0]?.approvalId ?? '']: true })
    const result = await swarm.result(runId)
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Team: all is done.', warnings: [] })
    expect(done).toEqual(['pay 0'])
  })

  it('asks again, with all its time, for the approval of a chat that has expired', async () => {
    const done: string[] = []
    const open = (sessions: SessionStore): Agent => {
      const members = { Ann: { sessions } }
      const options: TeamOptions = { sessions, members, effect: (what) => void done.push(what) }
      return worker('Ann', [effect('pay', options, { needsApproval: true })], options)
    }
    const agent = open(place.open())
    const { runId } = await agent.stream('Go.', session).result
    await place.execute(longAgo)
    await expect(agent.resume(runId, {}).result).resolves.toMatchObject({ error: { code: 'approval' } })
    await agent.retry(runId)
    await work(open(place.open()))
    const { approvals } = await agent.result(runId)
    await agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'stop', text: 'Ann has answered.' })
    expect(done).toEqual(['pay 0'])
  })

  it('continues a member that waited within a direct run', async () => {
    const called: string[] = []
    const open = (sessions: SessionStore): Swarm => {
      const options: TeamOptions = { sessions, called: (agent) => void called.push(agent) }
      const pay = effect('pay', options, { needsApproval: true })
      return swarmOf('Team', 'manager', [worker('Ann', [pay], options)], options)
    }
    const swarm = open(place.open())
    const run = swarm.stream('Go.', { ...session, resumable: true })
    expect(await run.result).toMatchObject({ finishReason: 'approval' })
    await swarm.cancel(run.runId)
    await swarm.retry(run.runId)
    await work(open(place.open()))
    const { approvals } = await swarm.result(run.runId)
    await swarm.decide(run.runId, { [approvals[0]?.approvalId ?? '']: true })
    expect(await swarm.result(run.runId)).toMatchObject({ finishReason: 'stop', warnings: [] })
    expect(called).toEqual(['Team', 'Ann', 'Ann', 'Team'])
  })
})
