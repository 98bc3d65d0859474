import type { Message, ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { toResponsesItems } from './responses-items.ts'
import { toResponsesRequest } from './responses-request.ts'
import { openaiTraits } from './traits.ts'

const owner = 'openai/gpt-5'
const user: Message = { role: 'user', content: 'hi' }
const echo = {
  name: 'echo',
  description: 'Echo.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
}
const data = { id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAA' }

function request(model: string, more: Partial<ModelRequest> = {}) {
  return toResponsesRequest(model, `openai/${model}`, { messages: [user], ...more }, openaiTraits(model))
}

function items(...list: Message[]) {
  return toResponsesItems(list, owner)
}

describe('toResponsesRequest', () => {
  it('is stateless: nothing is stored, reasoning comes encrypted', () => {
    expect(request('gpt-5').body).toEqual({
      model: 'gpt-5',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
    })
  })

  it('does not request reasoning from a model without it', () => {
    expect(request('gpt-4o').body).not.toHaveProperty('include')
  })

  it('sends the first system messages as instructions, later ones as messages', () => {
    const system = (content: string): Message => ({ role: 'system', content })
    const { body } = request('gpt-5', { messages: [system('One.'), system('Two.'), user, system('Three.')] })
    expect(body.instructions).toBe('One.\n\nTwo.')
    expect(body.input).toMatchObject([{ role: 'user' }, { role: 'developer', content: 'Three.' }])
  })

  it('sends every option that the model supports', () => {
    const output = { type: 'object', properties: {}, required: [], additionalProperties: false }
    const more = { tools: [echo], toolChoice: { tool: 'echo' }, parallelToolCalls: true, maxOutputTokens: 50, output }
    const { body, warnings } = request('gpt-4o', { ...more, temperature: 0.5 })
    expect(body).toMatchObject({
      tools: [{ type: 'function', name: 'echo', description: 'Echo.', parameters: echo.inputSchema, strict: false }],
      tool_choice: { type: 'function', name: 'echo' },
      parallel_tool_calls: true,
      max_output_tokens: 50,
      temperature: 0.5,
      text: { format: { type: 'json_schema', name: 'answer', schema: output, strict: true } },
    })
    expect(warnings).toEqual([])
  })

  it('leaves out options that the model or the API does not support, with a warning each (Q21, Q26)', () => {
    expect(request('gpt-5', { temperature: 1 }).warnings).toHaveLength(1)
    expect(request('gpt-5.6-sol', { temperature: 0.5, reasoning: 'none' }).body.temperature).toBe(0.5)
    // The model always reasons a little.
    expect(request('gpt-5', { temperature: 0.5, reasoning: 'none' }).body).not.toHaveProperty('temperature')
    const { body, warnings } = request('gpt-4o', { stop: ['x'], reasoning: 'high' })
    expect(warnings).toHaveLength(2)
    expect(body).not.toHaveProperty('stop')
    expect(body).not.toHaveProperty('reasoning')
  })

  it('raises a limit of the answer that the API refuses, with a warning (Q21)', () => {
    const raised = request('gpt-5.4', { maxOutputTokens: 15 })
    expect(raised.body.max_output_tokens).toBe(16)
    expect(raised.warnings).toEqual([expect.stringMatching(/`maxOutputTokens` 15/)])
    const least = request('gpt-5.4', { maxOutputTokens: 16 })
    expect([least.body.max_output_tokens, least.warnings]).toEqual([16, []])
  })

  it('requests an effort with a summary', () => {
    expect(request('gpt-5.2', { reasoning: 'low' }).body.reasoning).toEqual({ effort: 'low', summary: 'auto' })
    expect(request('gpt-5.2', { reasoning: 'none' }).body.reasoning).toEqual({ effort: 'none' })
    expect(request('gpt-5.2').body).not.toHaveProperty('reasoning')
  })

  it.each(['gpt-6-luna', 'gpt-6-sol', 'gpt-6.1-terra', 'gpt-6-luna-2026-09-22'])(
    'turns the reasoning of %s off, which then takes a temperature (Q26)',
    (model) => {
      const { body, warnings } = request(model, { reasoning: 'none', temperature: 0.5 })
      expect(body).toMatchObject({ reasoning: { effort: 'none' }, temperature: 0.5 })
      expect(warnings).toEqual([])
    },
  )

  it.each(['gpt-6-astra', 'gpt-6.1-sol', 'gpt-6.2-sol', 'gpt-6.2-astra'])(
    'asks %s, which always reasons, for its least effort, with a warning (Q21)',
    (model) => {
      const { body, warnings } = request(model, { reasoning: 'none' })
      expect(body.reasoning).toEqual({ effort: 'low', summary: 'auto' })
      expect(warnings).toEqual([expect.stringContaining('always reasons')])
    },
  )
})

describe('toResponsesItems', () => {
  it('sends reasoning back to its owner, before the item that it led to (Q23)', () => {
    const converted = items(
      user,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', opaque: { owner, data } },
          { type: 'text', text: 'Wait.', opaque: { owner, data: { phase: 'commentary' } } },
          { type: 'tool-call', callId: 'a', name: 'echo', input: { x: 1 } },
        ],
      },
      { role: 'tool', callId: 'a', name: 'echo', content: 'one' },
    )
    expect(converted.slice(1)).toEqual([
      { type: 'reasoning', ...data },
      { type: 'message', role: 'assistant', content: 'Wait.', phase: 'commentary' },
      { type: 'function_call', call_id: 'a', name: 'echo', arguments: '{"x":1}' },
      { type: 'function_call_output', call_id: 'a', output: 'one' },
    ])
  })

  it.each([
    ['of another model (Q5)', { owner: 'openai/o3', data }],
    ['of another provider (Q5)', { owner: 'anthropic/claude', data: { signature: 'x' } }],
    ['without its encrypted content (Q24)', { owner, data: { ...data, encrypted_content: null } }],
  ])('leaves out reasoning that is %s', (_name, opaque) => {
    const content = [{ type: 'reasoning', text: 'hm', opaque } as const, { type: 'text', text: 'Hi' } as const]
    expect(items({ role: 'assistant', content })).toMatchObject([{ type: 'message' }])
  })

  it('leaves out reasoning without a following item (Q23)', () => {
    const reasoning = { type: 'reasoning', text: 'hm', opaque: { owner, data } } as const
    expect(items({ role: 'assistant', content: [{ type: 'text', text: 'Hi' }, reasoning, reasoning] })).toHaveLength(1)
    expect(items({ role: 'assistant', content: [reasoning, { type: 'text', text: ' ' }] })).toEqual([])
  })

  it("sends a tool's images in its result (Q20)", () => {
    const content = [{ type: 'text', text: 'Done.' } as const, { type: 'image', base64: 'iVBOR' } as const]
    const converted = items(
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'draw', input: {} }] },
      { role: 'tool', callId: 'a', name: 'draw', content },
    )
    expect(converted[1]).toMatchObject({
      output: [
        { type: 'input_text', text: 'Done.' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBOR', detail: 'auto' },
      ],
    })
  })

  it('sends files as bytes and as addresses', () => {
    const mediaType = 'application/pdf'
    const content = [
      { type: 'file', base64: 'JVBE', mediaType } as const,
      { type: 'file', url: 'https://example.org/a.pdf', mediaType } as const,
      { type: 'image', url: 'https://example.org/a.png' } as const,
    ]
    expect(items({ role: 'user', content })).toMatchObject([
      {
        content: [
          { type: 'input_file', filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          { type: 'input_file', file_url: 'https://example.org/a.pdf' },
          { type: 'input_image', image_url: 'https://example.org/a.png' },
        ],
      },
    ])
  })

  it('adds a result to an interrupted call, and drops a result without a call (Q3)', () => {
    const converted = items(
      { role: 'tool', callId: 'z', name: 'echo', content: 'old' },
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'echo', input: {} }] },
      user,
    )
    expect(converted).toMatchObject([
      { type: 'function_call', call_id: 'a' },
      { type: 'function_call_output', call_id: 'a', output: expect.stringContaining('interrupted') },
      { role: 'user' },
    ])
  })

  it('keeps ids of 64 characters, and shortens longer ones on both sides (Q6)', () => {
    const call = (callId: string): Message => ({
      role: 'assistant',
      content: [{ type: 'tool-call', callId, name: 'echo', input: {} }],
    })
    const ids = (callId: string) => items(call(callId)).map((item) => ('call_id' in item ? item.call_id : ''))
    expect(ids('x'.repeat(64))).toEqual(['x'.repeat(64), 'x'.repeat(64)])
    const [short, same] = ids('x'.repeat(65))
    expect(short?.length).toBeLessThanOrEqual(64)
    expect(same).toBe(short)
  })
})
