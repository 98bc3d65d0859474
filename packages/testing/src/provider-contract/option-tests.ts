import type { JSONSchema, ModelRequest, ToolSpec } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { weather } from './answer-tests.ts'
import { ask, type Subject, testKey } from './provider-under-test.ts'

const person: JSONSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}

const schemas: Record<string, JSONSchema> = {
  'that is strict': person,
  'with optional fields (Q25)': {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: ['integer', 'null'] } },
    required: ['name'],
  },
  'with keywords that few know (Q25, Q60)': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 9,
        pattern: '^[a-z]+$',
        format: 'email',
        examples: ['a'],
        default: 'a',
      },
      age: { type: 'number', exclusiveMinimum: 0, maximum: 150, multipleOf: 0.5 },
      kind: { const: 'person' },
      tags: { type: 'array', items: { enum: ['a', 1, null] }, minItems: 1, uniqueItems: true },
      more: { type: 'array', description: 'Of anything.' },
      extra: {
        type: 'object',
        additionalProperties: { type: 'string' },
        propertyNames: { pattern: '^x' },
        minProperties: 1,
      },
    },
    required: ['name'],
  },
  'of alternatives (Q43)': {
    type: 'object',
    properties: {
      shape: {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
            required: ['kind', 'radius'],
          },
          {
            type: 'object',
            properties: { kind: { const: 'square' }, side: { type: 'number' } },
            required: ['kind', 'side'],
          },
        ],
      },
      other: { allOf: [{ type: 'string' }, { minLength: 2 }] },
    },
    required: ['shape'],
  },
  'of alternatives at its root (Q43)': {
    anyOf: [
      { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      { $ref: '#/$defs/point' },
    ],
    $defs: { point: { type: 'object', properties: { latitude: { type: 'number' } }, required: ['latitude'] } },
  },
  'that refers to itself (Q60)': {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' } },
    required: ['root'],
    $defs: {
      node: {
        type: 'object',
        properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        required: ['label'],
      },
    },
  },
  'of nothing (Q60)': { type: 'object', properties: {} },
  'without a word about its fields': { type: 'object' },
}

const tool = (inputSchema: JSONSchema, name = 'act'): ToolSpec => ({ name, description: 'Acts.', inputSchema })

/** Options that some servers refuse. */
const options: Record<string, Partial<ModelRequest>> = {
  'a temperature (Q21, Q26, Q41)': { temperature: 0.2 },
  'words to stop at': { stop: ['END', '###'] },
  'a bound of the answer': { maxOutputTokens: 200 },
  'a bound of a word (Q21)': { maxOutputTokens: 3 },
  'no reasoning': { reasoning: 'none' },
  'little reasoning': { reasoning: 'low' },
  'much reasoning': { reasoning: 'high' },
  'much reasoning and a small bound': { reasoning: 'high', maxOutputTokens: 500 },
  'one call at a time (Q21)': { tools: [weather], parallelToolCalls: false },
  'parallel calls': { tools: [weather], parallelToolCalls: true },
  'parallel calls of no tool': { parallelToolCalls: false },
  'the choice of a tool, without tools': { toolChoice: 'required' },
  'an automatic choice': { tools: [weather], toolChoice: 'auto' },
  'the choice of none (Q21)': { tools: [weather], toolChoice: 'none' },
  'the choice of any (Q21)': { tools: [weather], toolChoice: 'required' },
  'the choice of one (Q21)': { tools: [weather, tool(person)], toolChoice: { tool: 'weather' } },
  'a forced choice and reasoning (Q35)': { tools: [weather], toolChoice: 'required', reasoning: 'high' },
  'reasoning, tools and a temperature': {
    tools: [weather],
    reasoning: 'medium',
    temperature: 0.5,
    maxOutputTokens: 4000,
  },
  'tools of odd names (Q62)': {
    tools: [tool(person, '_private'), tool(person, 'a-b_c9'), tool(person, 'A'.repeat(64))],
  },
  'everything at once': {
    tools: [weather],
    toolChoice: 'auto',
    temperature: 0.9,
    stop: ['END'],
    maxOutputTokens: 3000,
    reasoning: 'medium',
    parallelToolCalls: false,
  },
}

/** The server accepts every request: options that it would refuse are omitted, with a warning. */
export function optionTests(subject: Subject): void {
  const { models } = subject
  const kinds = [models.usual, models.reasoning].filter((model) => model !== undefined)
  const taken = async (asked: Partial<ModelRequest>, model: string): Promise<void> => {
    const { error, text } = await ask(subject, 'Taken.', { ...asked, model })
    expect(error).toBeUndefined()
    expect(text).toBe('Taken.')
  }

  describe.each(kinds)('%s', (model) => {
    it.each(Object.entries(options))('accepts %s', (_name, asked) => taken(asked, model))

    it.each(Object.entries(schemas))('accepts a tool whose input has a schema %s', (_name, schema) => {
      return taken({ tools: [tool(schema)] }, model)
    })

    it.each(Object.entries(schemas))(
      'takes an answer with a schema %s, with and without tools (Q54, Q63, Q71, Q72)',
      async (_name, schema) => {
        const native =
          subject.makeProvider({ url: 'http://127.0.0.1:1', apiKey: 'k' }).model(model).info?.nativeOutput ?? 'always'
        if (native !== 'never') await taken({ output: schema }, model)
        // Without native output, core uses a tool instead.
        await taken({ tools: [weather, tool(schema, 'final_answer')], toolChoice: 'required' }, model)
        if (native === 'always') await taken({ output: schema, tools: [weather] }, model)
      },
    )
  })

  it('warns of each option that it omits (Q21)', async () => {
    for (const [name, asked] of Object.entries(options)) {
      const { warnings, requests } = await ask(subject, 'Taken.', { ...asked, model: kinds.at(-1) })
      const sent = JSON.stringify(requests[0]?.body)
      if (asked.stop) expect(warnings.join() + sent, name).toMatch(/stop|END/)
      if (asked.temperature !== undefined) expect(warnings.join() + sent, name).toMatch(/temperature/)
      if (asked.maxOutputTokens !== undefined)
        expect(warnings.join() + sent, name).toContain(String(asked.maxOutputTokens))
      if (typeof asked.toolChoice === 'object') expect(warnings.join() + sent, name).toMatch(/toolChoice|"weather"/)
    }
  })

  it('refuses unknown options, and lists the known ones', () => {
    const server = { url: 'http://127.0.0.1:1', apiKey: testKey }
    const misspelt: object = { api_key: testKey }
    expect(() => subject.makeProvider({ ...server, options: misspelt })).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringMatching(/`api_key`.*`apiKey`/) }),
    )
    const provider = subject.makeProvider(server)
    const refused = expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringMatching(/`idle_timeout_ms`.*idleTimeoutMs/),
    })
    const slow: object = { idle_timeout_ms: 1000 }
    expect(() => provider.model(models.usual, slow)).toThrow(refused)
    if (models.embedding !== undefined) {
      const embedder: (id: string, options: object) => unknown = provider.embedder ?? (() => {})
      expect(() => embedder(models.embedding ?? '', { dimension: 2 })).toThrow(/`dimension`.*dimensions/)
    }
  })
}
