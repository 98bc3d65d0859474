import { expect, it } from 'vitest'
import { approvalIdOf, opaqueId } from './approval-id.ts'

const place = { runId: 'run_1', step: 1, callers: '' }

it('is opaque: it shows neither the call nor the member', () => {
  const id = approvalIdOf({ ...place, callers: '1-toolu_9/' }, 'toolu_7')
  expect(id).toMatch(/^apr_[0-9A-Za-z]{22}$/)
})

it('is the same in another process', () => {
  expect(approvalIdOf(place, 'call_1')).toBe('apr_3VuiSvjsGiBiVHxq92xrI6')
})

it('differs by run, step, call, calling members and start of the call', () => {
  const ids = [
    approvalIdOf(place, 'call_1'),
    approvalIdOf({ ...place, runId: 'run_2' }, 'call_1'),
    approvalIdOf({ ...place, step: 2 }, 'call_1'),
    approvalIdOf(place, 'call_2'),
    approvalIdOf({ ...place, callers: '1-ask/' }, 'call_1'),
    // A model that uses the id of a call again asks the same member twice.
    approvalIdOf({ ...place, callers: '2-ask/' }, 'call_1'),
    approvalIdOf({ ...place, callers: '1-ask/1-ask/' }, 'call_1'),
    approvalIdOf(place, 'call_1', 1_000),
    approvalIdOf(place, 'call_1', 2_000),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})

it('is also found by the name that earlier versions showed', () => {
  expect(opaqueId('run_1', '1-call_1')).toBe(approvalIdOf(place, 'call_1'))
})
