import { scriptedModel } from '@agentkit/testing'
import { openai } from '@ai-sdk/openai'
import * as ai7 from 'ai'
import * as ai6 from 'ai6'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { agentWith, resultsOf, runWithTools } from '../../__fixtures__/run-with-tools.ts'
import { Agent, type Tool, type ToolLike, tool } from '../../index.ts'

describe.each([
  // The types of both versions differ in what these tests do not use.
  ['7', ai7.tool as unknown as typeof ai6.tool, ai7.jsonSchema as unknown as typeof ai6.jsonSchema, ai7.dynamicTool],
  ['6', ai6.tool, ai6.jsonSchema, ai6.dynamicTool],
])('a tool set of `ai` %s', (_version, aiTool, jsonSchema, dynamicTool) => {
  const weather = aiTool({
    description: 'The weather.',
    inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
    execute: async ({ city, days }) => ({ city, days }),
  })

  it('is an element of functions, whose keys are the names', async () => {
    const { tools, results } = await runWithTools([{ weather, again: weather }], {
      name: 'weather',
      input: { city: 'Oslo' },
    })
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['weather', 'The weather.'],
      ['again', 'The weather.'],
    ])
    expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['city'] })
    expect(results).toEqual(['{"city":"Oslo","days":1}'])
  })

  it('may contain a tool with its own name, and such a tool needs no set', async () => {
    const named = { ...weather, name: 'forecast' }
    const { tools } = await runWithTools([named, { weather: named }], { name: 'forecast', input: { city: 'Oslo' } })
    expect(tools.map(({ name }) => name)).toEqual(['forecast', 'weather'])
  })

  it('gives execute the signal, the id of the call and the run', async () => {
    const execute = vi.fn((_input: unknown, _options: unknown) => 'ok')
    const act = aiTool({ inputSchema: z.object({}), execute })
    await runWithTools([{ act }, { ...act, name: 'named', description: 'Named.' }], { name: 'act' }, { name: 'named' })
    expect(execute).toHaveBeenCalledTimes(2)
    for (const [, options] of execute.mock.calls) {
      expect(options).toMatchObject({
        toolCallId: expect.any(String),
        abortSignal: expect.any(AbortSignal),
        messages: [],
        experimental_context: { userId: 'ada', sessionId: 'one' },
      })
    }
  })

  it('ends a call at its time, and the tool receives it by its signal', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<unknown>()
    const act = aiTool({
      inputSchema: z.object({}),
      execute: (_input, { abortSignal }) =>
        new Promise<string>(() => abortSignal?.addEventListener('abort', () => resolve('aborted'))),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.'])
    const agent = new Agent({ name: 'Test', functions: [{ act }], model, toolTimeoutMs: 20 })
    const result = await agent.stream('Go').result
    expect(await ended).toBe('aborted')
    expect(resultsOf(result)).toEqual([{ error: expect.any(String) }])
  })

  it('may have a JSON Schema, with and without a validation of its own', async () => {
    const json: { type: 'object'; properties: { n: { type: 'number' } }; required: string[] } = {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
    }
    const plain = aiTool({ inputSchema: jsonSchema<{ n: number }>(json), execute: ({ n }) => n + 1 })
    const late = aiTool({ inputSchema: jsonSchema<{ n: number }>(async () => json), execute: ({ n }) => n + 2 })
    const own = aiTool({
      inputSchema: jsonSchema<{ n: number }>(json, {
        validate: (value) =>
          (value as { n: number }).n > 0
            ? { success: true, value: { n: (value as { n: number }).n * 10 } }
            : { success: false, error: new Error('It is not positive') },
      }),
      execute: ({ n }) => n,
    })
    const set = { plain, late, own }
    const { tools, results } = await runWithTools(
      [set],
      ...[
        { name: 'plain', input: { n: 1 } },
        { name: 'plain', input: { n: 'x' } },
      ],
      ...[
        { name: 'late', input: { n: 1 } },
        { name: 'late', input: {} },
      ],
      ...[
        { name: 'own', input: { n: 1 } },
        { name: 'own', input: { n: -1 } },
      ],
    )
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([json, json, json])
    const misfit = expect.stringContaining("do not fit the tool's schema")
    expect(results).toEqual(['2', { error: misfit }, '3', { error: misfit }, '10', { error: misfit }])
    expect(JSON.stringify(results)).toContain('It is not positive')
  })

  it.each<[string, unknown]>([
    ['zod 3', z3.object({ n: z3.number() })],
    ['zod 4', z.object({ n: z.number() })],
    ['valibot', v.object({ n: v.number() })],
    ['a function that makes one', () => jsonSchema({ type: 'object', properties: { n: { type: 'number' } } })],
  ])('may have a schema of %s', async (_library, inputSchema) => {
    const act = { description: 'Acts.', inputSchema, execute: ({ n }: { n: number }) => n * 2 }
    const { tools, results } = await runWithTools([{ act }], { name: 'act', input: { n: 4 } })
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { n: { type: 'number' } } })
    expect(results).toEqual(['8'])
  })

  it('may yield preliminary results: the last one counts', async () => {
    const act = aiTool({
      inputSchema: z.object({}),
      async *execute() {
        yield 'looking'
        yield { found: 3 }
      },
    })
    const { results } = await runWithTools(
      [{ act }, { ...act, name: 'named', description: 'Named.' }],
      { name: 'act' },
      { name: 'named' },
    )
    expect(results).toEqual(['{"found":3}', '{"found":3}'])
  })

  it('closes a generator at its next value when the call ends', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<string>()
    const act = aiTool({
      inputSchema: z.object({}),
      async *execute() {
        try {
          for (;;) yield 'more'
        } finally {
          resolve('closed')
        }
      },
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.'])
    const agent = new Agent({ name: 'Test', functions: [{ act }], model, toolTimeoutMs: 50 })
    expect((await agent.stream('Go').result).text).toBe('Done.')
    expect(await closed).toBe('closed')
  })

  it('shows the model the value that toModelOutput returns', async () => {
    const act = aiTool({
      inputSchema: z.object({ kind: z.string() }),
      execute: ({ kind }) => kind,
      toModelOutput: (given: unknown) => {
        const { output } = given as { output: string }
        const outputs: Record<string, unknown> = {
          text: { type: 'text', value: 'short' },
          json: { type: 'json', value: { a: 1 } },
          error: { type: 'error-text', value: 'It failed.' },
          denied: { type: 'execution-denied', reason: 'no' },
          content: {
            type: 'content',
            value: [
              { type: 'text', text: 'See:' },
              { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
              { type: 'image-url', url: 'https://images.example/a.png' },
              { type: 'file-data', data: 'aGk=', mediaType: 'application/pdf', filename: 'a.pdf' },
              { type: 'file', data: { type: 'data', data: Uint8Array.of(104, 105) }, mediaType: 'image' },
              { type: 'file', data: { type: 'text', text: 'inline' }, mediaType: 'text/plain' },
            ],
          },
        }
        return outputs[output] as never
      },
    })
    const kinds = ['text', 'json', 'error', 'denied', 'content', 'other']
    const { results } = await runWithTools([{ act }], ...kinds.map((kind) => ({ name: 'act', input: { kind } })))
    expect(results).toEqual([
      'short',
      '{"a":1}',
      { error: 'It failed.' },
      { error: 'The call was denied: no' },
      [
        { type: 'text', text: 'See:' },
        { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
        { type: 'image', url: 'https://images.example/a.png' },
        { type: 'text', text: expect.stringContaining('"a.pdf" of the type application/pdf') },
        { type: 'image', base64: 'aGk=' },
        { type: 'text', text: 'inline' },
      ],
      { error: expect.stringContaining('toModelOutput') },
    ])
  })

  it('keeps the `needsApproval` of a tool, and calls its function as the AI SDK does', async () => {
    const done: number[] = []
    const needsApproval = vi.fn(async ({ amount }: { amount: number }, _options: unknown) => amount > 10)
    const pay = aiTool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval,
      execute: ({ amount }) => done.push(amount),
    })
    const always = aiTool({ inputSchema: z.object({}), needsApproval: true, execute: () => done.push(0) })
    const { result } = await runWithTools(
      [{ pay, always }],
      ...[{ name: 'pay', input: { amount: 5 } }, { name: 'pay', input: { amount: 50 } }, { name: 'always' }],
    )
    expect(done).toEqual([5])
    expect(result.approvals.map(({ name, input }) => [name, input])).toEqual([
      ['pay', { amount: 50 }],
      ['always', {}],
    ])
    expect(needsApproval.mock.calls[0]?.[1]).toMatchObject({ toolCallId: expect.any(String), messages: [] })
  })

  it('may hold tools whose types are known at run time only', async () => {
    const act = dynamicTool({ description: 'Acts.', inputSchema: z.object({}), execute: async () => 'acted' })
    expect((await runWithTools([{ act }], { name: 'act' })).results).toEqual(['acted'])
  })

  it('reports a failure to the model', async () => {
    const act = aiTool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error('The service is closed.')
      },
    })
    expect((await runWithTools([{ act }], { name: 'act' })).results).toEqual([{ error: 'The service is closed.' }])
  })

  it('describes values that are not JSON', async () => {
    const circle: Record<string, unknown> = { big: 1n, at: new Date(0) }
    circle.self = circle
    const act = aiTool({ inputSchema: z.object({}), execute: () => circle })
    expect((await runWithTools([{ act }], { name: 'act' })).results).toEqual([
      '{"big":"1","at":"1970-01-01T00:00:00.000Z","self":"[circular]"}',
    ])
  })

  it('may be frozen, and of a class', async () => {
    class Counter {
      #count = 0
      readonly description = 'Counts.'
      readonly inputSchema = z.object({})
      execute() {
        this.#count += 1
        return this.#count
      }
    }
    const set = Object.freeze({ count: Object.freeze(new Counter()) })
    expect((await runWithTools([Object.freeze(set)], { name: 'count' }, { name: 'count' })).results).toEqual(['1', '2'])
  })

  it('calls the hooks of a tool as for an answer that is not streamed', async () => {
    const seen: string[] = []
    const act = aiTool({
      inputSchema: z.object({ a: z.number() }),
      onInputStart: ({ toolCallId }) => void seen.push(`start ${typeof toolCallId}`),
      onInputAvailable: ({ input }) => void seen.push(`input ${JSON.stringify(input)}`),
      execute: () => seen.push('execute'),
    })
    await runWithTools([{ act }], { name: 'act', input: { a: 1 } })
    expect(seen).toEqual(['start string', 'input {"a":1}', 'execute'])
  })

  it('appends examples to the description', async () => {
    const act = aiTool({
      description: 'Acts.',
      inputSchema: z.object({ a: z.number() }),
      inputExamples: [{ input: { a: 1 } }, { input: { a: 2 } }],
      execute: () => 1,
    })
    expect((await runWithTools([{ act }])).tools[0]?.description).toBe('Acts.\nExamples of input: {"a":1}, {"a":2}')
  })

  it('is refused as a tool without a name', () => {
    expect(() => agentWith(weather)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message:
          'functions[0] is an AI SDK tool without a name. Give it a name: functions: [{ weather: weatherTool }].',
      }),
    )
    expect(() => agentWith(aiTool({ inputSchema: z.object({}) } as never))).toThrow('Give it a name')
  })

  it('is refused where its key is no name of a tool', () => {
    expect(() => agentWith({ 'get weather': weather })).toThrow('Tool "get weather": a name has 1 to 64 letters')
  })

  it('is refused with a name that another tool has', () => {
    const own = tool({ name: 'weather', description: 'd', input: z.object({}), execute: () => 1 })
    expect(() => agentWith([own, { weather }])).toThrow('Two tools are named "weather"')
  })
})

describe('features of the AI SDK that agentkit lacks', () => {
  const execute = (): number => 1
  const inputSchema = z.object({})
  it.each<[string, object, string]>([
    ['a client tool', { inputSchema, outputSchema: z.number() }, 'Tool "act": `execute` is missing'],
    ['a tool of the provider', openai.tools.webSearch({}), 'Tool "act": `type` is "provider"'],
    [
      'one that the provider defines',
      { ...openai.tools.localShell({ execute: execute as never }) },
      '`type` is "provider"',
    ],
    [
      'one of AI SDK 5',
      { type: 'provider-defined', id: 'a.b', args: {}, inputSchema },
      "the model's provider defines it",
    ],
    ['a context', { inputSchema, execute, contextSchema: inputSchema }, 'Tool "act": `contextSchema`'],
    ['what calls other tools', { inputSchema, execute, experimental_toolCaller: {} }, '`experimental_toolCaller`'],
    [
      'a conversion of AI SDK 4',
      { parameters: inputSchema, execute, experimental_toToolResultContent: execute },
      'AI SDK 4',
    ],
    [
      'a description that fails',
      {
        inputSchema,
        execute,
        description: ({ context }: { context: unknown }) => (context as { a: { b: string } }).a.b,
      },
      '`description`',
    ],
    ['a description that is not text', { inputSchema, execute, description: 7 }, '`description` is a text'],
    [
      'a schema that fails',
      {
        inputSchema: () => {
          throw new Error('no schema')
        },
        execute,
      },
      'no schema',
    ],
    ['a schema that is none', { inputSchema: 7, execute }, '`inputSchema` is not a schema'],
  ])('%s is refused by name', (_what, source, message) => {
    expect(() => agentWith({ act: source })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })

  it('a tool set with another value is refused, naming the key', () => {
    const act = { inputSchema, execute, title: 'Act' }
    expect(() => agentWith({ act, other: undefined })).toThrow(
      'functions[0]: "other" of the tool set is no AI SDK tool, but of type undefined',
    )
    expect(() => agentWith({ act, other: null })).toThrow('but null')
    expect(() => agentWith({ act, other: [act] })).toThrow('but a list')
  })

  it('a provider tool without a name is refused', () => {
    expect(() => agentWith(openai.tools.webSearch({}))).toThrow("functions[0] is a provider's tool without a name")
  })

  it('tools of AI SDK 4 have `parameters`', async () => {
    const act = { description: 'Acts.', parameters: z.object({ a: z.number() }), execute: ({ a }: { a: number }) => a }
    expect((await runWithTools([{ act } as unknown as ToolLike], { name: 'act', input: { a: 3 } })).results).toEqual([
      '3',
    ])
  })

  it('a description may be made by a function', async () => {
    const act = { description: () => 'Made.', inputSchema, execute }
    expect((await runWithTools([{ act }])).tools[0]?.description).toBe('Made.')
  })
})

describe('a tool of ours', () => {
  const search = tool({
    name: 'search_orders',
    description: 'Searches.',
    input: z.object({}),
    execute: (_input, context) => Object.keys(context).sort().join(),
  })

  it('receives its own context, which has no names of other libraries', async () => {
    expect((await runWithTools([search], { name: 'search_orders' })).results).toEqual([
      'callId,cite,idempotencyKey,runId,sessionId,signal,userId',
    ])
  })

  it('works in a tool set too, and as an object of the same form', async () => {
    const { results } = await runWithTools(
      [{ find: search }, { ...search, name: 'copy' }],
      { name: 'find' },
      { name: 'copy' },
    )
    expect(results).toEqual([expect.stringContaining('abortSignal'), expect.stringContaining('idempotencyKey')])
  })

  it('may be of a class, whose methods use `this`', async () => {
    class Clock {
      readonly name = 'clock'
      readonly description = 'Says the time.'
      readonly inputSchema = { type: 'object' }
      readonly client = { time: () => 'noon' }
      #isOn = true
      isEnabled() {
        return this.#isOn
      }
      execute() {
        return this.client.time()
      }
    }
    const clock: object = new Clock()
    // Its field `client` is not that of a tool.
    const { result, results } = await runWithTools([clock as Tool], { name: 'clock' })
    expect(results).toEqual(['noon'])
    expect(result.warnings).toEqual([])
  })

  it('is executed by the client in a copy and in a tool set too', async () => {
    const locate = tool({ name: 'locate', description: 'Where the user is.', input: z.object({}), client: true })
    const { result } = await runWithTools(
      [{ ...locate, name: 'copy' }, { find: locate }],
      { name: 'copy' },
      { name: 'find' },
    )
    expect(result.approvals.map(({ kind, name }) => [kind, name])).toEqual([
      ['client-tool', 'copy'],
      ['client-tool', 'find'],
    ])
  })
})
