import { describe, expect, it } from 'vitest'
import { callee, errorOf, timeouts } from '../__fixtures__/streams.ts'
import { CallWatch, checkTimeouts } from './call-watch.ts'

describe('checkTimeouts', () => {
  it('fills in 60 seconds', () => {
    expect(checkTimeouts({ idleTimeoutMs: 5 })).toEqual({ firstByteTimeoutMs: 60_000, idleTimeoutMs: 5 })
  })

  it('limits delays to the range of timers', () => {
    expect(checkTimeouts({ idleTimeoutMs: Number.POSITIVE_INFINITY }).idleTimeoutMs).toBe(2_147_483_647)
  })

  it.each([0, -1, Number.NaN])('refuses %d', (firstByteTimeoutMs) => {
    expect(() => checkTimeouts({ firstByteTimeoutMs })).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})

it('rejects when the call has ended while the promise was created', async () => {
  const controller = new AbortController()
  const watch = new CallWatch(controller.signal, timeouts, callee)
  watch.start()
  const never = (): Promise<void> => {
    controller.abort()
    return new Promise(() => {})
  }
  expect(await errorOf(watch.race(never()))).toMatchObject({ code: 'aborted' })
})
