import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type SessionStore, Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'

/** The time of the run or member, in milliseconds. A write of these tests ends after it. */
const time = 300

describe.each(storeKinds)('a background run in %s whose time is over during a write', (kind) => {
  const place = storePlace(kind)
  const workFor = async (agent: Agent | Swarm): Promise<void> => {
    const worker = await agent.work()
    place.afterTest(() => worker.close())
  }
  const teamOf = (sessions: SessionStore, member: Partial<ConstructorParameters<typeof Agent>[0]> = {}): Swarm => {
    const ann = new Agent({ name: 'Ann', model: scriptedModel(['Done.']), ...member })
    return new Swarm({ name: 'Team', collaboration: 'sequence', agents: [ann], sessions })
  }

  it('ends when it has left its process to its members', async () => {
    const { runs, ...store } = place.open()
    const delegate: typeof runs.background.delegate = async (...values) => {
      await runs.background.delegate(...values)
      await sleep(time + 50)
    }
    const team = teamOf({ ...store, runs: { ...runs, background: { ...runs.background, delegate } } })
    await workFor(team)
    const { runId } = await team.enqueue('Go.', { ...session, timeoutMs: time })
    expect(await team.result(runId)).toMatchObject({ error: { code: 'timeout', phase: 'run' } })
  })

  it('continues when the write is the end of its member', async () => {
    // The member has to end before its time is over, also on a slow machine.
    const memberTime = 5 * time
    const { runs, ...store } = place.open()
    const end: typeof runs.end = async (runId, ...values) => {
      const isMember = (await runs.read(runId))?.record.parentRunId !== undefined
      if (isMember) await sleep(memberTime + 50)
      return runs.end(runId, ...values)
    }
    // Its budget has no room for a call.
    const team = teamOf({ ...store, runs: { ...runs, end } }, { budget: { tokens: 1 }, timeoutMs: memberTime })
    await workFor(team)
    const { runId } = await team.enqueue('Go.', session)
    expect((await team.result(runId)).warnings).toContainEqual(expect.stringContaining('"ann" ended (budget).'))
  })

  it('ends when it was being taken over', async () => {
    const { runs, ...store } = place.open()
    let times = 0
    const takeOver: typeof runs.takeOver = async (...values) => {
      const taken = await runs.takeOver(...values)
      if (times++ === 0) await sleep(time + 50)
      return taken
    }
    const sessions = { ...store, runs: { ...runs, takeOver } }
    const budget = { seconds: time / 1_000 }
    const agent = new Agent({ name: 'Ann', model: scriptedModel(['Done.']), sessions, budget })
    await workFor(agent)
    const { runId } = await agent.enqueue('Go.', session)
    expect((await agent.result(runId)).error).toBeUndefined()
    expect(await agent.runs()).toMatchObject([{ status: 'done' }])
  })
})
