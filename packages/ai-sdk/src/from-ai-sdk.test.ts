import { Agent, type Message, type ModelEvent, tool, type UserMessage } from '@agentkit/core'
import { jsonSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ask, finish, lastCall, mockModel, text, usage } from './__fixtures__/mock-models.ts'
import { fromAISDK } from './index.ts'

const id = 'mock-provider/mock-model-id'

function typesOf(events: readonly ModelEvent[]): string[] {
  return events.map(({ type }) => type)
}

describe.each(['v3', 'v4'] as const)('a model of the AI SDK, specification %s', (version) => {
  it('answers with text', async () => {
    const model = mockModel(version, [[{ type: 'stream-start', warnings: [] }, ...text('Hello.'), finish('stop')]])
    const { events, error } = await ask(model)
    expect(error).toBeUndefined()
    expect(events).toEqual([
      { type: 'text-delta', text: 'Hello.' },
      {
        type: 'finish',
        reason: 'stop',
        usage: {
          ...{ inputTokens: 10, outputTokens: 5, totalTokens: 15 },
          ...{ cachedInputTokens: 2, cacheWriteTokens: 1, reasoningTokens: 2 },
        },
        message: { v: 1, role: 'assistant', model: id, content: [{ type: 'text', text: 'Hello.' }] },
      },
    ])
    expect(fromAISDK(model).id).toBe(id)
  })

  it('calls tools in the loop of an agent', async () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":2,"b":3}' }
    const model = mockModel(version, [
      [...text('Adding.'), call, finish('tool-calls')],
      [...text('Five.'), finish('stop')],
    ])
    const add = tool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    })
    const agent = new Agent({ name: 'Clerk', instruction: 'Be brief.', functions: [add], model: fromAISDK(model) })
    const result = await agent.stream('Add 2 and 3.').result
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Five.', steps: 2, usage: { inputTokens: 20 } })
    expect(model.doStreamCalls[0]).toMatchObject({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Add 2 and 3.' }] },
      ],
      tools: [{ type: 'function', name: 'add', description: 'Adds.', inputSchema: { type: 'object' } }],
    })
    expect(lastCall(model).prompt.slice(2)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Adding.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: { a: 2, b: 3 } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'add', output: { type: 'text', value: '5' } }],
      },
    ])
  })

  it('gives a call another id than calls of the conversation have', async () => {
    const call = { type: 'tool-call', toolCallId: '0', toolName: 'act', input: '{}' }
    const input = { type: 'tool-call', callId: '0', name: 'act', input: {} } as const
    const messages: Message[] = [
      { role: 'user', content: 'Act.' },
      { role: 'assistant', content: [input] },
      { role: 'tool', callId: '0', name: 'act', content: 'Done.' },
    ]
    const { events } = await ask(mockModel(version, [[call, finish('tool-calls')]]), { messages })
    expect(events[0]).toMatchObject({ type: 'tool-call', callId: expect.stringMatching(/^call_/) })
  })

  it('sends the data that its provider has attached back to it, and to no other model', async () => {
    const data = { acme: { signature: 'abc' } }
    const model = mockModel(version, [
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
        { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: data },
        { type: 'reasoning-end', id: 'r' },
        { type: 'text-start', id: 't', providerMetadata: { acme: { itemId: '1' } } },
        { type: 'text-delta', id: 't', delta: 'Yes.' },
        { type: 'text-end', id: 't' },
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'act',
          input: '',
          providerMetadata: { acme: { thought: 't' } },
        },
        finish('tool-calls'),
      ],
      [finish('stop')],
    ])
    const { events } = await ask(model)
    const message = events.findLast(({ type }) => type === 'finish')
    if (message?.type !== 'finish') throw new Error('It has not finished.')
    expect(message.message.content).toEqual([
      { type: 'reasoning', text: 'Hm', opaque: { owner: id, data } },
      { type: 'text', text: 'Yes.', opaque: { owner: id, data: { acme: { itemId: '1' } } } },
      {
        type: 'tool-call',
        callId: 'c',
        name: 'act',
        input: {},
        opaque: { owner: id, data: { acme: { thought: 't' } } },
      },
    ])
    const result = { role: 'tool', callId: 'c', name: 'act', content: 'done' } as const
    const user = { role: 'user', content: 'Hi' } as const
    await ask(model, { messages: [user, message.message, result] })
    expect(lastCall(model).prompt[1]?.content).toEqual([
      { type: 'reasoning', text: 'Hm', providerOptions: data },
      { type: 'text', text: 'Yes.', providerOptions: { acme: { itemId: '1' } } },
      { type: 'tool-call', toolCallId: 'c', toolName: 'act', input: {}, providerOptions: { acme: { thought: 't' } } },
    ])
    const foreign = JSON.parse(JSON.stringify(message.message).replaceAll(id, 'other/model'))
    await ask(model, { messages: [user, foreign, result] })
    expect(lastCall(model).prompt[1]?.content).toEqual([
      { type: 'text', text: 'Yes.' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'act', input: {} },
    ])
  })

  it('receives images and files as its specification has them, and addresses that it fetches', async () => {
    const content: UserMessage['content'] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { type: 'image', url: 'https://images.example/a.png' },
      { type: 'file', base64: 'JVBERi0=', mediaType: 'application/pdf', name: 'a.pdf' },
      { type: 'file', base64: 'aGk=', mediaType: 'text/plain', name: 'a.txt' },
      { type: 'file', url: 'https://files.example/a.pdf', mediaType: 'application/pdf' },
    ]
    const model = mockModel(version, [[finish('stop')]], { 'image/*': [/^https:\/\/images\./] })
    const { events } = await ask(model, { messages: [{ role: 'user', content }] })
    const data = (base64: string): unknown => (version === 'v3' ? base64 : { type: 'data', data: base64 })
    const address = new URL('https://images.example/a.png')
    expect(lastCall(model).prompt[0]?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'file', data: data('iVBORw0KGgo='), mediaType: 'image/png' },
      { type: 'file', data: version === 'v3' ? address : { type: 'url', url: address }, mediaType: 'image/*' },
      { type: 'file', data: data('JVBERi0='), mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'text', text: '[file "a.txt"]\nhi' },
      { type: 'text', text: expect.stringContaining('left out') },
    ])
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('at such an address') })
  })

  it.each<[string, Record<string, RegExp[]> | undefined]>([
    ['lists others', { 'image/*': [/^https:\/\/cdn\.example\//] }],
    ['lists them for other files', { 'application/pdf': [/^https:/] }],
    ['has no list', undefined],
  ])('is sent no address where it %s, which only this machine may reach', async (_, supportedUrls) => {
    const model = mockModel(version, [[...text('Nothing.'), finish('stop')]])
    Object.defineProperty(model, 'supportedUrls', { value: supportedUrls })
    const image = { type: 'image' as const, url: 'https://intranet.example/plan.png', mediaType: 'image/png' }
    const { error } = await ask(model, { messages: [{ role: 'user', content: [image] }] })
    expect(error).toBeUndefined()
    const [message] = lastCall(model).prompt
    expect(message?.content).toEqual([{ type: 'text', text: expect.stringMatching(/image/) }])
  })

  it('shows the images of a tool after its result', async () => {
    const model = mockModel(version, [[finish('stop')]])
    await ask(model, {
      messages: [
        { role: 'user', content: 'Draw.' },
        { role: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'draw', input: {} }] },
        {
          ...{ role: 'tool', callId: 'c', name: 'draw' },
          content: [
            { type: 'text', text: 'Drawn.' },
            { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' },
          ],
        },
      ],
    })
    expect(lastCall(model).prompt.slice(2)).toMatchObject([
      { role: 'tool', content: [{ output: { type: 'text', value: expect.stringContaining('Drawn.') } }] },
      { role: 'user', content: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }] },
    ])
  })

  it('is sent lists of which each says what is in it, because OpenAI refuses others', async () => {
    const model = mockModel(version, [[finish('stop')]])
    const inputSchema = { type: 'object', properties: { a: { type: 'array' } } }
    await ask(model, { output: inputSchema, tools: [{ name: 'act', description: 'Acts.', inputSchema }] })
    const schema = { properties: { a: { type: 'array', items: {} } } }
    expect(lastCall(model)).toMatchObject({ responseFormat: { schema }, tools: [{ inputSchema: schema }] })
  })

  it('is sent the options that it has', async () => {
    const model = mockModel(version, [[finish('stop')]])
    const schema = { type: 'object', properties: { a: { type: 'string' } } } as const
    const { events } = await ask(model, {
      ...{ maxOutputTokens: 100, temperature: 0.5, stop: ['END'], reasoning: 'low', parallelToolCalls: false },
      ...{ output: schema, toolChoice: { tool: 'act' } },
      tools: [{ name: 'act', description: 'Acts.', inputSchema: schema }],
    })
    const options = lastCall(model)
    expect(options).toMatchObject({
      ...{
        maxOutputTokens: 100,
        temperature: 0.5,
        stopSequences: ['END'],
        toolChoice: { type: 'tool', toolName: 'act' },
      },
      responseFormat: { type: 'json', schema },
      // Strict providers refuse optional fields.
      providerOptions: { 'mock-provider': { strictJsonSchema: false } },
      abortSignal: expect.any(AbortSignal),
    })
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
    expect(options.reasoning).toBe(version === 'v4' ? 'low' : undefined)
    expect(warnings.some((words) => words.includes('`reasoning` was left out'))).toBe(version === 'v3')
    expect(warnings.some((words) => words.includes('`parallelToolCalls`'))).toBe(true)
  })

  it('gives structured output, alone and beside tools', async () => {
    const output = z.object({ city: z.string() })
    const act = tool({ name: 'act', description: 'd', input: z.object({}), execute: () => 1 })
    const alone = mockModel(version, [[...text('{"city":"Oslo"}'), finish('stop')]])
    const first = new Agent({ name: 'Clerk', functions: [], output, model: fromAISDK(alone) })
    expect((await first.stream('Where?').result).output).toEqual({ city: 'Oslo' })
    expect(lastCall(alone).responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } })
    const both = mockModel(version, [
      () => {
        const { tools } = lastCall(both) as unknown as { tools: { name: string }[] }
        const name = tools.find((tool) => tool.name !== 'act')?.name
        return [{ type: 'tool-call', toolCallId: 'f', toolName: name, input: '{"city":"Rome"}' }, finish('tool-calls')]
      },
    ])
    const second = new Agent({ name: 'Clerk', functions: [act], output, model: fromAISDK(both) })
    expect((await second.stream('Where?').result).output).toEqual({ city: 'Rome' })
    expect(lastCall(both).responseFormat).toBeUndefined()
  })

  it.each<[string, object[], unknown[]]>([
    ['invalid JSON', [{ input: '{"a":' }], [{ input: undefined, inputText: '{"a":', invalid: expect.any(String) }]],
    ['nothing', [{ input: '' }], [{ input: {} }]],
    ['a value instead of text', [{ input: { a: 1 } }], [{ input: { a: 1 } }]],
    [
      'the same id twice',
      [{ input: '{}' }, { input: '{}' }],
      [{ callId: 'c' }, { callId: expect.not.stringMatching(/^c$/) }],
    ],
    ['no id', [{ input: '{}', toolCallId: '' }], [{ callId: expect.stringMatching(/./) }]],
  ])('may call a tool with %s', async (_what, given, expected) => {
    const calls = given.map((fields) => ({ type: 'tool-call', toolCallId: 'c', toolName: 'act', ...fields }))
    const { events } = await ask(mockModel(version, [[...calls, finish('tool-calls')]]))
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject(expected)
  })

  it.each<[string, string | undefined, string]>([
    ['stop', undefined, 'stop'],
    ['length', undefined, 'length'],
    ['content-filter', 'safety', 'content-filter'],
    ['other', 'odd', 'stop'],
  ])('ends for the reason %s', async (unified, raw, reason) => {
    const { events } = await ask(mockModel(version, [[...text('Hi'), finish(unified, raw)]]))
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason })
    expect(typesOf(events).includes('warning')).toBe(unified === 'other')
  })

  it.each<[string, object[], object]>([
    ['without a finish', text('Hi'), { code: 'incomplete-stream', retryable: true }],
    ['for a reason that is an error', [finish('error', 'boom')], { code: 'provider-error' }],
    [
      'for a call that could not be parsed',
      [finish('error', 'MALFORMED_FUNCTION_CALL')],
      { code: 'invalid-tool-call' },
    ],
    ['interrupted', [...text('Hi'), finish('interrupted')], { code: 'incomplete-stream', retryable: true }],
    ['without an answer, for another reason', [finish('other')], { code: 'provider-error', retryable: true }],
    ['with a delta that is not text', [{ type: 'text-delta', id: '1' }], { code: 'malformed-stream' }],
    ['with a part that is not an object', [null as never], { code: 'malformed-stream' }],
    [
      'with an error',
      [...text('Hi'), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, finish('error')],
      { code: 'overloaded', retryable: true },
    ],
    ['with an error in words', [{ type: 'error', error: 'It broke.' }], { code: 'provider-error' }],
  ])('fails when it ends %s', async (_how, parts, expected) => {
    const { events, error } = await ask(mockModel(version, [parts]))
    expect(error).toMatchObject({ ...expected, provider: 'mock-provider', model: 'mock-model-id' })
    expect(typesOf(events)).not.toContain('finish')
  })

  it("warns of content that an agent cannot store, and passes on the model's warnings", async () => {
    const { events } = await ask(
      mockModel(version, [
        [
          { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK', details: 'Not there.' }] },
          { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
          { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{}', providerExecuted: true },
          { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: {} },
          { type: 'file', mediaType: 'image/png', data: 'aGk=' },
          { type: 'raw', rawValue: {} },
          { type: 'response-metadata', id: 'x' },
          finish('stop'),
        ],
      ]),
    )
    expect(events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))).toEqual([
      'The model does not support topK. Not there.',
      `"${id}" sent a part of type "source", which is left out.`,
      `"${id}" called the tool "web_search" of its provider, which is left out.`,
      `"${id}" sent a part of type "tool-result", which is left out.`,
      `"${id}" sent a part of type "file", which is left out.`,
    ])
  })

  it('may write several blocks at once: they are joined as they came', async () => {
    const parts = ['a', 'b', 'a'].map((block, index) => ({ type: 'text-delta', id: block, delta: String(index) }))
    const { events } = await ask(mockModel(version, [[...parts, { type: 'text-end', id: 'b' }, finish('stop')]]))
    expect(events.at(-1)).toMatchObject({ message: { content: [{ type: 'text', text: '012' }] } })
  })

  it('emits the arguments of the tool that takes the answer while they are written', async () => {
    const pieces = (id: string, toolName: string, more: object = {}): object[] => [
      { type: 'tool-input-start', id, toolName, ...more },
      { type: 'tool-input-delta', id, delta: '{"a":' },
      { type: 'tool-input-delta', id, delta: '1}' },
      { type: 'tool-input-end', id },
    ]
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'final', input: '{"a":1}' }
    const hosted = pieces('h', 'final', { providerExecuted: true })
    const parts = [...hosted, ...pieces('b', 'other'), ...pieces('c', 'final'), call, finish('tool-calls')]
    const { events } = await ask(mockModel(version, [parts]), { answerTool: 'final' })
    expect(events.slice(0, 3)).toMatchObject([
      { type: 'tool-input-delta', callId: 'c', text: '{"a":' },
      { type: 'tool-input-delta', callId: 'c', text: '1}' },
      { type: 'tool-call', callId: 'c', input: { a: 1 } },
    ])
    const usual = await ask(mockModel(version, [parts]))
    expect(usual.events.map(({ type }) => type)).toEqual(['tool-call', 'finish'])
  })

  it('has no more than a bounded part of an endless call', async () => {
    const endless = new ReadableStream({
      pull(controller) {
        controller.enqueue({ type: 'tool-input-delta', id: 'c', delta: 'x'.repeat(100_000) })
      },
    })
    const model = mockModel(version, [])
    model.doStream = async () => ({ stream: endless as never })
    expect((await ask(model)).error).toMatchObject({ code: 'malformed-stream', retryable: false })
  })
})

describe('fromAISDK()', () => {
  it('refuses a model of an older specification, and says to update', () => {
    expect(() => fromAISDK(Object.assign(mockModel('v3', []), { specificationVersion: 'v2' }) as never)).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('Update its provider') }),
    )
  })

  it.each<[string, unknown, string]>([
    ['a name', 'openai/gpt-5.4', 'not its name: import the provider of "openai/gpt-5.4"'],
    ['nothing', undefined, 'Pass a language model of the AI SDK'],
    ['a schema', jsonSchema({}), 'Pass a language model of the AI SDK'],
  ])('refuses %s', (_what, model, message) => {
    expect(() => fromAISDK(model as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })

  it('reports usage that the model leaves out as unknown', async () => {
    const nothing = { inputTokens: {}, outputTokens: { total: Number.NaN } }
    const parts = [{ type: 'finish', finishReason: { unified: 'stop' }, usage: nothing }]
    expect((await ask(mockModel('v3', [parts]))).events.at(-1)).toMatchObject({ usage: {} })
    const some = { ...usage, inputTokens: { noCache: 3, cacheRead: 4 } }
    const { events } = await ask(mockModel('v3', [[{ type: 'finish', finishReason: 'stop', usage: some }]]))
    expect(events.at(-1)).toMatchObject({ reason: 'stop', usage: { inputTokens: 7, totalTokens: 12 } })
  })
})
