import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { calls } from '../__fixtures__/payer.ts'
import { Agent, type AgentEvent, type SessionStore, tool } from '../index.ts'
import { follow } from '../runs/follow.ts'
import { handBackRuns } from '../sessions/live-runs.ts'

const resumable = { userId: 'ann', sessionId: 's', resumable: true }

describe('a resumable run whose process stops', () => {
  it('ends its step, and another process continues with the next one', async () => {
    const disk = memoryDisk()
    const { store } = disk.open()
    const { promise: seen, resolve: see } = Promise.withResolvers<string>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const run = agentOf(store, [calls('look 1'), 'Never.'], () => {
      begin()
      return seen
    }).stream('Look.', resumable)
    const events: AgentEvent[] = []
    const reading = (async () => {
      for await (const event of run) events.push(event)
    })()
    await begun
    const handed = handBackRuns(store, 10_000)
    see('seen')
    await handed
    await reading
    expect(events.at(-1)).toMatchObject({ type: 'step-end', step: 1 })
    const [orphan] = await store.runs.orphans(['payer'])
    expect(orphan).toMatchObject({ runId: run.runId, isLost: false, takeovers: 0 })

    const other = disk.open().store
    const result = await agentOf(other, ['Done.']).continueRun(run.runId).result
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.', steps: 2 })
    const all = await Array.fromAsync(follow(other, run.runId))
    expect(all.slice(0, events.length)).toEqual(events)
    const later = new Set(all.slice(events.length).map(({ type }) => type))
    expect([...later]).toEqual(['step-start', 'text-delta', 'step-end', 'run-end'])
    expect(await other.runs.read(run.runId)).toMatchObject({ record: { status: 'done', attempts: 2 }, takeovers: 0 })
  })

  it('leaves a call whose time is up as one of unknown outcome', async () => {
    const disk = memoryDisk()
    const { store } = disk.open()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const run = agentOf(store, [calls('look 1')], () => {
      begin()
      return new Promise(() => {})
    }).stream('Look.', resumable)
    const { result } = run
    await begun
    await handBackRuns(store, 10)
    expect((await result).error?.code).toBe('aborted')
    const continued = await agentOf(disk.open().store, []).continueRun(run.runId).result
    expect(continued.approvals).toMatchObject([{ kind: 'unknown-outcome', callId: 'look1' }])
  })

  it('does not touch a run that is not resumable', async () => {
    const { store } = memoryDisk().open()
    const { promise: seen, resolve: see } = Promise.withResolvers<string>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { result } = agentOf(store, [calls('look 1'), 'Done.'], () => {
      begin()
      return seen
    }).stream('Look.', { userId: 'ann', sessionId: 's' })
    await begun
    await handBackRuns(store, 10)
    see('seen')
    expect((await result).text).toBe('Done.')
  })
})

function agentOf(
  sessions: SessionStore,
  turns: Parameters<typeof scriptedModel>[0],
  look = (): unknown => 'seen',
): Agent {
  const input = { type: 'object', properties: { amount: { type: 'number' } } }
  const functions = [tool({ name: 'look', description: 'Looks.', input, execute: look })]
  return new Agent({ name: 'Payer', functions, model: scriptedModel(turns), sessions })
}
