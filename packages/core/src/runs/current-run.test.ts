import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent, type Model, type ModelRequest, tool } from '../index.ts'

const delegateTo = (agent: Agent, timeoutMs = 30_000): ReturnType<typeof tool> =>
  tool({ name: 'delegate', description: 'd', input: { type: 'object' }, timeoutMs, execute: () => agent.chat('Task') })
const callDelegate: ScriptedTurn = { toolCalls: [{ name: 'delegate' }] }

/** A model that does not answer, and records whether its signal has aborted. */
function silentModel(): { model: Model; wasAborted: () => boolean } {
  let signal: AbortSignal | undefined
  const turn: ScriptedTurn = (_request, own) => {
    signal = own
    return sleep(60_000, 'late', { signal: own })
  }
  return { model: scriptedModel([turn]), wasAborted: () => signal?.aborted === true }
}

describe('an agent that a tool runs, without being passed the signal', () => {
  it('ends with the run that it belongs to', async () => {
    const { model, wasAborted } = silentModel()
    const inner = new Agent({ name: 'Inner', functions: [], model })
    const outer = new Agent({ name: 'Outer', functions: [delegateTo(inner)], model: scriptedModel([callDelegate]) })
    const run = outer.stream('Go')
    setTimeout(run.cancel, 20)
    const { finishReason, usage } = await run.result
    expect([finishReason, wasAborted()]).toEqual(['aborted', true])
    // The inner call had begun: it may be billed.
    expect(usage.estimated).toBe(true)
  })

  it('ends with its tool, where that runs out of time', async () => {
    const { model, wasAborted } = silentModel()
    const inner = new Agent({ name: 'Inner', functions: [], model })
    const outerModel = scriptedModel([callDelegate, 'It took too long.'])
    const outer = new Agent({ name: 'Outer', functions: [delegateTo(inner, 20)], model: outerModel })
    expect(await outer.chat('Go')).toBe('It took too long.')
    expect(wasAborted()).toBe(true)
  })

  it('continues when the run that it belongs to has ended without an error', async () => {
    const inner = new Agent({ name: 'Inner', functions: [], model: scriptedModel([() => sleep(20, 'Done.')]) })
    let background: Promise<string> | undefined
    const start = tool({
      name: 'delegate',
      description: 'd',
      input: { type: 'object' },
      execute: () => {
        background = inner.chat('Task')
      },
    })
    const outer = new Agent({ name: 'Outer', functions: [start], model: scriptedModel([callDelegate, 'Started.']) })
    expect(await outer.chat('Go')).toBe('Started.')
    expect(await background).toBe('Done.')
  })
})

it('does not wait for itself where an agent is the model of another one', async () => {
  const inner = new Agent({ name: 'Inner', functions: [], model: scriptedModel(['Inner answer.']) })
  const model: Model = {
    id: 'own/agent',
    async *stream({ messages }: ModelRequest) {
      const text = await inner.chat(String(messages.at(-1)?.content))
      const message = { role: 'assistant' as const, content: [{ type: 'text' as const, text }] }
      yield { type: 'finish', reason: 'stop', usage: {}, message }
    },
  }
  const outer = new Agent({ name: 'Outer', functions: [], model, budget: { tokens: 1_000 } })
  const { finishReason, text } = await outer.stream('Go').result
  // What the outer call has reserved leaves nothing for the inner one, which fails at once.
  expect([finishReason, text]).toEqual(['budget', ''])
})

it('ends agents that ask each other without an end', async () => {
  let runs = 0
  const asks = (): ScriptedTurn[] => Array.from({ length: 100 }, () => callDelegate)
  const agent: Agent = new Agent({
    name: 'Narcissus',
    model: { ...scriptedModel(asks()), stream: (request, signal) => scriptedModel(asks()).stream(request, signal) },
    maxSteps: 1,
    functions: [
      tool({
        name: 'delegate',
        description: 'd',
        input: { type: 'object' },
        async execute() {
          runs++
          const { error, finishReason } = await agent.stream('And you?').result
          return error?.message ?? finishReason
        },
      }),
    ],
  })
  await agent.stream('Who is the fairest?').result
  expect(runs).toBe(6)
})

it('refuses a session that the asking run itself holds, as it would wait for itself', async () => {
  const codes: unknown[] = []
  const again: Agent = new Agent({
    name: 'Again',
    model: scriptedModel([callDelegate, 'Done.']),
    functions: [
      tool({
        name: 'delegate',
        description: 'd',
        input: { type: 'object' },
        async execute() {
          codes.push((await again.stream('And?', { sessionId: 's' }).result).error?.code)
        },
      }),
    ],
  })
  expect(await again.chat('Go', { sessionId: 's' })).toBe('Done.')
  expect(codes).toEqual(['session-busy'])
})

it('is out of time also where a tool has kept every timer from its turn', async () => {
  const block = tool({
    name: 'delegate',
    description: 'd',
    input: { type: 'object' },
    execute() {
      const until = performance.now() + 60
      while (performance.now() < until);
    },
  })
  const model = scriptedModel([callDelegate, 'Never.'])
  const { error } = await new Agent({ name: 'Test', functions: [block], model, timeoutMs: 20 }).stream('Go').result
  expect([error?.code, error?.phase, model.requests.length]).toEqual(['timeout', 'run', 1])
})
