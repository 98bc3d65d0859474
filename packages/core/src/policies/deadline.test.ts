import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { startBudgetClock, startDeadline, watchSilence } from './deadline.ts'
import { RunLedger } from './ledger.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('a deadline', () => {
  it('ends the run with a timeout', () => {
    const ends: AgentKitError[] = []
    startDeadline((error) => ends.push(error), 250)
    vi.advanceTimersByTime(249)
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ends).toMatchObject([{ code: 'timeout', phase: 'run', message: 'The run did not end within 250 ms.' }])
  })

  it('does nothing after the run has ended, or when there is none', () => {
    const end = vi.fn()
    startDeadline(end, 250).stop()
    const none = startDeadline(end, undefined)
    vi.advanceTimersByTime(1_000)
    none.stop()
    expect(end).not.toHaveBeenCalled()
  })

  it('is paused until the last of several holds is released', () => {
    const end = vi.fn()
    const deadline = startDeadline(end, 250)
    vi.advanceTimersByTime(100)
    const releases = [deadline.hold(), deadline.hold()]
    releases[0]?.()
    vi.advanceTimersByTime(1_000)
    expect(end).not.toHaveBeenCalled()
    releases[1]?.()
    vi.advanceTimersByTime(149)
    expect(end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(end).toHaveBeenCalledOnce()
  })

  it('does nothing where a hold is released after the run has ended', () => {
    const end = vi.fn()
    const deadline = startDeadline(end, 250)
    const release = deadline.hold()
    deadline.stop()
    release()
    vi.advanceTimersByTime(1_000)
    expect(end).not.toHaveBeenCalled()
  })
})

describe('the clock of a budget', () => {
  it('ends the run with a budget error when its seconds are over', () => {
    const ends: AgentKitError[] = []
    startBudgetClock((error) => ends.push(error), new RunLedger({ budget: { seconds: 0.25 }, prices: {} }))
    vi.advanceTimersByTime(249)
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ends).toMatchObject([{ code: 'budget' }])
  })

  it('ends a run that has no time left at its start', () => {
    const end = vi.fn()
    startBudgetClock(end, new RunLedger({ budget: { seconds: 0 }, prices: {} }))
    expect(end).toHaveBeenCalledOnce()
  })

  it.each([{}, { seconds: Number.POSITIVE_INFINITY }])('starts no timer for %o', (budget) => {
    const end = vi.fn()
    startBudgetClock(end, new RunLedger({ budget, prices: {} }))
    expect(vi.getTimerCount()).toBe(0)
    expect(end).not.toHaveBeenCalled()
  })

  it('supports longer times than a timer', () => {
    const end = vi.fn()
    const days = 60
    const clock = startBudgetClock(end, new RunLedger({ budget: { seconds: days * 86_400 }, prices: {} }))
    vi.advanceTimersByTime((days - 1) * 86_400_000)
    expect(end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(86_400_000)
    expect(end).toHaveBeenCalledOnce()
    clock.stop()
  })

  it('does not count the time that the run waits for a person', () => {
    const end = vi.fn()
    const ledger = new RunLedger({ budget: { seconds: 1 }, prices: {} })
    const clock = startBudgetClock(end, ledger)
    vi.advanceTimersByTime(500)
    ledger.pause()
    vi.advanceTimersByTime(3_600_000)
    ledger.resume()
    vi.advanceTimersByTime(499)
    expect(end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(500)
    expect(end).toHaveBeenCalledOnce()
    clock.stop()
  })

  it('is updated when less time is left than before', () => {
    const end = vi.fn()
    const ledger = new RunLedger({ budget: { seconds: 60 }, prices: {} })
    const clock = startBudgetClock(end, ledger)
    ledger.resume({ budget: { seconds: 10 }, spent: { ...ledger.spent, ms: 9_000 } })
    clock.look()
    vi.advanceTimersByTime(999)
    expect(end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(end).toHaveBeenCalledOnce()
  })

  it('stops with the run', () => {
    const end = vi.fn()
    startBudgetClock(end, new RunLedger({ budget: { seconds: 1 }, prices: {} })).stop()
    vi.advanceTimersByTime(5_000)
    expect(end).not.toHaveBeenCalled()
  })
})

describe('the silence of a model', () => {
  const watch = (signal = new AbortController().signal): ReturnType<typeof watchSilence> =>
    watchSilence(signal, 100, 't/m')

  it('may have no end', () => {
    const { signal, stop } = watchSilence(new AbortController().signal, Number.POSITIVE_INFINITY, 't/m')
    const begunAt = Date.now()
    vi.advanceTimersByTime(3_600_000)
    expect(signal.aborted).toBe(false)
    // A timer with a longer delay fires at once, and again and again.
    vi.advanceTimersToNextTimer()
    expect(Date.now() - begunAt).toBe(limits.longestTimerMs)
    stop()
  })

  it('before its first event ends the call with the phase first-byte', () => {
    const { signal } = watch()
    vi.advanceTimersByTime(99)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    const message = 'The model "t/m" did not begin to answer within 100 ms.'
    expect(signal.reason).toMatchObject({ code: 'timeout', phase: 'first-byte', retryable: true, message })
  })

  it('in the middle of its answer ends it as idle', () => {
    const { signal, received } = watch()
    for (let word = 0; word < 5; word++) {
      vi.advanceTimersByTime(90)
      received()
    }
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(100)
    expect(signal.reason).toMatchObject({ code: 'timeout', phase: 'idle', retryable: true })
  })

  it('is not that of its reader', () => {
    const { signal, received, hold } = watch()
    received()
    hold()
    vi.advanceTimersByTime(10_000)
    received()
    vi.advanceTimersByTime(99)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(100)
    expect(signal.aborted).toBe(true)
  })

  it('ends with the run, with the same reason', () => {
    const controller = new AbortController()
    const { signal, stop } = watch(controller.signal)
    controller.abort('over')
    expect(signal.reason).toBe('over')
    stop()
    expect(watch(AbortSignal.abort('before')).signal.reason).toBe('before')
    vi.runAllTimers()
  })

  it('is ignored after stop()', () => {
    const controller = new AbortController()
    const { signal, stop } = watch(controller.signal)
    stop()
    vi.advanceTimersByTime(1_000)
    controller.abort()
    expect(signal.aborted).toBe(false)
  })
})
