import type { CachePlan, Message, ModelRequest } from '@agentkit/core'
import { fakeProvider } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { knownModel } from './model-info.ts'
import { anthropic } from './provider.ts'
import { type ConvertedRequest, toAnthropicRequest } from './request.ts'

const hi: Message = { role: 'user', content: 'hi' }
const hello: Message = { role: 'assistant', content: [{ type: 'text', text: 'hello' }] }
const tools = [{ name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object', properties: {} } }]

type Options = { promptCaching?: boolean; betas?: readonly string[] | undefined }

function prepared(model: string, request: Partial<ModelRequest> = {}, options: Options = {}): ConvertedRequest {
  const settings = { ...knownModel(model), promptCaching: false, betas: [], ...options }
  return toAnthropicRequest(model, { messages: [hi], ...request }, settings)
}

it('joins the first system messages as the prompt', () => {
  const system = (content: string): Message => ({ role: 'system', content })
  const { body } = prepared('claude-sonnet-5', { messages: [system('One.'), system(' '), system('Two.'), hi] })
  expect(body.system).toEqual([{ type: 'text', text: 'One.\n\nTwo.' }])
  expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])
})

describe('max_tokens', () => {
  it.each([
    ['what is asked for', 'claude-haiku-4-5', 100, 100, 0],
    ["else the model's longest answer", 'claude-haiku-4-5', undefined, 64_000, 0],
    ['never more than the model gives', 'claude-haiku-4-5', 100_000, 64_000, 1],
    ['of a Claude that is not listed what all of its age give', 'claude-opus-9', undefined, 64_000, 0],
    ['of any other model little', 'kimi-k3', undefined, 8_192, 0],
    ['but as much as is asked for', 'kimi-k3', 30_000, 30_000, 0],
  ])('is %s', (_name, model, maxOutputTokens, expected, warned) => {
    const { body, warnings } = prepared(model, maxOutputTokens === undefined ? {} : { maxOutputTokens })
    expect(body.max_tokens).toBe(expected)
    expect(warnings).toHaveLength(warned)
  })
})

describe('reasoning', () => {
  it.each([
    ['claude-haiku-4-5', 'low', { type: 'enabled', budget_tokens: 2_048 }, undefined],
    ['claude-haiku-4-5', 'high', { type: 'enabled', budget_tokens: 16_384 }, undefined],
    ['claude-haiku-4-5', 'none', undefined, undefined],
    ['claude-opus-4-6', 'medium', { type: 'adaptive' }, 'medium'],
    ['claude-opus-4-7', 'medium', { type: 'adaptive', display: 'summarized' }, 'medium'],
    ['anthropic/claude-opus-4.7', 'low', { type: 'adaptive', display: 'summarized' }, 'low'],
    ['claude-opus', 'low', { type: 'adaptive', display: 'summarized' }, 'low'],
    ['claude-opus-4-8', 'none', undefined, undefined],
    ['claude-opus-5', 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    ['claude-sonnet-5-5', undefined, undefined, undefined],
    ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined],
  ] as const)('of %s at "%s" is sent as that model takes it', (model, reasoning, thinking, effort) => {
    const { body, warnings } = prepared(model, reasoning === undefined ? {} : { reasoning })
    expect(body.thinking).toEqual(thinking)
    expect(body.output_config?.effort).toBe(effort)
    expect(warnings).toEqual([])
  })

  it.each(['claude-opus-5-5', 'claude-fable-5', 'claude-mythos-preview', 'claude-nova-9'])(
    'cannot be turned off in %s, with a warning (Q21)',
    (model) => {
      const { body, warnings } = prepared(model, { reasoning: 'none' })
      expect(body).toMatchObject({ output_config: { effort: 'low' } })
      expect(body.thinking).toBeUndefined()
      expect(warnings).toEqual([expect.stringContaining('always reasons')])
    },
  )

  it('is left out of a model that does none (Q21)', () => {
    const { body, warnings } = prepared('claude-3-5-haiku-20241022', { reasoning: 'low' })
    expect(body.thinking).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('`reasoning`')])
  })

  it('leaves room for the answer', () => {
    expect(prepared('claude-haiku-4-5', { reasoning: 'high', maxOutputTokens: 4_000 }).body.thinking).toEqual({
      type: 'enabled',
      budget_tokens: 2_000,
    })
    const { body, warnings } = prepared('claude-haiku-4-5', { reasoning: 'high', maxOutputTokens: 2_000 })
    expect(body.thinking).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('no room')])
  })

  it('waits for the next question where calls were made without it (Q5, Q36)', () => {
    const call: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'a', name: 'weather', input: {} }],
    }
    const result: Message = { role: 'tool', callId: 'a', name: 'weather', content: 'rain' }
    const asked = { reasoning: 'low', tools } as const
    const amid = prepared('claude-haiku-4-5', { ...asked, messages: [hi, call, result] })
    expect(amid.body.thinking).toBeUndefined()
    expect(amid.warnings).toHaveLength(1)
    const after = prepared('claude-haiku-4-5', { ...asked, messages: [hi, call, result, hello, hi] })
    expect(after.body.thinking).toBeDefined()
    expect(prepared('claude-opus-4-6', { ...asked, messages: [hi, call, result] }).body.thinking).toBeDefined()
  })
})

describe('thinking that is taken back only in its own conversation', () => {
  const thoughtBy = (model: string): Message[] => {
    const opaque = { owner: `anthropic/${model}`, data: { signature: 'abc' } }
    const thought: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', opaque },
        { type: 'text', text: 'hello' },
      ],
    }
    return [hi, thought, hi]
  }
  const messages = thoughtBy('claude-opus-5-5')
  const binding = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
  const beta = 'thinking-binding-controls-2026-08-01'

  it('may be dropped where the conversation has changed', () => {
    const { body, headers } = prepared('claude-opus-5-5', { messages })
    expect(body.thinking).toEqual(binding)
    expect(prepared('claude-opus-5-1', { messages: thoughtBy('claude-opus-5-1') }).body.thinking).toEqual(binding)
    expect(headers).toEqual({ 'anthropic-beta': beta })
  })

  it('is controlled from the first request of a conversation on, as another setting would clear its cache', () => {
    const cache: CachePlan = { key: 'k', marks: ['end'] }
    expect(prepared('claude-opus-5-5', { cache }).body.thinking).toEqual(binding)
    expect(prepared('claude-opus-5-5').body.thinking).toBeUndefined()
  })

  it.each(['claude-sonnet-5-5', 'claude-haiku-5-5'])('is left out where it is turned off, as by %s', (model) => {
    const { body, headers } = prepared(model, { messages: thoughtBy(model), reasoning: 'none' })
    expect(body.messages[1]?.content).toEqual([{ type: 'text', text: 'hello' }])
    expect(body.thinking).not.toHaveProperty('block_binding')
    expect(headers).toEqual({})
    // If thinking cannot be turned off, its blocks may be dropped as usual.
    expect(prepared('claude-opus-5-5', { messages, reasoning: 'none' }).body).toMatchObject({
      thinking: binding,
      output_config: { effort: 'low' },
      messages: [{}, { content: [{ type: 'thinking' }, { type: 'text' }] }, {}],
    })
    const free = prepared('claude-opus-5', { messages: thoughtBy('claude-opus-5'), reasoning: 'none' })
    expect(free.body.messages[1]?.content).toHaveLength(2)
  })

  it.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'])(
    'fails no request of %s for other instructions without reasoning',
    async (id) => {
      await using server = await fakeProvider('anthropic', [{ reasoning: 'Hm.', text: 'Hello' }, { text: 'Bye' }])
      const model = anthropic({ baseURL: server.url, apiKey: 'k' }).model(id)
      const ask = async (request: ModelRequest): Promise<Message> => {
        let finish: Message | undefined
        for await (const event of model.stream(request, new AbortController().signal)) {
          if (event.type === 'finish') finish = event.message
        }
        if (!finish) throw new Error('It did not finish.')
        return finish
      }
      const first = [hi, await ask({ messages: [hi] }), hi]
      const changed: Message[] = [{ role: 'system', content: 'Be brief.' }, ...first]
      expect(await ask({ messages: changed, reasoning: 'none' })).toMatchObject({ content: [{ text: 'Bye' }] })
    },
  )

  it("is asked for beside the user's own beta features", () => {
    const { headers } = prepared('claude-opus-5-5', { messages }, { betas: ['context-1m-2025-08-07'] })
    expect(headers).toEqual({ 'anthropic-beta': `context-1m-2025-08-07,${beta}` })
  })

  it.each([
    ['in a conversation without any', 'claude-opus-5-5', [hi, hello, hi], []],
    ['of a model that binds none', 'claude-opus-5', thoughtBy('claude-opus-5'), []],
    ["through a client of the user's own", 'claude-opus-5-5', messages, undefined],
  ])('is not spoken of %s', (_name, model, messages, betas) => {
    const { body, headers } = prepared(model, { messages }, { betas })
    expect(body.thinking).toBeUndefined()
    expect(headers).toEqual({})
  })
})

describe('tools', () => {
  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ tool: 'weather' }, { type: 'tool', name: 'weather' }],
  ] as const)('may be chosen: %j', (toolChoice, expected) => {
    expect(prepared('claude-haiku-4-5', { tools, toolChoice }).body.tool_choice).toEqual(expected)
  })

  it.each(['claude-opus-5', 'claude-haiku-5-5'])('may be forced on %s', (model) => {
    expect(prepared(model, { tools, toolChoice: 'required' }).body.tool_choice).toEqual({ type: 'any' })
  })

  it.each([
    [undefined, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', { type: 'any', disable_parallel_tool_use: true }],
    ['none', { type: 'none' }],
  ] as const)('come one at a time when asked to, with the choice %j', (toolChoice, expected) => {
    const request = { tools, parallelToolCalls: false, ...(toolChoice && { toolChoice }) }
    expect(prepared('claude-haiku-4-5', request).body.tool_choice).toEqual(expected)
  })

  it.each([
    ['claude-haiku-4-5', 'low'],
    ['claude-opus-4-8', 'low'],
    ['claude-opus-5-5', undefined],
    ['claude-sonnet-5-5', undefined],
    ['claude-fable-5-1', undefined],
  ] as const)('cannot be forced on %s with reasoning %j, with a warning (Q35)', (model, reasoning) => {
    const request = { tools, toolChoice: 'required', ...(reasoning && { reasoning }) } as const
    const { body, warnings } = prepared(model, request)
    expect(body.tool_choice).toEqual({ type: 'auto' })
    expect(warnings).toEqual([expect.stringContaining('toolChoice')])
  })

  it('are named where a conversation has calls of them, also when none is offered any more', () => {
    const call: Message = { role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'old', input: {} }] }
    const { body } = prepared('claude-haiku-4-5', { messages: [hi, call] })
    expect(body.tools).toEqual([{ name: 'old', input_schema: { type: 'object', properties: {} } }])
    expect(body.tool_choice).toEqual({ type: 'none' })
    expect(prepared('claude-haiku-4-5').body).not.toHaveProperty('tools')
  })
})

describe('structured output', () => {
  const output = { type: 'object', properties: { sum: { type: 'number', minimum: 0 } }, additionalProperties: false }

  it('is held to its schema, beside the effort', () => {
    const { body } = prepared('claude-opus-5', { output, reasoning: 'low' })
    expect(body.output_config).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: { ...output, properties: { sum: { type: 'number', description: '{minimum: 0}' } } },
      },
    })
  })

  it.each([
    [
      'a schema that it cannot be held to',
      'claude-opus-5',
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
    ['a model that cannot be held to any', 'claude-3-7-sonnet-20250219', output],
  ])('is asked for in words with %s', (_name, model, output) => {
    const { body, warnings } = prepared(model, { output, messages: [{ role: 'system', content: 'Be brief.' }, hi] })
    expect(body.output_config).toBeUndefined()
    expect(body.system?.map(({ text }) => text)).toEqual(['Be brief.', expect.stringContaining(JSON.stringify(output))])
    expect(warnings).toHaveLength(1)
  })
})

describe('sampling', () => {
  it.each([
    ['claude-haiku-4-5', {}, 0.5, 0.5, 0],
    ['claude-haiku-4-5', {}, 1.5, 1, 1],
    ['claude-haiku-4-5', { reasoning: 'low' }, 0.5, undefined, 1],
    ['claude-opus-4-6', {}, 0.5, 0.5, 0],
    ['claude-opus-4-7', {}, 0.5, undefined, 1],
    ['kimi-k3', {}, 0.5, 0.5, 0],
  ] as const)('of %s with %j at %d is %j (Q41)', (model, more, temperature, expected, warned) => {
    const { body, headers, warnings } = prepared(model, { ...more, temperature })
    expect(body.temperature).toBe(expected)
    expect(headers).toEqual(expected === undefined ? {} : { 'anthropic-version': '2023-06-01' })
    expect(warnings).toHaveLength(warned)
  })

  it('sends only stop sequences that are not whitespace', () => {
    const { body, warnings } = prepared('claude-haiku-4-5', { stop: ['END', '\n\n'] })
    expect(body.stop_sequences).toEqual(['END'])
    expect(warnings).toHaveLength(1)
  })
})

describe('prompt caching', () => {
  const cache_control = { type: 'ephemeral' }
  const system: Message = { role: 'system', content: 'Be brief.' }
  const cache: CachePlan = { key: 'k', marks: ['instruction', 'previous', 'end'] }
  const cached = { promptCaching: true }
  /** The places of the cache marks in a request, as JSON paths. */
  const marks = ({ body }: ConvertedRequest): string[] => {
    const found: string[] = []
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('cache_control' in value) found.push(path)
      for (const [key, child] of Object.entries(value)) walk(child, `${path}/${key}`)
    }
    walk(body, '')
    return found.sort()
  }

  it('marks the instructions, and the conversation up to the last two questions (Q42)', () => {
    const messages = [system, hi, hello, hi, hello, hi]
    const request = prepared('claude-haiku-4-5', { messages, tools, cache }, cached)
    expect(marks(request)).toEqual(['/messages/2/content/0', '/messages/4/content/0', '/system/0'])
    expect(request.body.system).toEqual([{ type: 'text', text: 'Be brief.', cache_control }])
  })

  it('marks the last tool where there are no instructions', () => {
    expect(marks(prepared('claude-haiku-4-5', { tools, cache }, cached))).toEqual(['/messages/0/content/0', '/tools/0'])
  })

  it('never marks more than the four places that the API takes (Q42)', () => {
    const messages = [system, ...Array.from({ length: 20 }, () => [hi, hello]).flat(), hi]
    expect(marks(prepared('claude-haiku-4-5', { messages, tools, cache }, cached)).length).toBeLessThanOrEqual(4)
  })

  it('marks nothing of a request that has no plan, and nothing when it is off', () => {
    const messages = [system, hi, hello, hi]
    expect(marks(prepared('claude-haiku-4-5', { messages, tools }, cached))).toEqual([])
    expect(marks(prepared('claude-haiku-4-5', { messages, tools, cache }))).toEqual([])
  })

  it('leaves a conversation that is kept for the next request unmarked', () => {
    const messages = [hi, hello, hi].map((message) => Object.freeze(message))
    prepared('claude-haiku-4-5', { messages, cache }, cached)
    expect(marks(prepared('claude-haiku-4-5', { messages }))).toEqual([])
  })
})
