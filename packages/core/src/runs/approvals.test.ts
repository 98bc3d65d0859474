import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ToolCall } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import type { Decisions } from '../data/approval-data.ts'
import { toTools } from '../tools/define-tool.ts'
import { compileTools, type ToolBox } from '../tools/toolbox.ts'
import { approvalsOf, callsToApprove, checkDecisions } from './approvals.ts'
import { pendingApprovals } from './pending-approvals.ts'

type Rule = NonNullable<Tool['needsApproval']>

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
    expect(await asked([payCall({ amount: 500 })], await boxOf({ needsApproval }))).toEqual(isAsked ? ['1-call_1'] : [])
  })

  it('not when no tool has a rule: then no call is checked', async () => {
    const box = await boxOf({})
    expect(box.mayNeedApproval).toBe(false)
    expect(await callsToApprove([payCall({ amount: 1 })], { ...box, byName: undefined as never }, 1)).toEqual([])
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
      '1-call_1',
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
  it('has an id made of step and call, so that it is the same in another process', () => {
    const calls = [payCall({ amount: 1 })]
    const [approval] = approvalsOf(calls, 3)
    expect(approval).toEqual({ approvalId: '3-call_1', callId: 'call_1', name: 'pay', input: { amount: 1 } })
    expect(approvalsOf(calls, 3)).toEqual([approval])
    expect(approvalsOf(calls, 4)[0]?.approvalId).toBe('4-call_1')
  })

  it('has a copy of the input', async () => {
    const call = payCall({ amount: 1 })
    const rule = (input: unknown): boolean => Object.assign(input as object, { amount: 0 }) !== undefined
    const [approval] = await callsToApprove([call], await boxOf({ input: { type: 'object' }, needsApproval: rule }), 1)
    Object.assign(approval?.input as object, { amount: 2 })
    expect(call.input).toEqual({ amount: 1 })
  })
})

describe('pending approvals', () => {
  const two = approvalsOf([payCall({}), { ...payCall({}), callId: 'call_2' }], 1)
  const never = new AbortController().signal

  it('have no decisions without a caller', async () => {
    expect(await pendingApprovals('r').decisions(two, never)).toBeUndefined()
  })

  it('wait until all are decided', async () => {
    const pending = pendingApprovals('r')
    pending.attach()
    const decisions = pending.decisions(two, never)
    expect(pending.isWaiting).toBe(true)
    pending.decide('1-call_2', { deny: 'no' })
    pending.decide('1-call_1', true)
    expect(await decisions).toEqual({ '1-call_1': true, '1-call_2': { deny: 'no' } })
    expect(pending.isWaiting).toBe(false)
  })

  it('return the decisions so far when the caller detaches, and accept no more', async () => {
    const pending = pendingApprovals('r')
    pending.attach()
    const decisions = pending.decisions(two, never)
    pending.decide('1-call_1', true)
    pending.detach()
    expect(() => pending.decide('1-call_2', true)).toThrow(
      'No approval "1-call_2" is pending in the run r. A run that has ended with pending approvals is resumed by',
    )
    expect(await decisions).toEqual({ '1-call_1': true })
    expect(await pending.decisions(two, never)).toBeUndefined()
  })

  it.each(['twice', 'unknown', 'before it is asked'])(
    'refuse a decision on an approval that is not pending: %s',
    async (what) => {
      const pending = pendingApprovals('r')
      pending.attach()
      const decisions = what === 'before it is asked' ? undefined : pending.decisions(two, never)
      if (what === 'twice') pending.decide('1-call_1', true)
      const id = what === 'unknown' ? '2-call_1' : '1-call_1'
      expect(() => pending.decide(id, true)).toThrow(expect.objectContaining({ code: 'not-found' }))
      pending.detach()
      await decisions
    },
  )

  it('stop waiting when the run is aborted', async () => {
    const pending = pendingApprovals('r')
    pending.attach()
    const controller = new AbortController()
    const decisions = pending.decisions(two, controller.signal)
    controller.abort()
    await expect(decisions).rejects.toMatchObject({ code: 'aborted' })
    expect(pending.isWaiting).toBe(false)
    expect(() => pending.decide('1-call_1', true)).toThrow('No approval')
  })
})

describe('decisions', () => {
  const approvals = approvalsOf([payCall({})], 1)

  it.each<Decisions>([{}, { '1-call_1': true }, { '1-call_1': { deny: '' } }])('may be %j', (decisions) => {
    expect(() => checkDecisions(decisions, approvals)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [{ unknown: true }, 'No approval "unknown" is pending in this run. Pending are: "1-call_1" (pay).'],
    [{ '1-call_1': false }, 'Decide "1-call_1" by true or { deny: "why" }.'],
    [{ '1-call_1': null }, 'Decide "1-call_1"'],
    [{ '1-call_1': { deny: 1 } }, 'Decide "1-call_1"'],
    [{ '1-call_1': 'yes' }, 'Decide "1-call_1"'],
  ])('may not be %j', (decisions, message) => {
    expect(() => checkDecisions(decisions as Decisions, approvals)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
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
  return (await callsToApprove(calls, box, 1)).map(({ approvalId }) => approvalId)
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
