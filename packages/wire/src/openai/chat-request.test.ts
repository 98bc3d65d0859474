import type { Message, ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { toChatMessages } from './chat-messages.ts'
import { type ChatCompat, toChatRequest } from './chat-request.ts'
import { openaiTraits } from './traits.ts'

const user: Message = { role: 'user', content: 'hi' }
const echo = {
  name: 'echo',
  description: 'Echo.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
}

function request(model: string, more: Partial<ModelRequest> = {}, compat: Partial<ChatCompat> = {}) {
  const traits = openaiTraits(model)
  const whole = { maxTokensField: 'max_tokens', systemRole: 'system', strict: true, traits, ...compat } as const
  return toChatRequest(model, { messages: [user], ...more }, whole)
}

function messages(...list: Message[]) {
  return { chat: toChatMessages(list, { systemRole: 'system' }) }
}

describe('toChatRequest', () => {
  it('requests a stream with usage', () => {
    expect(request('llama').body).toEqual({
      model: 'llama',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('sends every option that the model supports', () => {
    const { body, warnings } = request('gpt-4o', {
      tools: [echo],
      toolChoice: { tool: 'echo' },
      parallelToolCalls: false,
      maxOutputTokens: 50,
      temperature: 0.5,
      stop: ['END'],
      output: { type: 'object', properties: {}, required: [], additionalProperties: false },
    })
    expect(body).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'echo' } },
      parallel_tool_calls: false,
      max_tokens: 50,
      temperature: 0.5,
      stop: ['END'],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true } },
    })
    expect(warnings).toEqual([])
  })

  it.each(['auto', 'none', 'required'] as const)('sends the tool choice %s', (toolChoice) => {
    expect(request('llama', { tools: [echo], toolChoice }).body.tool_choice).toBe(toolChoice)
  })

  it('sends no tool fields without tools', () => {
    const { body } = request('llama', { tools: [], toolChoice: 'auto', parallelToolCalls: true })
    expect(Object.keys(body)).toEqual(['model', 'messages', 'stream', 'stream_options'])
  })

  it.each(['o3', 'o3-2025-04-16', 'o3-pro', 'o4-mini', 'gpt-5', 'gpt-5.2-pro', 'gpt-6-astra', 'openai/gpt-5.1'])(
    'leaves temperature and stop out for %s, with a warning each (Q21, Q26)',
    (model) => {
      const { body, warnings } = request(model, { temperature: 1, stop: ['x'] })
      expect(body).not.toHaveProperty('temperature')
      expect(body).not.toHaveProperty('stop')
      expect(warnings).toHaveLength(2)
    },
  )

  it('sends no more texts to stop at than the server takes (Q21)', () => {
    const stop = ['a', 'b', 'c', 'd', 'e']
    const { body, warnings } = request('gpt-4.1', { stop }, { mostStops: 4 })
    expect(body.stop).toEqual(['a', 'b', 'c', 'd'])
    expect(warnings).toEqual(['"gpt-4.1" takes 4 texts to stop at: the rest of `stop` was left out.'])
    expect(request('llama', { stop })).toMatchObject({ body: { stop }, warnings: [] })
  })

  it.each(['o3-mini', 'o3-mini-2025-01-31', 'o1', 'openai/o3-mini'])('sends `stop` to %s (Q21)', (model) => {
    const { body, warnings } = request(model, { temperature: 1, stop: ['x'] })
    expect(body.stop).toEqual(['x'])
    expect(body).not.toHaveProperty('temperature')
    expect(warnings).toEqual([expect.stringContaining('temperature')])
  })

  it("uses the server's names for the output limit and the role of instructions (Q26)", () => {
    const compat = { maxTokensField: 'max_completion_tokens', systemRole: 'developer' } as const
    const more = { maxOutputTokens: 9, messages: [{ role: 'system', content: 'Be brief.' } as const, user] }
    const { body } = request('gpt-5', more, compat)
    expect(body).toMatchObject({ max_completion_tokens: 9, messages: [{ role: 'developer' }, { role: 'user' }] })
    expect(body).not.toHaveProperty('max_tokens')
  })

  it('sends `strict: false` for a schema that strict mode rejects, and does not change the schema (Q25)', () => {
    const { body } = request('gpt-4o', { tools: [echo] })
    expect(body.tools?.[0]?.function).toMatchObject({ strict: false, parameters: echo.inputSchema })
  })

  it('does not send `strict` to servers that do not know it', () => {
    const { body } = request('llama', { tools: [echo], output: { type: 'object' } }, { strict: false })
    expect(JSON.stringify(body)).not.toContain('strict')
  })

  it('leaves out parallelToolCalls for the o series, with a warning', () => {
    const { body, warnings } = request('o3', { tools: [echo], parallelToolCalls: false })
    expect(body).not.toHaveProperty('parallel_tool_calls')
    expect(warnings).toHaveLength(1)
  })

  it.each([
    ['gpt-5.1', 'high', 'high', 0],
    ['gpt-5.1', 'none', 'none', 0],
    ['gpt-5', 'none', 'minimal', 1],
    ['o3', 'none', 'low', 1],
    ['gpt-4o', 'high', undefined, 1],
    ['gpt-4o', 'none', undefined, 0],
    ['qwen3', 'low', 'low', 0],
  ] as const)('asks %s for the effort %s as %s', (model, reasoning, effort, warned) => {
    const { body, warnings } = request(model, { reasoning })
    expect(body.reasoning_effort).toBe(effort)
    expect(warnings).toHaveLength(warned)
  })

  it.each([
    ['gpt-5.6-sol', undefined, 'none', 1],
    ['gpt-5.6-sol', 'none', 'none', 0],
    ['gpt-5.4', 'high', 'none', 1],
    ['gpt-5.4', undefined, undefined, 0],
    ['gpt-5.2', 'high', 'high', 0],
    ['gpt-6-luna', undefined, 'none', 1],
    // They refuse `none`, and the API says which other one takes tools.
    ['gpt-6-astra', undefined, undefined, 0],
    ['gpt-6.1-sol', 'high', 'high', 0],
  ] as const)(
    'gives %s tools with the effort %s as %s, which is all that it takes',
    (model, reasoning, effort, warned) => {
      const { body, warnings } = request(model, { tools: [echo], ...(reasoning && { reasoning }) })
      expect(body.reasoning_effort).toBe(effort)
      expect(warnings).toHaveLength(warned)
    },
  )
})

describe('toChatMessages', () => {
  it('converts calls and results', () => {
    const { chat } = messages(
      user,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'Let me ' },
          { type: 'text', text: 'see.' },
          { type: 'tool-call', callId: 'a', name: 'echo', input: { x: 1 } },
        ],
      },
      { role: 'tool', callId: 'a', name: 'echo', content: 'one' },
    )
    expect(chat.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'echo', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
    ])
  })

  it('sends `content: null` with calls without text, and no blank text (Q1)', () => {
    const { chat } = messages(
      { role: 'system', content: ' ' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '\n' },
          { type: 'text', text: 'hi' },
        ],
      },
      { role: 'user', content: '  ' },
      { role: 'assistant', content: [{ type: 'text', text: ' ' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '' },
          { type: 'tool-call', callId: 'a', name: 'echo', input: {} },
        ],
      },
      { role: 'tool', callId: 'a', name: 'echo', content: '' },
    )
    expect(chat).toMatchObject([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null },
      { role: 'tool' },
    ])
  })

  const sent = (message: Message) => request('gpt-4o', { messages: [message] })

  it('sends images and files', () => {
    const { body, warnings } = sent({
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', url: 'https://example.org/a.png' },
        { type: 'image', base64: '/9j/4AAQ' },
        { type: 'image', base64: 'AAAA', mediaType: 'image/webp' },
        { type: 'file', base64: 'JVBE', mediaType: 'application/pdf', name: 'a.pdf' },
        { type: 'file', base64: 'iVBORw==', mediaType: 'image/png' },
      ],
    })
    expect(body.messages[0]?.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AAQ' } },
      { type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
    ])
    expect(warnings).toEqual([])
  })

  it('sends the address of a file that it cannot send as text, with a warning', () => {
    const file = { type: 'file', url: 'https://example.org/a.pdf', mediaType: 'application/pdf' } as const
    const { body, warnings } = sent({ role: 'user', content: [file] })
    expect(body.messages[0]?.content).toContain('https://example.org/a.pdf')
    expect(warnings).toHaveLength(1)
  })

  it("sends a tool's images in a user's message after all results of the turn (Q20)", () => {
    const { chat } = messages(
      {
        role: 'assistant',
        content: ['a', 'b'].map((callId) => ({ type: 'tool-call', callId, name: 'draw', input: {} }) as const),
      },
      {
        role: 'tool',
        callId: 'a',
        name: 'draw',
        content: [
          { type: 'text', text: 'Done.' },
          { type: 'image', base64: 'iVBOR' },
        ],
      },
      { role: 'tool', callId: 'b', name: 'draw', content: 'nothing' },
    )
    expect(chat.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user'])
    expect(chat[1]?.content).toBe('Done.\n[image: see the next message]')
    expect(chat[3]?.content).toMatchObject([{ text: expect.stringContaining('draw') }, { type: 'image_url' }])
  })

  it('sends no lone surrogates (Q18)', () => {
    const half = 'a\ud83e'
    const { chat } = messages(
      { role: 'user', content: half },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', callId: 'a', name: 'echo', input: { text: [half], [half]: 1 } }],
      },
      { role: 'tool', callId: 'a', name: 'echo', content: [{ type: 'text', text: half }] },
    )
    expect(JSON.stringify(chat)).not.toContain('\\ud83e')
    expect(JSON.stringify(chat).match(/a\ufffd/g)).toHaveLength(4)
  })

  it('sends `{}` for invalid arguments, and a valid name for an unknown tool (Q2, Q29)', () => {
    const { chat } = messages({
      role: 'assistant',
      content: [
        { type: 'tool-call', callId: 'a', name: 'multi_tool_use.parallel', input: {}, inputText: '{"te' },
        { type: 'tool-call', callId: 'b', name: '', input: {} },
      ],
    })
    expect(chat[0]).toMatchObject({
      tool_calls: [
        { function: { name: 'multi_tool_use_parallel', arguments: '{}' } },
        { function: { name: 'unknown', arguments: '{}' } },
      ],
    })
  })

  it('sends calls and results with the same short id (Q6)', () => {
    const callId = `call|${'x'.repeat(450)}`
    const { chat } = messages(
      { role: 'assistant', content: [{ type: 'tool-call', callId, name: 'echo', input: {} }] },
      { role: 'tool', callId, name: 'echo', content: 'x' },
    )
    const [assistant, tool] = chat
    const id = assistant?.role === 'assistant' ? assistant.tool_calls?.[0]?.id : undefined
    expect(id?.length).toBeLessThanOrEqual(40)
    expect(tool).toMatchObject({ tool_call_id: id })
  })

  const thinking: Message = {
    role: 'assistant',
    model: 'groq/m',
    content: [
      { type: 'reasoning', text: 'Hm.\ud83e' },
      { type: 'text', text: 'Yes.' },
    ],
  }
  const sentBack = (owner?: string): unknown =>
    toChatMessages([Object.freeze(user), Object.freeze(thinking), Object.freeze({ ...user })], {
      systemRole: 'system',
      ...(owner !== undefined && { reasoningOwner: owner }),
    })[1]

  it('sends reasoning to its owner alone, however often the conversation is sent (Q5, Q53)', () => {
    const plain = { role: 'assistant', content: 'Yes.' }
    expect(sentBack('groq/m')).toEqual({ ...plain, reasoning: 'Hm.\ufffd' })
    expect(sentBack('groq/other')).toEqual(plain)
    expect(sentBack()).toEqual(plain)
    expect(sentBack('groq/m')).toEqual({ ...plain, reasoning: 'Hm.\ufffd' })
  })

  it('sends no reasoning without an owner', () => {
    const { chat } = messages({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Yes.' },
      ],
    })
    expect(chat).toEqual([{ role: 'assistant', content: 'Yes.' }])
  })
})
