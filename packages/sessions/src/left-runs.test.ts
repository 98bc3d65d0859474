import { Agent, AgentKitError, type SessionStore, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'

const payTurn = { toolCalls: [{ name: 'pay', input: {} }] }

describe.each(storeKinds)('a decided run in %s whose caller leaves while it is taken over', (kind) => {
  const place = storePlace(kind)

  // Counted in turns of the microtask queue: the run is open after some of them.
  it('frees its session, and continues or has ended', { timeout: 60_000 }, async () => {
    const { runs, ...store } = place.open()
    const paid: unknown[] = []
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute(_, { sessionId }) {
        paid.push(sessionId)
        return 'paid'
      },
    })
    for (let turns = 0; turns < 60; turns += kind === 'SQLite' ? 1 : 10) {
      const session = { userId: 'ann', sessionId: `s${turns}` }
      const open = (sessions: SessionStore): Agent =>
        new Agent({ name: 'Ann', functions: [pay], model: scriptedModel([payTurn, 'Done.', 'Hello.']), sessions })
      const agent = open({ ...store, runs })
      const { runId, approvals } = await agent.stream('Pay.', { ...session, onApproval: 'end' }).result
      const controller = new AbortController()
      const takeOver: typeof runs.takeOver = async (...values) => {
        const taken = await runs.takeOver(...values)
        void afterTurns(turns).then(() => controller.abort())
        return taken
      }
      // Another agent, which has not described its tools yet.
      const other = open({ ...store, runs: { ...runs, takeOver } })
      const decisions = { [approvals[0]?.approvalId ?? '']: true as const }
      const { finishReason } = await other.resume(runId, decisions, { signal: controller.signal }).result

      const next = agent.stream('Are you there?', { ...session, timeoutMs: 5_000 })
      expect(await next.result, `after ${turns} turns`).toMatchObject({ finishReason: 'stop' })
      if (finishReason === 'stop') continue
      const { error } = await agent.resume(runId, {}, session).result
      const [, { status } = {}] = await agent.runs(session)
      expect(error ? status : 'done', `after ${turns} turns: ${error?.message}`).toBe(error ? 'failed' : status)
      expect(paid.filter((sessionId) => sessionId === session.sessionId).length).toBeLessThan(2)
    }
  })
})

async function afterTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve()
}

describe.each(storeKinds)('a run in %s that is stored though its caller has left', (kind) => {
  const place = storePlace(kind)
  const ask = { userId: 'ann', sessionId: 's' }

  it.each([
    ['that it was aborted', 'aborted', 'aborted'],
    ['that its time was over', 'error', 'timeout'],
  ] as const)('says %s', async (_, finishReason, code) => {
    const { runs, ...store } = place.open()
    const controller = new AbortController()
    const create: typeof runs.create = async (...values) => {
      await runs.create(...values)
      controller.abort(new AgentKitError(code, 'The caller has left.'))
      await result
    }
    const sessions = { ...store, runs: { ...runs, create } }
    const agent = new Agent({ name: 'Ann', model: scriptedModel([]), sessions })
    const { result } = agent.stream('Hi.', { ...ask, signal: controller.signal })
    expect(await result).toMatchObject({ finishReason, error: { code } })
    await expect.poll(() => agent.runs(ask)).toMatchObject([{ status: 'failed', finishReason, error: { code } }])
  })

  it('says that its seconds were used up', async () => {
    const { runs, ...store } = place.open()
    const controller = new AbortController()
    const create: typeof runs.create = async (...values) => {
      await runs.create(...values)
      controller.abort(new AgentKitError('budget', 'The seconds are over.'))
      await result
    }
    const sessions = { ...store, runs: { ...runs, create } }
    const agent = new Agent({ name: 'Ann', model: scriptedModel([]), sessions })
    const { result } = agent.stream('Hi.', { ...ask, signal: controller.signal })
    expect(await result).toMatchObject({ finishReason: 'budget' })
    await expect.poll(() => agent.runs(ask)).toMatchObject([{ status: 'done', finishReason: 'budget' }])
  })

  it('ends as it is stored, where it is stopped before the store has answered', async () => {
    const { runs, ...store } = place.open()
    const controller = new AbortController()
    const end: typeof runs.end = async (...values) => {
      await runs.end(...values)
      controller.abort()
    }
    const sessions = { ...store, runs: { ...runs, end } }
    const agent = new Agent({ name: 'Ann', model: scriptedModel(['Hello.']), sessions })
    const run = agent.stream('Hi.', { ...ask, signal: controller.signal })
    const ends: string[] = []
    for await (const event of run) if (event.type === 'run-end') ends.push(event.finishReason)
    expect([ends, (await run.result).finishReason]).toEqual([['stop'], 'stop'])
    expect(await agent.runs(ask)).toMatchObject([{ status: 'done', finishReason: 'stop' }])
  })

  it('says that the store has failed, where that kept its end', async () => {
    const { runs, ...store } = place.open()
    const end: typeof runs.end = vi.fn(runs.end)
    for (let times = 0; times < 2; times++) vi.mocked(end).mockRejectedValueOnce(new Error('The disk is away.'))
    const sessions = { ...store, runs: { ...runs, end } }
    const agent = new Agent({ name: 'Ann', model: scriptedModel(['Hello.', 'Hello again.']), sessions })
    expect(await agent.stream('Hi.', ask).result).toMatchObject({ error: { code: 'storage' } })
    await agent.chat('Again.', ask)
    expect((await agent.runs(ask))[1]).toMatchObject({ finishReason: 'error', error: { code: 'storage' } })
  })
})
