import { describe, expect, it } from 'vitest'
import { anySwarm, pairs } from '../__fixtures__/any-swarm.ts'
import { randomOf } from '../__fixtures__/random.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, eventsOf, member, paying, saying } from '../__fixtures__/team.ts'
import { Agent, type AgentEvent, type Citation, type Collaboration, type Model, Swarm, tool } from '../index.ts'

refuseUnhandledRejections()

const places: Record<string, string> = {
  ...{ team: 'team', a: 'team/a', b: 'team/b', inner: 'team/inner' },
  ...{ c: 'team/inner/c', d: 'team/inner/d', e: 'team/inner/e' },
}

describe.each(pairs)('the events of a swarm agree with its result: %s, with %s in it', (outer, inner) => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('seed %i', async (seed) => {
    const { swarm, seen } = anySwarm(randomOf(seed), { kinds: [outer, inner] })
    const { events, result } = await eventsOf(swarm.stream('Go'))
    expect(result.finishReason, result.error?.message).toBe('stop')
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    for (const { path } of events) expect(path.join('/')).toBe(places[path.at(-1) ?? ''])
    for (const [id, said] of seen.said) expect(textOf(events, id), id).toBe(said.join(''))
    const calls = events.filter(({ type }) => type === 'tool-call').map(callOf)
    const results = events.filter(({ type }) => type === 'tool-result').map(callOf)
    expect(results.toSorted()).toEqual(calls.toSorted())
    expect(seen.problems).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'run-end', text: result.text, usage: result.usage })
    expect(textOf(events, outer === 'handoff' ? lastHolder(events) : 'team').endsWith(result.text)).toBe(true)
  })
})

function textOf(events: readonly AgentEvent[], id: string): string {
  return events.map((event) => (event.type === 'text-delta' && event.path.at(-1) === id ? event.text : '')).join('')
}

function callOf(event: AgentEvent): string {
  return 'callId' in event ? `${event.path.join('/')} ${event.callId}` : ''
}

function lastHolder(events: readonly AgentEvent[]): string {
  return events.findLast(({ type }) => type === 'text-delta')?.path.at(-1) ?? ''
}

describe('sources and warnings of members', () => {
  const passage = (chunkId: string): Citation => ({
    ...{ file: 'a.md', start: 0, end: 1, quote: 'a', chunkId, score: { fused: 1 } },
  })
  const look = (chunkId: string) =>
    tool({
      ...{ name: 'look', description: 'Looks.', input: { type: 'object' } },
      execute(_input, { cite }) {
        cite([passage('shared'), passage(chunkId)])
        return 'Seen.'
      },
    })
  const warned = (model: Model, warning: string): Model => ({
    ...model,
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal)) {
        yield event.type === 'finish' && event.reason === 'stop' ? { ...event, warnings: [warning] } : event
      }
    },
  })
  const finder = (name: string, answer = callingThen([['look', {}]], `${name} found it.`)): Agent =>
    member(name, warned(answer, `${name} is tired.`), { functions: [look(name)] })

  it.each<Collaboration>(['manager', 'parallel', 'sequence', 'handoff'])(
    'are reported once: %s',
    async (collaboration) => {
      const calls: [string, object][] = [
        ['inner', { task: 'x' }],
        ['bob', { task: 'x' }],
      ]
      const inner = new Swarm({ name: 'Inner', agents: [finder('Ann')], collaboration: 'sequence' })
      const ann = finder('Ann', saying([['look', {}]], 'Ann found it.'))
      const bob =
        collaboration === 'handoff' ? finder('Bob', saying([['look', {}]], [['transfer_to_ann', {}]], 'x')) : undefined
      const swarm = new Swarm({
        ...{ name: 'Team', model: callingThen(calls, 'Done.'), collaboration },
        agents: bob ? [bob, ann] : [inner, finder('Bob')],
      })
      const { events, result } = await eventsOf(swarm.stream('Go'))
      expect(result.sources.map(({ chunkId }) => chunkId).toSorted()).toEqual(['Ann', 'Bob', 'shared'])
      const expected = bob ? ['Ann: Ann is tired.'] : ['Bob: Bob is tired.', 'Inner: Ann: Ann is tired.']
      expect(result.warnings.toSorted()).toEqual(expected)
      expect(events.filter(({ type }) => type === 'source').length).toBeGreaterThanOrEqual(3)
    },
  )
})

describe('options of a swarm without effect', () => {
  const functions = [tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'Seen.' })]
  const team = (collaboration: Collaboration, agents: Agent[] = [member('Ann')]) =>
    new Swarm({ name: 'Team', agents, collaboration, model: saying('Done.'), instruction: 'Be brief.', functions })
  const expectedFor = (kind: string): string[] =>
    ['instruction', 'functions'].map(
      (option) => `\`${option}\` of the swarm "Team" has no effect with ${kind}: give it to the members.`,
    )

  it.each<[string, Collaboration, string[]]>([
    ['handoff', 'handoff', expectedFor('`collaboration: "handoff"`')],
    ['sequence', 'sequence', expectedFor('`collaboration: "sequence"`')],
    ['a function', ({ last }) => (last ? undefined : 'ann'), expectedFor('a function as `collaboration`')],
    ['manager', 'manager', []],
    ['parallel', 'parallel', []],
  ])('cause warnings: %s', async (_kind, collaboration, warnings) => {
    expect((await team(collaboration).stream('Go').result).warnings).toEqual(warnings)
  })

  it('cause a warning: tools of the client, which members are not given', async () => {
    const given = { name: 'Team', agents: [member('Ann')], clientTools: { max: 1 } }
    const { warnings } = await new Swarm({ ...given, collaboration: 'handoff' }).stream('Go').result
    expect(warnings).toEqual([expect.stringContaining('`clientTools` of the swarm "Team" has no effect')])
    expect((await new Swarm({ ...given, model: saying('Done.') }).stream('Go').result).warnings).toEqual([])
  })

  it('cause warnings: a hook `input` and an `output` of a member that is handed the conversation', async () => {
    const output = { type: 'object', properties: { n: { type: 'integer' } } } as const
    const checked = { name: 'Ann', functions: [], hooks: { input: () => ({ block: 'No.' }) }, output }
    const agents = (): Agent[] => [new Agent({ ...checked, model: saying('Done.') }) as Agent]
    const warningsOf = async (options: object): Promise<string[]> => {
      const swarm = new Swarm({ name: 'Team', agents: agents(), collaboration: 'handoff', ...options })
      return (await swarm.stream('Go').result).warnings
    }
    const kind = '`collaboration: "handoff"`: give it to the swarm.'
    const input = `The hook \`input\` of the member "Ann" has no effect with ${kind}`
    expect(await warningsOf({})).toEqual([input, `\`output\` of the member "Ann" has no effect with ${kind}`])
    expect(await warningsOf({ output: { type: 'string' } })).toContain(input)
  })

  it('cause no warning when they are absent', async () => {
    const swarm = new Swarm({ name: 'Team', agents: [member('Ann')], collaboration: 'handoff', functions: [] })
    expect((await swarm.stream('Go').result).warnings).toEqual([])
  })

  it('cause one warning, also in a resumed run and for a member that is active twice', async () => {
    const done: string[] = []
    const ann = member('Ann', callingThen([['pay', { amount: 1 }]], 'Paid.'), { functions: [paying(done)] })
    const swarm = team('sequence', [ann])
    const { runId, approvals } = await swarm.stream('Go').result
    const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
    const { warnings } = await swarm.resume(runId, decisions).result
    expect([done, warnings]).toEqual([['paid 1'], expectedFor('`collaboration: "sequence"`')])

    const inner = team('sequence', [member('Bob', saying('Bob.'))])
    const outer = new Swarm({
      ...{ name: 'Outer', collaboration: 'handoff' },
      agents: [member('Cas', saying([['transfer_to_team']], 'Cas.')), inner],
    })
    const result = await outer.stream('Go').result
    expect(result.warnings).toEqual(expectedFor('`collaboration: "sequence"`').map((warning) => `Team: ${warning}`))
  })
})

it('do not report changed tools where agents of two swarms with the same id have the conversation in turn', async () => {
  const agents = [member('Bob', saying([['transfer_to_cas']])), member('Cas', saying('Done.'))]
  const inner = new Swarm({ name: 'Inner', agents, collaboration: 'handoff' })
  const outer = [member('Bob', saying([['transfer_to_inner']])), inner]
  const { warnings } = await new Swarm({ name: 'Team', agents: outer, collaboration: 'handoff' }).stream('Go').result
  expect(warnings).toEqual([])
})
