import { Agent, type AgentEvent, type RunRecord, type SessionStore, Swarm, tool, type Usage } from '@agentkit/core'
import { type WorkerOptions, workOn } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { effect, type Kind, kinds, swarmOf, type TeamOptions, worker } from './sqlite/__fixtures__/team.ts'

describe.each(storeKinds)('an enqueued swarm behaves in %s as a direct one', (kind) => {
  const { open, afterTest } = storePlace(kind)
  const work = async (swarm: Swarm): Promise<void> => {
    const worker = await swarm.work({ concurrency: 4 })
    afterTest(() => worker.close())
  }
  // In Postgres, where a test takes longer, each kind once around and once within another one.
  const innerKinds = (outer: Kind): readonly Kind[] =>
    kind === 'SQLite' ? kinds : kinds.filter((_, index) => kinds[(index + 1) % kinds.length] === outer)
  const pairs = kinds.flatMap((outer) => innerKinds(outer).map((inner): [Kind, Kind] => [outer, inner]))

  it.each(pairs)('%s, around %s', { timeout: 60_000 }, async (outer, inner) => {
    const make = (options: TeamOptions): Swarm => {
      const cas = worker('Cas', [effect('look', options)], options)
      const dan = worker('Dan', [], options)
      const nested = swarmOf('Inner', inner, [cas, dan], options)
      const ann = worker('Ann', [effect('look', options), effect('count', options)], options)
      return swarmOf('Team', outer, [ann, nested], options)
    }
    const direct = make({ sessions: open('direct') })
    const events: AgentEvent[] = []
    const run = direct.stream('Go.', session)
    for await (const event of run) events.push(event)
    const expected = await run.result

    const other = make({ sessions: open('enqueued') })
    await work(make({ sessions: open('enqueued') }))
    await work(make({ sessions: open('enqueued') }))
    const { runId } = await other.enqueue('Go.', session)
    const followed: AgentEvent[] = []
    for await (const event of other.follow(runId)) followed.push(event)
    const result = await other.result(runId)
    expect(followed.map(({ seq }) => seq)).toEqual(followed.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect(new Set(followed.map((event) => event.runId))).toEqual(new Set([runId]))
    expect(linesByPath(followed)).toEqual(linesByPath(events))
    const { text, finishReason, usage, cost, steps, warnings, messages } = expected
    expect(plain({ text, finishReason, usage, steps, warnings, messages })).toEqual(
      plain({
        ...{ text: result.text, finishReason: result.finishReason, usage: result.usage, steps: result.steps },
        ...{ warnings: result.warnings, messages: result.messages },
      }),
    )
    expect(result.cost?.usd).toBeCloseTo(cost?.usd ?? 0, 10)
    for (const path of ['team', 'team/ann', 'team/inner', 'team/inner/cas', 'team/inner/dan']) {
      const key = { agentId: path, ...session }
      const [one, two] = [await direct.sessions.load(key), await other.sessions.load(key)]
      expect(plain(two?.messages), path).toEqual(plain(one?.messages))
    }
  })

  it('warns of an answer that is cut off', async () => {
    const model = scriptedModel([{ text: 'Half of', finishReason: 'length' }])
    const agents = [new Agent({ name: 'Cas', functions: [], model })]
    const swarm = new Swarm({ name: 'Team', collaboration: 'sequence', agents, sessions: open('cut') })
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const warnings = ['Cas: The answer is cut off at its maximum length.']
    expect(await swarm.result(runId)).toMatchObject({ text: 'Half of', warnings })
  })

  it('names the members around one that warns', async () => {
    const make = (sessions: SessionStore): Swarm => {
      const agent = new Agent({ name: 'Cas', model: scriptedModel(['Never said.']), budget: { modelCalls: 0 } })
      const inner = new Swarm({ name: 'Inner', collaboration: 'sequence', agents: [agent] })
      return new Swarm({ name: 'Team', collaboration: 'handoff', agents: [inner], sessions })
    }
    const { warnings } = await make(open('warned')).stream('Go.', session).result
    const swarm = make(open('warned_enqueued'))
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    expect(warnings.some((warning) => warning.startsWith('Inner: Cas: '))).toBe(true)
    expect((await swarm.result(runId)).warnings.toSorted()).toEqual(warnings.toSorted())
  })
})

describe.each(storeKinds)('an enqueued swarm whose members wait, in %s', (kind) => {
  const { open, afterTest } = storePlace(kind)

  it('ends its segment with the usage of all of them, as its result has it', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const call = (name: string) => ({ toolCalls: [{ name, input: { task: 'Pay.' } }], usage: { inputTokens: 10 } })
    const make = (sessions: SessionStore): Swarm => {
      const clerk = new Agent({ name: 'Clerk', functions: [pay], model: scriptedModel([call('pay'), 'Paid.']) })
      const office = new Swarm({ name: 'Office', agents: [clerk], model: scriptedModel([call('clerk'), 'Done.']) })
      return new Swarm({ name: 'Team', agents: [office], model: scriptedModel([call('office'), 'Sum.']), sessions })
    }
    const direct = await make(open('direct')).stream('Go.', session).result
    const swarm = make(open('enqueued'))
    const worker = await swarm.work()
    afterTest(() => worker.close())
    const { runId } = await swarm.enqueue('Go.', session)
    const result = await swarm.result(runId)
    const ends: AgentEvent[] = []
    for await (const event of swarm.follow(runId)) {
      if (event.type !== 'run-end') continue
      ends.push(event)
      if (event.finishReason !== 'approval') continue
      await swarm.decide(runId, Object.fromEntries(result.approvals.map(({ approvalId }) => [approvalId, true])))
    }
    expect(direct.usage.inputTokens).toBe(30)
    expect(result.usage).toEqual(direct.usage)
    const { usage } = await swarm.result(runId)
    expect(ends).toMatchObject([
      { finishReason: 'approval', usage: direct.usage },
      { finishReason: 'stop', usage },
    ])
  })

  it('passes onRunEnd and lists the usage and cost of all of them', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const info = { price: { inputUsdPerMillion: 100_000, outputUsdPerMillion: 0, asOf: '2026-01-01' } }
    const agents = [new Agent({ name: 'Clerk', functions: [pay], model: scriptedModel([calling('pay')], { info }) })]
    const { promise: notified, resolve } = Promise.withResolvers<RunRecord>()
    const swarm = new Swarm({
      ...{ name: 'Team', agents, model: scriptedModel([calling('clerk')], { info }), sessions: open('notified') },
      onRunEnd: resolve,
    })
    const worker = await swarm.work()
    afterTest(() => worker.close())
    await swarm.enqueue('Go.', session)
    const spent = { status: 'waiting', usage: { inputTokens: 20 }, cost: { usd: 2 } }
    expect(await notified).toMatchObject(spent)
    expect(await swarm.runs({ status: 'waiting' })).toMatchObject([spent])
  })

  /** A swarm whose first member asks for an approval while the second works without end. */
  const stuckTeam = (options: { name?: string; sessions?: SessionStore; timeoutMs?: number }): Swarm => {
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
    return new Swarm({ name: 'Team', agents, model: scriptedModel([calling('clerk', 'guard')]), ...options })
  }
  const calling = (...names: string[]) => {
    return { toolCalls: names.map((name) => ({ name, input: { task: 'Go.' } })), usage: { inputTokens: 10 } }
  }

  it('ends with the usage of all of them, when its time is over while another member works', async () => {
    const swarm = stuckTeam({ sessions: open() })
    const worker = await swarm.work()
    afterTest(() => worker.close())
    const { runId } = await swarm.enqueue('Go.', { ...session, timeoutMs: 3_000 })
    const ends: AgentEvent[] = []
    for await (const event of swarm.follow(runId)) if (event.type === 'run-end') ends.push(event)
    const result = await swarm.result(runId)
    expect(result).toMatchObject({ error: { code: 'timeout' }, usage: { inputTokens: 30 } })
    expect(ends).toMatchObject([{ usage: result.usage, ...(result.cost && { cost: result.cost }) }])
    expect(await swarm.runs()).toMatchObject([{ status: 'failed', usage: result.usage }])
  })

  it('continues with the usage of all of them, when it calls a swarm whose time is over so', async () => {
    const model = scriptedModel([calling('inner'), { text: 'Done.', usage: { inputTokens: 10 } }])
    const agents = [stuckTeam({ name: 'Inner', timeoutMs: 3_000 })]
    const swarm = new Swarm({ name: 'Team', agents, model, sessions: open() })
    const worker = await swarm.work()
    afterTest(() => worker.close())
    const { runId } = await swarm.enqueue('Go.', session)
    expect(await swarm.result(runId)).toMatchObject({ text: 'Done.', usage: { inputTokens: 50 } })
  })

  it('ends with the usage of all of them, when its approvals expire', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const make = (sessions: SessionStore): Swarm => {
      const clerk = new Agent({ name: 'Clerk', functions: [pay], model: scriptedModel([calling('pay')]) })
      return new Swarm({ name: 'Team', agents: [clerk], model: scriptedModel([calling('clerk')]), sessions })
    }
    const store = open()
    const swarm = make(store)
    const worker = await swarm.work()
    afterTest(() => worker.close())
    const { runId } = await swarm.enqueue('Go.', session)
    const { usage, approvals } = await swarm.result(runId)
    expect(usage.inputTokens).toBe(20)
    const now = (): number => store.runs.now() + 31 * 24 * 3_600_000
    const later = make({ ...store, runs: { ...store.runs, now } })
    const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
    await expect(later.decide(runId, decisions)).rejects.toMatchObject({ code: 'session-conflict' })
    expect(await swarm.result(runId)).toMatchObject({ error: { code: 'approval' }, usage })
    const ends: AgentEvent[] = []
    for await (const event of swarm.follow(runId)) if (event.type === 'run-end') ends.push(event)
    expect(ends.at(-1)).toMatchObject({ usage })
  })

  it('ends with what a member has used that continues before its caller waits for it again', async () => {
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const isWorking = Promise.withResolvers<void>()
    const wait = tool({
      ...{ name: 'wait', description: 'Waits.', input: { type: 'object' } },
      execute: () => {
        isWorking.resolve()
        return new Promise(() => {})
      },
    })
    const model = scriptedModel([calling('pay'), calling('wait')])
    const clerk = new Agent({ name: 'Clerk', functions: [pay, wait], model })
    const store = open()
    const { background } = store.runs
    // The decision is stored for the member, and a worker continues it, while the caller can store nothing.
    let calls = 0
    const delegate: typeof background.delegate = async (runId, entry) => {
      calls += 1
      if (calls === 1) return background.delegate(runId, entry)
      const jobs = entry.members.map((member) => ({ runId: member.runId, agentId: 'team', userId: session.userId }))
      await background.queue.add(jobs)
      return new Promise(() => {})
    }
    const sessions = { ...store, runs: { ...store.runs, background: { ...background, delegate } } }
    const swarm = new Swarm({ name: 'Team', agents: [clerk], model: scriptedModel([calling('clerk')]), sessions })
    const worker = await swarm.work()
    afterTest(() => worker.close())
    const { runId } = await swarm.enqueue('Go.', session)
    const { approvals } = await swarm.result(runId)
    await swarm.decide(runId, Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true])))
    await isWorking.promise
    expect(await swarm.cancel(runId)).toBe(true)
    expect(await swarm.result(runId)).toMatchObject({ finishReason: 'aborted', usage: { inputTokens: 30 } })
  })

  it('reports the usage of each segment to its worker, and of the whole run where it has settled', async () => {
    const make = (sessions: SessionStore): Swarm =>
      swarmOf('Team', 'manager', [worker('Ann', [effect('look', { sessions })], { sessions })], { sessions })
    const spent: Parameters<NonNullable<WorkerOptions['onSpent']>>[1][] = []
    const settled: unknown[] = []
    const ends: boolean[] = []
    const own = await workOn([make(open('spent'))], {
      onSpent(_run, used, hasSettled) {
        spent.push(used)
        ends.push(hasSettled)
      },
      onSettled: (_run, _spent, result) => settled.push(result),
    })
    afterTest(() => own.close())
    const swarm = make(open('spent'))
    const { runId } = await swarm.enqueue('Go.', session)
    const { usage, cost } = await swarm.result(runId)
    await expect.poll(() => settled).toHaveLength(1)
    expect(settled).toMatchObject([{ runId, usage, cost }])
    // Before its member, and after it.
    expect(spent.length).toBeGreaterThan(1)
    expect(ends.filter((hasSettled) => hasSettled)).toHaveLength(1)
    for (const part of spent) expect(part.cost?.usd).toBeCloseTo(priceOf(part.usage), 10)
    expect(spent.reduce((sum, part) => sum + (part.cost?.usd ?? 0), 0)).toBeCloseTo(cost?.usd ?? 0, 10)
  })
})

/** By the prices of `modelOf`. */
function priceOf({ inputTokens = 0, outputTokens = 0 }: Usage = {}): number {
  return (inputTokens * 2 + outputTokens * 8) / 1e6
}

/** The events of each agent, in order: those of members that run at once are mixed in any way. */
function linesByPath(events: readonly AgentEvent[]): Record<string, string[]> {
  const lines = events.map(({ seq: _, runId: _run, path, ...body }) => {
    const shown = { ...body, ...('durationMs' in body && { durationMs: 0 }) }
    return [path.join('/'), JSON.stringify(plain(shown))] as const
  })
  const byPath = Map.groupBy(lines, ([path]) => path)
  return Object.fromEntries([...byPath].map(([path, of]) => [path, of.map(([, line]) => line)]))
}

/** The value without ids that differ in each run. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return JSON.parse(text.replaceAll(/call_[0-9a-f-]{36}/g, 'call_id').replaceAll(/("usd":[\d.]{6})[\d.e-]*/g, '$1'))
}
