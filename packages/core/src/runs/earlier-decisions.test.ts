import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { Agent, type AgentRun, type Decision, memorySessions, type RunResult, Swarm, tool } from '../index.ts'
import { limits } from '../limits.ts'
import { earlierDecision, noteDecisions } from './earlier-decisions.ts'

const payTool = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: {} },
  needsApproval: true,
  execute: () => 'paid',
})
const payer = (count = 1): Agent => {
  const turns = [{ toolCalls: Array.from({ length: count }, () => ({ name: 'pay' })) }, 'Done.']
  return new Agent({ name: 'Payer', functions: [payTool], model: scriptedModel(turns), sessions: memorySessions() })
}
const waiting = async (run: AgentRun): Promise<{ runId: string; ids: [string, string] }> => {
  const { runId, approvals } = await run.result
  const [first = '', second = ''] = approvals.map(({ approvalId }) => approvalId)
  return { runId, ids: [first, second] }
}
const failed = async (run: AgentRun): Promise<RunResult['error']> => (await run.result).error
const conflict = (words: string): object => ({
  code: 'session-conflict',
  message: expect.stringMatching(
    new RegExp(`^The approval apr_\\w{22} was ${words} at \\d{4}-.*The first decision holds\\.$`),
  ),
})

describe.each([
  ['with a session', { sessionId: 's' }],
  ['without a session', {}],
])('in a store without runs, %s, a second decision is refused with what was decided and when', (_, session) => {
  it.each<[string, Decision]>([
    ['approved', true],
    ['denied', { deny: 'No.' }],
  ])('once the run has ended: %s', async (word, decision) => {
    const agent = payer()
    const { runId, ids } = await waiting(agent.stream('Pay', session))
    expect((await agent.resume(runId, { [ids[0]]: decision }).result).text).toBe('Done.')
    expect(await failed(agent.resume(runId, { [ids[0]]: true }))).toMatchObject(conflict(word))
    expect(await failed(agent.resume(runId, {}))).toMatchObject({ code: 'session-conflict' })
  })

  it('while the run waits for another one', async () => {
    const agent = payer(2)
    const { runId, ids } = await waiting(agent.stream('Pay', session))
    expect((await agent.resume(runId, { [ids[0]]: true }).result).finishReason).toBe('approval')
    expect(await failed(agent.resume(runId, { [ids[0]]: { deny: 'No.' } }))).toMatchObject(conflict('approved'))
    expect((await agent.resume(runId, { [ids[1]]: true }).result).text).toBe('Done.')
  })

  it('by one of two callers at once', async () => {
    const agent = payer()
    const { runId, ids } = await waiting(agent.stream('Pay', session))
    const runs = [true as const, { deny: 'No.' }].map((decision) => agent.resume(runId, { [ids[0]]: decision }).result)
    const [first, second] = await Promise.all(runs)
    expect(first).toMatchObject({ text: 'Done.' })
    expect(second?.error).toMatchObject(conflict('approved'))
  })

  it('when a reader of the run has decided', async () => {
    const agent = payer()
    const run = agent.stream('Pay', session)
    let id = ''
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      id = event.approvalId
      run.deny(id)
    }
    expect(await failed(agent.resume(run.runId, { [id]: true }))).toMatchObject(conflict('denied'))
  })

  it('of a member', async () => {
    const boss = scriptedModel([{ toolCalls: [{ name: 'payer', input: { task: 'Pay' } }] }, 'All done.'])
    const swarm = new Swarm({ name: 'Boss', model: boss, agents: [payer()], sessions: memorySessions() })
    const { runId, ids } = await waiting(swarm.stream('Pay', session))
    expect((await swarm.resume(runId, { [ids[0]]: true }).result).text).toBe('All done.')
    expect(await failed(swarm.resume(runId, { [ids[0]]: true }))).toMatchObject(conflict('approved'))
  })

  it('but not to another user or agent', async () => {
    const sessions = memorySessions()
    const turns = [{ toolCalls: [{ name: 'pay' }] }, 'Done.']
    const agent = new Agent({ name: 'Payer', functions: [payTool], model: scriptedModel(turns), sessions })
    const other = new Agent({ name: 'Other', functions: [payTool], model: scriptedModel([]), sessions })
    const { runId, ids } = await waiting(agent.stream('Pay', { ...session, userId: 'ada' }))
    await agent.resume(runId, { [ids[0]]: true }).result
    expect(await failed(agent.resume(runId, { [ids[0]]: true }, { userId: 'eve' }))).toMatchObject({
      code: 'not-found',
    })
    expect(await failed(other.resume(runId, { [ids[0]]: true }))).toMatchObject({ code: 'not-found' })
    expect(await failed(agent.resume(runId, { [ids[0]]: true }, { userId: 'ada' }))).toMatchObject(conflict('approved'))
  })
})

it('remembers the newest runs of a store', () => {
  const store = memorySessions()
  const idOf = (count: number): string => `run_${count}`
  for (let count = 0; count <= limits.rememberedRuns; count++) noteDecisions(store, idOf(count), { a: true })
  expect(earlierDecision(store, idOf(0), { a: true })).toBeUndefined()
  expect(earlierDecision(store, idOf(1), { b: true })).toBeUndefined()
  expect(earlierDecision(store, idOf(1), { a: { deny: 'No.' } })).toMatchObject({ code: 'session-conflict' })
  expect(earlierDecision(memorySessions(), idOf(1), { a: true })).toBeUndefined()
})

it('remembers that a call was answered, and nothing of its result', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const store = memorySessions()
  const note = (): WeakRef<object> => {
    const result = { rows: ['of', 'megabytes'] }
    noteDecisions(store, 'run_1', { a: { result } })
    return new WeakRef(result)
  }
  const result = note()
  await vi.waitFor(() => {
    collectGarbage()
    expect(result.deref() === undefined).toBe(true)
  })
  const message = expect.stringContaining('answered with a result')
  expect(earlierDecision(store, 'run_1', { a: true })).toMatchObject({ message })
})
