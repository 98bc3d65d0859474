import type { Swarm } from '@agentkit/core'
import { describe, expect, it, vi } from 'vitest'
import { setStoreTime } from '../util/store-time.ts'
import {
  backgroundTests,
  collect,
  ended,
  endsOf,
  patiently,
  session,
  statusesOf,
  usageIn,
} from './__fixtures__/background.ts'
import { effect, swarmOf, type TeamOptions, worker } from './__fixtures__/team.ts'

const { afterTest, open, work } = backgroundTests()

describe('members that wait for approval', () => {
  /** Ann and Ben pay, Cas does not; all of them at once. */
  const paying = (options: TeamOptions): Swarm => {
    const pay = (name: string) => effect(name, options, { needsApproval: true })
    const inner = swarmOf('Inner', 'manager', [worker('Ben', [pay('pay_ben')], options)], options)
    const agents = [worker('Ann', [pay('pay_ann')], options), inner, worker('Cas', [effect('look', options)], options)]
    return swarmOf('Team', 'manager', agents, options)
  }

  it('are shown by the outermost run, which continues once all are decided', patiently, async () => {
    const done: string[] = []
    const swarm = paying({ sessions: open(), effect: (what) => void done.push(what) })
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const following = collect(swarm, runId)
    const waiting = await swarm.result(runId)
    // The same as for a direct run: the usage includes the suspended members.
    expect(waiting).toMatchObject({ finishReason: 'approval', usage: { totalTokens: 6 * 15 } })
    expect(waiting.cost?.usd).toBeCloseTo(6 * 0.00006, 10)
    expect(waiting.approvals.map(({ name, path }) => [name, path])).toEqual([
      ['pay_ann', ['ann']],
      ['pay_ben', ['inner', 'ben']],
    ])
    expect(done).toEqual(['look 0'])
    const [ann, ben] = waiting.approvals.map(({ approvalId }) => approvalId) as [string, string]
    await swarm.decide(runId, { [ann]: true })
    expect(await swarm.runs({ status: 'waiting' })).toMatchObject([{ runId, approvals: [{ approvalId: ben }] }])
    expect(done).toEqual(['look 0'])
    await swarm.decide(runId, { [ben]: { deny: 'Too much.' } })
    const result = await ended(swarm, runId)
    // No warning that other runs have changed the session meanwhile.
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Team: all is done.', approvals: [], warnings: [] })
    expect(done.toSorted()).toEqual(['look 0', 'pay_ann 0'])
    const events = await following
    expect(events.filter(({ type }) => type === 'run-start')).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(2)
    const requests = events.filter((event) => event.type === 'approval-request')
    expect(requests.map(({ path }) => path.join('/'))).toEqual(['team/ann', 'team/inner/ben'])
    expect(endsOf(events)).toEqual({
      'team/ann': ['waiting', 'done'],
      'team/inner': ['waiting', 'done'],
      'team/inner/ben': ['waiting', 'done'],
      'team/cas': ['done'],
    })
    const denied = events.find((event) => event.type === 'tool-result' && event.name === 'pay_ben')
    expect(denied).toMatchObject({ isError: true, output: 'The call was denied: Too much.' })
    expect(result.usage.totalTokens).toBe(usageIn(events))
  })

  it('continue by workers when a caller resumes the outermost run, who sees their events', patiently, async () => {
    const done: string[] = []
    const swarm = paying({ sessions: open(), effect: (what) => void done.push(what) })
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const { approvals } = await swarm.result(runId)
    const run = swarm.resume(runId, Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true])))
    const events = await Array.fromAsync(run)
    expect(await run.result).toMatchObject({ runId, finishReason: 'stop', text: 'Team: all is done.' })
    expect(done.toSorted()).toEqual(['look 0', 'pay_ann 0', 'pay_ben 0'])
    expect(endsOf(events)).toEqual({ 'team/ann': ['done'], 'team/inner': ['done'], 'team/inner/ben': ['done'] })
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((one, other) => one - other))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop' })
  })

  it(
    'wait for a worker when a caller resumes the outermost run, which says so where none lives',
    patiently,
    async () => {
      const first = paying({ sessions: open() })
      const worker = await work(first)
      const { runId } = await first.enqueue('Go.', session)
      const { approvals } = await first.result(runId)
      await worker.close()
      afterTest(setStoreTime(() => Date.now() + 60_000))
      const lines: string[] = []
      const print = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
      afterTest(() => print.mockRestore())
      const swarm = paying({ sessions: open() })
      const run = swarm.resume(runId, Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true])))
      const resumed = run.result
      await vi.waitFor(
        () => expect(lines.join('')).toContain('no worker for the agent "team" is known to be running'),
        10_000,
      )
      await work(swarm)
      expect(await resumed).toMatchObject({ runId, finishReason: 'stop', text: 'Team: all is done.' })
      expect(lines).toHaveLength(1)
    },
  )

  it('ask again, in another step', patiently, async () => {
    const done: string[] = []
    const options = { sessions: open(), effect: (what: string) => void done.push(what) }
    const pay = effect('pay', options, { needsApproval: true })
    const swarm = swarmOf('Team', 'sequence', [worker('Ann', [pay, pay], options)], options)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    for (let round = 0; round < 2; round++) {
      const { approvals } = await swarm.result(runId)
      expect(approvals).toHaveLength(1)
      await swarm.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    }
    expect(await ended(swarm, runId)).toMatchObject({ text: 'Ann has answered.' })
    expect(done).toEqual(['pay 0', 'pay 1'])
  })

  it('end as waiting, once each, where the one that asks has the conversation of another', patiently, async () => {
    const options = { sessions: open() }
    const ann = worker('Ann', [effect('pay', options, { needsApproval: true })], options)
    const swarm = swarmOf('Team', 'manager', [swarmOf('Inner', 'handoff', [ann], options)], options)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const following = collect(swarm, runId)
    const { approvals } = await swarm.result(runId)
    await swarm.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    expect(await ended(swarm, runId)).toMatchObject({ finishReason: 'stop' })
    const events = await following
    expect(endsOf(events)).toEqual({ 'team/inner': ['waiting', 'done'], 'team/inner/ann': ['waiting', 'done'] })
    const names = events.flatMap((event) => (event.type === 'agent-end' ? [event.name] : []))
    expect(names).toEqual(['Ann', 'Inner', 'Ann', 'Inner'])
  })

  it('wait on when a caller resumes the outermost run and leaves at its end', patiently, async () => {
    const options = { sessions: open() }
    const pay = effect('pay', options, { needsApproval: true })
    const swarm = swarmOf('Team', 'sequence', [worker('Ann', [pay, pay], options)], options)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const { approvals } = await swarm.result(runId)
    const run = swarm.resume(runId, { [approvals[0]?.approvalId ?? '']: true })
    for await (const { type } of run) if (type === 'run-end') break
    expect(await run.result).toMatchObject({ finishReason: 'approval', approvals: [{ name: 'pay' }] })
    expect(await swarm.runs()).toMatchObject([{ runId, status: 'waiting' }])
  })

  it('end with the outermost run when it is cancelled', patiently, async () => {
    const sessions = open()
    const swarm = paying({ sessions })
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    await swarm.result(runId)
    expect(await swarm.cancel(runId)).toBe(true)
    expect(await ended(swarm, runId)).toMatchObject({ finishReason: 'aborted' })
    // Ann, the inner swarm, Ben; Cas has answered.
    expect(await statusesOf(sessions)).toEqual(['done', 'failed', 'failed', 'failed'])
  })

  it('end with the outermost run when its approvals have expired', patiently, async () => {
    const sessions = open()
    const swarm = paying({ sessions })
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const { approvals } = await swarm.result(runId)
    const restore = setStoreTime(() => Date.now() + 31 * 86_400_000)
    afterTest(restore)
    const decision = swarm.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    await expect(decision).rejects.toMatchObject({ code: 'session-conflict' })
    expect(await ended(swarm, runId)).toMatchObject({ finishReason: 'error', error: { code: 'approval' } })
    // Ann, the inner swarm, Ben; Cas has answered.
    expect(await statusesOf(sessions)).toEqual(['done', 'failed', 'failed', 'failed'])
  })
})
