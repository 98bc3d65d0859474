import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import {
  healthyPatterns,
  type PatternCall,
  type PatternStep,
  pathologies,
  type StepPattern,
} from '../__fixtures__/step-patterns.ts'
import { Agent, isAgentKitError, type RunResult, type Tool, tool, validateTranscript } from '../index.ts'
import type { GuardOptions } from '../policies/loop-detection.ts'

const session = { userId: 'ada', sessionId: 'patterns' }
const sameCall: ScriptedTurn[] = Array.from({ length: 60 }, () => ({ toolCalls: [{ name: 'status' }] }))
const status = tool({
  name: 'status',
  description: 'How it goes.',
  input: { type: 'object' },
  execute: () => 'pending',
})

// A store has no empty answers, and of long results what the model has read.
const storedWhole = pathologies.filter(({ name }) => !/empty answers|long result/.test(name))

describe('a run that goes round in circles', () => {
  it.each(pathologies)('receives a note about $name, and ends as no-progress', async (pattern) => {
    const { result, model, stored } = await runPattern(pattern)
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({ finishReason: 'no-progress', steps: pattern.stoppedAt })
    expect(model.requests).toHaveLength(pattern.stoppedAt)
    expect(toldAt(model)).toEqual(pattern.toldAt)
    expect(validateTranscript(result.messages)).toEqual([])
    expect(validateTranscript(stored)).toEqual([])
  })

  it.each(storedWhole)('counts on where $name is resumed', async (pattern) => {
    const { result, model } = await runPattern(pattern, { needsApproval: true })
    expect(result).toMatchObject({ finishReason: 'no-progress', steps: pattern.stoppedAt })
    expect(toldAt(model)).toEqual(pattern.toldAt)
  })

  it('counts calls before and after an approval as one step', async () => {
    const pay: Tool = { ...status, name: 'pay', needsApproval: true }
    const model = scriptedModel(sameCall.map(() => ({ toolCalls: [{ name: 'status' }, { name: 'pay' }] })))
    const agent = new Agent({ name: 'Test', functions: [status, pay], model, maxSteps: 30 })
    const result = await approved(agent, await agent.stream('Hello').result)
    expect(result).toMatchObject({ finishReason: 'no-progress', steps: 6 })
    expect(toldAt(model)).toEqual([4])
  })

  it('has no answer, unless the model wrote text in an earlier step', async () => {
    const chat = async (turns: ScriptedTurn[]): Promise<unknown> =>
      new Agent({ name: 'Test', functions: [status], model: scriptedModel(turns) })
        .chat('Hello')
        .catch((error) => error)
    const error = await chat(sameCall)
    expect(isAgentKitError(error) && error.code).toBe('no-progress')
    expect(await chat(sameCall.map((turn) => ({ ...(turn as object), text: 'Not yet.' })))).toBe('Not yet.')
  })
})

describe('a run that makes progress', () => {
  it.each(healthyPatterns)('is not stopped by $name where it is resumed', async (pattern) => {
    const { result, model } = await runPattern(pattern, { needsApproval: true })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.', steps: pattern.steps.length + 1 })
    expect(toldAt(model)).toEqual(pattern.toldAt)
  })

  it.each(healthyPatterns)('is not stopped by $name', async (pattern) => {
    const { result, model, stored } = await runPattern(pattern)
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.', steps: pattern.steps.length + 1 })
    expect(model.requests).toHaveLength(pattern.steps.length + 1)
    expect(toldAt(model)).toEqual(pattern.toldAt)
    expect(validateTranscript(result.messages)).toEqual([])
    expect(validateTranscript(stored)).toEqual([])
  })
})

describe('the option `guard`', () => {
  const finish = async (guard: GuardOptions | false): Promise<[string, number]> => {
    const agent = new Agent({ name: 'Test', functions: [status], model: scriptedModel(sameCall), maxSteps: 30, guard })
    const { finishReason, steps } = await agent.stream('Hello').result
    return [finishReason, steps]
  }

  it('moves the thresholds', async () => {
    expect(await finish({ tellAt: 2, stopAt: 3 })).toEqual(['no-progress', 3])
    expect(await finish({ stopAt: 20 })).toEqual(['no-progress', 20])
  })

  it('turns the guard off', async () => {
    expect(await finish(false)).toEqual(['max-steps', 30])
  })

  it('is checked when the agent is made', () => {
    const make = (): Agent =>
      new Agent({ name: 'Test', functions: [], model: scriptedModel([]), guard: { tellAt: 6, stopAt: 4 } })
    expect(make).toThrow('2 ≤ tellAt < stopAt')
  })

  it('counts each run on its own', async () => {
    const turns = [...sameCall.slice(0, 5), 'Once.', ...sameCall.slice(0, 5), 'Twice.']
    const agent = new Agent({ name: 'Test', functions: [status], model: scriptedModel(turns) })
    expect([await agent.chat('Go on.', session), await agent.chat('And again.', session)]).toEqual(['Once.', 'Twice.'])
  })
})

type Ran = { result: RunResult; model: ScriptedModel; stored: RunResult['messages'] }

/** Plays the steps to an agent, and answers after the last. */
async function runPattern({ steps }: StepPattern, { needsApproval = false } = {}): Promise<Ran> {
  const model = scriptedModel([...steps.map(toTurn), 'Done.'])
  const functions = toolsOf(steps).map((each) => ({ ...each, needsApproval }))
  const agent = new Agent({ name: 'Test', functions, model, maxSteps: 100 })
  const result = await approved(agent, await agent.stream('Hello', session).result)
  const stored = await agent.sessions.load({ agentId: agent.id, ...session })
  return { result, model, stored: stored?.messages ?? [] }
}

/** The end of a run that is resumed whenever it waits for approval. */
async function approved(agent: Agent, result: RunResult): Promise<RunResult> {
  if (result.finishReason !== 'approval') return result
  const decisions = Object.fromEntries(result.approvals.map(({ approvalId }) => [approvalId, true as const]))
  return approved(agent, await agent.resume(result.runId, decisions).result)
}

function toTurn({ calls, text }: PatternStep, step: number): ScriptedTurn {
  return {
    ...(text === undefined ? {} : { text }),
    toolCalls: calls.map(({ name, input, inputText }, index) => ({
      name,
      input,
      callId: callIdOf(step, index),
      ...(inputText === undefined ? {} : { inputText }),
    })),
  }
}

function callIdOf(step: number, index: number): string {
  return `step_${step}_call_${index}`
}

/** Tools that give each call the result of its script, in the order of its step. */
function toolsOf(steps: readonly PatternStep[]): Tool[] {
  const scripts = new Map(steps.flatMap(({ calls, finishOrder }, step) => scriptsOf(calls, finishOrder, step)))
  const calls = steps.flatMap((step) => step.calls)
  const names = new Set(calls.filter(({ rejected }) => rejected !== 'unknown-tool').map(({ name }) => name))
  const refusing = new Set(calls.filter(({ rejected }) => rejected === 'schema').map(({ name }) => name))
  return [...names].map((name) =>
    tool({
      name,
      description: 'Plays its part.',
      input: { type: 'object', ...(refusing.has(name) ? { required: ['text'] } : {}) },
      execute: (_input, { callId }) => scripts.get(callId)?.(),
    }),
  )
}

function scriptsOf(
  calls: readonly PatternCall[],
  finishOrder: readonly number[] | undefined,
  step: number,
): [string, () => Promise<PatternCall['result']>][] {
  const finished = calls.map(() => Promise.withResolvers<void>())
  return calls.map(({ result, isError }, index) => {
    const earlier = finishOrder?.[finishOrder.indexOf(index) - 1]
    const play = async (): Promise<PatternCall['result']> => {
      if (earlier !== undefined) await finished[earlier]?.promise
      finished[index]?.resolve()
      if (isError) throw new Error(String(result))
      return result
    }
    return [callIdOf(step, index), play]
  })
}

/** The model calls after which the model received a note: the next request has one more. */
function toldAt({ requests }: ScriptedModel): number[] {
  const notes = requests.map(({ messages }) => JSON.stringify(messages).split('[You have ').length)
  return notes.flatMap((count, index) => (count > (notes[index - 1] ?? 1) ? [index] : []))
}
