import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import type { RunStore, StoredApproval } from '../contracts/run-store.ts'
import { limits } from '../limits.ts'
import { type SuspendedChange, watchSuspended } from './watch-suspended.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

describe('a suspended run that waits here', () => {
  it('is looked at again and again, as other processes do not report their decisions', async () => {
    const { runs, changes, look, stop } = await watched()
    await runs.decide('r', { a: true })
    await look()
    expect(changes).toEqual([{ decisions: { a: true } }])
    stop()
    await look()
    expect(changes).toHaveLength(1)
  })

  it('is left to the process that has decided, unless that one does not continue it', async () => {
    const { runs, changes, look } = await watched()
    await runs.decide('r', { a: true, b: { deny: 'no' } })
    await look()
    expect(changes).toEqual([])
    await look()
    expect(changes).toEqual([{ decisions: { a: true, b: { deny: 'no' } } }])
  })

  it('has ended here once another process continues it', async () => {
    const { runs, changes, look } = await watched()
    await runs.decide('r', { a: true, b: true })
    await runs.takeOver('r', { expectedVersion: 2 })
    await look()
    await look()
    expect(changes.at(-1)).toMatchObject({ ended: { code: 'session-conflict' } })
  })

  it('has ended once it is cancelled', async () => {
    const { runs, changes, look } = await watched()
    await runs.cancel('r', { status: 'failed', finishReason: 'aborted' })
    await look()
    expect(changes).toMatchObject([{ ended: { code: 'aborted' } }])
  })

  it('has ended once its approvals have expired', async () => {
    const { runs, changes, look } = await watched()
    const error = { code: 'approval', message: 'Expired.', retryable: false } as const
    await runs.cancel('r', { status: 'failed', finishReason: 'error', error })
    await look()
    expect(changes).toMatchObject([{ ended: { code: 'approval' } }])
  })
})

/** A run with two open approvals, watched by a process that the others do not notify. */
async function watched() {
  const { runs } = memoryDisk().open().store
  const key = { agentId: 'test', userId: 'ann', sessionId: 's' }
  const input = [{ role: 'user' as const, content: 'Pay' }]
  const run = { runId: 'r', agentId: 'test', expectedVersion: 0, input, isResumable: false, keepsEvents: false }
  await runs.create(key, run)
  await runs.suspend('r', { attempt: 1, approvals: [approval('a'), approval('b')] })
  const here: RunStore = { ...runs, watch: () => () => {} }
  const changes: SuspendedChange[] = []
  const stop = watchSuspended(
    { runs: here, runId: 'r', attempt: 1, isAcquired: () => false },
    (change) => void changes.push(change),
  )
  const look = async (): Promise<void> => {
    vi.advanceTimersByTime(limits.decisionPollMs)
    await new Promise(setImmediate)
  }
  return { runs, changes, look, stop }
}

function approval(approvalId: string): StoredApproval {
  return { approvalId, callId: approvalId, name: 'pay', input: {}, kind: 'approval' }
}
