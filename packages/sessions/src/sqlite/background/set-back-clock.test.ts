import type { TakenJob } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BackgroundFile, openBackgroundFile } from '../__fixtures__/background-file.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const bounds = { queued: 100, userQueued: 100 }
const question = { v: 1, role: 'user', content: 'Hi' } as const
let runs: BackgroundFile['runs']
let background: BackgroundFile['background']
let close: BackgroundFile['close']
beforeEach(async () => {
  ;({ runs, background, close } = await openBackgroundFile())
})
afterEach(() => close())

describe('when the clock is set back by a day', () => {
  const day = 24 * 3_600_000
  const agentIds = ['helper']
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())
  const setBack = (): unknown => vi.setSystemTime(Date.now() - day)

  it('a postponed job is taken after the next sweep, and one with a time of its own is not', async () => {
    await enqueue('r1', 'r2')
    const entry = {
      key,
      runId: 'later',
      agentId: 'helper',
      options: {},
      title: '',
      onBusy: 'queue',
      notifies: false,
    } as const
    await background.enqueue([{ ...entry, dueAt: Date.now() + 3_600_000 }], bounds)
    const { queue } = background
    const jobs = await background.unfinished(undefined, { limit: 9 })
    await queue.add(jobs.map((job) => ({ ...job, sessionKey: job.runId })))
    const [first, second] = await queue.take({ agentIds, limit: 9 })
    await queue.settle(first as TakenJob, { afterMs: 500 })
    setBack()
    // One that is postponed by the clock that is right.
    await queue.settle(second as TakenJob, { afterMs: 500 })
    expect(await queue.take({ agentIds, limit: 9 })).toEqual([])
    expect(await queue.missing(['r1', 'r2', 'later'])).toEqual([])
    expect((await queue.take({ agentIds, limit: 9 })).map(({ runId }) => runId)).toEqual([first?.runId])
  })

  it('the next job of a session follows the one before it', async () => {
    await enqueue('r1', 'r2')
    const { queue } = background
    await queue.add(await background.unfinished(undefined, { limit: 2 }))
    const [first] = await queue.take({ agentIds, limit: 9 })
    setBack()
    await queue.settle(first as TakenJob)
    expect((await queue.take({ agentIds, limit: 9 })).map(({ runId }) => runId)).toEqual(['r2'])
  })

  it('a direct run is before those of the queue no longer than it may be', async () => {
    await enqueue('r1')
    await background.holdQueued?.(key, 1_000)
    await expect(runs.takeOver('r1', { expectedVersion: 0 })).rejects.toMatchObject({ code: 'session-conflict' })
    setBack()
    expect(await runs.takeOver('r1', { expectedVersion: 0 })).toMatchObject({ attempt: 1 })
  })

  it('a notice is delivered', async () => {
    const run = { agentId: 'helper', runId: 'r1', expectedVersion: 0, input: [question], notifies: true }
    await runs.create(key, { ...run, isResumable: false, keepsEvents: false })
    await runs.end('r1', { attempt: 1, status: 'done', finishReason: 'stop' })
    setBack()
    expect(await background.takeNotices(agentIds, { limit: 9, leaseMs: 60_000 })).toHaveLength(1)
    expect(await background.takeNotices(agentIds, { limit: 9, leaseMs: 60_000 })).toEqual([])
  })
})

async function enqueue(...runIds: string[]): Promise<void> {
  const entry = { key, agentId: 'helper', options: {}, title: 'Hi', onBusy: 'queue' } as const
  await background.enqueue(
    runIds.map((runId) => ({ ...entry, runId })),
    bounds,
  )
}
