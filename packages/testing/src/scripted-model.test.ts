import { type ModelEvent, type ModelRequest, validateTranscript } from '@agentkit/core'
import { expect, it } from 'vitest'
import { type ScriptedTurn, scriptedModel } from './scripted-model.ts'

const request: ModelRequest = { messages: [{ role: 'user', content: 'Hello' }] }
const never = (): AbortSignal => new AbortController().signal

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

it('streams a text in a few deltas and finishes once, last', async () => {
  const events = await Array.fromAsync(scriptedModel(['Hello, world']).stream(request, never()))
  expect(events.map((event) => event.type)).toEqual(['text-delta', 'text-delta', 'text-delta', 'finish'])
  expect(textOf(events)).toBe('Hello, world')
  expect(events.at(-1)).toEqual({
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    message: { v: 1, role: 'assistant', content: [{ type: 'text', text: 'Hello, world' }], model: 'test/scripted' },
  })
})

it('never splits a character', async () => {
  const events = await Array.fromAsync(scriptedModel([{ text: '👩‍🚀👩‍🚀', deltas: 5 }]).stream(request, never()))
  for (const event of events) if (event.type === 'text-delta') expect(event.text.isWellFormed()).toBe(true)
  expect(textOf(events)).toBe('👩‍🚀👩‍🚀')
})

it('emits reasoning, warnings and tool calls, and puts them into the message', async () => {
  const model = scriptedModel([
    {
      warnings: ['temperature was dropped'],
      reasoning: 'hm',
      deltas: 1,
      toolCalls: [{ name: 'add', input: { a: 1 } }, { name: 'now' }, { name: 'broken', inputText: '{"a":' }],
      usage: { inputTokens: 3 },
    },
  ])
  const events = await Array.fromAsync(model.stream(request, never()))
  expect(events).toEqual([
    { type: 'warning', message: 'temperature was dropped' },
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'tool-call', callId: 'call_1', name: 'add', input: { a: 1 } },
    { type: 'tool-call', callId: 'call_2', name: 'now', input: {} },
    {
      type: 'tool-call',
      callId: 'call_3',
      name: 'broken',
      input: undefined,
      inputText: '{"a":',
      invalid: 'they could not be parsed',
    },
    {
      type: 'finish',
      reason: 'tool-calls',
      usage: { inputTokens: 3 },
      message: {
        v: 1,
        role: 'assistant',
        model: 'test/scripted',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-call', callId: 'call_1', name: 'add', input: { a: 1 } },
          { type: 'tool-call', callId: 'call_2', name: 'now', input: {} },
          { type: 'tool-call', callId: 'call_3', name: 'broken', input: {}, inputText: '{"a":' },
        ],
      },
    },
  ])
})

it('gives each call of a model a unique id', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'now' }] }, { toolCalls: [{ name: 'now' }] }])
  const first = await Array.fromAsync(model.stream(request, never()))
  const second = await Array.fromAsync(model.stream(request, never()))
  expect(first[0]).toMatchObject({ callId: 'call_1' })
  expect(second[0]).toMatchObject({ callId: 'call_2' })
})

it('throws a scripted error, at once or after its events', async () => {
  const failure = new Error('down')
  const model = scriptedModel([failure, { text: 'so far', error: failure }])
  await expect(Array.fromAsync(model.stream(request, never()))).rejects.toBe(failure)

  const events: ModelEvent[] = []
  const stream = async (): Promise<void> => {
    for await (const event of model.stream(request, never())) events.push(event)
  }
  await expect(stream()).rejects.toBe(failure)
  expect(textOf(events)).toBe('so far')
})

it('gets an answer from a function of the request', async () => {
  const echo: ScriptedTurn =
    ({ messages }) =>
    async () =>
      JSON.stringify(messages[0]?.content)
  expect(textOf(await Array.fromAsync(scriptedModel([echo]).stream(request, never())))).toBe('"Hello"')
})

it('reports how many turns were scripted when they run out', async () => {
  const model = scriptedModel(['one'])
  await Array.fromAsync(model.stream(request, never()))
  await expect(Array.fromAsync(model.stream(request, never()))).rejects.toMatchObject({
    code: 'invalid-argument',
    message: 'The scripted model has 1 turn, and this is request 2. Script one more turn.',
  })
})

it('refuses a misspelt option, and a misspelt count of tokens', async () => {
  // As a caller without types may call it.
  const options = { nativeOutput: 'always' } as object
  expect(() => scriptedModel(['one'], options)).toThrow('Unknown option `scriptedModel.nativeOutput`')
  const usage = { input: 5 } as object
  await expect(Array.fromAsync(scriptedModel([{ text: 'one', usage }]).stream(request, never()))).rejects.toMatchObject(
    {
      message: expect.stringContaining('Unknown option `turns[0].usage.input`'),
    },
  )
})

it('keeps copies of its requests', async () => {
  const model = scriptedModel(['one'])
  const own = structuredClone(request)
  await Array.fromAsync(model.stream(own, never()))
  own.messages.push({ role: 'user', content: 'later' })
  expect(model.requests).toEqual([request])
  expect(validateTranscript(model.requests[0]?.messages ?? [])).toEqual([])
})

it('makes no request when the signal is already aborted', async () => {
  const model = scriptedModel(['one'])
  await expect(Array.fromAsync(model.stream(request, AbortSignal.abort()))).rejects.toMatchObject({ code: 'aborted' })
  expect(model.requests).toEqual([])
})

it.each<[string, () => AbortSignal, string]>([
  ['aborted', () => abortSoon(), 'aborted'],
  ['timeout', () => AbortSignal.timeout(20), 'timeout'],
])('throws %s while it waits', async (_, makeSignal, code) => {
  const model = scriptedModel([{ text: 'never said', delayMs: 60_000 }, () => new Promise(() => {})])
  await expect(Array.fromAsync(model.stream(request, makeSignal()))).rejects.toMatchObject({ code })
  await expect(Array.fromAsync(model.stream(request, makeSignal()))).rejects.toMatchObject({ code })
})

it('stops between two deltas when it is aborted', async () => {
  const controller = new AbortController()
  const events: ModelEvent[] = []
  const stream = async (): Promise<void> => {
    for await (const event of scriptedModel(['one two three']).stream(request, controller.signal)) {
      events.push(event)
      controller.abort()
    }
  }
  await expect(stream()).rejects.toMatchObject({ code: 'aborted' })
  expect(events).toHaveLength(1)
})

function abortSoon(): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 20)
  return controller.signal
}

it('refuses an invalid transcript, as providers do', async () => {
  const model = scriptedModel(['Hello.'])
  const messages: ModelRequest['messages'] = [{ role: 'tool', callId: 'a', name: 'echo', content: 'x' }]
  await expect(Array.fromAsync(model.stream({ messages }, never()))).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('message 0, result of call "a" has no call'),
  })
})

it.each<[string, object, string]>([
  ['an answer', { content: 'Hello' }, 'Unknown option `turns[0].content`. `content` is `text` here.'],
  ['an answer with a typo', { toolcalls: [] }, 'Did you mean `turns[0].toolCalls`?'],
  ['a call', { toolCalls: [{ toolName: 'pay' }] }, '`toolName` is `name` here.'],
  ['its arguments', { toolCalls: [{ name: 'pay', args: {} }] }, '`args` is `input` here.'],
  ['its calls', { toolCalls: { name: 'pay' } }, '`turns[0].toolCalls` is a list of calls'],
])('refuses %s in the words of other libraries, which would be an empty one', async (_name, answer, problem) => {
  for (const turn of [answer, () => answer] as ScriptedTurn[]) {
    await expect(Array.fromAsync(scriptedModel([turn]).stream(request, never()))).rejects.toThrow(problem)
  }
})

it.each(['It is sunny.', null, { text: 'It is sunny.' }])('refuses %j in place of a list of turns', (turns) => {
  // As JavaScript passes it.
  expect(() => scriptedModel(turns as never)).toThrow(
    "scriptedModel takes a list of turns: scriptedModel(['It is sunny.'])",
  )
})
