import { describe, expect, it } from 'vitest'
import { anySwarm, type Kind, kinds, pairs } from '../__fixtures__/any-swarm.ts'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { randomOf } from '../__fixtures__/random.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, eventsOf, member, saying } from '../__fixtures__/team.ts'
import { type AgentEvent, type Budget, Swarm, tool } from '../index.ts'

refuseUnhandledRejections()

describe.each(kinds)('starts no call that could exceed a budget: %s', (kind) => {
  it.each(Array.from({ length: 200 }, (_, seed) => seed))('seed %i', async (seed) => {
    const random = randomOf(seed)
    const pair = random.pick(pairs.filter(([outer]) => outer === kind))
    const { swarm, seen, budget, members } = anySwarm(random, { kinds: pair, budgets: true })
    const { events, result } = await eventsOf(swarm.stream('Go', { budget }))
    const { finishReason, usage, cost } = result
    expect(seen.problems).toEqual([])
    expect(seen.modelCalls).toBeLessThanOrEqual(budget.modelCalls ?? Number.POSITIVE_INFINITY)
    expect(usage.inputTokens ?? 0).toBe(seen.inputTokens)
    expect(usage.outputTokens ?? 0).toBe(seen.outputTokens)
    if (seen.modelCalls > 0) expect(cost?.usd).toBeCloseTo(seen.usd, 9)
    expect(['stop', 'budget'], result.error?.message).toContain(finishReason)
    expect(events.filter(({ type }) => type === 'run-end')).toEqual([events.at(-1)])
    expect(callsOf(events)).toBeLessThanOrEqual(budget.toolCalls ?? Number.POSITIVE_INFINITY)
    for (const [id, own] of members) for (const run of runsOf(events, id)) expectWithin(run, own, id)
    // The partial answer is kept: the last text of its model or of its members.
    if (finishReason === 'budget' && said(events, kind)) expect(result.text).not.toBe('')
  })
})

it('the prices of a swarm apply to its members, whose own prices override them', async () => {
  const price = { inputUsdPerMillion: 1e5, outputUsdPerMillion: 0 }
  const dear = { inputUsdPerMillion: 1e6, outputUsdPerMillion: 0 }
  const swarm = new Swarm({
    ...{
      name: 'Team',
      model: callingThen(
        [
          ['ann', { task: 'x' }],
          ['bob', { task: 'x' }],
        ],
        'Done.',
      ),
    },
    ...{ agents: [member('Ann'), member('Bob', undefined, { prices: { 'test/thinking': dear } })] },
    ...{ prices: { 'test/thinking': price }, budget: { usd: 1e6 } },
  })
  expect((await swarm.stream('Go').result).cost?.usd).toBeCloseTo(3 * 1 + 10, 9)
})

function expectWithin(events: readonly AgentEvent[], budget: Budget, id: string): void {
  const most = Number.POSITIVE_INFINITY
  const steps = events.filter(({ type }) => type === 'step-end').length
  expect(steps, `model calls of ${id}`).toBeLessThanOrEqual(budget.modelCalls ?? most)
  expect(callsOf(events), `tool calls of ${id}`).toBeLessThanOrEqual(budget.toolCalls ?? most)
  const tokens = events.flatMap((event) => (event.type === 'step-end' ? [event.usage] : []))
  const used = tokens.reduce((sum, { inputTokens = 0, outputTokens = 0 }) => sum + inputTokens + outputTokens, 0)
  expect(used, `tokens of ${id}`).toBeLessThanOrEqual(budget.tokens ?? most)
}

/** Executed calls: those with a result. */
function callsOf(events: readonly AgentEvent[]): number {
  return events.filter(({ type }) => type === 'tool-result').length
}

/** The events of each agent. An agent that is active several times has them together. */
function runsOf(events: readonly AgentEvent[], id: string): AgentEvent[][] {
  const runs: AgentEvent[][] = []
  let open: AgentEvent[] | undefined
  for (const event of events) {
    const isOwn = event.path.at(-1) === id
    if (isOwn && event.type === 'agent-start') open = []
    if (event.path.includes(id)) open?.push(event)
    if (isOwn && event.type === 'agent-end' && open) {
      runs.push(open)
      open = undefined
    }
  }
  return runs
}

/** Whether there is any text: of the swarm's model, of the active member, or of a member that is done. */
function said(events: readonly AgentEvent[], kind: Kind): boolean {
  return events.some(({ type, path, ...event }) => {
    if (kind === 'manager' || kind === 'parallel') return type === 'text-delta' && path.length === 1
    if (kind === 'handoff') return type === 'text-delta' && path.length === 2
    return type === 'agent-end' && path.length === 2 && 'status' in event && event.status === 'done'
  })
}

it('stores the usage of all members while one of them has the conversation', async () => {
  const { store } = memoryDisk().open()
  const usages: unknown[] = []
  const look = tool({
    ...{ name: 'look', description: 'Looks.', input: { type: 'object' } },
    execute: async (_input, { runId }) => void usages.push((await store.runs.read(runId))?.record.usage),
  })
  const agents = [
    member('Ann', saying([['transfer_to_bob']])),
    member('Bob', saying([['look']], 'Done.'), { functions: [look] }),
  ]
  const swarm = new Swarm({ name: 'Team', agents, collaboration: 'handoff', sessions: store })
  await swarm.chat('Go', { sessionId: 's' })
  expect(usages).toEqual([{ inputTokens: 20, outputTokens: 10, totalTokens: 30 }])
})
