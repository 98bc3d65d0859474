import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { callingThen, eventsOf, linesOf, member, paying, saying, wordsOf } from '../__fixtures__/team.ts'
import { type Collaboration, memorySessions, type SessionStore, Swarm, tool } from '../index.ts'

const session = { userId: 'ann', sessionId: 's' }

/** Every process creates the same: a swarm two deep, whose innermost member may pay after approval. */
function process(sessions: SessionStore, done: string[], collaboration: Collaboration = 'manager') {
  const clerk = callingThen([['pay', { amount: 5 }]], 'It is paid.')
  const inner = new Swarm({
    name: 'Office',
    model: callingThen([['clerk', { task: 'Pay 5.' }]], 'The office has paid.'),
    agents: [member('Clerk', clerk, { functions: [paying(done)] })],
  })
  const boss = callingThen(
    [
      ['office', { task: 'Pay the bill.' }],
      ['ann', { task: 'Look.' }],
    ],
    'All is done.',
  )
  const ann = saying('Ann has looked.')
  const swarm = new Swarm({
    ...{ name: 'Firm', model: boss, sessions, collaboration },
    agents: [inner, member('Ann', ann)],
  })
  return { swarm, boss, clerk, ann }
}

describe('an approval of a nested member', () => {
  it('is requested by the outermost run once everything is stored, and resumes in place', async () => {
    const done: string[] = []
    const { swarm, boss, clerk, ann } = process(memorySessions(), done)
    const run = swarm.stream('Pay', session)
    const lines: string[] = []
    for await (const event of run) {
      lines.push(...linesOf([event]))
      if (event.type !== 'approval-request') continue
      expect(event.path).toEqual(['firm', 'office', 'clerk'])
      expect(event).toMatchObject({ name: 'pay', input: { amount: 5 } })
      expect(done).toEqual([])
      run.approve(event.approvalId)
    }
    const result = await run.result
    expect(result).toMatchObject({ text: 'All is done.', finishReason: 'stop', approvals: [] })
    expect(done).toEqual(['paid 5'])
    expect(lines.filter((line) => line.includes('agent-'))).toEqual(
      expect.arrayContaining(['firm/office/clerk agent-end waiting', 'firm/office/clerk agent-end done']),
    )
    expect(lines.filter((line) => line.includes('run-'))).toEqual(['firm run-start', 'firm run-end stop'])
    expect([boss.requests.length, clerk.requests.length, ann.requests.length]).toEqual([2, 2, 1])
    expect(boss.requests[1]?.messages.slice(-2).map(wordsOf)).toEqual(['The office has paid.', 'Ann has looked.'])
  })

  it('has an id of its own, also when the models use the ids of calls again', async () => {
    const done: string[] = []
    const ask = { toolCalls: [{ callId: 'ask', name: 'clerk', input: { task: 'Pay 5.' } }] }
    const pay = { toolCalls: [{ callId: 'pay', name: 'pay', input: { amount: 5 } }] }
    const clerk = member('Clerk', scriptedModel([pay, 'Paid.', pay, 'Paid.']), { functions: [paying(done)] })
    const swarm = new Swarm({ name: 'Firm', model: scriptedModel([ask, ask, 'Both are paid.']), agents: [clerk] })
    const run = swarm.stream('Pay twice')
    const ids = new Set<string>()
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      ids.add(event.approvalId)
      expect(event.approvalId).toMatch(/^apr_[0-9A-Za-z]{22}$/)
      run.approve(event.approvalId)
    }
    expect(await run.result).toMatchObject({ text: 'Both are paid.' })
    expect([ids.size, done]).toEqual([2, ['paid 5', 'paid 5']])
  })

  it('of a run that an earlier version has suspended is decided by the id that it showed then', async () => {
    const sessions = memorySessions()
    const done: string[] = []
    const make = () => {
      const ask = { toolCalls: [{ callId: 'ask', name: 'clerk', input: { task: 'Pay 5.' } }] }
      const pay = { toolCalls: [{ callId: 'pay', name: 'pay', input: { amount: 5 } }] }
      const clerk = member('Clerk', scriptedModel([pay, 'Paid.']), { functions: [paying(done)] })
      return new Swarm({ name: 'Firm', model: scriptedModel([ask, 'It is paid.']), agents: [clerk], sessions })
    }
    const first = make()
    const { runId } = await first.stream('Pay', session).result
    // Earlier versions stored neither the call nor the kind.
    const key = { agentId: 'firm', ...session, sessionId: 's' }
    const { version = 0, state } = (await sessions.load(key)) ?? {}
    const old = JSON.parse(JSON.stringify(state), (name, value) => {
      if (name === 'call') return undefined
      return name === 'approvals' ? [{ ...value[0], approvalId: 'ask/1-pay', kind: undefined }] : value
    })
    await sessions.begin(key, { runId, expectedVersion: version, input: [] })
    await sessions.append(runId, [], old)
    await sessions.end(runId, 'waiting')
    const shown = await first.resume(runId, {}).result
    expect(shown.approvals).toMatchObject([{ kind: 'approval', path: ['clerk'] }])
    expect(shown.approvals[0]?.approvalId).toMatch(/^apr_[0-9A-Za-z]{22}$/)
    expect(await first.resume(runId, { 'ask/1-pay': true }).result).toMatchObject({ text: 'It is paid.' })
    expect(done).toEqual(['paid 5'])
  })

  it.each<[string, Collaboration]>([
    ['a manager', 'manager'],
    ['members at once', 'parallel'],
  ])('survives a restart: %s', async (_what, collaboration) => {
    const sessions = memorySessions()
    const done: string[] = []
    const first = process(sessions, done, collaboration)
    const waiting = await first.swarm.stream('Pay', session).result
    expect(waiting).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay', path: ['office', 'clerk'] }] })
    expect(done).toEqual([])

    const second = process(sessions, done, collaboration)
    const decisions = Object.fromEntries(waiting.approvals.map(({ approvalId }) => [approvalId, true as const]))
    const { result } = await eventsOf(second.swarm.resume(waiting.runId, decisions))
    expect(result.error).toBeUndefined()
    expect(done).toEqual(['paid 5'])
    expect(second.clerk.requests.at(-1)?.messages.map(wordsOf)).toEqual(['Pay 5.', '[tool-call]', 'Paid 5.'])
    expect(second.ann.requests).toEqual([])
  })

  it('can be denied, and the member receives the reason', async () => {
    const done: string[] = []
    const { swarm, clerk } = process(memorySessions(), done)
    const waiting = await swarm.stream('Pay', session).result
    const decisions = Object.fromEntries(waiting.approvals.map(({ approvalId }) => [approvalId, { deny: 'Too much.' }]))
    const { result } = await eventsOf(swarm.resume(waiting.runId, decisions))
    expect(result.finishReason).toBe('stop')
    expect(done).toEqual([])
    expect(wordsOf(clerk.requests[1]?.messages.at(-1))).toContain('Too much.')
  })

  it('stays open without a decision or with an unknown one', async () => {
    const done: string[] = []
    const { swarm } = process(memorySessions(), done)
    const waiting = await swarm.stream('Pay', session).result
    const wrong = await swarm.resume(waiting.runId, { 'no-such': true }).result
    expect(wrong.error?.code).toBe('invalid-argument')
    const still = await swarm.resume(waiting.runId, {}).result
    expect(still).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay' }] })
    expect(done).toEqual([])
  })
})

it('hands a conversation over once a call beside the handoff is decided', async () => {
  const done: string[] = []
  const clerk = callingThen([['transfer_to_ann'], ['pay', { amount: 5 }]], 'Never said.')
  const swarm = new Swarm({
    ...{ name: 'Desk', collaboration: 'handoff' },
    agents: [member('Clerk', clerk, { functions: [paying(done)] }), member('Ann')],
  })
  const waiting = await eventsOf(swarm.stream('Pay', { ...session, onApproval: 'end' }))
  expect(waiting.result).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay', path: ['clerk'] }] })
  expect(linesOf(waiting.events).slice(-2)).toEqual(['desk/clerk agent-end waiting', 'desk run-end approval'])
  const { runId, approvals } = waiting.result
  const decisions = { [approvals[0]?.approvalId ?? '']: true as const }
  const { result, events } = await eventsOf(swarm.resume(runId, decisions))
  expect(result).toMatchObject({ finishReason: 'stop', text: 'Ann has answered.', approvals: [] })
  expect(linesOf(events)).toContain('desk/clerk handoff ann')
  expect(done).toEqual(['paid 5'])
})

it('lets the active member of a conversation request approval, and resumes it after a restart', async () => {
  const sessions = memorySessions()
  const done: string[] = []
  const make = (...turns: Parameters<typeof saying>) =>
    new Swarm({
      ...{ name: 'Desk', sessions, collaboration: 'handoff' as const },
      agents: [
        member('Front', saying([['transfer_to_clerk', {}]])),
        member('Clerk', saying(...turns), { functions: [paying(done)] }),
      ],
    })
  const waiting = await make([['pay', { amount: 7 }]]).stream('Pay', session).result
  expect(waiting).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay', path: ['clerk'] }] })
  const [approval] = waiting.approvals
  const { events, result } = await eventsOf(
    make('Paid, then.').resume(waiting.runId, { [approval?.approvalId ?? '']: true }),
  )
  expect(result).toMatchObject({ text: 'Paid, then.', finishReason: 'stop' })
  expect(done).toEqual(['paid 7'])
  expect(linesOf(events)).toContain('desk/clerk tool-result pay')
})

it('leaves the active member the time that it had when it began to wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const done: string[] = []
  const clerk = member('Clerk', callingThen([['pay', { amount: 7 }]], 'Paid.'), {
    functions: [paying(done)],
    timeoutMs: 1_000,
  })
  const run = new Swarm({ name: 'Desk', agents: [clerk], collaboration: 'handoff' }).stream('Pay', session)
  for await (const event of run) {
    if (event.type !== 'approval-request') continue
    await vi.advanceTimersByTimeAsync(60_000)
    run.approve(event.approvalId)
  }
  expect(await run.result).toMatchObject({ text: 'Paid.', finishReason: 'stop' })
})

it('names the member that has warned, once, also where the run waited meanwhile', async () => {
  const broken = tool({
    ...{ name: 'broken', description: 'Fails.', input: { type: 'object' }, execute: () => 1 },
  })
  const isEnabled = (): never => {
    throw new Error('no')
  }
  const desk = (sessions: SessionStore): Swarm => {
    const model = callingThen([['pay', { amount: 7 }]], 'Paid.')
    const clerk = member('Clerk', model, { functions: [paying([]), { ...broken, isEnabled }] })
    return new Swarm({ name: 'Desk', agents: [clerk], collaboration: 'handoff', sessions })
  }
  for (const sessions of [memorySessions(), memoryDisk().open().store]) {
    const swarm = desk(sessions)
    const { runId, approvals, warnings } = await swarm.stream('Pay', session).result
    expect(warnings).toEqual(['Clerk: The run has no tool "broken", whose `isEnabled` failed: no'])
    const decisions = { [approvals[0]?.approvalId ?? '']: true as const }
    expect((await swarm.resume(runId, decisions).result).warnings).toEqual(warnings)
    if (sessions.runs) expect((await swarm.result(runId)).warnings).toEqual(warnings)
  }
})

describe('the events of members that have a conversation which waits', () => {
  const desk = (sessions: SessionStore, budget = {}): Swarm => {
    const clerk = member('Clerk', callingThen([['pay', { amount: 7 }]], 'Paid.'), { functions: [paying([])], budget })
    const office = new Swarm({ name: 'Office', agents: [clerk], collaboration: 'handoff' })
    return new Swarm({ name: 'Desk', agents: [office], collaboration: 'handoff', sessions })
  }
  const ends = ['desk/office/clerk agent-end waiting', 'desk/office agent-end waiting', 'desk run-end approval']
  const starts = ['desk run-start', 'desk/office agent-start', 'desk/office/clerk agent-start']
  const options = { ...session, resumable: true, onApproval: 'end' as const }

  it('end with the run, and begin again where it continues', async () => {
    const swarm = desk(memoryDisk().open().store)
    const first = await eventsOf(swarm.stream('Pay', options))
    expect(linesOf(first.events).slice(-3)).toEqual(ends)
    const [approval] = first.result.approvals
    const second = await eventsOf(swarm.resume(first.result.runId, { [approval?.approvalId ?? '']: true }))
    expect(linesOf(second.events).slice(0, 3)).toEqual(starts)
    expect(second.result).toMatchObject({ text: 'Paid.' })
  })

  it('end as aborted where the run is aborted before it waits', async () => {
    const { store } = memoryDisk().open()
    const controller = new AbortController()
    const suspend: typeof store.runs.suspend = async () => {
      controller.abort()
      return new Promise(() => {})
    }
    const swarm = desk({ ...store, runs: { ...store.runs, suspend } })
    const { events } = await eventsOf(swarm.stream('Pay', { ...options, signal: controller.signal }))
    const aborted = ['desk/office/clerk agent-end aborted', 'desk/office agent-end aborted', 'desk run-end aborted']
    expect(linesOf(events).slice(-3)).toEqual(aborted)
  })

  it('begin again at once where all was decided meanwhile', async () => {
    const { store } = memoryDisk().open()
    const suspend: typeof store.runs.suspend = async (runId, suspended) => {
      await store.runs.suspend(runId, suspended)
      const decisions = Object.fromEntries(suspended.approvals.map(({ approvalId }) => [approvalId, true as const]))
      await store.runs.decide(runId, decisions)
      return decisions
    }
    const swarm = desk({ ...store, runs: { ...store.runs, suspend } }, { modelCalls: 9 })
    const { events, result } = await eventsOf(swarm.stream('Pay', { ...options, budget: { toolCalls: 5 } }))
    expect(result).toMatchObject({ text: 'Paid.', approvals: [] })
    const lines = linesOf(events)
    const at = lines.indexOf('desk run-end approval')
    expect(lines.slice(at - 2, at + 4)).toEqual([...ends, ...starts])
    expect(lines.slice(-3)).toEqual([
      'desk/office/clerk agent-end done',
      'desk/office agent-end done',
      'desk run-end stop',
    ])
    const begun = events.filter(({ type }) => type === 'run-start')
    expect(begun).toMatchObject([{ budget: { toolCalls: 5 } }, { budget: { toolCalls: 5 } }])
  })
})
