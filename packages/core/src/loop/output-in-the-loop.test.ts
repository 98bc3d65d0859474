import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  calls,
  eventLines,
  follow,
  idOf,
  type PayerOptions,
  payer,
  session,
  shown,
  wordsOf,
} from '../__fixtures__/payer.ts'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type JSONValue,
  type ModelInfo,
  type ModelRequest,
  type RunResult,
  tool,
} from '../index.ts'

type NativeOutput = ModelInfo['nativeOutput']

const City = z.object({ city: z.string(), people: z.number().transform((people) => people * 1_000) })
const required = { toolChoice: 'required' } as const
const paris = '{"city":"Paris","people":2100}'
const answer = { city: 'Paris', people: 2_100_000 }
const final = (input: JSONValue): { name: string; callId: string; input: JSONValue } => {
  return { name: 'final_answer', callId: 'f', input: typeof input === 'string' ? JSON.parse(input) : input }
}

describe('an answer in a form', () => {
  const ways: [string, NativeOutput, boolean, ScriptedTurn, Partial<ModelRequest>][] = [
    ['by the provider', 'always', false, paris, { output: {} }],
    ['by the provider, with tools', 'always', true, paris, { output: {}, tools: [] }],
    ['by the provider, without tools', 'without-tools', false, paris, { output: {} }],
    ['by a tool where there are others', 'without-tools', true, { toolCalls: [final(paris)] }, required],
    ['by a tool', 'never', false, { toolCalls: [final(paris)] }, { toolChoice: { tool: 'final_answer' } }],
    ['by a tool, with tools', 'never', true, { toolCalls: [final(paris)] }, required],
    ['by a tool where nothing is known', undefined, false, { toolCalls: [final(paris)] }, {}],
  ]

  it.each(ways)('comes %s', async (_, nativeOutput, hasTools, turn, asked) => {
    const turns = hasTools ? [calls('look 1'), turn] : [turn]
    const { result, events, stored, model } = await run(turns, { nativeOutput, hasTools })
    expect(result).toMatchObject({ finishReason: 'stop', text: paris, output: answer, steps: turns.length })
    expect(result.error).toBeUndefined()
    const request = model.requests.at(-1)
    for (const [name, value] of Object.entries(asked)) {
      if (name === 'toolChoice') expect(request?.toolChoice).toEqual(value)
      else expect(request).toHaveProperty(name)
    }
    expect(request?.output === undefined).toBe(request?.tools?.at(-1)?.name === 'final_answer')
    // What is emitted is what is answered and stored; the tool that took it is in no event.
    expect(textOf(events)).toBe(paris)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', text: paris, output: answer })
    expect(JSON.stringify([events, stored, result])).not.toContain('final_answer')
    expect(stored.at(-1)).toBe(`assistant: ${paris}`)
    expect(wordsOf(result.messages)).toEqual(stored)
  })

  it('is in its last event as JSON, where its schema makes a Set of a list', async () => {
    const output = z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) })
    const model = scriptedModel(['{"tags":["a","b"]}'], { info: { nativeOutput: 'always' } })
    const run = new Agent({ name: 'Test', functions: [], model, output }).stream('Go')
    const events = await Array.fromAsync(run)
    expect((await run.result).output).toEqual({ tags: new Set(['a', 'b']) })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', output: { tags: ['a', 'b'] } })
  })

  it('has the type of its schema', async () => {
    const model = scriptedModel([paris], { info: { nativeOutput: 'always' } })
    const agent = new Agent({ name: 'Test', functions: [], model, output: City })
    const { finishReason, output } = await agent.stream('Go').result
    expectTypeOf(output).toEqualTypeOf<{ city: string; people: number } | undefined>()
    if (finishReason !== 'stop') throw new Error(finishReason)
    expectTypeOf(output).toEqualTypeOf<{ city: string; people: number }>()
    expect(output.people).toBe(2_100_000)
  })

  it('may be no object', async () => {
    const model = scriptedModel([{ toolCalls: [final({ value: ['a', 'b'] })] }])
    const agent = new Agent({ name: 'Test', functions: [], model, output: z.array(z.string()) })
    expect((await agent.stream('Go').result).output).toEqual(['a', 'b'])
  })

  it('is read by the next turn of its session, by whichever model', async () => {
    const model = scriptedModel([{ toolCalls: [final(paris)] }, { toolCalls: [final(paris)] }])
    const { agent } = payer([], { output: City, models: [model] })
    await agent.stream('Go', session).result
    await agent.stream('And now?', session).result
    expect(wordsOf(model.requests[1]?.messages ?? [])).toEqual(['user: Go', `assistant: ${paris}`, 'user: And now?'])
  })

  it('is emitted as it arrives where the provider enforces the form', async () => {
    const { events } = await run([{ text: paris, deltas: 3 }], { nativeOutput: 'always' })
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(3)
  })

  it('stays as it was emitted when the model writes more than the answer', async () => {
    const said = `Here it is: ${paris}`
    const { result, events, stored } = await run([said], { nativeOutput: 'always' })
    expect([result.output, result.text, textOf(events), stored.at(-1)]).toEqual([
      answer,
      said,
      said,
      `assistant: ${said}`,
    ])
  })

  it('is also read from the text of a model that does not call the tool', async () => {
    const { result, events } = await run([paris], { nativeOutput: 'never' })
    expect([result.output, result.text, textOf(events)]).toEqual([answer, paris, paris])
  })

  it('is not there when the run ends for another reason', async () => {
    const cut = await run([{ text: '{"city":"Par', finishReason: 'length' }], { nativeOutput: 'always' })
    expect([cut.result.finishReason, cut.result.output]).toEqual(['length', undefined])
    const filtered = await run([{ toolCalls: [final(paris)], finishReason: 'content-filter' }], {
      nativeOutput: 'never',
    })
    expect([filtered.result.finishReason, filtered.result.output]).toEqual(['content-filter', undefined])
    expect(filtered.events.at(-1)).not.toHaveProperty('output')
  })

  it('is there when it was all that the model had room for', async () => {
    const turn: ScriptedTurn = { toolCalls: [final(paris)], finishReason: 'length' }
    const { result } = await run([turn], { nativeOutput: 'never' })
    expect([result.finishReason, result.output]).toEqual(['stop', answer])
  })

  it('is not waited for beyond the deadline of the run where its check never ends', async () => {
    const slow = City.refine(() => new Promise<boolean>(() => {}))
    const agent = new Agent({ name: 'Slow', functions: [], model: scriptedModel([paris]), output: slow })
    const { finishReason, error } = await agent.stream('Go', { timeoutMs: 50 }).result
    expect([finishReason, error?.code]).toEqual(['error', 'timeout'])
  })

  it('has the end of its step also where it ends the run with an error', async () => {
    const { result, events } = await run(['{"town":1}', '{"town":2}'], { nativeOutput: 'always' })
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'provider-error' }, steps: 2 })
    const ends = events.filter((event) => event.type === 'step-end')
    expect(ends).toMatchObject([{ step: 1 }, { step: 2, finishReason: 'stop' }])
    const tokens = ends.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0)
    expect(tokens).toBe(result.usage.totalTokens)
  })

  it('is not there when it could not be stored', async () => {
    const own = payer([{ toolCalls: [final(paris)] }], { output: City })
    own.store.append = () => Promise.reject(new Error('disk full'))
    const { events, result } = await follow(own.agent.stream('Go', session))
    expect([result.error?.code, result.output]).toEqual(['storage', undefined])
    expect(events.at(-1)).not.toHaveProperty('output')
  })
})

describe('an answer that does not fit', () => {
  const misfit = '{"city":"Paris"}'
  const ways: [string, NativeOutput, (text: string) => ScriptedTurn][] = [
    ['by the provider', 'always', (text) => text],
    ['by a tool', 'never', (text) => ({ toolCalls: [final(text)] })],
    ['in words in the place of a call', 'never', (text) => text],
  ]

  it.each(ways)('is asked for once more, with the problem: %s', async (how, nativeOutput, say) => {
    const { result, events, stored, model, done } = await run([say(misfit), say(paris)], {
      nativeOutput,
      hasTools: true,
    })
    expect(result).toMatchObject({ finishReason: 'stop', text: paris, output: answer, steps: 2 })
    const [said, note] = model.requests[1]?.messages.slice(-2) ?? []
    expect(said).toMatchObject({ role: 'assistant' })
    expect(note).toMatchObject({
      role: how === 'by a tool' ? 'tool' : 'user',
      content: expect.stringContaining('people'),
    })
    // It was no answer: nothing of it stays.
    expect(stored).toEqual(['user: Go', `assistant: ${paris}`])
    expect(wordsOf(result.messages)).toEqual(stored)
    expect(JSON.stringify([events, result.messages])).not.toContain('final_answer')
    expect(eventLines(events).filter((words) => words.startsWith('tool'))).toEqual([])
    expect(done).toEqual([])
  })

  it.each(ways)('ends the run when it does not fit again: %s', async (_, nativeOutput, say) => {
    const { result, events, stored, model } = await run([say(misfit), say(misfit), say(paris)], { nativeOutput })
    expect(result.error).toMatchObject({ code: 'provider-error', message: expect.stringContaining('people') })
    expect(result.error?.message).toMatch(/^The answer of "test\/scripted" does not have the form of `output`/)
    expect(result).toMatchObject({ finishReason: 'error', output: undefined, steps: 2, usage: { totalTokens: 30 } })
    expect(model.requests).toHaveLength(2)
    expect(stored).toEqual([])
    expect(events.at(-1)?.type).toBe('run-end')
  })

  it('is asked for once more per run, not per step', async () => {
    const { result } = await run([misfit, calls('look 1'), misfit, paris], { nativeOutput: 'always', hasTools: true })
    expect(result.error?.code).toBe('provider-error')
  })

  it('is asked for once more also when the run waits for an approval in between', async () => {
    const turns = [{ toolCalls: [final(misfit)] }, calls('pay 1'), { toolCalls: [final(misfit)] }, paris]
    const own = payer(turns, { output: City })
    const { runId } = await own.agent.stream('Pay', session).result
    const { error } = await own.agent.resume(runId, { [idOf(runId, '2-pay1')]: true }).result
    expect([error?.code, own.done]).toEqual(['provider-error', ['pay 1']])
  })

  it('counts neither as a tool call of the budget, nor for the hooks of tools', async () => {
    const seen: string[] = []
    const { result } = await run([{ toolCalls: [final(misfit)] }, { toolCalls: [final(paris)] }], {
      nativeOutput: 'never',
      options: { budget: { toolCalls: 0 }, hooks: { beforeTool: ({ name }) => void seen.push(name) } },
    })
    expect([result.output, seen]).toEqual([answer, []])
  })

  it('may be one whose arguments do not parse', async () => {
    const broken = { toolCalls: [{ name: 'final_answer', callId: 'f', inputText: '{"city":' }] }
    const { result, model } = await run([broken, { toolCalls: [final(paris)] }], { nativeOutput: 'never' })
    expect(result.output).toEqual(answer)
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', callId: 'f', isError: true })
  })

  it('does not become the answer when the run ends before the next one', async () => {
    const turns = [{ text: 'I think', toolCalls: [final(misfit)] }, paris]
    const { result, events } = await run(turns, { nativeOutput: 'never', options: { maxSteps: 1 } })
    expect([result.finishReason, result.text, textOf(events), result.output]).toEqual(['max-steps', '', '', undefined])
  })
})

describe('an answer beside other calls', () => {
  it('is refused: the other calls are executed, and the model receives the reason', async () => {
    const turns = [{ toolCalls: [final(paris), ...calls('look 1').toolCalls] }, { toolCalls: [final(paris)] }]
    const { result, events, model, done, stored } = await run(turns, { nativeOutput: 'never', hasTools: true })
    expect([result.output, done]).toEqual([answer, ['look 1']])
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', callId: 'f', isError: true, content: expect.stringContaining('then call final_answer alone') },
      { role: 'tool', callId: 'look1', content: 'seen' },
    ])
    expect(JSON.stringify(events)).not.toContain('final_answer')
    expect(eventLines(events).filter((words) => words.startsWith('tool'))).toEqual([
      'tool-call look1',
      'tool-result look1',
    ])
    expect(stored.at(-1)).toBe(`assistant: ${paris}`)
  })

  it('may have to wait for an approval with them', async () => {
    const turns = [{ toolCalls: [...calls('pay 1').toolCalls, final(paris)] }, { toolCalls: [final(paris)] }]
    const own = payer(turns, { output: City })
    const { runId, approvals } = await own.agent.stream('Pay', session).result
    expect(approvals.map(({ callId }) => callId)).toEqual(['pay1'])
    const { output } = await own.agent.resume(runId, { [idOf(runId, '1-pay1')]: true }).result
    expect([output, own.done]).toEqual([answer, ['pay 1']])
  })
})

describe('the tool that takes the answer', () => {
  it('has a name that no other tool has', async () => {
    const own = tool({ name: 'final_answer', description: 'Mine.', input: { type: 'object' }, execute: () => 'mine' })
    const model = scriptedModel([
      { toolCalls: [{ name: 'final_answer' }] },
      { toolCalls: [{ ...final(paris), name: 'final_answer_2' }] },
    ])
    const agent = new Agent({ name: 'Test', functions: [own], model, output: City })
    const { events, result } = await follow(agent.stream('Go'))
    expect(result.output).toEqual(answer)
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ name: 'final_answer', output: 'mine' })
  })
})

describe('a fallback model in the middle of a step', () => {
  const overloaded = new AgentKitError('overloaded', 'Busy.', { retryable: true })
  const models = (first: NativeOutput, second: NativeOutput, turns: ScriptedTurn[]): [ScriptedModel, ScriptedModel] => [
    scriptedModel([{ text: '{"city":"Ber', error: overloaded }, overloaded], { id: 'a/a', info: infoOf(first) }),
    scriptedModel(turns, { id: 'b/b', info: infoOf(second) }),
  ]

  it('is asked in its own way: by a tool after a provider', async () => {
    const chain = models('always', 'never', [calls('look 1'), { toolCalls: [final(paris)] }])
    const { result, events, stored } = await run([], { options: { models: chain }, hasTools: true })
    expect(result).toMatchObject({ finishReason: 'stop', text: paris, output: answer })
    expect(chain[1].requests[0]).not.toHaveProperty('output')
    const restart = events.findLastIndex(({ type }) => type === 'step-restart')
    expect(textOf(events.slice(restart))).toBe(paris)
    expect(JSON.stringify([events, stored])).not.toContain('final_answer')
  })

  it('is asked in its own way: by the provider after a tool', async () => {
    const chain = models('never', 'always', [paris])
    const { result, events } = await run([], { options: { models: chain } })
    expect(result).toMatchObject({ text: paris, output: answer })
    expect(textOf(events)).toBe(paris)
    expect(chain[1].requests[0]).not.toHaveProperty('tools')
  })
})

describe('with hooks', () => {
  it('`output` may change the answer: it is read again', async () => {
    const { result, events, stored } = await run([{ toolCalls: [final(paris)] }], {
      nativeOutput: 'never',
      options: { hooks: { output: ({ text }) => ({ text: text.replace('Paris', 'Rome') }) } },
    })
    const rome = paris.replace('Paris', 'Rome')
    expect(result).toMatchObject({ text: rome, output: { city: 'Rome', people: 2_100_000 } })
    expect([textOf(events), stored.at(-1)]).toEqual([rome, `assistant: ${rome}`])
  })

  it('`output` may not leave an answer that does not fit', async () => {
    const { result, events } = await run([paris], {
      nativeOutput: 'always',
      options: { hooks: { output: () => ({ text: 'Paris' }) } },
    })
    expect(result).toMatchObject({ output: undefined, text: '', error: { code: 'invalid-config' } })
    expect(textOf(events)).toBe('')
  })

  it.each(['always', 'never'] as const)('`output` blocks an answer whole (%s)', async (nativeOutput) => {
    const turn = nativeOutput === 'always' ? paris : { toolCalls: [final(paris)] }
    const { result, events, stored } = await run([turn], {
      nativeOutput,
      options: { hooks: { output: () => ({ block: 'Not that.' }) } },
    })
    expect(result).toMatchObject({ finishReason: 'content-filter', text: 'Not that.', output: undefined })
    expect(JSON.stringify([events, stored, result])).not.toContain('Paris')
  })

  it('`output` does not see replies that were not the answer', async () => {
    const seen: string[] = []
    await run(['No.', paris], {
      nativeOutput: 'always',
      options: { hooks: { output: ({ text }) => void seen.push(text) } },
    })
    expect(seen).toEqual([paris])
  })

  it('`afterModel` may change the call that is the answer', async () => {
    const { result, events } = await run([{ toolCalls: [final(paris)] }], {
      nativeOutput: 'never',
      options: { hooks: { afterModel: (message) => JSON.parse(JSON.stringify(message).replace('Paris', 'Rome')) } },
    })
    expect(result.output).toMatchObject({ city: 'Rome' })
    expect(JSON.stringify(events)).not.toContain('Paris')
  })
})

type RunOf = { nativeOutput?: NativeOutput; hasTools?: boolean; options?: PayerOptions }
type Ran = { result: RunResult; events: AgentEvent[]; stored: string[]; model: ScriptedModel; done: string[] }

async function run(turns: ScriptedTurn[], { nativeOutput, hasTools = false, options = {} }: RunOf): Promise<Ran> {
  const models = [scriptedModel(turns, { info: infoOf(nativeOutput) })] as const
  const retry = { firstWaitMs: 1 }
  const own = payer([], { models, output: City, retry, ...(!hasTools && { functions: [] }), ...options })
  const { events, result } = await follow(own.agent.stream('Go', session))
  return { events, result, stored: await shown(own), model: own.model, done: own.done }
}

function infoOf(nativeOutput: NativeOutput): ModelInfo {
  return nativeOutput ? { nativeOutput } : {}
}

/** What readers have, who forget the text of a step that is withdrawn. */
function textOf(events: readonly AgentEvent[]): string {
  const restarted = events.findLastIndex(({ type }) => type === 'step-restart')
  return events
    .slice(restarted + 1)
    .map((event) => (event.type === 'text-delta' ? event.text : ''))
    .join('')
}
