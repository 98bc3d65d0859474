import { describe, expect, it } from 'vitest'
import { calls, follow, type Payer, payer, session, sessionKey, wordsOf } from '../__fixtures__/payer.ts'
import type { Approval, Decision, Hooks, JSONValue, RunResult } from '../index.ts'

const began = Date.UTC(2026, 10, 23, 12)

describe('a call of unknown outcome', () => {
  it('is shown with the time at which it began', async () => {
    const { approvals } = await crashedInPay(payer([calls('pay 1', 'pay 2')]))
    expect(approvals).toMatchObject([
      { callId: 'pay1', kind: 'unknown-outcome', startedAt: '2026-11-23T12:00:00.000Z' },
      { callId: 'pay2', kind: 'approval' },
    ])
    expect(approvals[1]).not.toHaveProperty('startedAt')
  })

  it('is shown the same in an event', async () => {
    const payment = payer([calls('pay 1', 'pay 2'), 'Done.'])
    const { runId, approvals } = await crashedInPay(payment)
    const { events } = await follow(payment.agent.resume(runId, {}))
    const requests = events.filter(({ type }) => type === 'approval-request')
    expect(requests.map(({ seq, runId, path, type, ...approval }) => approval)).toEqual(approvals)
  })

  it.each<[string, Decision, string, string[]]>([
    ['is made again when it is approved', true, 'tool: paid', ['pay 1']],
    ['has the result that a person gives', { result: 'paid already' }, 'tool: paid already', []],
    ['may have a result that is not text', { result: { paid: [1] } }, 'tool: {"paid":[1]}', []],
    ['may have had no result', { result: null }, 'tool: no result', []],
    ['is reported as unknown when it is denied', { deny: 'Ask the bank.' }, `tool: ${unknown()} Ask the bank.`, []],
    ['may be denied without a reason', { deny: '' }, `tool: ${unknown()}`, []],
  ])('%s', async (_, decision, said, done) => {
    const payment = payer([calls('pay 1'), 'Done.'])
    const { runId, approvals } = await crashedInPay(payment)
    const { result, events } = await follow(payment.agent.resume(runId, { [idIn(approvals)]: decision }))
    expect(result).toMatchObject({ text: 'Done.', approvals: [] })
    expect(wordsOf(payment.model.requests[1]?.messages ?? []).at(-1)).toBe(said)
    expect(payment.done).toEqual(done)
    const isError = 'deny' in Object(decision)
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ callId: 'pay1', isError })
  })

  it('may have the id `__proto__`', async () => {
    const call = { name: 'pay', callId: '__proto__', input: { amount: 1 } }
    const payment = payer([{ toolCalls: [call] }, 'Done.'])
    const { runId, approvals } = await crashedInPay(payment, undefined, call.callId)
    expect(approvals).toMatchObject([{ callId: '__proto__', kind: 'unknown-outcome' }])
    const result = await payment.agent.resume(runId, { [idIn(approvals)]: { deny: '' } }).result
    expect([result.text, payment.done]).toEqual(['Done.', []])
  })

  it('is decided by its own approval, not by the one that let it begin', async () => {
    const payment = payer([calls('pay 1'), 'Done.'])
    const first = await payment.agent.stream('Pay', session).result
    const { runId, approvals } = await crashedInPay(payment, first)
    expect(idIn(approvals)).not.toBe(idIn(first.approvals))
    const result = await payment.agent.resume(runId, { [idIn(first.approvals)]: true }).result
    expect(result.error).toMatchObject({ code: 'invalid-argument' })
    expect(payment.done).toEqual([])
  })

  it('has a result that the hook afterTool may change', async () => {
    const hooks: Hooks = { afterTool: ({ output, ...outcome }) => ({ ...outcome, output: `${output}, checked` }) }
    const payment = payer([calls('pay 1'), 'Done.'], { hooks })
    const { runId, approvals } = await crashedInPay(payment)
    await payment.agent.resume(runId, { [idIn(approvals)]: { result: 'paid' } }).result
    expect(wordsOf(payment.model.requests[1]?.messages ?? []).at(-1)).toBe('tool: paid, checked')
  })
})

const unknown = (): string =>
  'The outcome of the call is unknown: it had begun when its process died, and was not made again.'

function idIn(approvals: readonly Approval[]): string {
  return approvals[0]?.approvalId ?? ''
}

/** A suspended run as a crash leaves it: the call of pay1 had begun. */
async function crashedInPay({ agent, store }: Payer, suspended?: RunResult, callId = 'pay1'): Promise<RunResult> {
  const { runId } = suspended ?? (await agent.stream('Pay', session).result)
  const { version = 0, state } = (await store.load(sessionKey)) ?? {}
  const changed = JSON.parse(JSON.stringify(state), (key, value: JSONValue) =>
    key === 'progress' ? { ...Object(value), begun: { [callId]: began } } : value,
  )
  await store.begin(sessionKey, { runId, expectedVersion: version, input: [] })
  await store.append(runId, [], changed)
  await store.end(runId, 'waiting')
  return agent.resume(runId, {}).result
}
