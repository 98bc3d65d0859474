import { afterEach, describe, expect, it, vi } from 'vitest'
import { type MemoryDisk, memoryDisk } from '../../__fixtures__/memory-runs.ts'
import { calls, follow, type Payer, type PayerOptions, payer, session } from '../../__fixtures__/payer.ts'
import { AgentKitError, type Approval, type RunResult, Swarm, workflow } from '../../index.ts'

afterEach(() => void vi.useRealTimers())

describe('decide', () => {
  it.each<[string, (payment: Payer, run: RunResult) => Promise<unknown>, string]>([
    ['of an unknown run', ({ agent }, { approvals }) => agent.decide('run_none', yes(approvals)), 'not-found'],
    [
      'of another user',
      ({ agent }, { runId, approvals }) => agent.decide(runId, yes(approvals), { userId: 'bob' }),
      'not-found',
    ],
    [
      'of another agent',
      ({ store }, { runId, approvals }) => payer([], { id: 'other', store }).agent.decide(runId, yes(approvals)),
      'not-found',
    ],
    ['on an unknown approval', ({ agent }, { runId }) => agent.decide(runId, { apr_none: true }), 'not-found'],
    [
      'with a result of a call that has not begun',
      ({ agent }, { runId, approvals }) => agent.decide(runId, { [idIn(approvals)]: { result: 1 } }),
      'invalid-argument',
    ],
    [
      'of one approval well and another badly',
      ({ agent }, { runId, approvals }) => agent.decide(runId, { ...yes(approvals), apr_none: true }),
      'not-found',
    ],
    [
      'that is none',
      ({ agent }, { runId, approvals }) => agent.decide(runId, { [idIn(approvals)]: 'yes' as never }),
      'invalid-argument',
    ],
    [
      'with an option that does not exist',
      ({ agent }, { runId, approvals }) => agent.decide(runId, yes(approvals), { user_id: 'ann' } as never),
      'invalid-argument',
    ],
    [
      'by a user whose id is too long',
      ({ agent }, { runId, approvals }) => agent.decide(runId, yes(approvals), { by: 'x'.repeat(2_000) }),
      'invalid-argument',
    ],
  ])('refuses a decision %s, which changes nothing', async (_, attempt, code) => {
    const payment = open(memoryDisk(), [calls('pay 1'), 'Paid.'])
    const run = await waiting(payment)
    const before = await payment.store.runs?.read(run.runId)
    await expect(attempt(payment, run)).rejects.toMatchObject({ code })
    expect(await payment.store.runs?.read(run.runId)).toEqual(before)
  })

  it('uses the same words for a run of another user and one that does not exist', async () => {
    const payment = open(memoryDisk(), [calls('pay 1')])
    const { runId } = await waiting(payment)
    const messageOf = (id: string): Promise<string> =>
      payment.agent.decide(id, {}, { userId: 'bob' }).catch(({ message }) => message.replace(id, '…'))
    expect(await messageOf(runId)).toBe(await messageOf('run_none'))
  })

  it.each<[string, (payment: Payer, runId: string) => unknown]>([
    ['another user', ({ agent }, runId) => agent.resume(runId, {}, { userId: 'bob' }).result],
    ['another agent', ({ store }, runId) => payer([], { id: 'other', store }).agent.resume(runId, {}).result],
  ])('resumes no run of %s', async (_, resume) => {
    const payment = open(memoryDisk(), [calls('pay 1')])
    const run = await waiting(payment)
    const before = await payment.store.runs?.read(run.runId)
    expect(await resume(payment, run.runId)).toMatchObject({
      error: { code: 'not-found' },
      approvals: [],
      messages: [],
    })
    expect(await payment.store.runs?.read(run.runId)).toEqual(before)
  })

  it('needs a store that records runs', async () => {
    const { agent } = payer([])
    await expect(agent.decide('run_1', {})).rejects.toMatchObject({ code: 'unsupported' })
    await expect(agent.cancel('run_1')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(agent.runs()).rejects.toMatchObject({ code: 'unsupported' })
  })
})

describe('an approval that expires', () => {
  const days = 24 * 3_600_000

  it.each(['decide', 'resume'] as const)('ends its run when %s is called, and no model is', async (call) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const payment = open(memoryDisk(), [calls('pay 1'), 'Paid.'], { approvalDays: 2 })
    const { runId, approvals } = await waiting(payment)
    const at = new Date(Date.now() + 2 * days).toISOString()
    const fix = 'Retry the run: it asks for them again.'
    const message = `The approvals of the run ${runId} expired at ${at}: \`approvalDays\` of its agent is 2. ${fix}`
    vi.setSystemTime(Date.now() + 2 * days + 90_000)
    // The first one ends the run, the second one finds that it has ended.
    for (const _ of ['first', 'second']) {
      if (call === 'decide') {
        const decided = payment.agent.decide(runId, yes(approvals))
        await expect(decided).rejects.toMatchObject({ code: 'session-conflict', message })
      } else {
        const { error } = await payment.agent.resume(runId, yes(approvals)).result
        expect(error).toMatchObject({ code: 'approval', message })
      }
    }
    const [record] = await payment.agent.runs()
    expect(record).toMatchObject({ runId, status: 'failed', finishReason: 'error', error: { code: 'approval' } })
    expect(payment.model.requests).toHaveLength(1)
    expect(payment.done).toEqual([])
  })

  it('can be decided until then', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const payment = open(memoryDisk(), [calls('pay 1'), 'Paid.'], { approvalDays: 2 })
    const { runId, approvals } = await waiting(payment)
    vi.setSystemTime(Date.now() + 2 * days - 1)
    expect((await payment.agent.resume(runId, yes(approvals)).result).text).toBe('Paid.')
  })
})

describe('cancel', () => {
  it('ends a run of this process, and resolves when that is stored', async () => {
    const payment = open(memoryDisk(), [() => new Promise<never>(() => {})])
    const run = payment.agent.stream('Pay', session)
    const result = run.result
    await expect.poll(() => payment.model.requests.length, { timeout: 30_000 }).toBe(1)
    expect(await payment.agent.cancel(run.runId, { userId: 'ann' })).toBe(true)
    expect((await payment.agent.runs())[0]).toMatchObject({ status: 'failed', finishReason: 'aborted' })
    expect((await result).finishReason).toBe('aborted')
    expect(await payment.agent.cancel(run.runId)).toBe(false)
  })

  it('ends a run of another process, which does no more', async () => {
    const disk = memoryDisk()
    const { promise: answer, resolve } = Promise.withResolvers<ReturnType<typeof calls>>()
    const payment = open(disk, [() => answer, 'Never.'])
    const run = payment.agent.stream('Look', session)
    const result = run.result
    await expect.poll(() => payment.model.requests.length, { timeout: 30_000 }).toBe(1)
    expect(await open(disk, []).agent.cancel(run.runId)).toBe(true)
    resolve(calls('look 1'))
    expect((await result).finishReason).not.toBe('stop')
    expect(payment.done).toEqual([])
    expect((await payment.agent.runs())[0]).toMatchObject({ status: 'failed', finishReason: 'aborted' })
  })

  it('ends a run of another process while its model is answering', async () => {
    const disk = memoryDisk()
    const payment = open(disk, [() => new Promise<never>(() => {})])
    const run = payment.agent.stream('Look', session)
    const result = run.result
    await expect.poll(() => payment.model.requests.length, { timeout: 30_000 }).toBe(1)
    expect(await open(disk, []).agent.cancel(run.runId)).toBe(true)
    expect(await result).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted' } })
  })

  it('ends a run that waits, here or elsewhere', async () => {
    const disk = memoryDisk()
    const payment = open(disk, [calls('pay 1'), calls('pay 2')])
    const { runId, approvals } = await waiting(payment)
    expect(await open(disk, []).agent.cancel(runId)).toBe(true)
    await expect(payment.agent.decide(runId, yes(approvals))).rejects.toMatchObject({ code: 'session-conflict' })
    const { result } = await follow(payment.agent.stream('Again', session), async (_request, run) => {
      expect(await open(disk, []).agent.cancel(run.runId)).toBe(true)
    })
    expect(result).toMatchObject({ finishReason: 'aborted', approvals: [] })
    expect(payment.done).toEqual([])
    expect((await payment.agent.runs()).map(({ finishReason }) => finishReason)).toEqual(['aborted', 'aborted'])
  })

  it('refuses a run that the caller may not see, and one that had ended stays as it was', async () => {
    const payment = open(memoryDisk(), ['Hello.'])
    const { runId } = await payment.agent.stream('Hi', session).result
    await expect(payment.agent.cancel(runId, { userId: 'bob' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(payment.agent.cancel('run_none')).rejects.toMatchObject({ code: 'not-found' })
    await expect(payment.agent.cancel('')).rejects.toMatchObject({ code: 'invalid-argument' })
    expect(await payment.agent.cancel(runId)).toBe(false)
    expect((await payment.agent.runs())[0]).toMatchObject({ status: 'done', finishReason: 'stop' })
  })
})

describe('a run that was not resumable', () => {
  it('is neither followed nor retried', async () => {
    const payment = open(memoryDisk(), [new AgentKitError('auth', 'No key.', { retryable: false })])
    const { runId } = await payment.agent.stream('Hi', session).result
    const events = payment.agent.follow(runId)[Symbol.asyncIterator]()
    await expect(events.next()).rejects.toThrow('Only background runs and resumable ones')
    await expect(payment.agent.retry(runId)).rejects.toMatchObject({
      code: 'session-conflict',
      message: expect.stringContaining('was not resumable'),
    })
    expect((await payment.agent.runs())[0]).toMatchObject({ status: 'failed' })
  })
})

describe('runs', () => {
  it('lists them newest first, by user, session and status, in pages', async () => {
    const payment = open(memoryDisk(), ['One.', 'Two.', calls('pay 1')])
    const one = await payment.agent.stream('1', session).result
    const two = await payment.agent.stream('2', { userId: 'bob', sessionId: 't' }).result
    const three = await payment.agent.stream('3', session).result
    const ids = async (filter: Parameters<typeof payment.agent.runs>[0]): Promise<string[]> =>
      (await payment.agent.runs(filter)).map(({ runId }) => runId)
    expect(await ids({})).toEqual([three.runId, two.runId, one.runId])
    expect(await ids({ userId: 'ann' })).toEqual([three.runId, one.runId])
    expect(await ids({ userId: 'ann', status: 'done' })).toEqual([one.runId])
    expect(await ids({ sessionId: 't' })).toEqual([two.runId])
    expect(await ids({ limit: 2 })).toEqual([three.runId, two.runId])
    expect(await ids({ limit: 2, after: two.runId })).toEqual([one.runId])
    const [inbox] = await payment.agent.runs({ status: 'waiting' })
    expect(inbox).toMatchObject({ finishReason: 'approval', approvals: three.approvals })
  })

  it.each<[unknown]>([
    [{ limit: 0 }],
    [{ limit: 1_001 }],
    [{ limit: 1.5 }],
    [{ limit: '10' }],
    [{ status: 'parked' }],
    [{ user: 'ann' }],
    [{ userId: '' }],
    [{ userId: 'x'.repeat(2_000) }],
    [{ after: 'x'.repeat(2_000) }],
    [null],
  ])('refuses %j', async (filter) => {
    const { agent } = open(memoryDisk(), [])
    await expect(agent.runs(filter as never)).rejects.toMatchObject({ code: 'invalid-argument' })
  })
})

it('swarms and workflows have these calls too', async () => {
  const { store: sessions } = memoryDisk().open()
  const inner = payer([calls('pay 1'), 'Paid.']).agent
  const swarm = new Swarm({ name: 'Team', collaboration: 'sequence', agents: [inner], sessions })
  const { runId, approvals } = await swarm.stream('Pay', session).result
  expect((await swarm.runs({ status: 'waiting' }))[0]).toMatchObject({ runId, approvals })
  await swarm.decide(runId, yes(approvals))
  expect(await swarm.resume(runId, {}).result).toMatchObject({ text: 'Paid.' })
  expect(await swarm.cancel(runId)).toBe(false)

  const flow = workflow({ name: 'Flow', sessions })
    .step(payer(['Hello.']).agent)
    .asAgent()
  const run = await flow.stream('Hi', session).result
  expect(await flow.runs()).toMatchObject([{ runId: run.runId, agentId: 'flow', status: 'done' }])
  expect(await flow.cancel(run.runId)).toBe(false)
})

/** A process of its own. */
function open(disk: MemoryDisk, turns: Parameters<typeof payer>[0], options: Omit<PayerOptions, 'store'> = {}): Payer {
  return payer(turns, { ...options, store: disk.open().store })
}

async function waiting({ agent }: Payer): Promise<RunResult> {
  const result = await agent.stream('Pay', session).result
  expect(result.finishReason).toBe('approval')
  return result as RunResult
}

function idIn(approvals: readonly Approval[]): string {
  return approvals[0]?.approvalId ?? ''
}

function yes(approvals: readonly Approval[]): Record<string, true> {
  return { [idIn(approvals)]: true }
}
