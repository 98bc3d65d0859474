import { describe, expect, it } from 'vitest'
import { type Random, randomOf } from '../__fixtures__/random.ts'
import { eventsOf, member, thinking } from '../__fixtures__/team.ts'
import { type Budget, Swarm, type Workflow, workflow } from '../index.ts'

const seeds = Array.from({ length: 200 }, (_, seed) => seed)

/** The requests and the usage of the models of one tree. */
type Seen = { calls: number; tokens: number }

describe('random workflows', () => {
  it.each(seeds)('start no call beyond their budget, and report the sum of their usage (seed %i)', async (seed) => {
    const random = randomOf(seed)
    const seen: Seen = { calls: 0, tokens: 0 }
    const budget: Budget = { modelCalls: random.below(20) }
    const { events, result } = await eventsOf(anyFlow(random, seen, 3).stream('Go', { budget }))
    expect(seen.calls).toBeLessThanOrEqual(budget.modelCalls as number)
    expect((result.usage.inputTokens ?? 0) + (result.usage.outputTokens ?? 0)).toBe(seen.tokens)
    expect(['stop', 'budget']).toContain(result.finishReason)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const usages = events.flatMap((event) => (event.type === 'step-end' ? [event.usage] : []))
    // A run that a function starts is charged to the workflow, and emits its own events.
    expect(usages.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0)).toBeLessThanOrEqual(
      result.usage.inputTokens ?? 0,
    )
    const open = new Map<string, number>()
    for (const { type, path } of events) {
      const change = type === 'agent-start' ? 1 : type === 'agent-end' ? -1 : 0
      open.set(path.join('/'), (open.get(path.join('/')) ?? 0) + change)
    }
    expect([...open.values()].filter((count) => count !== 0)).toEqual([])
  })

  it('are ended by the budget in some cases only', async () => {
    const ends = seeds.map(async (seed) => {
      const random = randomOf(seed)
      const budget: Budget = { modelCalls: random.below(20) }
      return (await anyFlow(random, { calls: 0, tokens: 0 }, 3).stream('Go', { budget }).result).finishReason
    })
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['stop', 'budget']))
  })
})

function anyFlow(random: Random, seen: Seen, depth: number): Workflow<string, string> {
  const agent = () =>
    member(
      `M${random.below(9)}`,
      thinking(() => {
        seen.calls++
        seen.tokens += 15
        return 'Said.'
      }),
    )
  const helper = agent()
  const part = (): Workflow<string, string> => {
    const kind = random.below(depth > 0 ? 6 : 3)
    const flow = workflow({ name: `F${depth}` })
    if (kind === 0) return flow.step(agent())
    if (kind === 1) return flow.step((text) => helper.chat(text))
    if (kind === 2) return flow.step(new Swarm({ name: 'Team', agents: [agent()], collaboration: 'sequence' }))
    const inner = anyFlow(random, seen, depth - 1)
    if (kind === 3) return flow.parallel([inner, agent(), agent()]).step((texts) => texts.join(' '))
    if (kind === 4) return flow.loop(inner, { maxIterations: 1 + random.below(3) })
    return flow.branch((text) => text.length > 5, inner, agent())
  }
  return workflow({ name: 'Any', budget: random.oneIn(5) ? { modelCalls: random.below(9) } : {} })
    .step(part())
    .step(part())
}
