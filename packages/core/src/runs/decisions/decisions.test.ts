import { describe, expect, it } from 'vitest'
import type { Approval, ApprovalKind, Decisions } from '../../data/approval-data.ts'
import { limits } from '../../limits.ts'
import { approvalIdOf } from './approval-id.ts'
import { checkDecisions, copyDecisions } from './decisions.ts'

const place = { runId: 'run_1', step: 1, callers: '' }
const approvalId = approvalIdOf(place, 'call_1')

describe('decisions', () => {
  it.each([
    {},
    { a: true },
    { a: { deny: '' } },
    { a: { deny: 'no' }, b: true },
    { a: { result: null } },
    { a: { result: { paid: [1, 'x', false] } } },
  ])('may be %j', (decisions) => {
    expect(copyDecisions(decisions)).toEqual(decisions)
  })

  it.each<[unknown, string]>([
    [undefined, 'Pass decisions as an object'],
    [[true], 'Pass decisions as an object'],
    [{ a: false }, 'Decide "a" by true, { deny: "why" } or { result }'],
    [{ a: null }, 'Decide "a"'],
    [{ a: 'yes' }, 'Decide "a"'],
    [{ a: { deny: 1 } }, 'Decide "a"'],
    [{ a: {} }, 'Decide "a"'],
    [{ a: { deny: 'no', result: 1 } }, 'Decide "a"'],
    [{ a: { result: undefined } }, 'Decide "a"'],
    [{ a: { result: () => 1 } }, 'The result for "a" is plain JSON'],
    [{ a: { result: Number.NaN } }, 'The result for "a" is plain JSON'],
    [{ a: { result: new Date() } }, 'The result for "a" is plain JSON'],
    [{ a: { result: Array(limits.argumentValues + 1).fill(0) } }, 'The result for "a" is plain JSON'],
    [{ a: { result: 'x'.repeat(limits.wholeResultChars) } }, 'The result for "a" is plain JSON'],
    [{ a: { deny: 'x'.repeat(limits.denialBytes + 1) } }, 'longer than 65536 bytes'],
  ])('may not be %#', (decisions, message) => {
    expect(() => copyDecisions(decisions)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })

  it('are collected one by one', () => {
    const decisions: Decisions = {}
    for (const id of ['a', 'b']) decisions[id] = id === 'a' ? true : { deny: 'no' }
    expect(copyDecisions(decisions)).toEqual({ a: true, b: { deny: 'no' } })
  })

  it('are copies', () => {
    const given = { a: { result: { paid: 1 } } }
    const copy = copyDecisions(given)
    given.a.result.paid = 2
    expect(copy).toEqual({ a: { result: { paid: 1 } } })
  })
})

describe('decisions on pending approvals', () => {
  const approval = (kind: ApprovalKind): Approval => ({ approvalId, callId: 'call_1', name: 'pay', input: {}, kind })

  it('may leave approvals open', () => {
    expect(checkDecisions('run_1', {}, [approval('approval')])).toEqual({})
  })

  it('may name an approval as earlier versions did', () => {
    expect(checkDecisions('run_1', { '1-call_1': true }, [approval('approval')])).toEqual({ [approvalId]: true })
  })

  it('are refused for an approval that is not pending', () => {
    expect(() => checkDecisions('run_1', { unknown: true }, [approval('approval')])).toThrow(
      `No approval "unknown" is pending in this run. Pending are: "${approvalId}" (pay).`,
    )
  })

  it.each<[ApprovalKind, boolean]>([
    ['approval', false],
    ['unknown-outcome', true],
    ['client-tool', true],
  ])('with a result on the kind %s: %s', (kind, isAllowed) => {
    const decisions: Decisions = { [approvalId]: { result: 'paid' } }
    const check = (): unknown => checkDecisions('run_1', decisions, [approval(kind)])
    if (isAllowed) expect(check()).toEqual(decisions)
    else expect(check).toThrow('The call of pay has not begun: decide')
  })

  it.each<[ApprovalKind, boolean]>([
    ['approval', true],
    ['unknown-outcome', true],
    ['client-tool', false],
  ])('with `true` on the kind %s: %s', (kind, isAllowed) => {
    const decisions: Decisions = { [approvalId]: true }
    const check = (): unknown => checkDecisions('run_1', decisions, [approval(kind)])
    if (isAllowed) expect(check()).toEqual(decisions)
    else expect(check).toThrow('The client executes pay: decide')
  })
})
