import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, eventsOf, lastWords, linesOf, member, saying } from '../__fixtures__/team.ts'
import { type Collaboration, type Hooks, type Knowledge, Swarm, type SwarmOptions, type Tool, tool } from '../index.ts'

refuseUnhandledRejections()

const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const
const oslo = '{"city":"Oslo"}'
const act: Tool = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'Acted.' })

describe('the output format', () => {
  const team = (collaboration: Collaboration, said: string, options: Partial<SwarmOptions<unknown>> = {}) =>
    new Swarm<unknown>({
      ...{ name: 'Team', model: callingThen([['ann', { task: 'x' }]], said), collaboration, output: city },
      ...{ agents: [member('Ann', saying(said))], retry: { attempts: 1 }, ...options },
    })
  const route: Collaboration = ({ last }) => (last ? undefined : 'ann')
  const kinds: [string, Collaboration][] = [
    ...(['manager', 'parallel', 'sequence', 'handoff'] as const).map((kind): [string, Collaboration] => [kind, kind]),
    ['a function', route],
  ]

  it.each(kinds)('is that of the swarm: %s', async (_what, collaboration) => {
    const result = await team(collaboration, `It is ${oslo}.`).stream('Where?').result
    expect(result).toMatchObject({ finishReason: 'stop', output: { city: 'Oslo' } })
  })

  it.each(kinds)('or the run fails: %s', async (_what, collaboration) => {
    const result = await team(collaboration, 'It is Oslo.').stream('Where?').result
    expect(result.finishReason).toBe('error')
    expect(result.error?.message).toContain('does not have the form')
    expect(result.output).toBeUndefined()
  })

  it('may be missed once by each member that has the conversation', async () => {
    const ann = scriptedModel(['It is Oslo.', { toolCalls: [{ name: 'transfer_to_bo' }] }])
    const bo = scriptedModel(['It is Bergen.', '{"city":"Bergen"}'])
    const agents = [member('Ann', ann), member('Bo', bo)]
    const swarm = new Swarm({ name: 'Team', agents, collaboration: 'handoff', output: city })
    expect(await swarm.stream('Where?').result).toMatchObject({ finishReason: 'stop', output: { city: 'Bergen' } })
  })

  it('may be a member’s own, whose JSON the manager reads', async () => {
    const model = callingThen([['ann', { task: 'x' }]], 'Done.')
    const ann = member('Ann', saying(oslo), { output: city as never })
    await new Swarm({ name: 'Team', model, agents: [ann] }).chat('Where?')
    expect(lastWords(model.requests[1] ?? { messages: [] })).toBe(oslo)
  })
})

describe('the hooks', () => {
  const spies = (name: string, seen: string[]): Hooks => ({
    input: () => void seen.push(`${name} input`),
    beforeModel: () => void seen.push(`${name} beforeModel`),
    afterModel: () => void seen.push(`${name} afterModel`),
    beforeTool: (call) => void seen.push(`${name} beforeTool ${call.name}`),
    afterTool: (call) => void seen.push(`${name} afterTool ${call.name}`),
    output: ({ text }) => ({ text: `${text} (${name})` }),
  })
  const team = (collaboration: Collaboration, seen: string[]) =>
    new Swarm({
      ...{
        name: 'Team',
        model: callingThen([['ann', { task: 'x' }]], 'Done.'),
        collaboration,
        hooks: spies('team', seen),
      },
      agents: [member('Ann', callingThen([['act', {}]], 'I acted.'), { functions: [act], hooks: spies('ann', seen) })],
    })
  const model = (name: string): string[] => [`${name} beforeModel`, `${name} afterModel`]
  const called = ['ann beforeTool act', 'ann afterTool act']

  it('of a manager wrap its run, those of a member the member’s', async () => {
    const seen: string[] = []
    const swarm = team('manager', seen)
    expect(await swarm.chat('Go')).toBe('Done. (team)')
    const inside = ['ann input', ...model('ann'), ...called, ...model('ann')]
    const around = ['team beforeTool ann', ...inside, 'team afterTool ann']
    expect(seen).toEqual(['team input', ...model('team'), ...around, ...model('team')])
  })

  it('of a swarm without a model receive its answer too', async () => {
    const seen: string[] = []
    const { events, result } = await eventsOf(team('sequence', seen).stream('Go'))
    expect(result.text).toBe('I acted. (ann) (team)')
    expect(linesOf(events)).toContain('team text-delta I acted. (ann) (team)')
    expect(seen).toEqual([
      ...['team input', 'team beforeTool ann', 'ann input', ...model('ann'), ...called, ...model('ann')],
      'team afterTool ann',
    ])
  })

  it('of a swarm with handoffs wrap those of the active member', async () => {
    const seen: string[] = []
    expect(await team('handoff', seen).chat('Go')).toBe('I acted. (ann) (team)')
    const both = ['team beforeModel', 'ann beforeModel', 'ann afterModel', 'team afterModel']
    const call = ['team beforeTool act', 'ann beforeTool act', 'ann afterTool act', 'team afterTool act']
    expect(seen).toEqual(['team input', ...both, ...call, ...both])
  })

  it('can block a run with handoffs, a member, and the answer of a sequence', async () => {
    const block = { output: () => ({ block: 'No.' }), beforeTool: () => ({ block: 'Not that.' }) }
    const agents = () => [member('Ann', callingThen([['act', {}]], 'I acted.'), { functions: [act] })]
    for (const collaboration of ['handoff', 'sequence'] as const) {
      const hooks = { output: block.output }
      const { events, result } = await eventsOf(
        new Swarm({ name: 'Team', agents: agents(), collaboration, hooks }).stream('Go'),
      )
      expect(result).toMatchObject({ finishReason: 'content-filter', text: 'No.' })
      if (collaboration === 'handoff') expect(JSON.stringify(events)).not.toContain('I acted.')
    }
    const hooks = { beforeTool: block.beforeTool }
    const swarm = new Swarm({ name: 'Team', agents: agents(), collaboration: 'handoff', hooks })
    const { messages } = await swarm.stream('Go').result
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ isError: true })
  })
})

it.each<Collaboration>(['manager', 'handoff'])('knowledge belongs to its own agent: %s', async (collaboration) => {
  const known = (name: string): Knowledge => ({
    tools: () => [{ ...act, name: `search_${name}` }],
    sync: async () => ({
      indexed: 1,
      unchanged: 0,
      removed: 0,
      pending: 0,
      chunks: 1,
      skipped: [],
      warnings: [],
      mode: 'text',
    }),
    files: async () => ['a.md'],
    close: async () => {},
  })
  const ann = callingThen([['search_ann', {}]], 'Found.')
  const swarm = new Swarm({
    ...{
      name: 'Team',
      model: callingThen(
        [
          ['search_team', {}],
          ['ann', { task: 'x' }],
        ],
        'Done.',
      ),
      collaboration,
    },
    ...{ knowledge: known('team'), agents: [member('Ann', ann, { knowledge: known('ann') })] },
  })
  const { events } = await eventsOf(swarm.stream('Go'))
  const results = linesOf(events).filter((line) => line.includes('tool-result'))
  expect(results).toContain('team/ann tool-result search_ann')
  if (collaboration === 'manager') expect(results).toContain('team tool-result search_team')
})
