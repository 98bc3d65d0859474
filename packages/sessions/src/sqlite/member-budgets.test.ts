import type { Budget, SessionStore, Swarm } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { backgroundTests, collect, ended, patiently, session } from './__fixtures__/background.ts'
import { effect, swarmOf, type TeamOptions, worker } from './__fixtures__/team.ts'

const { open, work } = backgroundTests()

describe('one budget of a tree of runs', () => {
  const limited = (budget: Budget, options: Partial<TeamOptions> = {}): { make(sessions: SessionStore): Swarm } => ({
    make(sessions) {
      const given = { ...options, sessions, budget }
      const agents = ['Ann', 'Ben', 'Cas', 'Dan'].map((name) => {
        const look = effect('look', given)
        return worker(name, [look, look, look], given)
      })
      const inner = swarmOf('Inner', 'parallel', agents.slice(2), { ...given, budget: {} })
      return swarmOf('Team', 'parallel', [...agents.slice(0, 2), inner], given)
    },
  })

  it.each<[string, Budget, number]>([
    ['model calls', { modelCalls: 9 }, 9],
    ['tokens', { tokens: 1_000 }, 1_000],
    ['US dollars', { usd: 0.003 }, 0.003],
  ])('holds over workers, and is used: %s', patiently, async (_what, budget, most) => {
    const running = { calls: 0, most: 0 }
    const { make } = limited(budget, {
      async called() {
        running.most = Math.max(running.most, ++running.calls)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running.calls--
      },
    })
    const swarm = make(open())
    for (let index = 0; index < 3; index++) await work(make(open()), 2)
    const { runId } = await swarm.enqueue('Go.', session)
    const events = await collect(swarm, runId)
    const result = await swarm.result(runId)
    expect(result).toMatchObject({ finishReason: 'budget' })
    const calls = events.filter(({ type }) => type === 'step-end').length
    expect(result.usage.totalTokens, result.warnings.join()).toBe(calls * 15)
    const used = budget.modelCalls ? calls : budget.tokens ? calls * 15 : (result.cost?.usd ?? 0)
    expect(used).toBeLessThanOrEqual(most)
    expect(used).toBeGreaterThan(budget.modelCalls ? most - 1 : 0)
    // The worst case of two calls exceeds the other budgets.
    if (budget.modelCalls) expect(running.most).toBeGreaterThan(1)
  })

  it('counts the tool calls of members, and calls of members', patiently, async () => {
    const done: string[] = []
    const { make } = limited({ toolCalls: 9 }, { effect: (what) => void done.push(what) })
    const swarm = make(open())
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const result = await ended(swarm, runId)
    // Three members, two of the inner swarm, and what is left.
    expect(done.length).toBeLessThanOrEqual(4)
    expect(result.finishReason).toBe('stop')
    const failed = result.messages.filter((message) => message.role === 'tool' && message.isError)
    expect(failed.length).toBeGreaterThan(0)
  })

  it('ends members whose caller has no seconds left', patiently, async () => {
    const { make } = limited(
      { seconds: 0.5 },
      { effect: (_what) => new Promise((resolve) => setTimeout(resolve, 60_000).unref()) },
    )
    const swarm = make(open())
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    expect(await ended(swarm, runId)).toMatchObject({ finishReason: 'budget' })
  })

  it('says that the seconds of their caller are over, which end while it continues', patiently, async () => {
    const store = open()
    const { runs } = store
    if (!runs) throw new Error('A SQLite store has runs.')
    const { read } = runs
    runs.read = async (runId) => {
      const stored = await read(runId)
      // Members that have ended are read when their caller is open again.
      const isMember = stored?.record.parentRunId !== undefined
      if (isMember && stored.record.status === 'done') await new Promise((wake) => setTimeout(wake, 3_100))
      return stored
    }
    const options = { sessions: store, budget: { seconds: 3 } }
    const swarm = swarmOf('Team', 'parallel', [worker('Ann', [effect('look', options)], options)], options)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const { finishReason, warnings } = await ended(swarm, runId)
    expect({ finishReason, warnings }).toEqual({
      finishReason: 'budget',
      warnings: ["The run's budget is used up: its seconds are over."],
    })
  })

  it('ends their caller too, where its store is too slow to open it in the time that is left', patiently, async () => {
    const { make } = limited(
      { seconds: 0.5 },
      { effect: (_what) => new Promise((resolve) => setTimeout(resolve, 60_000).unref()) },
    )
    const store = open()
    const { runs } = store
    if (!runs) throw new Error('A SQLite store has runs.')
    const { takeOver } = runs
    // As a database on another machine.
    runs.takeOver = async (...call) => {
      await new Promise((opened) => setTimeout(opened, 20))
      return takeOver(...call)
    }
    const swarm = make(store)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    expect(await ended(swarm, runId)).toMatchObject({ finishReason: 'budget' })
  })

  it('and that of a member hold both', patiently, async () => {
    const options = { sessions: open(), budget: { modelCalls: 100 }, members: { Ann: { budget: { modelCalls: 2 } } } }
    const look = effect('look', options)
    const swarm = swarmOf('Team', 'manager', [worker('Ann', [look, look, look], options)], options)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const { messages, warnings } = await ended(swarm, runId)
    const [result] = messages.filter(({ role }) => role === 'tool')
    expect(JSON.stringify(result)).toContain('budget')
    expect(warnings.join()).toContain('2 of 2 model calls were made')
  })
})
