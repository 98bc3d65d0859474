import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ToolCall } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import type { Decisions } from '../data/approval-data.ts'
import { toTools } from '../tools/define-tool.ts'
import { compileTools, type ToolBox } from '../tools/toolbox.ts'
import { approvalDesk, approvalsOf, callsToApprove, checkDecisions } from './approval.ts'

type Rule = NonNullable<Tool['needsApproval']>

describe('a call needs approval', () => {
  it.each<[string, Rule, boolean]>([
    ['where the tool says so', true, true],
    ['not where the tool says no', false, false],
    ['where its rule says so', (input) => amountOf(input) > 100, true],
    ['not where its rule says no', (input) => amountOf(input) > 1000, false],
    ['where its rule says so later', async () => true, true],
    ['where its rule throws', () => fail(), true],
    ['where its rule rejects', async () => fail(), true],
    ['where its rule says nothing', () => undefined as never, true],
  ])('%s', async (_, needsApproval, isAsked) => {
    expect(await asked([payCall({ amount: 500 })], await boxOf({ needsApproval }))).toEqual(isAsked ? ['1-call_1'] : [])
  })

  it('not when no tool ever does: then nothing is looked at', async () => {
    const box = await boxOf({})
    expect(box.mayNeedApproval).toBe(false)
    expect(await callsToApprove([payCall({ amount: 1 })], { ...box, byName: undefined as never }, 1)).toEqual([])
  })

  it.each<[string, ToolCall]>([
    ['whose input does not fit', payCall({ amount: 'much' })],
    ['whose input does not parse', { ...payCall(undefined), inputText: '{"amount":', invalid: 'no JSON' }],
    ['of a tool that there is not', { ...payCall({ amount: 1 }), name: 'steal' }],
  ])('not when it will not run: one %s', async (_, call) => {
    expect(await asked([call], await boxOf({ needsApproval: true }))).toEqual([])
  })

  it('not when it does not parse, also where the tool needs no arguments', async () => {
    const call = { ...payCall(undefined), inputText: '{"amount":', invalid: 'no JSON' }
    expect(await asked([call], await boxOf({ input: z.object({}).default({}), needsApproval: true }))).toEqual([])
  })

  it('where its schema breaks down: it may not do so the next time', async () => {
    const broken = z.object({ amount: z.number().refine(() => fail()) })
    expect(await asked([payCall({ amount: 1 })], await boxOf({ needsApproval: true, input: broken }))).toEqual([
      '1-call_1',
    ])
  })

  it('by what the schema has made of its input', async () => {
    const seen: unknown[] = []
    const input = z.object({ amount: z.coerce.number() })
    await asked([payCall({ amount: '500' })], await boxOf({ input, needsApproval: (value) => seen.push(value) > 0 }))
    expect(seen).toEqual([{ amount: 500 }])
  })
})

describe('an approval', () => {
  it('is named after its step and call, so that it has the same name in another process', () => {
    const calls = [payCall({ amount: 1 })]
    const [approval] = approvalsOf(calls, 3)
    expect(approval).toEqual({ approvalId: '3-call_1', callId: 'call_1', name: 'pay', input: { amount: 1 } })
    expect(approvalsOf(calls, 3)).toEqual([approval])
    expect(approvalsOf(calls, 4)[0]?.approvalId).toBe('4-call_1')
  })

  it('has an input of its own', async () => {
    const call = payCall({ amount: 1 })
    const rule = (input: unknown): boolean => Object.assign(input as object, { amount: 0 }) !== undefined
    const [approval] = await callsToApprove([call], await boxOf({ input: { type: 'object' }, needsApproval: rule }), 1)
    Object.assign(approval?.input as object, { amount: 2 })
    expect(call.input).toEqual({ amount: 1 })
  })
})

describe('the desk', () => {
  const two = approvalsOf([payCall({}), { ...payCall({}), callId: 'call_2' }], 1)
  const never = new AbortController().signal

  it('has no decisions when nobody is there', async () => {
    expect(await approvalDesk('r').decisions(two, never)).toBeUndefined()
  })

  it('waits until all is decided', async () => {
    const desk = approvalDesk('r')
    desk.attend()
    const decisions = desk.decisions(two, never)
    expect(desk.waiting).toBe(true)
    desk.decide('1-call_2', { deny: 'no' })
    desk.decide('1-call_1', true)
    expect(await decisions).toEqual({ '1-call_1': true, '1-call_2': { deny: 'no' } })
    expect(desk.waiting).toBe(false)
  })

  it('gives what was decided when whoever decides leaves, and takes nothing more', async () => {
    const desk = approvalDesk('r')
    desk.attend()
    const decisions = desk.decisions(two, never)
    desk.decide('1-call_1', true)
    desk.leave()
    expect(() => desk.decide('1-call_2', true)).toThrow(
      'No approval "1-call_2" waits in the run r. One that has ended with what waits goes on by agent.resume(',
    )
    expect(await decisions).toEqual({ '1-call_1': true })
    expect(await desk.decisions(two, never)).toBeUndefined()
  })

  it.each(['twice', 'unknown', 'before it is asked'])('refuses what does not wait: %s', async (what) => {
    const desk = approvalDesk('r')
    desk.attend()
    const decisions = what === 'before it is asked' ? undefined : desk.decisions(two, never)
    if (what === 'twice') desk.decide('1-call_1', true)
    const id = what === 'unknown' ? '2-call_1' : '1-call_1'
    expect(() => desk.decide(id, true)).toThrow(expect.objectContaining({ code: 'not-found' }))
    desk.leave()
    await decisions
  })

  it('stops waiting when the run is aborted', async () => {
    const desk = approvalDesk('r')
    desk.attend()
    const controller = new AbortController()
    const decisions = desk.decisions(two, controller.signal)
    controller.abort()
    await expect(decisions).rejects.toMatchObject({ code: 'aborted' })
    expect(desk.waiting).toBe(false)
    expect(() => desk.decide('1-call_1', true)).toThrow('No approval')
  })
})

describe('decisions', () => {
  const approvals = approvalsOf([payCall({})], 1)

  it.each<Decisions>([{}, { '1-call_1': true }, { '1-call_1': { deny: '' } }])('may be %j', (decisions) => {
    expect(() => checkDecisions(decisions, approvals)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [{ nobody: true }, 'No approval "nobody" waits in this run. There are: "1-call_1" (pay).'],
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
