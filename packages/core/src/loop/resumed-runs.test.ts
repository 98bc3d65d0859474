import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  calls,
  eventLines,
  follow,
  idOf,
  type Payer,
  payer,
  session,
  sessionKey,
  shown,
  wordsOf,
} from '../__fixtures__/payer.ts'
import {
  AgentKitError,
  type Citation,
  type Decisions,
  type ModelRequest,
  type RunOptions,
  type RunResult,
  tool,
} from '../index.ts'

afterEach(() => void vi.useRealTimers())

describe('a waiting run', () => {
  it('continues in another process, where it was suspended', async () => {
    const first = payer([calls('look 1'), calls('look 2', 'pay 3', 'look 4')])
    const { runId, approvals } = await waitingRun(first)
    const second = payer(['Paid.'], { store: { ...first.store }, done: first.done })
    const { events, result } = await follow(second.agent.resume(runId, approveAll(approvals)))
    expect(first.done).toEqual(['look 1', 'look 2', 'look 4', 'pay 3'])
    expect(result).toMatchObject({ runId, finishReason: 'stop', text: 'Paid.', approvals: [], steps: 3 })
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 15, totalTokens: 45 })
    expect(eventLines(events)).toEqual([
      ...['run-start', 'tool-result pay3', 'step-end 2'],
      ...['step-start 3', 'text-delta', 'text-delta', 'text-delta', 'step-end 3', 'run-end stop'],
    ])
    const [{ seq: firstSeq } = { seq: 0 }] = events
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => firstSeq + index))
    expect(events.find((event) => event.type === 'step-end')).toMatchObject({
      model: 'test/scripted',
      finishReason: 'tool-calls',
      usage: { totalTokens: 15 },
    })
    const all = [
      ...['user: Pay', 'assistant: look1', 'tool: seen'],
      ...['assistant: look2', 'assistant: pay3', 'assistant: look4', 'tool: seen', 'tool: paid', 'tool: seen'],
    ]
    expect(wordsOf(second.model.requests[0]?.messages ?? [])).toEqual(all)
    expect(await shown(second)).toEqual([...all, 'assistant: Paid.'])
    expect(wordsOf(result.messages)).toEqual(await shown(second))
    expect(await first.store.find(runId)).toMatchObject({ status: 'done', usage: { totalTokens: 45 } })
  })

  it('gives no number to two events, however often it waits', async () => {
    const { agent } = payer([calls('pay 1', 'pay 2'), calls('pay 3'), 'Paid.'])
    const onApproval = { onApproval: 'end' } as const
    let last = await follow(agent.stream('Pay', { ...session, ...onApproval }), async () => {})
    const numbers = last.events.map(({ seq }) => seq)
    for (const amount of [undefined, 1, 2, 3]) {
      const { runId, approvals } = last.result
      const due = approvals.filter(({ input }) => (input as { amount: number }).amount === amount)
      last = await follow(agent.resume(runId, approveAll(due), onApproval), async () => {})
      numbers.push(...last.events.map(({ seq }) => seq))
    }
    expect(last.result).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })

  it('has each result at its call, in the order of the calls, whenever it came', async () => {
    const first = payer([calls('pay 1', 'look 2', 'pay 3')])
    const { runId } = await waitingRun(first)
    const second = payer([], { store: { ...first.store } })
    await second.agent.resume(runId, { [idOf(runId, '1-pay3')]: true }).result
    const third = payer(['Done.'], { store: { ...first.store } })
    const result = await third.agent.resume(runId, { [idOf(runId, '1-pay1')]: { deny: 'no' } }).result
    const inOrder = ['pay1: The call was denied: no', 'look2: seen', 'pay3: paid']
    const resultsOf = (messages: RunResult['messages']): string[] =>
      messages.flatMap((message) => (message.role === 'tool' ? [`${message.callId}: ${message.content}`] : []))
    expect(resultsOf(third.model.requests[0]?.messages ?? [])).toEqual(inOrder)
    expect(resultsOf(result.messages)).toEqual(inOrder)
    expect(resultsOf((await third.store.load(sessionKey))?.messages ?? [])).toEqual(inOrder)
    expect(await shown(third)).toHaveLength(8)
  })

  it('runs the approved calls and stays suspended for the others, without a caller', async () => {
    const first = payer([calls('pay 1', 'pay 2', 'pay 3'), 'Done.'])
    const { runId } = await waitingRun(first)
    const result = await first.agent.resume(runId, {
      [idOf(runId, '1-pay2')]: true,
      [idOf(runId, '1-pay3')]: { deny: 'no' },
    }).result
    expect(result).toMatchObject({ finishReason: 'approval', approvals: [{ callId: 'pay1' }] })
    expect(first.done).toEqual(['pay 2'])
    expect((await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result).text).toBe('Done.')
    expect(first.done).toEqual(['pay 2', 'pay 1'])
    expect(await shown(first)).toHaveLength(8)
  })

  it('requests the other approvals while it is iterated', async () => {
    const first = payer([calls('pay 1', 'pay 2'), 'Done.'])
    const { runId } = await waitingRun(first)
    const { events, result } = await follow(first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }))
    expect(eventLines(events).slice(0, 5)).toEqual([
      ...['run-start', 'tool-result pay1', 'approval-request pay2', 'tool-result pay2', 'step-end 1'],
    ])
    expect([result.text, first.done]).toEqual(['Done.', ['pay 1', 'pay 2']])
  })

  it('requests all approvals again when none was decided', async () => {
    const first = payer([calls('pay 1'), 'Done.'])
    const { runId } = await waitingRun(first)
    const { events } = await follow(first.agent.resume(runId, {}))
    expect(eventLines(events).slice(0, 3)).toEqual(['run-start', 'approval-request pay1', 'tool-result pay1'])
    expect(first.done).toEqual(['pay 1'])
  })

  it('may wait again, in a later step', async () => {
    const first = payer([calls('pay 1'), calls('pay 2'), 'Done.'])
    const { runId } = await waitingRun(first)
    const again = await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result
    expect(again).toMatchObject({ finishReason: 'approval', approvals: [{ callId: 'pay2' }], steps: 2 })
    expect((await first.agent.resume(runId, { [idOf(runId, '2-pay2')]: true }).result).text).toBe('Done.')
    expect(await shown(first)).toHaveLength(6)
  })

  it('sees the turns before it and those that other runs added meanwhile, and keeps its place in the history', async () => {
    const first = payer(['Hello.', calls('pay 1'), 'Still there.', 'Done.', 'Bye.'])
    await first.agent.chat('Hi', session)
    const { runId } = await waitingRun(first)
    await first.agent.chat('Are you there?', session)
    await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result
    const before = ['user: Hi', 'assistant: Hello.']
    const own = ['user: Pay', 'assistant: pay1', 'tool: paid']
    const meanwhile = ['user: Are you there?', 'assistant: Still there.']
    expect(wordsOf(first.model.requests[3]?.messages ?? [])).toEqual([...before, ...meanwhile, ...own])
    const all = [...before, ...own, 'assistant: Done.', ...meanwhile]
    expect(await shown(first)).toEqual(all)
    await first.agent.chat('Bye', session)
    expect(wordsOf(first.model.requests[4]?.messages ?? [])).toEqual([...all, 'user: Bye'])
  })

  it('drops a summary of messages that have changed since', async () => {
    const info = { contextWindow: 2_000, maxOutputTokens: 200 }
    const say =
      (summary: string, turn: ScriptedTurn): ScriptedTurn =>
      ({ tools }) =>
        tools ? turn : summary
    const long = payer([calls('look 1', 'pay 2'), 'First done.'])
    const first = await long.agent.stream(`First${' and so on'.repeat(500)}`, session).result
    const small = (summary: string, turn: ScriptedTurn): Payer => {
      const models = [scriptedModel(new Array(9).fill(say(summary, turn)), { info })] as const
      return payer([], { models, store: { ...long.store } })
    }
    const second = await small('Old summary.', calls('pay 3')).agent.stream('Second', session).result
    await long.agent.resume(first.runId, { [idOf(first.runId, '1-pay2')]: true }).result
    const other = small('New summary.', 'Second done.')
    expect((await other.agent.resume(second.runId, { [idOf(second.runId, '1-pay3')]: true }).result).text).toBe(
      'Second done.',
    )
    const request = JSON.stringify(other.model.requests.at(-1))
    expect(request).toContain('New summary.')
    expect(request).not.toContain('Old summary.')
    await shown(other)
  })

  it('stores no summary of messages that later runs see in another order', async () => {
    const info = { contextWindow: 2_000, maxOutputTokens: 200 }
    const long = payer([calls('pay 1'), 'Later done.'])
    const { runId } = await waitingRun(long)
    await long.agent.chat(`Later${' and so on'.repeat(900)}`, session)
    const models = [
      scriptedModel(
        new Array(9).fill(({ tools }: ModelRequest) => (tools ? 'Paid.' : 'A summary.')),
        { info },
      ),
    ] as const
    const small = payer([], { models, store: { ...long.store } })
    expect((await small.agent.resume(runId, pay1(runId)).result).text).toBe('Paid.')
    expect(JSON.stringify(small.model.requests.at(-1))).toContain('A summary.')
    const { state } = (await long.store.load(sessionKey)) ?? {}
    expect(JSON.stringify(state ?? null)).not.toContain('A summary.')
  })

  it.each(['with', 'without'])('continues %s a session', async (kind) => {
    const first = payer([calls('pay 1')])
    const history: RunOptions['history'] = [
      { role: 'user', content: 'Earlier' },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
    ]
    const owner = { userId: 'ann', ...(kind === 'with' && { sessionId: 's' }) }
    const { runId, approvals } = await first.agent.stream('Pay', { ...owner, history }).result
    const second = payer(['Done.', 'New.'], { store: { ...first.store }, done: first.done })
    const result = await second.agent.resume(runId, approveAll(approvals), { userId: 'ann' }).result
    expect([result.text, first.done]).toEqual(['Done.', ['pay 1']])
    expect(wordsOf(second.model.requests[0]?.messages ?? [])).toEqual([
      ...['user: Earlier', 'assistant: Yes.', 'user: Pay', 'assistant: pay1', 'tool: paid'],
    ])
    expect(result.messages).toHaveLength(4)
    const sessions = await second.store.list({ agentId: 'payer', userId: 'ann' })
    expect(sessions).toHaveLength(kind === 'with' ? 1 : 0)
    if (kind === 'without') expect(await second.store.find(runId)).toBeUndefined()
  })

  it('keeps the sources and warnings of the steps before', async () => {
    const source: Citation = { file: 'a.md', start: 0, end: 1, quote: 'a', chunkId: 'c1', score: { fused: 1 } }
    const search = tool({
      name: 'search',
      description: 'Searches.',
      input: { type: 'object' },
      execute: (_input, { cite }) => cite([source]),
    })
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      needsApproval: true,
      execute: (_input, { cite }) => cite([{ ...source, chunkId: 'c2' }]),
    })
    const functions = [search, pay]
    const first = payer(
      [{ toolCalls: [{ name: 'search' }, ...calls('pay 1').toolCalls], warnings: ['mind the gap'] }],
      {
        functions,
      },
    )
    const { runId } = await waitingRun(first)
    const second = payer(['Done.'], { functions, store: { ...first.store } })
    const result = await second.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result
    expect(result.sources.map(({ chunkId }) => chunkId)).toEqual(['c1', 'c2'])
    expect(result.warnings).toEqual(['mind the gap'])
  })

  it('stays with the model that it fell back to, without asking the first one again', async () => {
    const down = new AgentKitError('quota', 'Used up.')
    const chainOf = (first: ScriptedTurn, ...second: ScriptedTurn[]): [ScriptedModel, ScriptedModel] => [
      scriptedModel([first], { id: 't/a' }),
      scriptedModel(second, { id: 't/b' }),
    ]
    const first = payer([], { models: chainOf({ error: down }, calls('pay 1')) })
    const { runId, approvals } = await waitingRun(first)
    const second = payer([], { models: chainOf('From the first.', 'Paid.', 'Unused.'), store: { ...first.store } })
    const { events, result } = await follow(second.agent.resume(runId, approveAll(approvals)))
    expect(result.text).toBe('Paid.')
    expect(second.models.map(({ requests }) => requests.length)).toEqual([0, 1])
    expect(events.filter(({ type }) => type === 'model-fallback')).toEqual([])
    expect((await second.agent.stream('And now?', session).result).text).toBe('From the first.')
  })

  it('takes its further steps within the rest of its budget and steps', async () => {
    const budget = { budget: { modelCalls: 2 } }
    const first = payer([calls('look 0'), calls('pay 1'), 'Too many.'])
    const { runId } = await first.agent.stream('Pay', { ...session, ...budget }).result
    const bounded = await first.agent.resume(runId, { [idOf(runId, '2-pay1')]: true }).result
    expect([bounded.finishReason, first.done]).toEqual(['budget', ['look 0', 'pay 1']])

    const second = payer([calls('look 0'), calls('pay 1'), 'Too many.'], { maxSteps: 2 })
    const waiting = await waitingRun(second)
    const ended = await second.agent.resume(waiting.runId, { [idOf(waiting.runId, '2-pay1')]: true }).result
    expect([ended.finishReason, ended.steps]).toEqual(['max-steps', 2])
  })

  it('does not run approved calls that would exceed its budget', async () => {
    const first = payer([calls('look 0'), calls('pay 1'), 'Too many.'], { budget: { toolCalls: 1 } })
    const { runId } = await waitingRun(first)
    const result = await first.agent.resume(runId, { [idOf(runId, '2-pay1')]: true }).result
    expect([result.finishReason, first.done]).toEqual(['budget', ['look 0']])
    expect(await shown(first)).toEqual(['user: Pay', 'assistant: look0', 'tool: seen'])
  })

  it('has a deadline of its own', async () => {
    const first = payer([calls('pay 1')], { pay: () => new Promise(() => {}) })
    const { runId } = await waitingRun(first)
    const result = await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }, { timeoutMs: 20 }).result
    expect(result.error).toMatchObject({ code: 'timeout', phase: 'run' })
    // Whether the call has done anything is not known, so it is not made again.
    expect(await first.store.find(runId)).toMatchObject({ status: 'failed' })
    expect((await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result).error?.code).toBe(
      'session-conflict',
    )
  })
})

describe('each approved call runs once', () => {
  it('when it is approved again later', async () => {
    const first = payer([calls('pay 1'), 'Done.'])
    const { runId } = await waitingRun(first)
    await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result
    const { error, finishReason } = await first.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result
    expect([error?.code, finishReason, first.done]).toEqual(['session-conflict', 'error', ['pay 1']])
    expect(await shown(first)).toHaveLength(4)
  })

  it.each(['this process', 'others'])('when it is approved several times at once, in %s', async (where) => {
    const first = payer([calls('pay 1'), ...['Done.', 'Done.', 'Done.']], { pay: () => slowly('paid') })
    const { runId } = await waitingRun(first)
    const payers = [1, 2, 3].map(() =>
      where === 'others' ? payer(['Done.'], { store: { ...first.store }, done: first.done }) : first,
    )
    const ends = await Promise.all(
      payers.map(({ agent }) => agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result),
    )
    expect(first.done).toEqual(['pay 1'])
    expect(ends.map(({ text, error }) => error?.code ?? text).toSorted()).toEqual([
      ...['Done.', 'session-conflict', 'session-conflict'],
    ])
    expect(await shown(first)).toEqual(['user: Pay', 'assistant: pay1', 'tool: paid', 'assistant: Done.'])
  })

  it('when the run is iterated here and resumed elsewhere', async () => {
    const first = payer([calls('pay 1')])
    const second = payer(['Done.'], { store: { ...first.store }, done: first.done })
    const { result } = await follow(first.agent.stream('Pay', session), async ({ approvalId }, run) => {
      expect((await second.agent.resume(run.runId, { [approvalId]: true }).result).text).toBe('Done.')
      run.approve(approvalId)
    })
    expect(result.error?.code).toBe('session-conflict')
    expect(first.done).toEqual(['pay 1'])
    expect(await shown(second)).toHaveLength(4)
  })

  it.each(['aborted', 'cancelled'])('when the run is %s here while it is resumed elsewhere', async (how) => {
    const controller = new AbortController()
    const { signal } = controller
    const first = payer([calls('pay 1')])
    const second = payer(['Done.'], { store: first.store, done: first.done, pay: () => slowly('paid') })
    const continued = new Promise<RunResult>((resolve) => {
      void follow(first.agent.stream('Pay', { ...session, signal }), async ({ approvalId }, run) => {
        resolve(second.agent.resume(run.runId, { [approvalId]: true }).result)
        while (first.done.length === 0) await new Promise((next) => setTimeout(next, 1))
        if (how === 'cancelled') run.cancel()
        else controller.abort()
      })
    })
    expect((await continued).text).toBe('Done.')
    expect(first.done).toEqual(['pay 1'])
  })

  it('when two decide on different calls at once', async () => {
    const first = payer([calls('pay 1', 'pay 2'), 'Done.'])
    const { runId } = await waitingRun(first)
    const decisions: Decisions[] = [{ [idOf(runId, '1-pay1')]: true }, { [idOf(runId, '1-pay2')]: true }]
    const ends = await Promise.all(decisions.map((decided) => first.agent.resume(runId, decided).result))
    expect(ends.map(({ finishReason }) => finishReason)).toEqual(['approval', 'stop'])
    expect(first.done).toEqual(['pay 1', 'pay 2'])
  })
})

it('a decision may name an approval as earlier versions did', async () => {
  const first = payer([calls('pay 1'), 'Done.'])
  const { runId } = await waitingRun(first)
  expect((await first.agent.resume(runId, { '1-pay1': true }).result).text).toBe('Done.')
  expect(first.done).toEqual(['pay 1'])
})

describe('a run stays as it is: waiting', () => {
  const cannotContinue: [string, (first: Payer, runId: string) => Promise<RunResult>, string][] = [
    [
      'an unknown approval',
      ({ agent }, runId) => agent.resume(runId, { [idOf(runId, '2-pay1')]: true }).result,
      'invalid-argument',
    ],
    [
      'a result of a call that has not begun',
      ({ agent }, runId) => agent.resume(runId, { [idOf(runId, '1-pay1')]: { result: 'paid' } }).result,
      'invalid-argument',
    ],
    ['another user', ({ agent }, runId) => agent.resume(runId, pay1(runId), { userId: 'bob' }).result, 'not-found'],
    [
      'another agent',
      ({ store }, runId) => payer([], { id: 'other', store }).agent.resume(runId, pay1(runId)).result,
      'not-found',
    ],
    ['an unknown run', ({ agent }) => agent.resume('run_none', pay1('run_none')).result, 'not-found'],
    [
      'a caller who is gone',
      ({ agent }, runId) => agent.resume(runId, pay1(runId), { signal: AbortSignal.abort() }).result,
      'aborted',
    ],
    [
      'an agent that cannot be prepared',
      ({ store }, runId) => payer([], { store, output: noSchema }).agent.resume(runId, pay1(runId)).result,
      'invalid-argument',
    ],
  ]

  it.each(cannotContinue)('%s', async (_, tryToGoOn, code) => {
    const first = payer([calls('pay 1'), 'Done.'])
    const { runId } = await waitingRun(first)
    const result = await tryToGoOn(first, runId)
    expect(result.error).toMatchObject({ code })
    expect(first.done).toEqual([])
    expect(await first.store.find(runId)).toMatchObject({ status: 'waiting' })
    const { text } = await first.agent.resume(runId, pay1(runId), { userId: 'ann' }).result
    expect([text, first.done]).toEqual(['Done.', ['pay 1']])
  })

  it.each<[number | undefined, number, string, RunOptions]>([
    [undefined, 29, 'Done.', session],
    [undefined, 31, 'approval', session],
    [undefined, 29, 'Done.', {}],
    [undefined, 31, 'approval', {}],
    [365, 364, 'Done.', session],
    [0.5, 1, 'approval', session],
  ])('for `approvalDays`, which are %j: after %d days, %s', async (approvalDays, days, end, options) => {
    const first = payer([calls('pay 1'), 'Done.'], approvalDays === undefined ? {} : { approvalDays })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { runId } = await first.agent.stream('Pay', options).result
    vi.setSystemTime(Date.now() + days * 24 * 3_600_000)
    const { text, error } = await first.agent.resume(runId, pay1(runId)).result
    expect(error?.code ?? text).toBe(end)
    expect(first.done).toEqual(end === 'Done.' ? ['pay 1'] : [])
    expect(first.model.requests).toHaveLength(end === 'Done.' ? 2 : 1)
    expect((await first.store.find(runId))?.status).not.toBe('waiting')
  })

  it('until its session is deleted', async () => {
    const first = payer([calls('pay 1'), 'Done.'])
    const { runId } = await waitingRun(first)
    await first.store.delete(sessionKey)
    expect((await first.agent.resume(runId, pay1(runId)).result).error?.code).toBe('not-found')
  })
})

it.each<[unknown, unknown]>([
  ['', {}],
  [undefined, {}],
  ['run_1', undefined],
  ['run_1', null],
  ['run_1', 'yes'],
  ['run_1', { apr_1: false }],
])('resume refuses what it cannot mean: %j, %j', (runId, decisions) => {
  const { agent } = payer([])
  expect(() => agent.resume(runId as string, decisions as never)).toThrow(
    expect.objectContaining({ code: 'invalid-argument' }),
  )
})

const pay1 = (runId: string): Decisions => ({ [idOf(runId, '1-pay1')]: true })

/** A schema of an unknown library. */
const noSchema = { '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) } }

async function waitingRun({ agent }: Payer): Promise<RunResult> {
  const result = await agent.stream('Pay', session).result
  expect(result.finishReason).toBe('approval')
  return result
}

function approveAll(approvals: RunResult['approvals']): Record<string, true> {
  return Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true]))
}

function slowly<Value>(value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(() => resolve(value), 20))
}
