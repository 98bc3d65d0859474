import { afterEach, describe, expect, it, vi } from 'vitest'
import { AgentKitError, type ErrorCode } from '../data/errors.ts'
import { checkRetry, isRetryable, type RetryOptions, retryWait, withRetries } from './retry.ts'

const retry = checkRetry()
const failure = (details: { retryAfterMs?: number } = {}, code: ErrorCode = 'rate-limit'): AgentKitError =>
  new AgentKitError(code, 'Busy.', { retryable: true, ...details })

afterEach(() => void vi.restoreAllMocks())

describe('the options', () => {
  it('have defaults, each of which may be changed', () => {
    expect(retry).toEqual({ attempts: 4, firstWaitMs: 500, longestWaitMs: 8_000, longestRetryAfterMs: 60_000 })
    const own = { attempts: 1, firstWaitMs: 0, longestWaitMs: 10, longestRetryAfterMs: 0 }
    expect(checkRetry(own)).toEqual(own)
    // Values that are possible in plain JavaScript.
    expect(checkRetry({ attempts: undefined } as unknown as RetryOptions)).toEqual(retry)
  })

  it('never set a longer wait than a timer supports', () => {
    const { firstWaitMs, longestRetryAfterMs } = checkRetry({ firstWaitMs: Infinity, longestRetryAfterMs: Infinity })
    expect([firstWaitMs, longestRetryAfterMs]).toEqual([2_147_483_647, 2_147_483_647])
  })

  it.each([
    [{ tries: 3 }, 'Unknown option `retry.tries`. Known: attempts, firstWaitMs, longestWaitMs, longestRetryAfterMs.'],
    [{ attempts: 0 }, '`retry.attempts` is'],
    [{ attempts: 1.5 }, '`retry.attempts` is'],
    [{ attempts: Number.POSITIVE_INFINITY }, '`retry.attempts` is'],
    [{ attempts: '3' }, '`retry.attempts` is'],
    [{ firstWaitMs: -1 }, '`retry.firstWaitMs` is'],
    [{ longestWaitMs: Number.NaN }, '`retry.longestWaitMs` is'],
    [{ longestRetryAfterMs: '5' }, '`retry.longestRetryAfterMs` is'],
    [3, '`retry` is an object such as { attempts: 2 }.'],
    [null, '`retry` is an object'],
  ])('must not be %o', (options, message) => {
    expect(() => checkRetry(options as RetryOptions)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(() => checkRetry(options as RetryOptions)).toThrow(message)
  })
})

describe('a failure', () => {
  it('is retried when its error is retryable', () => {
    expect(isRetryable(failure())).toBe(true)
    expect(isRetryable(new AgentKitError('quota', 'Empty.'))).toBe(false)
  })

  it('in the model’s output is retried at once', () => {
    const error = new AgentKitError('invalid-tool-call', 'Not JSON.')
    expect(isRetryable(error)).toBe(true)
    expect(retryWait(error, 3, retry)).toBe(0)
  })
})

describe('the wait', () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [5, 8_000],
    [60, 8_000],
    [2_000, 8_000],
  ])('after failure %i is random up to %i ms', (failures, longest) => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(1)
    const waits = [1, 2, 3].map(() => retryWait(failure(), failures, retry))
    expect(waits).toEqual([0, longest / 2, longest])
  })

  it('is slightly longer than the provider asks for', () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1)
    expect(retryWait(failure({ retryAfterMs: 20_000 }), 1, retry)).toBe(20_000)
    expect(retryWait(failure({ retryAfterMs: 20_000 }), 1, retry)).toBe(20_125)
    expect(retryWait(failure({ retryAfterMs: 0 }), 1, checkRetry({ firstWaitMs: 0 }))).toBe(0)
  })

  it.each([
    [60_001, 8_000],
    [Number.POSITIVE_INFINITY, 8_000],
    [Number.NaN, 500],
  ])('is the default when the provider asks for %d ms', (retryAfterMs, wait) => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    expect(retryWait(failure({ retryAfterMs }), 1, retry)).toBe(wait)
  })
})

describe('a call with retries', () => {
  const { signal } = new AbortController()
  const busy = (): AgentKitError => new AgentKitError('overloaded', 'Busy.')

  it('retries a temporary failure until it succeeds', async () => {
    let tries = 0
    const answer = async (): Promise<string> => {
      if (++tries < 3) throw busy()
      return 'done'
    }
    expect(await withRetries(answer, signal, { firstWaitMs: 1 })).toBe('done')
    expect(tries).toBe(3)
  })

  it('throws the last error after the maximum number of attempts', async () => {
    let tries = 0
    const fail = async (): Promise<never> => {
      tries++
      throw busy()
    }
    await expect(withRetries(fail, signal, { attempts: 2, firstWaitMs: 1 })).rejects.toMatchObject({
      code: 'overloaded',
    })
    expect(tries).toBe(2)
  })

  it.each([new AgentKitError('auth', 'The key is wrong.'), new TypeError('a mistake')])(
    'does not try again what cannot pass: %s',
    async (error) => {
      let tries = 0
      const fail = async (): Promise<never> => {
        tries++
        throw error
      }
      await expect(withRetries(fail, signal, { firstWaitMs: 1 })).rejects.toBe(error)
      expect(tries).toBe(1)
    },
  )

  it('stops waiting when it is aborted, and makes no further attempt', async () => {
    const controller = new AbortController()
    let tries = 0
    const waiting = withRetries(async () => {
      tries++
      throw new AgentKitError('rate-limit', 'Wait a minute.', { retryAfterMs: 50_000 })
    }, controller.signal)
    setTimeout(() => controller.abort(), 10)
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    expect(tries).toBe(1)
  })

  it('makes no attempt when it is aborted already', async () => {
    let tries = 0
    const attempt = async (): Promise<void> => void tries++
    await expect(withRetries(attempt, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    expect(tries).toBe(0)
  })
})
