import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ToolCall } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import { toTools } from '../tools/to-tools.ts'
import { compileTools, type ToolBox } from '../tools/toolbox.ts'
import { approvalIdOf } from './decisions/approval-id.ts'
import { PendingApprovals } from './decisions/pending-approvals.ts'
import { approvalsOf, callsToApprove } from './needed-approvals.ts'

type Rule = NonNullable<Tool['needsApproval']>

const place = { runId: 'run_1', step: 1, callers: '' }
const first = approvalIdOf(place, 'call_1')
const second = approvalIdOf(place, 'call_2')

describe('a call needs approval', () => {
  it.each<[string, Rule, boolean]>([
    ['if the tool requires it', true, true],
    ['not if the tool says no', false, false],
    ['if the rule returns true', (input) => amountOf(input) > 100, true],
    ['not if the rule returns false', (input) => amountOf(input) > 1000, false],
    ['if the rule resolves to true', async () => true, true],
    ['if the rule throws', () => fail(), true],
    ['if the rule rejects', async () => fail(), true],
    ['if the rule returns nothing', () => undefined as never, true],
  ])('%s', async (_, needsApproval, isAsked) => {
    expect(await asked([payCall({ amount: 500 })], await boxOf({ needsApproval }))).toEqual(isAsked ? ['call_1'] : [])
  })

  it('not when no tool has a rule: then no call is checked', async () => {
    const box = await boxOf({})
    expect(box.mayNeedApproval).toBe(false)
    expect(await callsToApprove([payCall({ amount: 1 })], { ...box, byName: undefined as never }, place)).toEqual([])
  })

  it.each<[string, ToolCall]>([
    ['whose input does not match the schema', payCall({ amount: 'much' })],
    ['whose input does not parse', { ...payCall(undefined), inputText: '{"amount":', invalid: 'no JSON' }],
    ['of an unknown tool', { ...payCall({ amount: 1 }), name: 'steal' }],
  ])('not when it will not run: a call %s', async (_, call) => {
    expect(await asked([call], await boxOf({ needsApproval: true }))).toEqual([])
  })

  it('not when it does not parse, even if the tool needs no arguments', async () => {
    const call = { ...payCall(undefined), inputText: '{"amount":', invalid: 'no JSON' }
    expect(await asked([call], await boxOf({ input: z.object({}).default({}), needsApproval: true }))).toEqual([])
  })

  it('if validation throws, as it may not throw the next time', async () => {
    const broken = z.object({ amount: z.number().refine(() => fail()) })
    expect(await asked([payCall({ amount: 1 })], await boxOf({ needsApproval: true, input: broken }))).toEqual([
      'call_1',
    ])
  })

  it('by the validated input', async () => {
    const seen: unknown[] = []
    const input = z.object({ amount: z.coerce.number() })
    await asked([payCall({ amount: '500' })], await boxOf({ input, needsApproval: (value) => seen.push(value) > 0 }))
    expect(seen).toEqual([{ amount: 500 }])
  })
})

describe('an approval', () => {
  it('shows the call, with an id', () => {
    const [approval] = approvalsOf([payCall({ amount: 1 })], place)
    expect(approval).toEqual({
      ...{ approvalId: first, callId: 'call_1', name: 'pay', input: { amount: 1 }, kind: 'approval' },
    })
  })

  it('of a call that had begun has the time, and another id', () => {
    const startedAt = Date.UTC(2026, 10, 23)
    const [approval] = approvalsOf([payCall({})], place, { begun: new Map([['call_1', startedAt]]) })
    expect(approval).toMatchObject({ kind: 'unknown-outcome', startedAt: '2026-11-23T00:00:00.000Z' })
    expect(approval?.approvalId).toBe(approvalIdOf(place, 'call_1', startedAt))
    expect(approval?.approvalId).not.toBe(first)
  })

  it('has a copy of the input', async () => {
    const call = payCall({ amount: 1 })
    const rule = (input: unknown): boolean => Object.assign(input as object, { amount: 0 }) !== undefined
    const [approval] = await callsToApprove(
      [call],
      await boxOf({ input: { type: 'object' }, needsApproval: rule }),
      place,
    )
    Object.assign(approval?.input as object, { amount: 2 })
    expect(call.input).toEqual({ amount: 1 })
  })
})

describe('pending approvals', () => {
  const two = approvalsOf([payCall({}), { ...payCall({}), callId: 'call_2' }], place)
  const never = new AbortController().signal

  it('have no decisions without a caller', async () => {
    expect(await new PendingApprovals('r').decisions(two, never)).toBeUndefined()
  })

  it('wait until all are decided', async () => {
    const pending = new PendingApprovals('r')
    pending.attach()
    const decisions = pending.decisions(two, never)
    expect(pending.isWaiting()).toBe(true)
    pending.decide(second, { deny: 'no' })
    pending.decide(first, true)
    expect(await decisions).toEqual({ [first]: true, [second]: { deny: 'no' } })
    expect(pending.isWaiting()).toBe(false)
  })

  it('return the decisions so far when the caller detaches, and accept no more', async () => {
    const pending = new PendingApprovals('r')
    pending.attach()
    const decisions = pending.decisions(two, never)
    pending.decide(first, true)
    pending.detach()
    expect(() => pending.decide(second, true)).toThrow(
      `No approval "${second}" is pending in the run r. A run that has ended with pending approvals is resumed by`,
    )
    expect(await decisions).toEqual({ [first]: true })
    expect(await pending.decisions(two, never)).toBeUndefined()
  })

  it.each(['twice', 'unknown', 'before it is asked'])(
    'refuse a decision on an approval that is not pending: %s',
    async (what) => {
      const pending = new PendingApprovals('r')
      pending.attach()
      const decisions = what === 'before it is asked' ? undefined : pending.decisions(two, never)
      if (what === 'twice') pending.decide(first, true)
      const id = what === 'unknown' ? 'apr_unknown' : first
      const code = what === 'twice' ? 'session-conflict' : 'not-found'
      expect(() => pending.decide(id, { deny: 'no' })).toThrow(expect.objectContaining({ code }))
      await expect(pending.answer(id, 'done')).rejects.toMatchObject({ code })
      const words = what === 'twice' ? /was approved at 20\d\d-.*\. The first decision holds\.$/ : /^No approval/
      expect(() => pending.decide(id, { deny: 'no' })).toThrow(words)
      pending.detach()
      await decisions
    },
  )

  it('ask for the result where an answer has none', async () => {
    const pending = new PendingApprovals('r')
    pending.attach()
    const decisions = pending.decisions(two, never)
    const nothing = undefined as unknown as null // as from JavaScript
    await expect(pending.answer(first, nothing)).rejects.toThrow(
      `run.answer("${first}") needs a result: JSON, null where`,
    )
    pending.decide(first, true)
    pending.decide(second, true)
    expect(await decisions).toEqual({ [first]: true, [second]: true })
  })

  it('stop waiting when the run is aborted', async () => {
    const pending = new PendingApprovals('r')
    pending.attach()
    const controller = new AbortController()
    const decisions = pending.decisions(two, controller.signal)
    controller.abort()
    await expect(decisions).rejects.toMatchObject({ code: 'aborted' })
    expect(pending.isWaiting()).toBe(false)
    expect(() => pending.decide(first, true)).toThrow('No approval')
  })
})

type PayTool = { input?: Tool['inputSchema']; needsApproval?: Rule }

function boxOf({ input = z.object({ amount: z.number() }), needsApproval }: PayTool): Promise<ToolBox> {
  const pay: Tool = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: input,
    execute: () => 'paid',
    ...(needsApproval === undefined ? {} : { needsApproval }),
  }
  return compileTools(toTools([pay]))
}

async function asked(calls: readonly ToolCall[], box: ToolBox): Promise<string[]> {
  return (await callsToApprove(calls, box, place)).map(({ callId }) => callId)
}

function payCall(input: unknown): ToolCall {
  return { type: 'tool-call', callId: 'call_1', name: 'pay', input }
}

function amountOf(input: unknown): number {
  return (input as { amount: number }).amount
}

function fail(): never {
  throw new Error('The rule is broken.')
}
