import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryDisk } from '../__fixtures__/memory-runs.ts'
import { calls, sessionKey } from '../__fixtures__/payer.ts'
import { Agent, type Hooks, type SessionStore, Swarm, tool } from '../index.ts'
import { limits } from '../limits.ts'

// A process that is frozen continues as if no time had passed. Another one has its run by then.

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it.each([
  ['a model', { beforeModel: true }, [1, 0, 0]],
  ['a tool', { beforeTool: true }, [1, 1, 0]],
  ['a model after its tools', { afterTool: true }, [1, 1, 1]],
  ['a tool, while the beginning of its call is stored', { write: 'append' }, [1, 1, 0]],
  ['a model, while the run begins', { write: 'create' }, [1, 0, 0]],
  ['no one: it is slow, and has the run still', { beforeModel: true, keepsRun: true }, [0, 2, 1]],
] as const)('does not call %s', async (_, freezes: Freeze, [failures, modelCalls, toolCalls]) => {
  const { agent, model, effects } = frozen(freezes)
  const { error } = await agent.stream('Pay.', { userId: 'ann', sessionId: 's', resumable: true }).result
  expect(error ? [error.code] : []).toEqual(Array(failures).fill('session-conflict'))
  expect([model.requests.length, effects.length]).toEqual([modelCalls, toolCalls])
})

it('does not call the model of a member', async () => {
  const { agent, store, model } = frozen({ beforeModel: true })
  const boss = scriptedModel([{ toolCalls: [{ name: 'payer', input: { task: 'Pay.' } }] }, 'Done.'])
  const swarm = new Swarm({ name: 'Payer', agents: [agent], model: boss, sessions: store })
  const { error } = await swarm.stream('Pay.', { userId: 'ann', sessionId: 's', resumable: true }).result
  expect(error).toMatchObject({ code: 'session-conflict' })
  expect([boss.requests.length, model.requests.length]).toEqual([1, 0])
})

it('does not call a model of a run that a worker has begun', async () => {
  const { agent, store, model } = frozen({ write: 'takeOver' })
  const { runId } = await agent.enqueue('Pay.', { userId: 'ann', sessionId: 's' })
  const worker = await agent.work()
  await expect.poll(async () => (await store.runs.read(runId))?.attempt).toBe(2)
  await worker.close()
  expect(model.requests).toHaveLength(0)
  expect(await store.runs.read(runId)).toMatchObject({ attempt: 2, record: { status: 'running' } })
})

type Freeze = {
  beforeModel?: true
  beforeTool?: true
  afterTool?: true
  write?: 'create' | 'takeOver' | 'append'
  keepsRun?: true
}

/** An agent whose process is frozen once. */
function frozen({ write, keepsRun, ...hooks }: Freeze) {
  const disk = memoryDisk()
  const { store } = disk.open()
  const other = disk.open().store.runs
  let isFrozen = false
  const freeze = async (): Promise<void> => {
    if (isFrozen) return
    isFrozen = true
    vi.advanceTimersByTime(limits.confirmAfterMs + 1)
    const { version = 0 } = (await store.load(sessionKey)) ?? {}
    const [run] = await other.list({ agentId: 'payer' }, { limit: 1 })
    if (!run || keepsRun) return
    await store.runs.release(run.runId, 1)
    await other.takeOver(run.runId, { expectedVersion: version })
  }
  const frozenAfter =
    <Given extends unknown[], Value>(work: (...given: Given) => Promise<Value>) =>
    async (...given: Given): Promise<Value> => {
      const value = await work(...given)
      await freeze()
      return value
    }
  const runs = { ...store.runs, ...(write && { [write]: frozenAfter(store.runs[write] as typeof store.runs.append) }) }
  const frozenStore: SessionStore & { runs: typeof runs } = { ...store, runs }
  const effects: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    execute: () => void effects.push('paid'),
  })
  const model = scriptedModel([calls('pay 1'), 'Paid.'])
  const given: Hooks = Object.fromEntries(Object.keys(hooks).map((name) => [name, freeze]))
  return {
    agent: new Agent({ name: 'Payer', functions: [pay], model, sessions: frozenStore, hooks: given }),
    ...{ store: frozenStore, model, effects },
  }
}
