import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  type AgentEvent,
  type AgentOptions,
  type Citation,
  type Message,
  type ModelFinishReason,
  type RunResult,
  tool,
  validateTranscript,
} from '../index.ts'

const echo = tool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
})
const callEcho = (text: string): ScriptedTurn => ({ toolCalls: [{ name: 'echo', input: { text } }] })

describe('an answer', () => {
  it('takes one step when the model calls no tool', async () => {
    const model = scriptedModel(['It is sunny.'])
    const result = await run({ model, functions: [] })
    expect(result).toMatchObject({ text: 'It is sunny.', finishReason: 'stop', steps: 1, sources: [], warnings: [] })
    expect(result.usage).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
    expect(result.messages).toEqual([
      { v: 1, role: 'user', content: 'Hello' },
      { v: 1, role: 'assistant', content: [{ type: 'text', text: 'It is sunny.' }], model: 'test/scripted' },
    ])
    expect(model.requests).toEqual([{ messages: [{ v: 1, role: 'user', content: 'Hello' }] }])
  })

  it('follows from the results of the tools', async () => {
    const model = scriptedModel([callEcho('one'), callEcho('two'), 'Both said.'])
    const result = await run({ model, functions: [echo] })
    expect(result).toMatchObject({ text: 'Both said.', steps: 3 })
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 15, totalTokens: 45 })
    expect(model.requests[2]?.messages).toEqual(result.messages.slice(0, -1))
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(validateTranscript(result.messages)).toEqual([])
  })

  it('is set after the instruction, the history and the tools', async () => {
    const model = scriptedModel(['Fine.'])
    const history: Message[] = [
      { role: 'user', content: 'Earlier' },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
    ]
    const agent = new Agent({ name: 'Test', instruction: 'Be brief.', functions: [echo], model })
    const result = await agent.stream('Hello', { history }).result
    expect(model.requests[0]?.messages).toEqual([
      { v: 1, role: 'system', content: 'Be brief.' },
      ...history,
      { v: 1, role: 'user', content: 'Hello' },
    ])
    expect(model.requests[0]?.tools).toEqual([
      {
        name: 'echo',
        description: 'Says it again.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ])
    expect(result.messages).toHaveLength(2)
  })

  it('has the text of the last step only', async () => {
    const model = scriptedModel([{ text: 'Let me see.', toolCalls: [{ name: 'echo', input: { text: 'x' } }] }, 'Done.'])
    expect((await run({ model, functions: [echo] })).text).toBe('Done.')
  })

  it('estimates the usage that a model does not report, and marks it', async () => {
    const model = scriptedModel([
      { ...(callEcho('x') as object), usage: {} },
      { text: 'ok', usage: { outputTokens: 7 } },
    ])
    const { usage } = await run({ model, functions: [echo] })
    expect(usage.estimated).toBe(true)
    expect(usage.inputTokens).toBeGreaterThan(50)
    expect(usage.outputTokens).toBeGreaterThan(7)
    expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
  })

  it('carries the warnings of every step once, and the sources that tools cite', async () => {
    const source: Citation = { file: 'a.md', start: 0, end: 1, quote: 'a', chunkId: 'c1', score: { fused: 1 } }
    const search = tool({
      name: 'search',
      description: 'Searches.',
      input: { type: 'object' },
      execute(_input, { cite }) {
        cite([source])
        return 'found'
      },
    })
    const model = scriptedModel([
      { toolCalls: [{ name: 'search' }], warnings: ['stop is ignored'] },
      { text: 'a', warnings: ['stop is ignored', 'and again'] },
    ])
    const { events, result } = await watch({ model, functions: [search] })
    expect(result.sources).toEqual([source])
    expect(result.warnings).toEqual(['stop is ignored', 'and again'])
    expect(events.at(-1)).toMatchObject({ type: 'run-end', warnings: result.warnings })
    expect(events.filter((event) => event.type === 'source')).toMatchObject([{ source }])
  })
})

describe('the events', () => {
  it('describe a run in order, numbered from 1 without gaps', async () => {
    const model = scriptedModel([
      { reasoning: 'Hm', text: 'Wait', toolCalls: [{ name: 'echo', input: { text: 'x' } }], deltas: 1 },
      { text: 'Done', deltas: 2 },
    ])
    const { events, result } = await watch({ model, functions: [echo] })
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'step-start',
      'reasoning-delta',
      'text-delta',
      'tool-call',
      'tool-result',
      'step-end',
      'step-start',
      'text-delta',
      'text-delta',
      'step-end',
      'run-end',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.every(({ runId, path }) => runId === result.runId && path.join() === 'test')).toBe(true)
    expect(events).toMatchObject([
      { type: 'run-start' },
      { step: 1 },
      { text: 'Hm' },
      { text: 'Wait' },
      { callId: 'call_1', name: 'echo', input: { text: 'x' } },
      { callId: 'call_1', name: 'echo', output: 'x', isError: false, durationMs: expect.any(Number) },
      { step: 1, model: 'test/scripted', finishReason: 'tool-calls', usage: { totalTokens: 15 } },
      { step: 2 },
      { text: 'Do' },
      { text: 'ne' },
      { step: 2, finishReason: 'stop' },
      { finishReason: 'stop', text: 'Done', usage: { totalTokens: 30 } },
    ])
  })

  it('have the limits of the run at the start, if JSON can represent them', async () => {
    const budget = { tokens: 5_000, seconds: Number.POSITIVE_INFINITY }
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['a', 'b']), budget })
    const [limited] = await Array.fromAsync(agent.stream('Hello', { budget: { tokens: 900, modelCalls: 2 } }))
    expect(limited).toMatchObject({ type: 'run-start', budget: { tokens: 900, modelCalls: 2 } })
    const plain = new Agent({ name: 'Test', functions: [], model: scriptedModel(['a']) })
    expect((await Array.fromAsync(plain.stream('Hello')))[0]).not.toHaveProperty('budget')
  })

  it('have the cost of each step, by the price of the model that answered it, and none without a price', async () => {
    const prices = { 'test/scripted': { inputUsdPerMillion: 1_000_000, outputUsdPerMillion: 2_000_000 } }
    const turns: ScriptedTurn[] = [{ toolCalls: [{ name: 'echo', input: { text: 'x' } }] }, 'Done']
    const priced = await watch({ model: scriptedModel(turns), functions: [echo], prices })
    const steps = priced.events.filter((event) => event.type === 'step-end')
    expect(steps.map(({ cost }) => cost?.usd)).toEqual([20, 20])
    expect(priced.result.cost).toEqual({ usd: 40 })
    const unpriced = await watch({ model: scriptedModel(turns), functions: [echo] })
    for (const event of unpriced.events) expect(event).not.toHaveProperty('cost')
  })

  it('name the session at the start', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['a']) })
    expect((await Array.fromAsync(agent.stream('Hello', { sessionId: 'ada' })))[0]).toMatchObject({ sessionId: 'ada' })
  })

  it.each<[string, readonly ScriptedTurn[]]>([
    ['that answers', ['a']],
    ['that fails at once', [new Error('down')]],
    ['that fails after a tool', [callEcho('x'), new Error('down')]],
    ['that fails in mid-answer', [{ text: 'abc', error: new Error('down') }]],
  ])('end in exactly one run-end in a run %s', async (_name, turns) => {
    const { events, result } = await watch({ model: scriptedModel(turns), functions: [echo] })
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
    const last = events.at(-1)
    expect(last).toMatchObject({ type: 'run-end', finishReason: result.finishReason, text: result.text })
    expect(last?.type === 'run-end' && last.error?.code).toBe(result.error?.code)
  })

  it('are plain JSON, each a fresh value', async () => {
    const model = scriptedModel([callEcho('x'), 'abcdef'])
    const { events } = await watch({ model, functions: [echo] })
    expect(new Set(events).size).toBe(events.length)
    expect(events.filter(({ type }) => type === 'text-delta')).toMatchObject([
      { text: 'ab' },
      { text: 'cd' },
      { text: 'ef' },
    ])
    expect(JSON.parse(JSON.stringify(events))).toEqual(events)
  })
})

describe('calls that cannot run', () => {
  it('sends the model an error for an unknown tool, with the known ones', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'shout' }] }, 'Sorry.'])
    const { events, result } = await watch({ model, functions: [echo] })
    expect(result.text).toBe('Sorry.')
    expect(toolMessages(result)).toMatchObject([
      { name: 'shout', isError: true, content: 'There is no tool named "shout". There are: echo.' },
    ])
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ isError: true })
  })

  it('sends the model an error when there are no tools', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'constructor' }] }, 'Sorry.'])
    expect(toolMessages(await run({ model, functions: [] }))[0]?.content).toContain('There are none.')
  })

  it('sends the model an error for invalid arguments, and calls nothing', async () => {
    let called = 0
    const functions = [
      tool({
        name: 'byZod',
        description: 'd',
        input: z.object({ place: z.object({ city: z.string() }) }),
        execute: () => called++,
      }),
      tool({
        name: 'byJson',
        description: 'd',
        input: { type: 'object', properties: { days: { type: 'integer' } }, required: ['days', 'city'] },
        execute: () => called++,
      }),
    ]
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'byZod', input: { place: { city: 7 } } },
          { name: 'byJson', input: { days: 'two' } },
        ],
      },
      'Sorry.',
    ])
    const [byZod, byJson] = toolMessages(await run({ model, functions }))
    expect(called).toBe(0)
    expect(byZod).toMatchObject({ isError: true, content: expect.stringContaining('place.city: ') })
    expect(byJson).toMatchObject({ isError: true, content: expect.stringContaining('days') })
    expect(byJson?.content).toContain('city')
  })

  it('sends the model an error for arguments that do not parse, and runs the other calls', async () => {
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'echo', inputText: '{"text": "a' },
          { name: 'echo', input: { text: 'b' } },
        ],
      },
      'Sorry.',
    ])
    const { events, result } = await watch({ model, functions: [echo] })
    expect(toolMessages(result)).toMatchObject([
      { isError: true, content: expect.stringContaining('not valid JSON') },
      { content: 'b' },
    ])
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input: '{"text": "a' })
  })
})

describe('the end of a run', () => {
  it('comes after 20 steps by default', async () => {
    const model = scriptedModel(Array.from({ length: 21 }, (_, index) => callEcho(`again ${index}`)))
    const result = await run({ model, functions: [echo] })
    expect(result).toMatchObject({ finishReason: 'max-steps', steps: 20 })
    expect(result.error).toBeUndefined()
    expect(model.requests).toHaveLength(20)
    expect(validateTranscript(result.messages)).toEqual([])
  })

  it('comes after the steps that the agent allows, with the results of the last ones', async () => {
    const model = scriptedModel([callEcho('a'), { text: 'Part', toolCalls: [{ name: 'echo', input: { text: 'b' } }] }])
    const result = await run({ model, functions: [echo], maxSteps: 2 })
    expect(result).toMatchObject({ finishReason: 'max-steps', text: 'Part', steps: 2 })
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['a', 'b'])
  })

  it.each<[ModelFinishReason, string]>([
    ['stop', 'stop'],
    ['tool-calls', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content-filter'],
  ])("is the model's when it calls nothing: %s", async (finishReason, expected) => {
    const result = await run({ model: scriptedModel([{ text: 'a', finishReason }]), functions: [echo] })
    expect(result).toMatchObject({ finishReason: expected, text: 'a', steps: 1 })
  })

  it.each<ModelFinishReason>(['stop', 'length', 'tool-calls'])(
    'does not come while there are calls, though the model says %s',
    async (finishReason) => {
      const model = scriptedModel([{ toolCalls: [{ name: 'echo', input: { text: 'x' } }], finishReason }, 'Done.'])
      expect(await run({ model, functions: [echo] })).toMatchObject({ text: 'Done.', steps: 2 })
    },
  )

  it('comes without running the calls of a filtered answer, which history does not keep', async () => {
    let called = 0
    const act = tool({ name: 'act', description: 'd', input: { type: 'object' }, execute: () => called++ })
    const turn: ScriptedTurn = { text: 'I must', toolCalls: [{ name: 'act' }], finishReason: 'content-filter' }
    const agent = new Agent({ name: 'Test', functions: [act], model: scriptedModel([turn, 'Fine.']) })
    const result = await agent.stream('Hello', { sessionId: 's' }).result
    expect(result).toMatchObject({ finishReason: 'content-filter', text: 'I must', steps: 1 })
    expect(called).toBe(0)
    expect(validateTranscript(result.messages)).toEqual([])
    expect(await agent.chat('Again', { sessionId: 's' })).toBe('Fine.')
  })

  it('stores no empty message when the model writes nothing', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['', 'Fine.']), guard: false })
    const result = await agent.stream('Hello', { sessionId: 's' }).result
    expect(result).toMatchObject({ text: '', finishReason: 'stop' })
    expect(validateTranscript(result.messages)).toEqual([])
    expect(await agent.chat('Again', { sessionId: 's' })).toBe('Fine.')
  })

  it('keeps the text of the failed step', async () => {
    const model = scriptedModel([callEcho('x'), { text: 'Half an ans', error: new Error('down') }])
    const result = await run({ model, functions: [echo] })
    expect(result).toMatchObject({
      text: 'Half an ans',
      finishReason: 'error',
      steps: 1,
      error: { code: 'provider-error' },
    })
    // What the failed call took is estimated: its provider may bill it.
    expect(result.usage).toMatchObject({ estimated: true })
    expect(result.usage.inputTokens).toBeGreaterThan(10)
  })

  it('returns, after a failure, the messages that the session would show', async () => {
    const failedAtOnce = await run({ model: scriptedModel([new Error('down')]), functions: [] })
    expect(failedAtOnce.messages).toEqual([])
    const failedLater = await run({ model: scriptedModel([callEcho('x'), new Error('down')]), functions: [echo] })
    expect(failedLater.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', content: 'x' },
      { role: 'assistant', content: [{ type: 'text', text: '[stopped: provider-error]' }] },
    ])
  })
})

type RunSettings = Omit<AgentOptions, 'name'>

function run(settings: RunSettings): Promise<RunResult> {
  return new Agent({ name: 'Test', ...settings }).stream('Hello').result
}

async function watch(settings: RunSettings): Promise<{ events: AgentEvent[]; result: RunResult }> {
  const agentRun = new Agent({ name: 'Test', ...settings }).stream('Hello')
  return { events: await Array.fromAsync(agentRun), result: await agentRun.result }
}

function toolMessages(result: RunResult): Extract<Message, { role: 'tool' }>[] {
  return result.messages.filter((message) => message.role === 'tool')
}
