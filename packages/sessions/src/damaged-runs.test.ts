import { Agent, tool } from '@agentkit/core'
import { recoverRuns, workOn } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { type Sessions, storeKinds, storePlace } from './__fixtures__/store-places.ts'

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => 'ok',
})

function writer(sessions: Sessions): Agent {
  const payTurn = { toolCalls: [{ name: 'pay' }] }
  return new Agent({ name: 'Writer', functions: [pay], model: scriptedModel([payTurn, payTurn, 'Fine.']), sessions })
}

describe.each(storeKinds)('background runs in %s whose rows cannot be read back', (kind) => {
  const place = storePlace(kind)

  it('fail visibly with `storage`, and their worker continues with others', async () => {
    const agent = writer(place.open())
    const damaged = await agent.enqueueMany(
      ['a', 'b'].map((sessionId) => ({ input: 'Pay.', userId: 'ann', sessionId })),
    )
    const worker = await agent.work()
    for (const { runId } of damaged) {
      const { approvals } = await agent.result(runId)
      await agent.cancel(runId) // so that no worker continues it before its row is damaged
      expect(approvals).toHaveLength(1)
    }
    await worker.close()
    for (const { runId } of damaged) await agent.retry(runId)
    const [first, second] = damaged
    await place.execute(
      `UPDATE runs SET options = '{half' WHERE run_id = '${first?.runId}';
      UPDATE messages SET body = '{half' WHERE run = (SELECT number FROM runs WHERE run_id = '${second?.runId}')`,
    )
    const errors: unknown[] = []
    const other = writer(place.open())
    const next = await workOn([other], { onError: (error) => errors.push(error) })
    place.afterTest(() => next.close())
    const fine = await other.enqueue('Hi.', { userId: 'bob' })
    expect(await other.result(fine.runId)).toMatchObject({ finishReason: 'approval' })
    const read = async (): Promise<unknown[]> => {
      const records = await other.runs({ userId: 'ann' })
      return records.map(({ status, error }) => [status, error?.code, /cannot be read/.test(error?.message ?? '')])
    }
    await expect.poll(read, { timeout: 60_000 }).toEqual(Array(2).fill(['failed', 'storage', true]))
    // Each was tried again before.
    expect(errors.length).toBeGreaterThan(2)
    expect(await other.result(first?.runId ?? '')).toMatchObject({ finishReason: 'error', error: { code: 'storage' } })
    // It is not begun without its options.
    await other.retry(first?.runId ?? '')
    await expect.poll(read, { timeout: 60_000 }).toEqual(Array(2).fill(['failed', 'storage', true]))
  })

  const cancelled = { status: 'failed', finishReason: 'aborted' } as const
  const enqueue = async ({ runs }: Sessions, runId: string): Promise<void> => {
    const key = { agentId: 'writer', userId: 'ann', sessionId: runId }
    const entry = { key, runId, agentId: 'writer', options: {}, title: '', onBusy: 'queue', notifies: true } as const
    await runs.background.enqueue([entry], { queued: 9, userQueued: 9 })
  }

  it.each(['options', 'progress'])('end with a notice, where `%s` is damaged', async (column) => {
    const sessions = place.open()
    await enqueue(sessions, 'r1')
    await place.execute(`UPDATE runs SET ${column} = '{half' WHERE run_id = 'r1'`)
    const { cancel, background } = sessions.runs
    expect(await cancel('r1', cancelled)).toBe(true)
    const notices = await background.takeNotices(['writer'], { limit: 10, leaseMs: 60_000 })
    expect(notices).toMatchObject([{ record: { runId: 'r1', status: 'failed', finishReason: 'aborted' } }])
  })

  it('are cancelled, where their messages are damaged', async () => {
    const agent = writer(place.open())
    const worker = await agent.work()
    const { runId } = await agent.enqueue('Pay.', { userId: 'ann' })
    await agent.result(runId)
    await worker.close()
    await place.execute(`UPDATE messages SET body = '{half'`)
    expect(await agent.cancel(runId)).toBe(true)
    expect(await agent.runs()).toMatchObject([{ runId, status: 'failed', finishReason: 'aborted' }])
  })

  it('hold up no notice of others', async () => {
    const sessions = place.open()
    const { runs } = sessions
    const { background } = runs
    for (const runId of ['r1', 'r2']) {
      await enqueue(sessions, runId)
      await runs.cancel(runId, cancelled)
    }
    const ofRun = "WHERE run = (SELECT number FROM runs WHERE run_id = 'r1')"
    await place.execute(
      kind === 'SQLite'
        ? `UPDATE notices SET record = '{half' ${ofRun}`
        : `UPDATE runs SET sources = '{half' WHERE run_id = 'r1'`,
    )
    const notices = await background.takeNotices(['writer'], { limit: 10, leaseMs: 60_000 })
    expect(notices.map(({ record }) => record.runId)).toEqual(['r2'])
    expect(await background.undelivered('r1')).toMatchObject([{ failed: expect.stringContaining('cannot be read') }])
  })

  it('keep no one from deciding on other runs, when their approvals have expired', async () => {
    const agent = writer(place.open())
    const ask = (sessionId: string) => agent.stream('Pay.', { userId: 'ann', sessionId }).result
    const [damaged, other] = [await ask('a'), await ask('b')]
    await place.execute(`UPDATE runs SET waiting_since = 1, progress = '{half' WHERE run_id = '${damaged.runId}'`)
    await agent.decide(other.runId, { [other.approvals[0]?.approvalId ?? '']: true })
    expect(await agent.runs({ status: 'running' })).toMatchObject([{ runId: other.runId }])
    expect(await agent.runs({ status: 'failed' })).toMatchObject([
      { runId: damaged.runId, finishReason: 'error', error: { code: 'storage' } },
    ])
  })

  it('end with `storage` where their process has died, and free their session', async () => {
    const key = { agentId: 'writer', userId: 'ann', sessionId: 'a' }
    const dead = place.open()
    const options = { seeded: 0, run: {} }
    const run = { runId: 'r1', agentId: 'writer', expectedVersion: 0, input: [], isResumable: true, keepsEvents: true }
    await dead.runs.create(key, { ...run, options })
    await dead.close()
    await place.execute(`UPDATE runs SET options = '{half' WHERE run_id = 'r1'`)
    const agent = writer(place.open())
    const stopped = new AbortController()
    const { wake, ended } = recoverRuns([agent], { signal: stopped.signal })
    place.afterTest(() => {
      stopped.abort()
      return ended
    })
    const failed = (): ReturnType<Agent['runs']> => {
      wake()
      return agent.runs({ status: 'failed' })
    }
    await expect.poll(failed, { timeout: 10_000 }).toMatchObject([{ runId: 'r1', error: { code: 'storage' } }])
    const next = agent.stream('Pay.', { userId: 'ann', sessionId: 'a', onApproval: 'end' })
    expect(await next.result).toMatchObject({ finishReason: 'approval' })
  })
})
