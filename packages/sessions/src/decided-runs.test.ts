import { Agent, type AgentEvent, Swarm, tool } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { modelOf } from './sqlite/__fixtures__/team.ts'

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
})

/** A member that asks before it pays, and that looks until `looked` resolves; and the manager that asks it. */
function payerWhoLooks() {
  const looking = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<void>()
  const ann = modelOf('Ann', async ({ messages }) => {
    const last = messages.at(-1)
    if (last?.role === 'tool') return 'It is paid.'
    if (JSON.stringify(last).includes('Pay.')) return [['pay']]
    looking.resolve()
    await looked.promise
    return 'I have looked.'
  })
  const manager = modelOf('Team', ({ messages }) => {
    const last = messages.at(-1)
    return last?.role === 'tool' ? `Ann: ${last.content}` : [['ann', { task: String(last?.content) }]]
  })
  const agents = [new Agent({ name: 'Ann', description: 'Works.', functions: [pay], model: ann })]
  return { agents, model: manager, looking, looked }
}

describe.each(storeKinds)('a run that is decided while another one has its session, in %s', (kind) => {
  const { open, afterTest } = storePlace(kind)

  it('lets a swarm of that session continue once its members have ended, and continues after it', {
    timeout: 30_000,
  }, async () => {
    const store = open()
    const tries: string[] = []
    const { runs } = store
    const takeOver: typeof runs.takeOver = (runId, options) => {
      tries.push(runId)
      return runs.takeOver(runId, options)
    }
    const { looking, looked, ...members } = payerWhoLooks()
    const team = new Swarm({ name: 'Team', ...members, sessions: { ...store, runs: { ...runs, takeOver } } })
    const worker = await team.work({ concurrency: 4 })
    afterTest(() => worker.close())

    const first = await team.enqueue('Pay.', session)
    const [approval] = (await team.result(first.runId)).approvals
    const second = await team.enqueue('Look.', session)
    await looking.promise
    const before = tries.filter((runId) => runId === first.runId).length
    await team.decide(first.runId, { [approval?.approvalId ?? '']: true })
    const triesOfFirst = (): number => tries.filter((runId) => runId === first.runId).length
    await expect.poll(triesOfFirst, { timeout: 20_000 }).toBeGreaterThan(before)
    looked.resolve()
    expect((await team.result(second.runId)).text).toBe('Ann: I have looked.')
    expect((await team.result(first.runId)).text).toBe('Ann: It is paid.')
  })

  it('waits for that one where its agent interrupts others, and is not ended itself', { timeout: 30_000 }, async () => {
    const working = Promise.withResolvers<void>()
    const worked = Promise.withResolvers<void>()
    const tries: string[] = []
    // Each has a store of its own, as in two processes.
    const ask = async (question: string): Promise<{ agent: Agent; runId: string; decisions: Record<string, true> }> => {
      const model = modelOf('Ann', async ({ messages }) => {
        if (messages.at(-1)?.role !== 'tool') return [['pay']]
        if (question === 'first') {
          working.resolve()
          await worked.promise
        }
        return `The ${question} is paid.`
      })
      const store = open()
      const { runs } = store
      const takeOver: typeof runs.takeOver = (runId, options) => {
        tries.push(runId)
        return runs.takeOver(runId, options)
      }
      const sessions = { ...store, runs: { ...runs, takeOver } }
      const agent = new Agent({ name: 'Ann', functions: [pay], model, sessions, onBusy: 'interrupt' })
      const { runId, approvals } = await agent.stream(question, { ...session, onApproval: 'end' }).result
      return { agent, runId, decisions: { [approvals[0]?.approvalId ?? '']: true } }
    }
    const [first, second] = [await ask('first'), await ask('second')]
    const one = first.agent.resume(first.runId, first.decisions).result
    await working.promise
    const other = second.agent.resume(second.runId, second.decisions).result
    // Refused twice, it looks for a run without a process; then it tries again, or has ended.
    const triesOfSecond = (): number => tries.filter((id) => id === second.runId).length
    await Promise.race([other, expect.poll(triesOfSecond, { timeout: 20_000 }).toBeGreaterThan(3)])
    worked.resolve()
    expect(await one).toMatchObject({ finishReason: 'stop', text: 'The first is paid.' })
    expect(await other).toMatchObject({ finishReason: 'stop', text: 'The second is paid.' })
  })
})

describe.each(storeKinds)('a run that was not enqueued, in %s', (kind) => {
  const { open, afterTest } = storePlace(kind)

  /** Each has a store of its own, as in a process of its own. */
  const payer = (name: string): Agent => {
    const model = modelOf('Ann', ({ messages }) => (messages.at(-1)?.role === 'tool' ? `${name} paid.` : [['pay']]))
    return new Agent({ name: 'Ann', functions: [pay], model, sessions: open() })
  }

  it('is continued by a worker once it is decided, whichever comes first', { timeout: 30_000 }, async () => {
    const asking = payer('The caller')
    const working = payer('The worker')
    const first = await asking.stream('First.').result
    await asking.decide(first.runId, { [first.approvals[0]?.approvalId ?? '']: true })
    const worker = await working.work()
    afterTest(() => worker.close())
    expect(await asking.result(first.runId)).toMatchObject({ finishReason: 'stop', text: 'The worker paid.' })
    const second = await asking.stream('Second.', session).result
    await asking.decide(second.runId, { [second.approvals[0]?.approvalId ?? '']: true })
    expect(await asking.result(second.runId)).toMatchObject({ finishReason: 'stop', text: 'The worker paid.' })
    // Without a decision, it waits.
    const third = await asking.stream('Third.').result
    expect((await working.runs({ status: 'waiting' })).map(({ runId }) => runId)).toEqual([third.runId])
  })

  it('takes no place of a worker while a swarm has its session, whose members need one', {
    timeout: 30_000,
  }, async () => {
    const sessions = open()
    const { looking, looked, ...members } = payerWhoLooks()
    const team = new Swarm({ name: 'Team', ...members, sessions })
    const worker = await team.work({ concurrency: 1 })
    afterTest(() => worker.close())
    const first = await team.stream('Pay.', session).result
    const second = await team.enqueue('Look.', session)
    await looking.promise
    await team.decide(first.runId, { [first.approvals[0]?.approvalId ?? '']: true })
    const { queue } = sessions.runs.background
    await expect.poll(() => queue.missing([first.runId]), { timeout: 20_000 }).toEqual([])
    looked.resolve()
    expect((await team.result(second.runId)).text).toBe('Ann: I have looked.')
    expect((await team.result(first.runId)).text).toBe('Ann: It is paid.')
  })

  it('is continued by the reader who waits for the decision, not by a worker', { timeout: 30_000 }, async () => {
    const asking = payer('The caller')
    const working = payer('The worker')
    const worker = await working.work()
    afterTest(() => worker.close())
    const run = asking.stream('First.')
    for await (const event of run) {
      if (event.type === 'approval-request') await working.decide(run.runId, { [event.approvalId]: true })
    }
    expect(await run.result).toMatchObject({ finishReason: 'stop', text: 'The caller paid.' })
  })

  it.each([false, true])(
    'is followed by who has decided it, where another process was faster (resumable: %s)',
    {
      timeout: 30_000,
    },
    async (resumable) => {
      const working = payer('The worker')
      const store = open()
      const { runs } = store
      const takeOver: typeof runs.takeOver = async (runId, options) => {
        await working.resume(runId, {}).result
        return runs.takeOver(runId, options)
      }
      const model = modelOf('Ann', () => [['pay']])
      const sessions = { ...store, runs: { ...runs, takeOver } }
      const asking = new Agent({ name: 'Ann', functions: [pay], model, sessions })
      const { runId, approvals } = await asking.stream('First.', { resumable, onApproval: 'end' }).result
      const run = asking.resume(runId, { [approvals[0]?.approvalId ?? '']: true })
      const events: AgentEvent[] = []
      for await (const event of run) events.push(event)
      expect(await run.result).toMatchObject({ runId, finishReason: 'stop', text: 'The worker paid.' })
      expect(events.at(0)?.type).toBe('run-start')
      expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop', text: 'The worker paid.' })
      expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
    },
  )
})
