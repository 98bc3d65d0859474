import type { ScriptedTurn } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { calls, follow, type Payer, payer, session, sessionKey, shown, wordsOf } from '../__fixtures__/payer.ts'
import { saying, thinking } from '../__fixtures__/team.ts'
import { Agent, type Message, memorySessions, type RunOptions, type RunResult, type SessionStore } from '../index.ts'
import { queuedRuns } from '../sessions/session-queue.ts'

describe.each<[string, () => SessionStore]>([
  ['in memory', memorySessions],
  ['in a store that records runs', () => memoryDisk().open().store],
])('a run that replaces another one, %s', (_, makeStore) => {
  const makePayer = (turns: readonly ScriptedTurn[]): Payer => payer(turns, { store: makeStore() })

  it('takes its place: the model and the history see neither the earlier run nor the turns after it', async () => {
    const payment = makePayer(['One.', 'Two.', 'Three.', 'Two again.', 'Four.'])
    await ask(payment, 'first')
    const { runId } = await ask(payment, 'second')
    await ask(payment, 'third')
    expect(await ask(payment, 'second, please', { replaces: runId })).toMatchObject({ text: 'Two again.' })
    const before = ['user: first', 'assistant: One.', 'user: second, please']
    expect(wordsOf(payment.model.requests[3]?.messages ?? [])).toEqual(before)
    await ask(payment, 'fourth')
    expect(await shown(payment)).toEqual([...before, 'assistant: Two again.', 'user: fourth', 'assistant: Four.'])
    const statuses = (await payment.store.turns(sessionKey)).map(({ status }) => status)
    expect(statuses).toEqual(['done', 'replaced', 'replaced', 'done', 'done'])
  })

  it('seeds the session when it replaces the first run', async () => {
    const payment = makePayer(['One.', 'One again.'])
    const history: Message[] = [
      { role: 'user', content: 'Before.' },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
    ]
    const { runId } = await ask(payment, 'first', { history })
    await ask(payment, 'first, please', { history, replaces: runId })
    expect(await shown(payment)).toEqual([
      ...['user: Before.', 'assistant: Yes.', 'user: first, please', 'assistant: One again.'],
    ])
  })

  it.each<[string, RunOptions]>([
    ['another session', { ...session, sessionId: 'other' }],
    ['another user', { ...session, userId: 'bob' }],
  ])('is not found in %s, and hides nothing there', async (_what, options) => {
    const payment = makePayer(['One.', 'Two.', 'Three.'])
    const { runId } = await ask(payment, 'first')
    await payment.agent.stream('second', options).result
    const { error } = await payment.agent.stream('third', { ...options, replaces: runId }).result
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining(runId) })
    expect(await shown(payment)).toEqual(['user: first', 'assistant: One.'])
    expect(payment.model.requests).toHaveLength(2)
  })

  it.each(['unknown', 'replaced'])('is not found when the run is %s', async (what) => {
    const payment = makePayer(['One.', 'One again.'])
    const { runId } = await ask(payment, 'first')
    const { runId: second } = await ask(payment, 'first, please', { replaces: runId })
    const { error } = await ask(payment, 'again', { replaces: what === 'unknown' ? 'run_none' : runId })
    expect(error).toMatchObject({ code: 'not-found' })
    expect((await payment.store.turns(sessionKey)).map(({ status }) => status)).toEqual(['replaced', 'done'])
    expect(await payment.store.find(second)).toMatchObject({ status: 'done' })
  })

  it('needs a session', () => {
    const { agent } = makePayer([])
    expect(() => agent.stream('Go', { replaces: 'run_1' })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('sessionId') }),
    )
  })

  it('cancels a run that is running, also while others wait for the session', async () => {
    const payment = makePayer([() => new Promise<never>(() => {}), 'Again.'])
    const run = payment.agent.stream('first', session)
    const ended = run.result
    while (payment.model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(await ask(payment, 'first, please', { replaces: run.runId })).toMatchObject({ text: 'Again.' })
    expect(await ended).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted' } })
    expect(await shown(payment)).toEqual(['user: first, please', 'assistant: Again.'])
  })

  it.each([0, 1])('cancels the runs that wait for the session behind run %i, which it replaces', async (replaced) => {
    const running = Promise.withResolvers<void>()
    const payment = makePayer([() => running.promise.then(() => 'One.'), 'Two again.', 'Three.'])
    const first = payment.agent.stream('first', session)
    const answers = [first.result]
    while (payment.model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const queued = ['second', 'third'].map((question) => payment.agent.stream(question, session))
    answers.push(...queued.map(({ result }) => result))
    const again = ask(payment, 'again, please', { replaces: [first, ...queued][replaced]?.runId ?? '' })
    const cancelled = answers.slice(1)
    expect((await Promise.all(cancelled)).map(({ finishReason }) => finishReason)).toEqual(['aborted', 'aborted'])
    running.resolve()
    expect(await again).toMatchObject({ finishReason: 'stop', text: 'Two again.' })
    const before = replaced === 0 ? [] : ['user: first', 'assistant: One.']
    expect(await shown(payment)).toEqual([...before, 'user: again, please', 'assistant: Two again.'])
    expect(payment.model.requests).toHaveLength(2)
    expect(await ask(payment, 'next')).toMatchObject({ text: 'Three.' })
  })

  it('ends a run that waits for approval: it cannot be decided any more', async () => {
    const payment = makePayer([calls('pay 1'), 'Again.'])
    const { runId, approvals } = await ask(payment, 'first')
    await ask(payment, 'first, please', { replaces: runId })
    const decisions = { [approvals[0]?.approvalId ?? '']: true as const }
    expect((await payment.agent.resume(runId, decisions).result).error).toMatchObject({ code: 'session-conflict' })
    expect(payment.done).toEqual([])
  })

  it('cancels a run that waits for its reader to decide', async () => {
    const payment = makePayer([calls('pay 1'), 'Again.'])
    let again: RunResult | undefined
    const { result } = await follow(payment.agent.stream('first', session), async (_request, { runId }) => {
      again = await ask(payment, 'first, please', { replaces: runId })
    })
    expect(again).toMatchObject({ text: 'Again.' })
    expect(result).toMatchObject({ finishReason: 'aborted', approvals: [] })
    expect(await shown(payment)).toEqual(['user: first, please', 'assistant: Again.'])
  })

  it('does not see a summary that covers the replaced turns', async () => {
    const store = makeStore()
    const info = { contextWindow: 2_000, maxOutputTokens: 200 }
    // Repeats each word with a number that it sees, in summaries too.
    const model = thinking(({ messages }) => {
      const words = JSON.stringify(messages).match(/word\d+/g) ?? []
      return `Seen: ${[...new Set(words)].join(' ')}`
    })
    const agent = new Agent({ name: 'Test', functions: [], model: Object.assign(model, { info }), sessions: store })
    const key = { agentId: 'test', ...session }
    const runIds: string[] = []
    for (let turn = 1; turn <= 12; turn++) {
      runIds.push((await agent.stream(`word${turn} ${'and more '.repeat(150)}`, session).result).runId)
    }
    expect((await store.load(key))?.state).toMatchObject({ compaction: { summary: expect.stringContaining('word4') } })
    const seen = model.requests.length
    expect(await agent.chat('word100', { ...session, replaces: runIds[3] ?? '' })).toMatch(/word3.* word100$/)
    expect(JSON.stringify(model.requests.slice(seen))).not.toMatch(/word([4-9]|1[012])\b/)
    expect(JSON.stringify((await store.load(key))?.state ?? null)).not.toMatch(/word([4-9]|1[012])\b/)
    await agent.chat('word101', session)
    expect(JSON.stringify(model.requests.slice(seen))).not.toMatch(/word([4-9]|1[012])\b/)
  })
})

describe('a background run that replaces another one', () => {
  it.each([0, 1])('cancels the direct runs that wait behind run %i, which it replaces', async (replaced) => {
    const running = Promise.withResolvers<void>()
    const store = memoryDisk().open().store
    const payment = payer([() => running.promise.then(() => 'One.'), 'Two again.', 'Three.'], { store })
    const first = payment.agent.stream('first', session)
    const answers = [first.result]
    while (payment.model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const queued = ['second', 'third'].map((question) => payment.agent.stream(question, session))
    answers.push(...queued.map(({ result }) => result))
    await expect.poll(() => queuedRuns(store, sessionKey)).toHaveLength(3)
    const replaces = [first, ...queued][replaced]?.runId ?? ''
    const options = { ...session, replaces, idempotencyKey: 'again' }
    const { runId } = await payment.agent.enqueue('again, please', options)
    expect((await Promise.all(answers.slice(1))).map(({ finishReason }) => finishReason)).toEqual([
      ...['aborted', 'aborted'],
    ])
    running.resolve()
    await answers[0]
    // The same call once more, which cancels nothing.
    const after = payment.agent.stream('after', session)
    const last = after.result
    expect(await payment.agent.enqueue('again, please', options)).toEqual({ runId })
    const worker = await payment.agent.work()
    expect(await payment.agent.result(runId)).toMatchObject({ finishReason: 'stop' })
    expect(await last).toMatchObject({ finishReason: 'stop' })
    await worker.close()
    const words = await shown(payment)
    expect(words).not.toEqual(expect.arrayContaining([expect.stringMatching(/user: (second|third)/)]))
    expect(words.includes('user: first')).toBe(replaced === 1)
    expect(payment.model.requests).toHaveLength(3)
  })

  it('cancels the direct runs that are later than a queued one, which it replaces, and no older one', async () => {
    const running = Promise.withResolvers<void>()
    const store = memoryDisk().open().store
    const payment = payer([() => running.promise.then(() => 'One.'), 'Two.'], { store })
    const direct = [ask(payment, 'first')]
    while (payment.model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    direct.push(ask(payment, 'second'))
    await expect.poll(() => queuedRuns(store, sessionKey)).toHaveLength(2)
    await nextMilliseconds()
    const { runId: replaces } = await payment.agent.enqueue('third', session)
    await nextMilliseconds()
    direct.push(ask(payment, 'fourth'))
    await expect.poll(() => queuedRuns(store, sessionKey)).toHaveLength(3)
    await payment.agent.enqueue('third, please', { ...session, replaces })
    running.resolve()
    const reasons = (await Promise.all(direct)).map(({ finishReason }) => finishReason)
    expect(reasons).toEqual(['stop', 'stop', 'aborted'])
  })
})

/** The clocks of stores have whole milliseconds. */
async function nextMilliseconds(): Promise<void> {
  const now = Date.now()
  while (Date.now() < now + 3) await new Promise((resolve) => setTimeout(resolve, 1))
}

it('replaces the first answers of a conversation any number of times', async () => {
  const store = memoryDisk().open().store
  const agent = new Agent({ name: 'Test', functions: [], model: saying('Hello.'), sessions: store })
  let { runId } = await agent.stream('Hi', session).result
  for (let time = 0; time < 20; time++) runId = (await agent.stream('Hi', { ...session, replaces: runId }).result).runId
  expect((await store.load({ agentId: 'test', ...session }))?.messages).toHaveLength(2)
  expect(await agent.runs({ status: 'done' })).toHaveLength(21)
  expect((await agent.runs()).filter(({ replaced }) => replaced)).toHaveLength(20)
})

it('reads the turns that it replaces, however many there are before them', async () => {
  const { store } = memoryDisk().open()
  const read: number[] = []
  const counting: SessionStore = {
    ...store,
    turns: async (...asked) => {
      const turns = await store.turns(...asked)
      read.push(turns.length)
      return turns
    },
  }
  const agent = new Agent({ name: 'Test', functions: [], model: saying('Hello.'), sessions: counting })
  const runIds: string[] = []
  for (let turn = 0; turn < 20; turn++) runIds.push((await agent.stream(`word${turn}`, session).result).runId)
  const again = await agent.stream('again', { ...session, replaces: runIds[17] ?? '' }).result
  const { messages = [] } = (await store.load({ agentId: 'test', ...session })) ?? {}
  expect(wordsOf(messages).slice(-4)).toEqual(['user: word16', 'assistant: Hello.', 'user: again', 'assistant: Hello.'])
  await agent.enqueue('and again', { ...session, replaces: again.runId })
  expect(Math.max(...read)).toBe(2)
})

function ask({ agent }: Payer, question: string, options: RunOptions = {}): Promise<RunResult> {
  return agent.stream(question, { ...session, ...options }).result as Promise<RunResult>
}
