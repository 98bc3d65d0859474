import type { Message, ModelRequest } from '@agentkit/core'
import type { ModelFacts } from '@agentkit/wire'
import { describe, expect, it } from 'vitest'
import { toMistralRequest } from './request.ts'

const model = 'mistral-small-2603'
const question: Message = { role: 'user', content: 'hi' }
const png = 'iVBORw0KGgo='

function sent(messages: Message[], facts?: ModelFacts): unknown[] {
  return toMistralRequest(model, { messages }, facts).body.messages
}

function call(...callIds: string[]): Message {
  return {
    role: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'look', input: {} })),
  }
}

function result(callId: string, content = 'seen'): Message {
  return { role: 'tool', callId, name: 'look', content }
}

/** The ids of the calls, and those of the results. */
function wireIds(messages: Message[]): [calls: string[], results: string[]] {
  const { body } = toMistralRequest(model, { messages }, undefined)
  const calls = body.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const results = body.messages.flatMap((message) => (message.role === 'tool' ? [message] : []))
  return [calls.map(({ id }) => id ?? ''), results.map(({ toolCallId }) => toolCallId ?? '')]
}

describe('ids of tool calls', () => {
  it.each(['call_abc', 'toolu_01AbCdEfGh', `fc_${'x'.repeat(450)}|y`, '', 'grüße-123'])(
    'turns "%.20s" into nine letters and digits, the same for its result (Q6, Q44)',
    (callId) => {
      const [calls, results] = wireIds([question, call(callId), result(callId)])
      expect(calls).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/)])
      expect(results).toEqual(calls)
      expect(wireIds([question, call(callId), result(callId)])[0]).toEqual(calls)
    },
  )

  it("leaves Mistral's own ids alone", () => {
    expect(wireIds([question, call('D681PevKs'), result('D681PevKs')])).toEqual([['D681PevKs'], ['D681PevKs']])
  })

  it('keeps call ids distinct, also when one has the id that another is converted to (Q6)', () => {
    const [[hashed = '']] = wireIds([question, call('call_1'), result('call_1')])
    const [calls, results] = wireIds([question, call('call_1', hashed), result('call_1'), result(hashed)])
    expect(calls[0]).toBe(hashed)
    expect(calls[1]).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(calls[1]).not.toBe(hashed)
    expect(results).toEqual(calls)
  })
})

describe('the order of messages', () => {
  it('puts an answer between a tool and the user (Q45)', () => {
    expect(sent([question, call('D681PevKs'), result('D681PevKs'), question])).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: null },
      { role: 'tool', toolCallId: 'D681PevKs', name: 'look', content: 'seen' },
      { role: 'assistant', content: 'Understood.' },
      { role: 'user', content: 'hi' },
    ])
  })

  it('leaves a conversation that ends with a tool as it is (Q45)', () => {
    expect(sent([question, call('D681PevKs'), result('D681PevKs')]).at(-1)).toMatchObject({ role: 'tool' })
  })

  it('never ends with an answer (Q45)', () => {
    const messages: Message[] = [question, { role: 'assistant', content: [{ type: 'text', text: 'hello' }] }]
    expect(sent(messages).at(-1)).toEqual({ role: 'user', content: 'Continue.' })
  })

  it('joins the messages of one user (Q19)', () => {
    const image: Message = { role: 'user', content: [{ type: 'image', base64: png }] }
    expect(sent([question, question])).toEqual([{ role: 'user', content: 'hi\n\nhi' }])
    expect(sent([question, image])).toMatchObject([{ content: [{ type: 'text' }, { type: 'image_url' }] }])
  })

  it('turns a system message in the middle into one of the user', () => {
    const system: Message = { role: 'system', content: 'be brief' }
    expect(sent([system, question, { role: 'assistant', content: [{ type: 'text', text: 'hello' }] }, system])).toEqual(
      [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'be brief' },
      ],
    )
  })

  it('gives a call without a result one, and drops a result without a call (Q3)', () => {
    expect(sent([question, result('lost'), call('D681PevKs')])).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', toolCallId: 'D681PevKs', content: expect.stringContaining('No result') },
    ])
  })

  it('sends the same for frozen messages and others', () => {
    const messages = [question, call('call_1'), result('call_1'), question, call('call_1'), result('call_1')]
    const frozen = messages.map((message) => Object.freeze(structuredClone(message)))
    expect(sent(frozen)).toEqual(sent(messages))
    expect(sent([...frozen, question])).toEqual(sent([...messages, question]))
  })
})

describe('answers of earlier turns', () => {
  const thought = { type: 'reasoning', text: 'hm' } as const
  const said = { type: 'text', text: 'hello' } as const

  it('give reasoning back to the model that wrote it (Q46)', () => {
    const messages: Message[] = [{ role: 'assistant', content: [thought, said], model: `mistral/${model}` }, question]
    expect(sent(messages)[0]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true },
        { type: 'text', text: 'hello' },
      ],
    })
  })

  it('give a signature back with it (Q46)', () => {
    const opaque = { owner: `mistral/${model}`, data: { signature: 'sig' } }
    const messages: Message[] = [{ role: 'assistant', content: [{ ...thought, opaque }, said] }, question]
    expect(sent(messages)[0]).toMatchObject({ content: [{ type: 'thinking', signature: 'sig' }, { type: 'text' }] })
  })

  it.each([
    ['another model', { role: 'assistant', content: [thought, said], model: 'mistral/magistral-medium-2509' }],
    ['another provider', { role: 'assistant', content: [thought, said], model: 'anthropic/claude-opus-5' }],
    ['no model', { role: 'assistant', content: [thought, said] }],
    [
      'another owner',
      {
        role: 'assistant',
        content: [{ ...thought, opaque: { owner: 'openai/gpt-5', data: { id: 'rs_1' } } }, said],
        model: `mistral/${model}`,
      },
    ],
  ] satisfies [string, Message][])('leave out the reasoning of %s (Q5)', (_whose, message) => {
    expect(sent([message, question])[0]).toEqual({ role: 'assistant', content: 'hello' })
  })

  it('have no blank text, in any role (Q1)', () => {
    const blank = { type: 'text', text: ' ' } as const
    const image = { type: 'image', base64: png } as const
    const messages: Message[] = [
      { role: 'system', content: ' ' },
      { role: 'user', content: [blank, image] },
      {
        role: 'assistant',
        model: `mistral/${model}`,
        content: [blank, { type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'So.' }],
      },
      question,
    ]
    expect(sent(messages)).toMatchObject([
      { role: 'user', content: [{ type: 'image_url' }] },
      { role: 'assistant', content: [{ type: 'thinking' }, { type: 'text', text: 'So.' }] },
      { role: 'user' },
    ])
  })

  it('have no empty text beside calls, and are left out when they are empty (Q1)', () => {
    const blank: Message = { role: 'assistant', content: [{ type: 'text', text: ' \n' }] }
    const thinking: Message = { role: 'assistant', content: [thought], model: `mistral/${model}` }
    expect(sent([question, blank, thinking])).toEqual([{ role: 'user', content: 'hi' }])
    expect(sent([{ role: 'user', content: ' ' }, question, call('D681PevKs')])[1]).toMatchObject({ content: null })
  })

  it('have names and characters that Mistral takes (Q18)', () => {
    const odd: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'D681PevKs', name: 'multi.use', input: { a: '\ud83e' } }],
    }
    const messages: Message[] = [{ role: 'user', content: 'a\ud83e' }, odd, result('D681PevKs', 'b\ud83e')]
    expect(sent(messages)).toMatchObject([
      { content: 'a\ufffd' },
      { toolCalls: [{ function: { name: 'multi_use', arguments: '{"a":"\ufffd"}' } }] },
      { content: 'b\ufffd' },
    ])
  })
})

describe('images and files', () => {
  it('are sent as addresses', () => {
    const content: Message['content'] = [
      { type: 'text', text: 'what is this?' },
      { type: 'image', base64: png },
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'file', base64: 'JVBERg==', mediaType: 'application/pdf', name: 'a.pdf' },
      { type: 'file', url: 'https://example.com/b.pdf', mediaType: 'application/pdf' },
      { type: 'file', base64: '/9j/', mediaType: 'image/jpeg' },
    ]
    expect(sent([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this?' },
          { type: 'image_url', imageUrl: `data:image/png;base64,${png}` },
          { type: 'image_url', imageUrl: 'https://example.com/a.png' },
          { type: 'document_url', documentUrl: 'data:application/pdf;base64,JVBERg==', documentName: 'a.pdf' },
          { type: 'document_url', documentUrl: 'https://example.com/b.pdf', documentName: 'file.pdf' },
          { type: 'image_url', imageUrl: 'data:image/jpeg;base64,/9j/' },
        ],
      },
    ])
  })

  it('become text where the model does not read them', () => {
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'image', base64: png },
          { type: 'file', base64: 'YQ==', mediaType: 'application/zip', name: 'a.zip' },
        ],
      },
    ]
    const { body, warnings } = toMistralRequest(model, { messages }, { reads: [] })
    expect(body.messages).toMatchObject([
      { content: [{ text: '[image left out]' }, { text: '[file "a.zip" left out]' }] },
    ])
    expect(warnings).toHaveLength(2)
    expect(sent(messages)).toMatchObject([{ content: [{ type: 'image_url' }, { type: 'text' }] }])
  })

  it('that a tool returned follow in a message of the user (Q20)', () => {
    const returned: Message = {
      role: 'tool',
      callId: 'D681PevKs',
      name: 'look',
      content: [
        { type: 'text', text: 'a fox:' },
        { type: 'image', base64: png },
      ],
    }
    expect(sent([question, call('D681PevKs'), returned]).slice(2)).toEqual([
      { role: 'tool', toolCallId: 'D681PevKs', name: 'look', content: 'a fox:\n[image: see the next message]' },
      { role: 'assistant', content: 'Understood.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Returned by the tool "look":' },
          { type: 'image_url', imageUrl: `data:image/png;base64,${png}` },
        ],
      },
    ])
  })
})

describe('options', () => {
  const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const tool = { name: 'look', description: 'Looks.', inputSchema: closed }

  function body(request: Partial<ModelRequest>, facts?: ModelFacts, id = model): object {
    return toMistralRequest(id, { messages: [question], ...request }, facts).body
  }

  it('are named as the SDK names them', () => {
    expect(
      body({
        tools: [tool],
        toolChoice: 'required',
        parallelToolCalls: false,
        maxOutputTokens: 9,
        temperature: 0.2,
        stop: ['\n'],
      }),
    ).toEqual({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      tools: [
        { type: 'function', function: { name: 'look', description: 'Looks.', parameters: closed, strict: true } },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      maxTokens: 9,
      temperature: 0.2,
      stop: ['\n'],
    })
    expect(body({ tools: [tool], toolChoice: { tool: 'look' } })).toMatchObject({
      toolChoice: { type: 'function', function: { name: 'look' } },
    })
  })

  it('do not mention tools where there are none', () => {
    expect(body({ tools: [], toolChoice: 'auto', parallelToolCalls: true, stop: [] })).toEqual({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
    })
  })

  it('are strict only where the schema is strict, and without keywords that Mistral cannot compile (Q25)', () => {
    const open = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:x',
      type: 'object',
      properties: {},
    }
    expect(body({ tools: [{ ...tool, inputSchema: open }] })).toMatchObject({
      tools: [{ function: { parameters: { type: 'object', properties: {} }, strict: false } }],
    })
    expect(body({ tools: [{ ...tool, inputSchema: open }] })).not.toHaveProperty('tools.0.function.parameters.$id')
    expect(body({ output: { ...closed, $schema: 'x' } })).toMatchObject({
      responseFormat: { type: 'json_schema', jsonSchema: { name: 'answer', schemaDefinition: closed, strict: true } },
    })
    expect(body({ output: open })).toMatchObject({
      responseFormat: { jsonSchema: { schemaDefinition: { type: 'object', properties: {} }, strict: false } },
    })
  })

  it('drop the schema of the answer beside tools, which Mistral refuses (Q21)', () => {
    const { body, warnings } = toMistralRequest(
      model,
      { messages: [question], tools: [tool], output: closed },
      undefined,
    )
    expect(body).not.toHaveProperty('responseFormat')
    expect(warnings).toEqual([expect.stringContaining('beside tools')])
  })

  it('lower a temperature to the highest that Mistral takes (Q21)', () => {
    const sent = (temperature: number) => toMistralRequest(model, { messages: [question], temperature }, undefined)
    expect(sent(1.5)).toMatchObject({ body: { temperature: 1.5 }, warnings: [] })
    const { body, warnings } = sent(2)
    expect(body.temperature).toBe(1.5)
    expect(warnings).toEqual(["Mistral's `temperature` goes up to 1.5: 2 was sent as that."])
  })

  it('drop a temperature that the model does not take (Q21)', () => {
    const { body, warnings } = toMistralRequest(model, { messages: [question], temperature: 0 }, { temperature: false })
    expect(body).not.toHaveProperty('temperature')
    expect(warnings).toHaveLength(1)
  })

  it.each([
    { id: 'mistral-small-2603', reasoning: 'high', effort: 'high', warnings: 0 },
    { id: 'mistral-small-2603', reasoning: 'low', effort: 'high', warnings: 1 },
    { id: 'mistral-medium-3-5', reasoning: 'none', effort: 'none', warnings: 0 },
    { id: 'magistral-medium-latest', reasoning: 'medium', effort: 'high', warnings: 1 },
    { id: 'mistral-large-4-0', reasoning: 'low', effort: 'low', warnings: 0 },
    { id: 'mistral-large-4-0', reasoning: 'none', effort: 'low', warnings: 1 },
    { id: 'mistral-large-latest', reasoning: 'none', effort: 'low', warnings: 1 },
    { id: 'deepseek-v4-1-flash-1017', reasoning: 'medium', effort: 'high', warnings: 1 },
    { id: 'magistral-medium-2509', reasoning: 'high', effort: undefined, warnings: 1 },
    { id: 'magistral-medium-2509', reasoning: 'none', effort: undefined, warnings: 1 },
    { id: 'mistral-large-2512', reasoning: 'high', effort: undefined, warnings: 1 },
    { id: 'mistral-large-2512', reasoning: 'none', effort: undefined, warnings: 0 },
    { id: 'ministral-8b-latest', reasoning: 'high', effort: undefined, warnings: 1 },
    { id: 'my-own', reasoning: 'medium', effort: 'medium', warnings: 0 },
  ] as const)('sends the reasoning $reasoning to $id as $effort (Q21)', ({ id, reasoning, effort, warnings }) => {
    const request = toMistralRequest(id, { messages: [question], reasoning }, undefined)
    expect(request.body.reasoningEffort).toBe(effort)
    expect(request.warnings).toHaveLength(warnings)
  })

  it('send no reasoning to a model that is known to have none', () => {
    expect(body({ reasoning: 'high' }, { reasoning: false }, 'some-model')).not.toHaveProperty('reasoningEffort')
  })
})
