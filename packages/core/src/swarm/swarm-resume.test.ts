import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { mortalProcess } from '../__fixtures__/mortal-process.ts'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, eventsOf, member, paying, saying, thinking, wordsOf } from '../__fixtures__/team.ts'
import {
  type Agent,
  type AgentEvent,
  type Budget,
  type Collaboration,
  type Decisions,
  type Model,
  memorySessions,
  type RunResult,
  type SessionStore,
  Swarm,
  type SwarmOptions,
  tool,
} from '../index.ts'

refuseUnhandledRejections()

const session = { sessionId: 's' }
const all = ({ approvals }: RunResult): Decisions =>
  Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))

/** Pays once, then confirms it, also in another process than the one that requested approval. */
const payer = (name: string, done: string[], amount = 5, options = {}): Agent =>
  member(name, callingThen([['pay', { amount }]], `${name} has paid.`), { functions: [paying(done)], ...options })

/** Gives a task to all members, then answers. */
const boss = (): Model =>
  thinking(({ messages, tools = [] }) => {
    const last = messages.at(-1)
    if (last?.role === 'tool' && !last.name.startsWith('transfer_')) return 'All is done.'
    const members = tools.filter(({ name }) => !name.startsWith('transfer_'))
    return members.map(({ name }) => [name, { task: 'Pay.' }])
  })

const collaborations: [string, Collaboration][] = [
  ['manager', 'manager'],
  ['parallel', 'parallel'],
  ['sequence', 'sequence'],
  ['handoff', 'handoff'],
  ['a function', ({ answers }) => ['ann', 'inner'][answers.length]],
]
const pairs = collaborations.flatMap(([one, outer]) =>
  collaborations.map(([other, inner]): [string, Collaboration, Collaboration] => [`${other} in ${one}`, outer, inner]),
)

describe('a suspended swarm is resumed in another process, once', () => {
  /** Pays unless the conversation shows a payment. */
  const dan = (done: string[]): Agent => {
    const model = thinking(({ messages }) => {
      return wordsOf(messages.at(-1)).startsWith('Paid') ? 'Dan has paid.' : [['pay', { amount: 2 }]]
    })
    return member('Dan', model, { functions: [paying(done)] })
  }
  /** Every process creates the same swarm. */
  const make = (sessions: SessionStore, done: string[], outer: Collaboration, inner: Collaboration): Swarm => {
    const route: Collaboration = ({ answers }) => ['cas', 'dan'][answers.length]
    const cas = inner === 'handoff' ? member('Cas', saying([['transfer_to_dan', {}]])) : payer('Cas', done, 1)
    const nested = new Swarm({
      ...{ name: 'Inner', model: boss(), agents: [cas, dan(done)] },
      collaboration: typeof inner === 'function' ? route : inner,
    })
    const ann = outer === 'handoff' ? member('Ann', saying([['transfer_to_inner', {}]])) : payer('Ann', done, 3)
    return new Swarm({ name: 'Team', model: boss(), agents: [ann, nested], collaboration: outer, sessions })
  }

  it.each(pairs)('%s', async (_what, outer, inner) => {
    const sessions = memorySessions()
    const done: string[] = []
    const first = await eventsOf(make(sessions, done, outer, inner).stream('Go', { ...session, onApproval: 'end' }))
    let { result } = first
    const events = [...first.events]
    const requested: string[] = []
    for (let round = 0; result.finishReason === 'approval'; round++) {
      expect(round).toBeLessThan(5)
      expect(result.approvals.length).toBeGreaterThan(0)
      requested.push(...result.approvals.map(({ path = [] }) => path.join('/')))
      const run = make(sessions, done, outer, inner).resume(result.runId, all(result), { onApproval: 'end' })
      const next = await eventsOf(run)
      result = next.result
      events.push(...next.events)
    }
    // Each model step ends as often as it starts, and calls of a plan are no step.
    const { began, ended } = stepsOf(events)
    expect(ended).toEqual(began)
    expect(ended.filter((step) => step.endsWith(' 0'))).toEqual([])
    expect(result.error).toBeUndefined()
    expect(result.finishReason).toBe('stop')
    expect(result.text).not.toBe('')
    expect(done.length).toBe(new Set(done).size)
    expect(done.length).toBe(requested.length)
    expect(done).toContain('paid 2')
    expect(new Set(requested)).toContain('inner/dan')
    // An approval is requested once, and the session is free.
    expect(requested.length).toBe(new Set(requested).size)
    const turns = await sessions.turns({ agentId: 'team', userId: 'default', ...session })
    expect(turns.map(({ status }) => status)).toEqual(['done'])
  })
})

/** The started and the ended steps of each path. */
function stepsOf(events: readonly AgentEvent[]): { began: string[]; ended: string[] } {
  const of = (type: 'step-start' | 'step-end'): string[] =>
    events.flatMap((event) => (event.type === type ? [`${event.path.join('/')} ${event.step}`] : [])).toSorted()
  return { began: of('step-start'), ended: of('step-end') }
}

describe('approvals of members', () => {
  const team = (done: string[], options: Partial<SwarmOptions> = {}) =>
    new Swarm({
      ...{ name: 'Team', model: boss(), agents: [payer('Ann', done, 1), payer('Bob', done, 2)] },
      ...{ collaboration: 'parallel' as const, ...options },
    })

  it('of two parallel members are requested and decided together', async () => {
    const done: string[] = []
    const run = team(done).stream('Go')
    const paths: string[] = []
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      paths.push(event.path.join('/'))
      run.approve(event.approvalId)
    }
    expect(await run.result).toMatchObject({ finishReason: 'stop' })
    expect(paths).toEqual(['team/ann', 'team/bob'])
    expect(done.toSorted()).toEqual(['paid 1', 'paid 2'])
  })

  it('can be decided one by one: the others stay open', async () => {
    const done: string[] = []
    const swarm = team(done)
    const first = await swarm.stream('Go').result
    expect(first.approvals).toHaveLength(2)
    const [ann, bob] = first.approvals
    const second = await swarm.resume(first.runId, { [bob?.approvalId ?? '']: true }).result
    expect(second).toMatchObject({ finishReason: 'approval', approvals: [{ approvalId: ann?.approvalId }] })
    expect(done).toEqual(['paid 2'])
    const third = await swarm.resume(first.runId, { [ann?.approvalId ?? '']: { deny: 'Enough.' } }).result
    expect(third).toMatchObject({ finishReason: 'stop', approvals: [] })
    expect(done).toEqual(['paid 2'])
  })

  it('are requested one after the other by one member', async () => {
    const done: string[] = []
    const ann = member('Ann', saying([['pay', { amount: 1 }]], [['pay', { amount: 2 }]], 'Both.'), {
      functions: [paying(done)],
    })
    const swarm = team(done, { agents: [ann] })
    const run = swarm.stream('Go')
    const events: AgentEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'approval-request') run.approve(event.approvalId)
    }
    expect(await run.result).toMatchObject({ finishReason: 'stop', warnings: [] })
    expect(done).toEqual(['paid 1', 'paid 2'])
    const ends = events.flatMap((event) => (event.type === 'agent-end' ? [event.status] : []))
    expect(ends).toEqual(['waiting', 'waiting', 'done'])
  })

  it('of nested members can be decided in part', async () => {
    const done: string[] = []
    const inner = new Swarm({
      ...{ name: 'Inner', model: boss(), collaboration: 'parallel' },
      agents: [payer('Cas', done, 3), payer('Dan', done, 4)],
    })
    const swarm = team(done, { agents: [payer('Ann', done, 1), inner] })
    let result = await swarm.stream('Go', session).result
    expect(result.approvals.map(({ path }) => path?.join('/'))).toEqual(['ann', 'inner/cas', 'inner/dan'])
    for (const left of [2, 1, 0]) {
      const last = result.approvals.at(-1)
      result = await swarm.resume(result.runId, { [last?.approvalId ?? '']: true }).result
      expect(result.approvals).toHaveLength(left)
    }
    expect(result.finishReason).toBe('stop')
    expect(done).toEqual(['paid 4', 'paid 3', 'paid 1'])
  })

  it('are withdrawn by cancel(), and kept when the time of the signal is over', async () => {
    const done: string[] = []
    const swarm = team(done)
    const cancelled = swarm.stream('Go', session)
    for await (const { type } of cancelled) if (type === 'approval-request') cancelled.cancel()
    const { finishReason, approvals, runId } = await cancelled.result
    expect([finishReason, approvals]).toEqual(['aborted', []])
    expect((await swarm.resume(runId, {}).result).error?.code).toBe('session-conflict')

    const late = swarm.stream('Go', { ...session, signal: AbortSignal.timeout(40) })
    for await (const event of late) void event
    const waits = await late.result
    expect(waits).toMatchObject({ finishReason: 'approval', approvals: [{}, {}] })
    expect(await swarm.resume(waits.runId, all(waits)).result).toMatchObject({ finishReason: 'stop' })
    expect(done.toSorted()).toEqual(['paid 1', 'paid 2'])
  })

  it.each<Collaboration>(['parallel', 'sequence', 'handoff'])(
    'fail when the member was removed: %s',
    async (collaboration) => {
      const done: string[] = []
      const swarm = team(done, {
        collaboration,
        agents: [payer('Ann', done, 1), member('Bob', saying('Bob is here.'))],
      })
      const waiting = await swarm.stream('Go', session).result
      expect(waiting.finishReason).toBe('approval')
      swarm.removeAgent('ann')
      const result = await swarm.resume(waiting.runId, all(waiting)).result
      expect(result).toMatchObject({ finishReason: 'stop', approvals: [] })
      expect(done).toEqual([])
      expect(await swarm.chat('Next', session)).not.toBe('')
    },
  )

  it('include a hook’s call, which ends if the hook blocks it later', async () => {
    const done: string[] = []
    let calls = 0
    const hooks = { beforeTool: () => (++calls > 1 ? { block: 'Not any more.' } : undefined) }
    const swarm = team(done, { agents: [payer('Ann', done)], hooks })
    const waiting = await swarm.stream('Go').result
    const result = await swarm.resume(waiting.runId, all(waiting)).result
    expect(result.finishReason).toBe('stop')
    expect(done).toEqual([])
  })

  it('in the step of a handoff delay the handoff until they are decided', async () => {
    const done: string[] = []
    const sessions = memorySessions()
    const make = () => {
      const calls: [string, object][] = [
        ['pay', { amount: 1 }],
        ['transfer_to_bob', {}],
      ]
      const ann = member('Ann', callingThen(calls, 'I am still Ann.'), { functions: [paying(done)] })
      return new Swarm({
        name: 'Team',
        collaboration: 'handoff',
        agents: [ann, member('Bob', saying('I am Bob.'))],
        sessions,
      })
    }
    const waiting = await make().stream('Go', session).result
    const result = await make().resume(waiting.runId, all(waiting)).result
    expect(result).toMatchObject({ finishReason: 'stop', text: 'I am Bob.' })
    expect(done).toEqual(['paid 1'])
  })

  it('in the step of a handoff of a nested swarm are requested once', async () => {
    const calls: [string, object][] = [
      ['pay', { amount: 1 }],
      ['transfer_to_dan', {}],
    ]
    const cas = member('Cas', callingThen(calls, 'x'), { functions: [paying([])] })
    const inner = new Swarm({
      name: 'Inner',
      collaboration: 'handoff',
      agents: [cas, member('Dan', saying('I am Dan.'))],
    })
    const swarm = new Swarm({ name: 'Team', collaboration: 'handoff', agents: [inner, member('Bob')] })
    const waiting = await swarm.stream('Go', session).result
    const { events, result } = await eventsOf(swarm.resume(waiting.runId, all(waiting)))
    expect(result).toMatchObject({ finishReason: 'stop', text: 'I am Dan.' })
    expect(events.filter(({ type }) => type === 'handoff')).toMatchObject([
      { to: 'dan', path: ['team', 'inner', 'cas'] },
    ])
  })

  it('do not change the steps that the active member has left', async () => {
    const work = tool({ name: 'work', description: 'd', input: { type: 'object' }, execute: () => 'Worked.' })
    const ann = member('Ann', saying([['work', { of: 1 }]], [['work', { of: 2 }]], [['transfer_to_bob', {}]]), {
      functions: [work],
    })
    const bob = member('Bob', saying([['pay', { amount: 1 }]], [['pay', { amount: 2 }]], 'Done.'), {
      ...{ functions: [paying([])], maxSteps: 3 },
    })
    const swarm = new Swarm({ name: 'Team', collaboration: 'handoff', agents: [ann, bob] })
    let result = await swarm.stream('Go', session).result
    while (result.finishReason === 'approval') result = await swarm.resume(result.runId, all(result)).result
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.', steps: 6 })
  })

  it('report the warnings of a member once', async () => {
    const warned = callingThen([['pay', { amount: 1 }]], 'Paid.')
    const { stream } = warned
    let steps = 0
    const model: Model = {
      ...warned,
      async *stream(request, signal) {
        for await (const event of stream(request, signal))
          yield event.type === 'finish' ? { ...event, warnings: ['Hm.', `Step ${++steps}.`] } : event
      },
    }
    const swarm = team([], { agents: [member('Ann', model, { functions: [paying([])] })] })
    const waiting = await swarm.stream('Go').result
    const result = await swarm.resume(waiting.runId, all(waiting)).result
    expect(result.warnings).toEqual(['Ann: Hm.', 'Ann: Step 1.', 'Ann: Step 2.'])
  })
})

describe('a resumed run has the rest of its budget', () => {
  const paysOn = (done: string[], budget?: Budget): Agent =>
    member('Ann', saying([['pay', { amount: 1 }]]), {
      functions: [paying(done)],
      guard: false,
      ...(budget ? { budget } : {}),
    })

  it.each<[string, Collaboration, Partial<SwarmOptions>, Budget | undefined]>([
    ['the run’s, with a manager', 'manager', { budget: { modelCalls: 4 } }, undefined],
    ['the member’s, with a manager', 'manager', {}, { modelCalls: 3 }],
    ['the run’s, with handoffs', 'handoff', { budget: { modelCalls: 3 } }, undefined],
    ['the member’s, with handoffs', 'handoff', {}, { modelCalls: 3 }],
    ['the member’s tool calls, with handoffs', 'handoff', {}, { toolCalls: 2 }],
  ])('%s', async (_what, collaboration, options, budget) => {
    const sessions = memorySessions()
    const done: string[] = []
    const make = () =>
      new Swarm({
        ...{ name: 'Team', model: callingThen([['ann', { task: 'Pay.' }]], 'Done.'), collaboration, sessions },
        ...{ agents: [paysOn(done, budget)], ...options },
      })
    let result = await make().stream('Go', session).result
    let rounds = 0
    for (; result.finishReason === 'approval'; rounds++) {
      expect(rounds).toBeLessThan(6)
      result = await make().resume(result.runId, all(result)).result
    }
    expect(rounds).toBe(done.length + (budget?.toolCalls ? 1 : 0))
    expect(done.length).toBe(budget?.toolCalls ? 2 : 3)
    const isMembers = collaboration === 'manager' && budget
    expect(result.finishReason).toBe(isMembers ? 'stop' : 'budget')
  })

  it('also a member that is active several times', async () => {
    const ping = saying([['transfer_to_pong', {}]])
    const work = tool({
      name: 'work',
      description: 'd',
      input: { type: 'object' },
      execute: () => String(Math.random()),
    })
    const pong = saying([
      ['work', {}],
      ['transfer_to_ping', {}],
    ])
    const swarm = new Swarm({
      ...{ name: 'Team', collaboration: 'handoff' },
      agents: [member('Ping', ping), member('Pong', pong, { budget: { modelCalls: 3 }, functions: [work] })],
    })
    expect(await swarm.stream('Go').result).toMatchObject({ finishReason: 'budget' })
    expect(pong.requests).toHaveLength(3)
  })
})

it('requests the same approvals in the events and in the result', async () => {
  const done: string[] = []
  const inner = new Swarm({ name: 'Inner', collaboration: 'handoff', agents: [payer('Cas', done)] })
  const swarm = new Swarm({ name: 'Team', model: boss(), agents: [inner] })
  const { events, result } = await eventsOf(swarm.stream('Go', { onApproval: 'end' }))
  const requested = events.filter((event) => event.type === 'approval-request')
  expect(requested.map(({ path }) => path.slice(1))).toEqual(result.approvals.map(({ path }) => path))
  expect(requested.map(({ path }) => path.join('/'))).toEqual(['team/inner/cas'])
})

it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'a swarm that hands its conversation over asks no one when its process dies at write %i',
  async (number) => {
    const disk = memoryDisk()
    const make = (sessions: SessionStore): Swarm => {
      const agents = [member('Ann', saying([['transfer_to_bob']])), member('Bob')]
      return new Swarm({ name: 'Team', agents, collaboration: 'handoff', sessions })
    }
    const process = mortalProcess(disk, { number, hasEffect: true })
    const run = make(process.store).stream('Go', { ...session, resumable: true })
    await Promise.race([process.died, run.result])
    const { store } = disk.open()
    if ((await store.runs.read(run.runId))?.record.status !== 'running') return
    const result = await make(store).continueRun(run.runId).result
    expect(result).toMatchObject({ text: 'Bob has answered.', approvals: [] })
  },
)

const steps = 4
const endless: [string, (options: { name: string; maxSteps: number }) => Swarm][] = [
  [
    'a routing function',
    (options) => {
      const collaboration: Collaboration = ({ answers }) => ({ agent: 'ann', task: `Part ${answers.length}.` })
      return new Swarm({ ...options, collaboration, agents: [payer('Ann', [])] })
    },
  ],
  [
    'handoffs',
    (options) => {
      const turns = (to: string): Model => {
        return thinking(({ messages }) => {
          const last = messages.at(-1)
          const amount = messages.length
          return last?.role === 'tool' && last.name === 'pay' ? [[`transfer_to_${to}`]] : [['pay', { amount }]]
        })
      }
      const agents = [
        member('Ann', turns('bob'), { functions: [paying([])] }),
        member('Bob', turns('ann'), { functions: [paying([])] }),
      ]
      return new Swarm({ ...options, collaboration: 'handoff', agents })
    },
  ],
]

it.each(endless)('a swarm with %s has its `maxSteps` over all resumes', async (_kind, make) => {
  const swarm = make({ name: 'Team', maxSteps: steps })
  let result = await swarm.stream('Go', session).result
  let waits = 0
  for (; result.finishReason === 'approval' && waits <= steps; waits++) {
    result = await swarm.resume(result.runId, all(result)).result
  }
  expect({ reason: result.finishReason, waits }).toEqual({ reason: 'max-steps', waits: steps })
})
