import { Agent, type AgentEvent, type SessionStore, Swarm, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'

describe.each(storeKinds)('a background swarm in %s that another run ends while its members work and wait', (kind) => {
  const { open, afterTest } = storePlace(kind)

  const calling = (...names: string[]) => {
    return { toolCalls: names.map((name) => ({ name, input: { task: 'Go.' } })), usage: { inputTokens: 10 } }
  }
  const make = (sessions: SessionStore, onBusy: 'queue' | 'interrupt'): Swarm => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const wait = tool({
      ...{ name: 'wait', description: 'Waits.', input: { type: 'object' } },
      execute: () => new Promise(() => {}),
    })
    const agents = [
      new Agent({ name: 'Clerk', functions: [pay], model: scriptedModel([calling('pay')]) }),
      new Agent({ name: 'Guard', functions: [wait], model: scriptedModel([calling('wait')]) }),
    ]
    const model = scriptedModel([calling('clerk', 'guard'), 'Hello.'])
    return new Swarm({ name: 'Team', agents, model, sessions, onBusy })
  }
  /** Until one member waits for an approval, and a tool of the other one runs. */
  const membersAreBusy = async (swarm: Swarm, runId: string): Promise<void> => {
    const seen = new Set<string>()
    for await (const event of swarm.follow(runId)) {
      if (event.type === 'tool-call' && event.name === 'wait') seen.add('works')
      if (event.type === 'agent-end' && event.status === 'waiting') seen.add('waits')
      if (seen.size === 2) return
    }
  }

  type Ending = (swarm: Swarm, replaces: string) => Promise<unknown>
  it.each<[string, 'queue' | 'interrupt', Ending]>([
    ['an enqueued one that interrupts it', 'interrupt', (swarm) => swarm.enqueue('Hi.', session)],
    ['a direct one that interrupts it', 'interrupt', (swarm) => swarm.chat('Hi.', session)],
    ['an enqueued one that replaces it', 'queue', (swarm, replaces) => swarm.enqueue('Hi.', { ...session, replaces })],
    ['a direct one that replaces it', 'queue', (swarm, replaces) => swarm.chat('Hi.', { ...session, replaces })],
  ])('has used what its members have used: %s', async (_, onBusy, end) => {
    const swarm = make(open(), onBusy)
    const worker = await swarm.work()
    afterTest(() => worker.close())
    const { runId } = await swarm.enqueue('Go.', session)
    await membersAreBusy(swarm, runId)
    await end(swarm, runId)
    const ends: AgentEvent[] = []
    for await (const event of swarm.follow(runId)) if (event.type === 'run-end') ends.push(event)
    const { usage, finishReason } = await swarm.result(runId)
    expect({ usage, finishReason }).toMatchObject({ usage: { inputTokens: 30 }, finishReason: 'aborted' })
    expect(ends).toMatchObject([{ usage }])
    expect((await swarm.runs()).find((run) => run.runId === runId)).toMatchObject({ usage })
  })
})
