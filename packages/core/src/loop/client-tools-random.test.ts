import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { type MemoryDisk, memoryDisk } from '../__fixtures__/memory-runs.ts'
import { type Random, randomOf } from '../__fixtures__/random.ts'
import { Agent, type Decision, isAgentKitError, type RunResult, tool, validateTranscript } from '../index.ts'

const session = { userId: 'ann', sessionId: 's' }
const runs = 1_000
const runsPerTest = 100

/** One process: an agent on the disk, whose model calls the client tool `calls` times at first. */
function process(disk: MemoryDisk, calls: number) {
  const { store, kill } = disk.open()
  const locate = tool({
    ...{ name: 'locate', description: 'Where the user is.', client: true as const },
    input: { type: 'object' },
    output: { type: 'string' },
  })
  const toolCalls = Array.from({ length: calls }, (_, index) => ({ name: 'locate', callId: `call_${index}` }))
  const model = scriptedModel(
    Array.from(
      { length: 20 },
      () =>
        ({ messages }) =>
          messages.at(-1)?.role === 'user' && messages.length === 1 ? { toolCalls } : 'Done.',
    ),
  )
  return { agent: new Agent({ name: 'Guide', functions: [locate], model, sessions: store }), model, kill }
}

/** What a client, or several of them, do with the approvals of a run, in any order. */
async function play(random: Random, disk: MemoryDisk): Promise<void> {
  const calls = 1 + random.below(3)
  let current = process(disk, calls)
  const models = [current.model]
  const waiting: RunResult = await current.agent.stream('Where am I?', session).result
  expect(waiting.approvals).toHaveLength(calls)
  const accepted = new Map<string, Decision>()
  let isSettled = false
  for (let action = 3 + random.below(8); action > 0; action--) {
    const { approvalId } = random.pick(waiting.approvals)
    const decision: Decision = random.oneIn(3) ? { deny: `no ${action}` } : { result: `city ${action}` }
    if (random.oneIn(5)) {
      current.kill()
      current = process(disk, calls)
      models.push(current.model)
    } else if (random.oneIn(8)) {
      await current.agent.chat('Something else?', session)
      isSettled = true
    } else if (random.oneIn(6)) {
      await expect(current.agent.decide(waiting.runId, { [approvalId]: { result: 7 } })).rejects.toThrow()
    } else {
      const decide = (): Promise<void> => current.agent.decide(waiting.runId, { [approvalId]: decision })
      const tries = await Promise.allSettled(random.oneIn(3) ? [decide(), decide()] : [decide()])
      const taken = tries.filter(({ status }) => status === 'fulfilled')
      expect(taken.length).toBeLessThanOrEqual(accepted.has(approvalId) || isSettled ? 0 : 1)
      if (taken.length > 0) accepted.set(approvalId, decision)
      for (const each of tries) {
        if (each.status === 'rejected')
          expect(isAgentKitError(each.reason) && each.reason.code).toBe('session-conflict')
      }
    }
    // A server continues a run once it is decided.
    const stored = await disk.open().store.runs.read(waiting.runId)
    if (stored?.record.status === 'running') await current.agent.continueRun(waiting.runId).result
  }
  await current.agent.chat('Is the session free?', session)
  const { store } = disk.open()
  const stored = await store.runs.read(waiting.runId)
  expect(['done', 'failed']).toContain(stored?.record.status)
  for (const { approvalId, decision } of stored?.approvals ?? []) {
    if (accepted.has(approvalId)) expect(decision).toEqual(accepted.get(approvalId))
  }
  const [turn] = await store.turns({ agentId: 'guide', ...session })
  const results = turn?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results).toHaveLength(calls)
  if (accepted.size === calls) {
    const given = waiting.approvals.map(({ approvalId, callId }) => ({ callId, decision: accepted.get(approvalId) }))
    for (const { callId, decision } of given) {
      const text = results.find((message) => message.role === 'tool' && message.callId === callId)?.content
      expect(text).toBe(Object(decision).result ?? `The call was denied: ${Object(decision).deny}`)
    }
  }
  for (const { messages } of models.flatMap((model) => model.requests)) expect(validateTranscript(messages)).toEqual([])
}

describe('calls of client tools', () => {
  it.each(Array.from({ length: runs / runsPerTest }, (_, index) => index * runsPerTest))(
    'are answered once, and leave no session stuck, whatever clients and processes do (seeds from %i)',
    async (from) => {
      for (let seed = from; seed < from + runsPerTest; seed++) {
        await play(randomOf(seed), memoryDisk()).catch((error) => {
          throw new Error(`Seed ${seed}: ${error.message}`, { cause: error })
        })
      }
    },
  )
})
