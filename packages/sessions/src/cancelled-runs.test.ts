import { Agent, type AgentEvent, type OnBusy, type SessionStore, type Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { effect, swarmOf, type TeamOptions, worker } from './sqlite/__fixtures__/team.ts'

describe.each(storeKinds)('a background run in %s that another process cancels', (kind) => {
  const place = storePlace(kind)

  it.each<[string, number, (options: TeamOptions) => Agent | Swarm]>([
    ['an agent', 15, (options) => worker('Ann', [effect('look', options)], options)],
    [
      'a swarm within a swarm, with what its members have used by now',
      3 * 15,
      (options) => {
        const ann = worker('Ann', [effect('look', options)], options)
        return swarmOf('Team', 'manager', [swarmOf('Inner', 'manager', [ann], options)], options)
      },
    ],
  ])('keeps what it has used and what that cost: %s', async (_, tokens, make) => {
    const { begun, stop, work } = heldWork()
    const open = (sessions: SessionStore): Agent | Swarm => {
      const more = { members: { Ann: { sessions } } }
      return make({ sessions, effect: work, ...more })
    }
    const other = open(place.open())
    const worker = await other.work()
    place.afterTest(() => worker.close())
    place.afterTest(stop)
    const agent = open(place.open())
    const { runId } = await agent.enqueue('Go.', { userId: 'ann', sessionId: 's' })
    await begun
    expect(await agent.cancel(runId)).toBe(true)
    const result = await agent.result(runId)
    // 10 tokens for 2 dollars a million and 5 for 8, in each call.
    const usd = expect.closeTo((tokens / 15) * 0.00006, 10)
    expect(result).toMatchObject({ finishReason: 'aborted', usage: { totalTokens: tokens }, cost: { usd } })
    expect(await agent.runs()).toMatchObject([{ usage: { totalTokens: tokens }, cost: { usd } }])
    const events = await eventsOf(agent, runId)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', usage: { totalTokens: tokens }, cost: { usd } })
  })
})

describe.each(storeKinds)('a run in %s that finds by its own write that another process has ended it', (kind) => {
  const place = storePlace(kind)

  it.each<[string, (other: Agent, runId: string) => Promise<unknown>, string]>([
    ['was cancelled', (other, runId) => other.cancel(runId), 'The run was cancelled.'],
    [
      'was replaced',
      (other, replaces) => other.chat('Again.', { ...session, replaces }),
      'A later run of the session replaces this one.',
    ],
    ['was deleted', (other) => other.sessions.delete({ agentId: 'ann', ...session }), 'The run was cancelled.'],
  ])('says that it %s', async (_, end, message) => {
    const { begun, stop, work } = heldWork()
    const model = scriptedModel([
      async () => {
        await work()
        return 'Done.'
      },
    ])
    const agent = new Agent({ name: 'Ann', model, sessions: place.open() })
    const { runId, result } = agent.stream('Go.', session)
    void result
    await begun
    await end(new Agent({ name: 'Ann', model: scriptedModel(['Other.']), sessions: place.open() }), runId)
    stop()
    expect(await result).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted', message } })
  })
})

describe.each(storeKinds)('a queued run in %s that is cancelled', (kind) => {
  const place = storePlace(kind)

  it('leaves no job, though no worker takes it, and has one again when it is retried', async () => {
    const sessions = place.open()
    const agent = new Agent({ name: 'Ann', model: scriptedModel([]), sessions })
    const startAfter = new Date(Date.now() + 3_600_000)
    const { runId } = await agent.enqueue('Go.', { ...session, startAfter })
    expect(await agent.cancel(runId)).toBe(true)
    expect(await sessions.runs?.background?.queue.counts()).toEqual([])
    await agent.retry(runId)
    expect(await sessions.runs?.background?.queue.counts()).toMatchObject([{ agentId: 'ann', queued: 1 }])
  })
})

describe.each(storeKinds)('a queued run in %s that another run ends', (kind) => {
  const place = storePlace(kind)

  it.each<[string, OnBusy, (agent: Agent, runId: string) => Promise<{ runId: string }>]>([
    ['an enqueued one interrupts it', 'interrupt', (agent) => agent.enqueue('Go again.', session)],
    ['an enqueued one replaces it', 'queue', (agent, replaces) => agent.enqueue('Go.', { ...session, replaces })],
    ['a chat replaces it', 'queue', (agent, replaces) => agent.stream('Go.', { ...session, replaces }).result],
  ])('leaves no job, though no worker takes it: %s', async (_, onBusy, end) => {
    const sessions = place.open()
    const agent = new Agent({ name: 'Ann', model: scriptedModel(['Done.']), sessions, onBusy })
    const startAfter = new Date(Date.now() + 3_600_000)
    const { runId } = await agent.enqueue('Go.', { ...session, startAfter })
    const newer = await end(agent, runId)
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'aborted' })
    const { queue } = sessions.runs?.background ?? {}
    const isChat = (await agent.runs()).some((run) => run.runId === newer.runId && run.status === 'done')
    expect(await queue?.missing([runId, newer.runId])).toEqual(isChat ? [runId, newer.runId] : [runId])
  })
})

describe.each(storeKinds)('a background run in %s that another run ends', (kind) => {
  const place = storePlace(kind)

  it.each<[string, 'queued' | 'waiting', 'queue' | 'interrupt']>([
    ['queued, and is replaced', 'queued', 'queue'],
    ['waits for approval, and is replaced', 'waiting', 'queue'],
    ['queued, and is interrupted', 'queued', 'interrupt'],
  ])('has a last event: %s', async (_, state, onBusy) => {
    const sessions = place.open()
    const pay = effect('pay', { sessions }, { needsApproval: true })
    const agent = worker('Ann', [pay], { sessions, members: { Ann: { sessions, onBusy } } })
    if (state === 'waiting') {
      const worker = await agent.work()
      place.afterTest(() => worker.close())
    }
    const { runId } = await agent.enqueue('Go.', session)
    if (state === 'waiting') await agent.result(runId)
    await agent.enqueue('Go again.', { ...session, ...(onBusy === 'queue' && { replaces: runId }) })
    const events = await eventsOf(agent, runId)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'aborted', error: { code: 'aborted' } })
    expect(events.filter((event) => event.type === 'run-end' && event.finishReason !== 'approval')).toHaveLength(1)
  })

  it.each(['is queued', 'was cancelled in the queue'])(
    'is replaced by a chat with all later turns, when it %s',
    async (what) => {
      const model = scriptedModel(['answer 1', 'answer 2', 'answer 3'])
      const agent = new Agent({ name: 'Ann', model, sessions: place.open() })
      await agent.chat('first', session)
      const { runId } = await agent.enqueue('second', session)
      if (what !== 'is queued') await agent.cancel(runId)
      await agent.chat('third', session)
      const run = agent.stream('fourth', { ...session, replaces: runId })
      expect(await run.result).toMatchObject({ text: 'answer 3' })
      const asked = JSON.stringify(model.requests.at(-1)?.messages)
      expect(asked).toMatch(/first.*answer 1.*fourth/)
      expect(asked).not.toMatch(/second|third/)
      expect(await agent.result(runId)).toMatchObject({ finishReason: 'aborted' })
      const replaced = (await agent.runs(session)).map((record) => record.replaced ?? false)
      expect(replaced).toEqual([false, true, true, false])
      await expect(agent.chat('fifth', { ...session, sessionId: 'other', replaces: run.runId })).rejects.toMatchObject({
        code: 'not-found',
      })
    },
  )

  it.each<[string, (swarm: Swarm, runId: string) => Promise<unknown>, string]>([
    ['is cancelled', (swarm, runId) => swarm.cancel(runId), 'The run was cancelled.'],
    [
      'is replaced',
      (swarm, runId) => swarm.enqueue('Again.', { ...session, replaces: runId }),
      'A later run of the session replaces this one.',
    ],
  ])('ends its working members before itself, as one in a process does, when it %s', async (_, end, reason) => {
    const { begun, stop, work } = heldWork()
    const open = (sessions: SessionStore): Swarm => {
      const options = { sessions, effect: work }
      const ann = worker('Ann', [effect('look', options)], options)
      const inner = swarmOf('Inner', 'manager', [ann], options)
      return swarmOf('Team', 'manager', [inner, worker('Dan', [], options)], options)
    }
    const other = await open(place.open()).work()
    place.afterTest(() => other.close())
    place.afterTest(stop)
    const swarm = open(place.open())
    const { runId } = await swarm.enqueue('Go.', session)
    await begun
    await vi.waitFor(async () => {
      const done = await swarm.sessions.runs?.events(runId, 0, 100)
      expect(done).toContainEqual(expect.objectContaining({ type: 'agent-end', status: 'done' }))
    })
    await end(swarm, runId)
    stop()
    const events = await eventsOf(swarm, runId)
    const ends = events.flatMap((event) => {
      if (event.type === 'agent-end') return [`${event.path.join('/')} ${event.status} ${event.reason ?? ''}`]
      return event.type === 'run-end' ? [`${event.path.join('/')} ${event.finishReason} ${event.error?.message}`] : []
    })
    const expected = ['team/inner/ann', 'team/inner', 'team'].map((path) => `${path} aborted ${reason}`)
    expect(ends).toEqual(['team/dan done ', ...expected])
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b))
  })

  it('says once that a member waits', async () => {
    const open = (sessions: SessionStore): Swarm => {
      const options = { sessions }
      const pay = effect('pay', options, { needsApproval: true })
      return swarmOf('Team', 'manager', [worker('Ann', [pay], options)], options)
    }
    const other = await open(place.open()).work()
    place.afterTest(() => other.close())
    const swarm = open(place.open())
    const { runId } = await swarm.enqueue('Go.', session)
    expect(await swarm.result(runId)).toMatchObject({ finishReason: 'approval' })
    await swarm.cancel(runId)
    const ends = (await eventsOf(swarm, runId)).filter(({ type }) => type === 'agent-end')
    expect(ends).toMatchObject([{ status: 'waiting' }])
  })
})

async function eventsOf(agent: Agent | Swarm, runId: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of agent.follow(runId)) events.push(event)
  return events
}

/** Work that is not done before it is stopped. */
function heldWork(): { begun: Promise<void>; stop(): void; work(): Promise<void> } {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const work = async (): Promise<void> => {
    begin()
    await stopped
  }
  return { begun, stop, work }
}
