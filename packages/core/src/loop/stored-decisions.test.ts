import { describe, expect, it } from 'vitest'
import { type MemoryDisk, memoryDisk } from '../__fixtures__/memory-runs.ts'
import {
  calls,
  follow,
  type Payer,
  type PayerOptions,
  payer,
  session,
  sessionKey,
  wordsOf,
} from '../__fixtures__/payer.ts'
import type { Approval, RunResult } from '../index.ts'

describe('a decision on a stored run', () => {
  it('is stored; the run continues once all approvals that it shows are decided, with each call made once', async () => {
    const disk = memoryDisk()
    const first = open(disk, [calls('pay 1', 'pay 2')])
    const { runId, approvals } = await waiting(first)
    const second = open(disk, ['Paid.'], { done: first.done })
    await second.agent.decide(runId, { [idOf(approvals, 'pay1')]: true })
    expect(await statusOf(second, runId)).toBe('waiting')
    await first.agent.decide(runId, { [idOf(approvals, 'pay2')]: { deny: 'no' } })
    expect(await statusOf(second, runId)).toBe('running')
    expect(await second.agent.continueRun(runId).result).toMatchObject({ text: 'Paid.', approvals: [] })
    expect(first.done).toEqual(['pay 1'])
    expect(wordsOf(second.model.requests[0]?.messages ?? []).slice(-2)).toEqual([
      ...['tool: paid', 'tool: The call was denied: no'],
    ])
  })

  it('is accepted while another one is carried out, and the run continues with it', async () => {
    const { promise: paid, resolve: pay } = Promise.withResolvers<string>()
    const { promise: paying, resolve: begun } = Promise.withResolvers<void>()
    const payment = open(memoryDisk(), [calls('pay 1', 'pay 2'), 'Both are paid.'], {
      pay(amount) {
        begun()
        return amount === 1 ? paid : 'paid too'
      },
    })
    const { runId, approvals } = await waiting(payment)
    const { result } = payment.agent.resume(runId, { [idOf(approvals, 'pay1')]: true })
    await paying
    await payment.agent.decide(runId, { [idOf(approvals, 'pay2')]: true })
    pay('paid')
    expect(await result).toMatchObject({ text: 'Both are paid.', approvals: [] })
    expect(payment.done).toEqual(['pay 1', 'pay 2'])
  })

  it('leaves the run waiting for the others, when it was carried out alone', async () => {
    const payment = open(memoryDisk(), [calls('pay 1', 'pay 2', 'pay 3'), 'Done.'])
    const { runId, approvals } = await waiting(payment)
    await payment.agent.decide(runId, { [idOf(approvals, 'pay1')]: true })
    const partly = await payment.agent.resume(runId, { [idOf(approvals, 'pay2')]: true }).result
    expect(partly).toMatchObject({ finishReason: 'approval', approvals: [{ callId: 'pay3' }] })
    expect(payment.done).toEqual(['pay 1', 'pay 2'])
    expect((await payment.agent.resume(runId, { [idOf(approvals, 'pay3')]: true }).result).text).toBe('Done.')
    expect(payment.done).toEqual(['pay 1', 'pay 2', 'pay 3'])
  })

  it('wins when it is the first, in whichever process', async () => {
    const disk = memoryDisk()
    const payment = open(disk, [calls('pay 1'), 'Very well.'])
    const other = open(disk, [])
    const { result } = await follow(payment.agent.stream('Pay', session), async ({ runId, approvalId }, run) => {
      await other.agent.decide(runId, { [approvalId]: { deny: 'Too much.' } }, { by: 'eve' })
      const again = other.agent.decide(runId, { [approvalId]: true })
      await expect(again).rejects.toMatchObject({ code: 'session-conflict' })
      // It may not know yet; either way the first decision holds.
      try {
        run.approve(approvalId)
      } catch {}
    })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Very well.' })
    expect(payment.done).toEqual([])
    const stored = await payment.store.runs?.read(result.runId)
    expect(stored?.approvals).toMatchObject([{ decision: { deny: 'Too much.' }, decidedBy: 'eve' }])
  })

  it('is seen by a run that waits in another process', async () => {
    const disk = memoryDisk()
    const payment = open(disk, [calls('pay 1', 'pay 2'), 'Paid.'])
    const other = open(disk, [])
    const { result } = await follow(payment.agent.stream('Pay', session), ({ runId, approvalId, callId }, run) => {
      if (callId === 'pay1') run.approve(approvalId)
      else void other.agent.decide(runId, { [approvalId]: true })
    })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
    expect(payment.done).toEqual(['pay 1', 'pay 2'])
  })

  it('is stored at once when the reader of the run makes it', async () => {
    const payment = open(memoryDisk(), [calls('pay 1', 'pay 2'), 'Paid.'])
    const { result } = await follow(payment.agent.stream('Pay', session), async ({ approvalId, callId }, run) => {
      run.approve(approvalId)
      if (callId === 'pay2') return
      await expect
        .poll(async () => (await payment.store.runs?.read(run.runId))?.approvals, { timeout: 30_000 })
        .toMatchObject([{ callId: 'pay1', decision: true }, { callId: 'pay2' }])
      expect(await statusOf(payment, run.runId)).toBe('waiting')
    })
    expect(result).toMatchObject({ text: 'Paid.' })
  })

  it('leaves the other approvals open when the run is aborted: its result shows these alone', async () => {
    const payment = open(memoryDisk(), [calls('pay 1', 'pay 2'), 'Both are paid.'])
    const controller = new AbortController()
    const run = payment.agent.stream('Pay', { ...session, signal: controller.signal })
    for await (const event of run) {
      if (event.type !== 'approval-request' || event.callId !== 'pay1') continue
      run.approve(event.approvalId)
      await expect.poll(async () => (await payment.agent.runs())[0]?.approvals).toMatchObject([{ callId: 'pay2' }])
      controller.abort()
    }
    const { finishReason, runId, approvals } = await run.result
    expect([finishReason, approvals.map(({ callId }) => callId)]).toEqual(['aborted', ['pay2']])
    const decisions = { [idOf(approvals, 'pay2')]: true as const }
    expect(await payment.agent.resume(runId, decisions).result).toMatchObject({ text: 'Both are paid.' })
    expect(payment.done).toEqual(['pay 1', 'pay 2'])
  })

  it('leaves the others open also where the run is aborted before it is stored', async () => {
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
    const payment = open(memoryDisk(), [calls('pay 1', 'pay 2'), 'Both are paid.'])
    const { runs } = payment.agent.sessions
    if (!runs) throw new Error('The store has runs.')
    const { decide } = runs
    runs.decide = async (...args) => {
      await aborted
      return decide(...args)
    }
    const controller = new AbortController()
    const run = payment.agent.stream('Pay', { ...session, signal: controller.signal })
    for await (const event of run) {
      if (event.type !== 'approval-request' || event.callId !== 'pay1') continue
      run.approve(event.approvalId)
      controller.abort()
      setImmediate(abort)
    }
    const { finishReason, runId, approvals } = await run.result
    expect([finishReason, approvals.map(({ callId }) => callId)]).toEqual(['aborted', ['pay2']])
    const decisions = { [idOf(approvals, 'pay2')]: true as const }
    expect(await payment.agent.resume(runId, decisions).result).toMatchObject({ text: 'Both are paid.' })
    expect(payment.done).toEqual(['pay 1', 'pay 2'])
  })

  it('on a run that waits here continues it there when the caller resumes it', async () => {
    const payment = open(memoryDisk(), [calls('pay 1'), 'Paid.'])
    let resumed: RunResult | undefined
    const { result } = await follow(payment.agent.stream('Pay', session), async ({ runId, approvalId }) => {
      resumed = await payment.agent.resume(runId, { [approvalId]: true }).result
    })
    expect(resumed).toMatchObject({ text: 'Paid.' })
    expect(result.error).toMatchObject({ code: 'session-conflict' })
    expect(payment.done).toEqual(['pay 1'])
  })

  it('holds against one that is made here before this process knows of it', async () => {
    const disk = memoryDisk()
    const { store } = disk.open()
    const deaf = { ...store, runs: { ...store.runs, watch: () => () => {} } }
    const payment = payer([calls('pay 1'), 'Very well.'], { store: deaf })
    const other = open(disk, [])
    const { result } = await follow(payment.agent.stream('Pay', session), async ({ runId, approvalId }, run) => {
      await other.agent.decide(runId, { [approvalId]: { deny: 'no' } })
      run.approve(approvalId)
    })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Very well.' })
    expect(payment.done).toEqual([])
  })

  it('lets the caller of `resume` continue the run, also when it is slower than the run that waits here', async () => {
    const { store } = memoryDisk().open()
    const decide: typeof store.runs.decide = async (...args) => {
      const status = await store.runs.decide(...args)
      await new Promise((resolve) => setTimeout(resolve, 50))
      return status
    }
    const payment = payer([calls('pay 1'), 'Paid.'], { store: { ...store, runs: { ...store.runs, decide } } })
    let resumed: RunResult | undefined
    const { result } = await follow(payment.agent.stream('Pay', session), async ({ runId, approvalId }) => {
      resumed = await payment.agent.resume(runId, { [approvalId]: true }).result
    })
    expect(resumed).toMatchObject({ text: 'Paid.' })
    expect(result.error).toMatchObject({ code: 'session-conflict' })
    expect(payment.done).toEqual(['pay 1'])
  })
})

describe('a run that is resumed without a decision', () => {
  it('shows its open approvals, and stays as it is', async () => {
    const payment = open(memoryDisk(), [calls('pay 1', 'pay 2'), 'Done.'])
    const { runId, approvals } = await waiting(payment)
    expect((await payment.agent.resume(runId, {}).result).approvals).toEqual(approvals)
    await payment.agent.decide(runId, { [idOf(approvals, 'pay1')]: true })
    const { approvals: open1 } = await payment.agent.resume(runId, {}).result
    expect(open1).toMatchObject([{ callId: 'pay2' }])
    expect(await payment.store.runs?.read(runId)).toMatchObject({ record: { status: 'waiting' }, attempt: 1 })
    expect(payment.done).toEqual([])
  })

  it.each([false, true])(
    'shows them by events whose numbers the run does not use (resumable: %s)',
    async (resumable) => {
      const { agent } = open(memoryDisk(), [calls('pay 1'), 'Done.'])
      const onApproval = { onApproval: 'end' } as const
      const first = await follow(agent.stream('Pay', { ...session, ...onApproval, resumable }), async () => {})
      const { runId, approvals } = first.result
      const again = await follow(agent.resume(runId, {}, onApproval), async () => {})
      expect(again.result.approvals).toEqual(approvals)
      const last = await follow(agent.resume(runId, { [idOf(approvals, 'pay1')]: true }))
      expect(last.result).toMatchObject({ text: 'Done.' })
      const numbers = [first, again, last].flatMap(({ events }) => events.map(({ seq }) => seq))
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    },
  )

  it('waits while it is iterated, and holds no session', async () => {
    const payment = open(memoryDisk(), [calls('pay 1'), 'Hello.', 'Paid.'])
    const { runId } = await waiting(payment)
    const { result } = await follow(payment.agent.resume(runId, {}), async ({ approvalId }, run) => {
      expect(await payment.agent.chat('Hi', session)).toBe('Hello.')
      run.approve(approvalId)
    })
    expect(result).toMatchObject({ runId, text: 'Paid.' })
    expect(wordsOf(payment.model.requests[2]?.messages ?? [])).toEqual([
      ...['user: Hi', 'assistant: Hello.', 'user: Pay', 'assistant: pay1', 'tool: paid'],
    ])
    expect((await payment.store.load(sessionKey))?.messages).toHaveLength(6)
  })
})

type Options = Omit<PayerOptions, 'store'>

/** A process of its own. */
function open(disk: MemoryDisk, turns: Parameters<typeof payer>[0], options: Options = {}): Payer {
  return payer(turns, { ...options, store: disk.open().store })
}

async function waiting({ agent }: Payer): Promise<RunResult> {
  const result = await agent.stream('Pay', session).result
  expect(result.finishReason).toBe('approval')
  return result as RunResult
}

function idOf(approvals: readonly Approval[], callId: string): string {
  return approvals.find((approval) => approval.callId === callId)?.approvalId ?? ''
}

async function statusOf({ store }: Payer, runId: string): Promise<string | undefined> {
  return (await store.runs?.read(runId))?.record.status
}
