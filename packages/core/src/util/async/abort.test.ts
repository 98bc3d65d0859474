import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../../__fixtures__/rejections.ts'
import { settledWithin, sleep, untilAborted } from './abort.ts'

refuseUnhandledRejections()

describe('untilAborted', () => {
  it('settles with the work, and removes its listener', async () => {
    const { signal } = new AbortController()
    expect(await untilAborted(signal, Promise.resolve(7))).toBe(7)
    await expect(untilAborted(signal, Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('rejects at once when the signal is aborted, and ignores how the work settles', async () => {
    await expect(untilAborted(AbortSignal.abort(), Promise.reject(new Error('late')))).rejects.toMatchObject({
      code: 'aborted',
    })
  })

  it('does not keep a timer when a sleep is aborted', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const controller = new AbortController()
    const slept = sleep(60_000, controller.signal)
    expect(timers()).toBe(before + 1)
    controller.abort()
    await expect(slept).rejects.toMatchObject({ code: 'aborted' })
    expect(timers()).toBe(before)
  })
})

describe('settledWithin', () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  it.each([
    ['succeeds', () => Promise.resolve('done')],
    ['fails', () => Promise.reject(new Error('broken'))],
  ])('settles with work that %s, and keeps no timer', async (_, work) => {
    const before = timers()
    await settledWithin(60_000, work())
    expect(timers()).toBe(before)
  })

  it('waits no longer, and keeps the process alive until then', async () => {
    const before = timers()
    const waited = settledWithin(5, new Promise(() => {}))
    expect(timers()).toBe(before + 1)
    await waited
  })
})
