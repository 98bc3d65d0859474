import { scriptedModel } from '@agentkit/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { calls, payer, sessionKey } from '../__fixtures__/payer.ts'
import { Agent, type AgentEvent, AgentKitError, tool } from '../index.ts'
import { limits } from '../limits.ts'

const inSession = { userId: 'ann', sessionId: 's' }
afterEach(() => void vi.useRealTimers())

it('records a run with its answer, its usage and the data to continue it', async () => {
  const { store } = memoryDisk().open()
  const { agent } = payer([calls('look 1'), 'Seen.'], { store })
  const { runId } = await agent.stream('Look.', { ...inSession, budget: { tokens: 9_000 } }).result
  const stored = await store.runs.read(runId)
  expect(stored?.record).toMatchObject({
    ...{ agentId: 'payer', userId: 'ann', sessionId: 's', status: 'done', finishReason: 'stop', text: 'Seen.' },
    ...{ usage: { totalTokens: 30 }, attempts: 1 },
  })
  expect(stored?.options).toMatchObject({ seeded: 0, run: { budget: { tokens: 9_000 } } })
  expect((await store.load(sessionKey))?.messages).toHaveLength(4)
})

it.each([true, false])('keeps the result of a run, resumable: %s', async (resumable) => {
  const { store } = memoryDisk().open()
  const { agent } = payer([calls('look 1'), { ...calls('look 2'), warnings: ['Odd.'] }], { store, maxSteps: 2 })
  const result = await agent.stream('Look.', { ...inSession, resumable }).result
  expect(result).toMatchObject({ finishReason: 'max-steps', steps: 2, warnings: ['Odd.', expect.any(String)] })
  const { output: _, ...kept } = await agent.result(result.runId)
  expect(result).toMatchObject(kept)
})

it('keeps the answer so far of a run that waits for approval', async () => {
  const { store } = memoryDisk().open()
  const { agent } = payer([{ ...calls('pay 1'), text: 'I pay.' }], { store })
  const { runId, text } = await agent.stream('Pay.', inSession).result
  expect([text, (await agent.result(runId)).text]).toEqual(['I pay.', 'I pay.'])
})

it('records the cost so far of a run that waits for approval', async () => {
  const { store } = memoryDisk().open()
  const price = { inputUsdPerMillion: 2, outputUsdPerMillion: 8, asOf: '2026-01-01' }
  const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }], { info: { price } })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 1,
  })
  const agent = new Agent({ name: 'A', functions: [pay], model, sessions: store })
  const { finishReason, cost } = await agent.stream('Pay.', inSession).result
  expect(finishReason).toBe('approval')
  const [record] = await agent.runs()
  expect(record?.cost?.usd).toBeGreaterThan(0)
  expect(record?.cost).toEqual(cost)
})

it.each(['7', undefined])('records the version of the agent that has begun it, else a hash: %s', async (version) => {
  const { store } = memoryDisk().open()
  const model = scriptedModel(['Hello.'])
  const agent = new Agent({ name: 'A', functions: [], model, sessions: store, ...(version && { version }) })
  await agent.chat('Hi.', inSession)
  const [record] = await agent.runs()
  expect(record?.agentVersion).toEqual(version ?? expect.stringMatching(/^[0-9a-f]{16}$/))
})

it('stores deadlines as whole milliseconds, as databases have them', async () => {
  const { store } = memoryDisk().open()
  const { agent } = payer(['Seen.', 'Seen.'], { store })
  const direct = await agent.stream('Look.', { ...inSession, timeoutMs: 60_000.5 }).result
  const { runId } = await agent.enqueue('Look.', { ...inSession, timeoutMs: 60_000.5 })
  await agent.continueRun(runId).result
  for (const id of [direct.runId, runId]) {
    expect(await store.runs.read(id)).toMatchObject({ deadline: expect.toSatisfy(Number.isInteger) })
  }
})

it('settles a failed run once its end is stored, by a slow store too, and after 5 s in any case', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { store } = memoryDisk().open()
  const { end } = store.runs
  const storing = Promise.withResolvers<void>()
  store.runs.end = async (...ending) => {
    await storing.promise
    return end(...ending)
  }
  const refused = new AgentKitError('auth', 'No.')
  const model = scriptedModel([refused, refused])
  const agent = new Agent({ name: 'A', functions: [], model, sessions: store })
  const run = agent.stream('Hi.', inSession)
  const settled = vi.fn()
  const result = run.result.finally(settled)
  await vi.advanceTimersByTimeAsync(limits.endErrorMs - 1)
  expect(settled).not.toHaveBeenCalled()
  storing.resolve()
  expect(await result).toMatchObject({ error: { code: 'auth' } })
  expect((await store.runs.read(run.runId))?.record.status).toBe('failed')

  store.runs.end = () => new Promise(() => {})
  const other = agent.stream('Hi.', { userId: 'bob', sessionId: 's' }).result
  await vi.advanceTimersByTimeAsync(limits.endErrorMs)
  expect(await other).toMatchObject({ finishReason: 'error' })
})

it('continues a suspended run in another process, with its earlier usage', async () => {
  const disk = memoryDisk()
  const first = payer([calls('look 1'), calls('pay 2')], { store: disk.open().store })
  const { runId, approvals } = await first.agent.stream('Pay.', { ...inSession, budget: { modelCalls: 3 } }).result
  const { store } = disk.open()
  const second = payer(['Paid.', 'More.'], { store, done: first.done })
  const [approval] = approvals
  const result = await second.agent.resume(runId, { [approval?.approvalId ?? '']: true }).result
  expect(result).toMatchObject({ runId, text: 'Paid.', steps: 3, usage: { totalTokens: 45 } })
  expect(first.done).toEqual(['look 1', 'pay 2'])
  expect((await store.runs.read(runId))?.record).toMatchObject({ status: 'done', attempts: 2, approvals: [] })
})

it('stores a run without a session once it is suspended, and shows it in no list of sessions', async () => {
  const disk = memoryDisk()
  const { store } = disk.open()
  const { agent } = payer([calls('pay 1'), 'Paid.'], { store })
  const { runId, approvals } = await agent.stream('Pay.', { userId: 'ann' }).result
  expect(await store.list({ agentId: 'payer', userId: 'ann' })).toEqual([])
  const [approval] = approvals
  expect(await agent.resume(runId, { [approval?.approvalId ?? '']: true }).result).toMatchObject({ text: 'Paid.' })
  expect(await agent.runs({ userId: 'ann' })).toMatchObject([{ runId, status: 'done' }])
})

/** How many turns of the microtask queue a reader lets pass before it stops. */
const turns = Array.from({ length: 12 }, (_, turn) => turn)

it.each(['approval-request', 'run-end'])('leaves a run suspended whose reader stops at its %s', async (last) => {
  for (const turn of turns) {
    const { store } = memoryDisk().open()
    const { agent } = payer([calls('pay 1'), 'Paid.'], { store })
    const run = agent.stream('Pay.', { ...inSession, resumable: true, onApproval: 'end' })
    for await (const { type } of run) {
      if (type !== last) continue
      for (let passed = 0; passed < turn; passed++) await undefined
      break
    }
    const { finishReason, approvals } = await run.result
    expect({ finishReason, approvals }).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay' }] })
    expect((await store.runs.read(run.runId))?.record.status).toBe('waiting')
  }
})

it('refuses resumable runs with sessions in memory', async () => {
  const agent = new Agent({ name: 'A', functions: [], model: scriptedModel(['Hello.']) })
  const { error } = await agent.stream('Hi.', { resumable: true }).result
  expect(error).toMatchObject({ code: 'unsupported' })
})

it.each([1, 2])(
  'ends a run whose step of %i calls cannot be stored as begun, and makes none of them',
  async (count) => {
    const { store } = memoryDisk().open()
    const { append } = store.runs
    vi.spyOn(store.runs, 'append').mockImplementation((runId, entry) => {
      if (entry.calls?.length) throw new AgentKitError('storage', 'The disk is full.')
      return append(runId, entry)
    })
    const looks = Array.from({ length: count }, (_, index) => `look ${index}`)
    for (const hooks of [{}, { beforeTool: () => undefined }]) {
      const { agent, done } = payer([calls(...looks), 'Seen.'], { store, hooks })
      const { error, messages } = await agent.stream('Look.', inSession).result
      expect(error).toMatchObject({ code: 'storage', message: 'The disk is full.' })
      expect([done, messages.filter(({ role }) => role === 'tool')]).toEqual([[], []])
    }
  },
)

it('ends a run whose end was not stored at first with an event that says so, for who follows it', async () => {
  const { store } = memoryDisk().open()
  const { end } = store.runs
  store.runs.end = async () => {
    throw new AgentKitError('storage', 'The disk is full.')
  }
  const { agent } = payer([calls('look 1'), 'Seen.', 'Yes.'], { store })
  const { runId } = await agent.stream('Look.', { ...inSession, resumable: true }).result
  store.runs.end = end
  // The next run of the session ends it.
  await agent.chat('Hi.', inSession)
  const events: AgentEvent[] = []
  for await (const event of agent.follow(runId)) events.push(event)
  const { record, lastSeq } = (await store.runs.read(runId)) ?? {}
  expect(record).toMatchObject({ status: 'failed', finishReason: 'error', error: { code: 'storage' } })
  expect(events.filter(({ type }) => type === 'run-end')).toMatchObject([
    { seq: lastSeq, path: ['payer'], finishReason: 'error', error: { code: 'storage' } },
  ])
})

it('begins a run whose process was frozen while it waited for a session that is free by now', async () => {
  const { store } = memoryDisk().open()
  const { create } = store.runs
  let tries = 0
  store.runs.create = async (...run) => {
    if (tries++ > 0) return create(...run)
    // Another process has ended its run meanwhile.
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 4 * limits.sessionWaitMs)
    throw new AgentKitError('session-conflict', 'The session has moved on.', { retryable: true })
  }
  const { agent } = payer(['Seen.'], { store })
  expect(await agent.stream('Look.', inSession).result).toMatchObject({ finishReason: 'stop', text: 'Seen.' })
  vi.restoreAllMocks()
})

it('waits no longer than it may for a session in which runs of other processes take turns', async () => {
  const { store } = memoryDisk().open()
  const now = performance.now.bind(performance)
  let tries = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + (tries * limits.sessionWaitMs) / 2)
  store.load = async () => ({ version: tries, messages: [] })
  store.runs.create = async () => {
    tries++
    throw new AgentKitError('session-conflict', 'The session has moved on.', { retryable: true })
  }
  const { agent } = payer(['Seen.'], { store })
  expect((await agent.stream('Look.', inSession).result).error).toMatchObject({ code: 'session-busy' })
  expect(tries).toBeLessThan(6)
  vi.restoreAllMocks()
})
