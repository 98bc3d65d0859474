import { beforeEach, expect, it } from 'vitest'
import { type Background, background } from './background.ts'

type Started = { signal: AbortSignal; finish(): void; fail(error: Error): void }

let started: Started[]
let tidying: Background
beforeEach(() => {
  started = []
  tidying = background((signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => reject(signal.reason))
    started.push({ signal, finish: resolve, fail: reject })
    return promise
  })
})
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))

it('starts only needed work, and does it once', async () => {
  tidying.resume()
  await turn()
  expect(started).toHaveLength(0)
  tidying.need()
  tidying.resume()
  await turn()
  started[0]?.finish()
  await tidying.settled()
  tidying.resume()
  await turn()
  expect(started).toHaveLength(1)
})

it('continues a stopped sync later', async () => {
  tidying.need()
  tidying.resume()
  await turn()
  await tidying.stop()
  expect(started[0]?.signal.aborted).toBe(true)
  tidying.resume()
  await turn()
  expect(started).toHaveLength(2)
  started[1]?.finish()
  await tidying.settled()
})

it('reports a failure to callers that ask, and tries again', async () => {
  tidying.need()
  tidying.resume()
  await turn()
  started[0]?.fail(new Error('disk full'))
  await expect(tidying.settled()).rejects.toThrow('disk full')
  tidying.resume()
  await turn()
  started[1]?.finish()
  await expect(tidying.settled()).resolves.toBeUndefined()
})
