import { expect, it } from 'vitest'
import { AgentKitError } from '../data/errors.ts'
import { withRetries } from './with-retries.ts'

const { signal } = new AbortController()
const busy = (): AgentKitError => new AgentKitError('overloaded', 'Busy.')

it('tries again what may pass, until it passes', async () => {
  let tries = 0
  const answer = async (): Promise<string> => {
    if (++tries < 3) throw busy()
    return 'done'
  }
  expect(await withRetries(answer, signal, { firstWaitMs: 1 })).toBe('done')
  expect(tries).toBe(3)
})

it('gives up with the last error after as many attempts as it is given', async () => {
  let tries = 0
  const fail = async (): Promise<never> => {
    tries++
    throw busy()
  }
  await expect(withRetries(fail, signal, { attempts: 2, firstWaitMs: 1 })).rejects.toMatchObject({ code: 'overloaded' })
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

it('waits no longer once it is aborted, and makes no further attempt', async () => {
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

it('begins nothing when it is aborted already', async () => {
  let tries = 0
  const attempt = async (): Promise<void> => void tries++
  await expect(withRetries(attempt, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  expect(tries).toBe(0)
})
