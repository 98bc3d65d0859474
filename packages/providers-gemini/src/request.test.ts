import type { ModelRequest, ToolSpec } from '@agentkit/core'
import type { ModelFacts } from '@agentkit/wire'
import { describe, expect, it } from 'vitest'
import { geminiTraits } from './gemini-traits.ts'
import { type GeminiRequest, toGeminiRequest } from './request.ts'

type Asked = Partial<ModelRequest> & { id?: string; facts?: ModelFacts }

function ask({ id = 'gemini-3.5-flash', facts, ...request }: Asked): { body: GeminiRequest; warnings: string[] } {
  return toGeminiRequest(id, { messages: [{ role: 'user', content: 'hi' }], ...request }, geminiTraits(id), facts)
}

const tool = (inputSchema: ToolSpec['inputSchema']): ToolSpec => ({ name: 'find', description: 'Finds.', inputSchema })
const finding = tool({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] })

describe('a request', () => {
  it('is a list of contents, with no settings that were not asked for', () => {
    expect(ask({})).toEqual({
      body: { model: 'gemini-3.5-flash', contents: [{ role: 'user', parts: [{ text: 'hi' }] }], config: {} },
      warnings: [],
    })
  })

  it('has the first system messages as its instruction', () => {
    const { body } = ask({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'system', content: ' ' },
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'Now in French.' },
      ],
    })
    expect(body.config.systemInstruction).toEqual({ parts: [{ text: 'Be kind.\n\nBe brief.' }] })
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'hi' }, { text: 'Instruction: Now in French.' }] }])
  })

  it('sends the instruction as a user message to models without system messages', () => {
    const { body } = ask({
      id: 'gemma-3-27b-it',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hi' },
      ],
    })
    expect(body.config.systemInstruction).toBeUndefined()
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Be kind.' }, { text: 'hi' }] }])
  })

  it('has limits, temperature and stop sequences', () => {
    const { body, warnings } = ask({ maxOutputTokens: 9, temperature: 0.5, stop: ['a', 'b', 'c', 'd', 'e', 'f'] })
    expect(body.config).toEqual({ maxOutputTokens: 9, temperature: 0.5, stopSequences: ['a', 'b', 'c', 'd', 'e'] })
    expect(warnings).toEqual([expect.stringContaining('Gemini takes 5 texts to stop at')])
  })

  it('stops nowhere where no text is named', () => {
    expect(ask({ stop: [] }).body.config).toEqual({})
  })

  it.each(['gemini-3.6-flash', 'gemini-3.8-flash', 'gemini-3.5-flash-lite', 'gemini-4-argon'])(
    'drops a temperature for %s, which would ignore it, with a warning (Q21)',
    (id) => {
      const { body, warnings } = ask({ id, temperature: 0 })
      expect(body.config).not.toHaveProperty('temperature')
      expect(warnings).toEqual([expect.stringContaining('`temperature`')])
    },
  )

  it.each(['gemini-2.5-pro', 'gemini-3.1-pro-preview', 'gemini-3.5-flash', 'gemini-flash-latest', 'gemma-4-31b-it'])(
    'sends a temperature to %s',
    (id) => {
      const { body, warnings } = ask({ id, temperature: 0 })
      expect([body.config.temperature, warnings]).toEqual([0, []])
    },
  )

  it('drops a temperature that the model does not take, with a warning (Q21)', () => {
    const { body, warnings } = ask({ temperature: 0.5, facts: { temperature: false } })
    expect(body.config).toEqual({})
    expect(warnings).toEqual([expect.stringContaining('`temperature`')])
  })
})

describe('tools', () => {
  it('are declared by JSON Schema (Q60)', () => {
    expect(ask({ tools: [finding] }).body.config.tools).toEqual([
      {
        functionDeclarations: [{ name: 'find', description: 'Finds.', parametersJsonSchema: finding.inputSchema }],
      },
    ])
  })

  it.each([
    { type: 'object' },
    { type: 'object', properties: {} },
    { type: 'object', properties: {}, additionalProperties: false, $schema: 'x' },
    {},
  ])('without input are declared without parameters: %j (Q60)', (inputSchema) => {
    const [declared] = ask({ tools: [tool(inputSchema)] }).body.config.tools ?? []
    expect(declared).toEqual({ functionDeclarations: [{ name: 'find', description: 'Finds.' }] })
  })

  it.each<[inputSchema: ToolSpec['inputSchema'], sent: object]>([
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [{ anyOf: [{ properties: { a: {} } }] }, { type: 'object', anyOf: [{ properties: { a: {} } }] }],
    [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: true },
    ],
  ])('with the input %j take an object', (inputSchema, sent) => {
    const [declared] = ask({ tools: [tool(inputSchema)] }).body.config.tools ?? []
    expect(declared).toMatchObject({ functionDeclarations: [{ parametersJsonSchema: sent }] })
  })

  it('warn of a schema that holds itself in a required field', () => {
    const inputSchema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
    expect(ask({ tools: [tool(inputSchema)] }).warnings).toEqual([expect.stringContaining('"root" within itself')])
  })

  it.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ tool: 'find' }, { mode: 'ANY', allowedFunctionNames: ['find'] }],
  ] as const)('are chosen by %j', (toolChoice, functionCallingConfig) => {
    expect(ask({ tools: [finding], toolChoice }).body.config.toolConfig).toEqual({ functionCallingConfig })
    expect(ask({ toolChoice }).body.config.toolConfig).toBeUndefined()
  })

  it('cannot be called one by one, with a warning (Q21)', () => {
    expect(ask({ tools: [finding], parallelToolCalls: false }).warnings).toEqual([
      '"gemini-3.5-flash" does not take `parallelToolCalls`: it was left out.',
    ])
    expect(ask({ tools: [finding], parallelToolCalls: true }).warnings).toEqual([])
    expect(ask({ parallelToolCalls: false }).warnings).toEqual([])
  })
})

describe('structured output', () => {
  const output = { type: 'object', properties: { kind: { const: 'a' } } }
  const asked = {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: { kind: { type: 'string', enum: ['a'] } } },
  }

  it('is asked for by JSON Schema', () => {
    expect(ask({ output }).body.config).toEqual(asked)
    expect(ask({ id: 'gemini-2.5-pro', output }).body.config).toEqual(asked)
  })

  it('warns of a schema that holds itself in a required field', () => {
    const holding = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
    expect(ask({ output: holding }).warnings).toEqual([expect.stringContaining('The output holds "root"')])
  })

  it('goes together with tools since Gemini 3 only (Q63)', () => {
    expect(ask({ output, tools: [finding] }).body.config).toMatchObject(asked)
    const { body, warnings } = ask({ id: 'gemini-2.5-pro', output, tools: [finding] })
    expect(body.config).not.toHaveProperty('responseMimeType')
    expect(warnings).toEqual([expect.stringContaining('`output`')])
  })
})

describe('reasoning', () => {
  it.each([
    ['gemini-3.5-flash', 'none', { thinkingLevel: 'MINIMAL' }, ['sent as "minimal"']],
    ['gemini-3-flash-preview', 'low', { thinkingLevel: 'LOW', includeThoughts: true }, []],
    ['gemini-3.8-flash', 'none', { thinkingLevel: 'LOW' }, ['sent as "low"']],
    ['gemini-3.8-flash-lite', 'none', { thinkingLevel: 'MINIMAL' }, ['sent as "minimal"']],
    ['gemini-flash-latest', 'none', { thinkingLevel: 'LOW' }, ['sent as "low"']],
    ['gemini-3.1-pro-preview', 'none', { thinkingLevel: 'LOW' }, ['sent as "low"']],
    ['gemini-3.1-pro-preview', 'medium', { thinkingLevel: 'MEDIUM', includeThoughts: true }, []],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'HIGH', includeThoughts: true }, ['sent as "high"']],
    ['gemini-4-argon', 'high', { thinkingLevel: 'HIGH', includeThoughts: true }, []],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }, []],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8192, includeThoughts: true }, []],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }, ['sent as 128 tokens']],
    ['gemma-4-31b-it', 'none', { thinkingLevel: 'MINIMAL' }, ['sent as "minimal"']],
    ['gemma-4-31b-it', 'low', { thinkingLevel: 'MINIMAL', includeThoughts: true }, ['sent as "minimal"']],
    ['gemma-4-31b-it', 'medium', { thinkingLevel: 'HIGH', includeThoughts: true }, ['sent as "high"']],
    ['gemini-2.0-flash', 'low', undefined, ['`reasoning`']],
    ['gemini-2.0-flash', 'none', undefined, []],
    ['gemma-3-27b-it', 'high', undefined, ['`reasoning`']],
  ] as const)('of %s at "%s" is %j', (id, reasoning, thinkingConfig, expectedWarnings) => {
    const { body, warnings } = ask({ id, reasoning })
    expect(body.config.thinkingConfig).toEqual(thinkingConfig)
    expect(warnings).toEqual(expectedWarnings.map((text) => expect.stringContaining(text)))
  })

  it('is left out for a model that is known not to reason', () => {
    const { body, warnings } = ask({ reasoning: 'low', facts: { reasoning: false } })
    expect(body.config).toEqual({})
    expect(warnings).toEqual([expect.stringContaining('`reasoning`')])
  })
})
