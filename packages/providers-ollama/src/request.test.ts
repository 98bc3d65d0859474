import type { Message, ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { type OllamaRequest, type RunOptions, toOllamaRequest } from './request.ts'

const model = 'qwen3:8b'
const question: Message = { role: 'user', content: 'hi' }
const png = 'iVBORw0KGgo='

function requestOf(
  request: Partial<ModelRequest>,
  id = model,
  run: RunOptions = {},
): ReturnType<typeof toOllamaRequest> {
  return toOllamaRequest(id, { messages: [question], ...request }, run)
}

function sent(...messages: Message[]): OllamaRequest['messages'] {
  return requestOf({ messages }).body.messages
}

function call(...callIds: string[]): Message {
  return {
    role: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'look', input: { a: 1 } })),
  }
}

function result(callId: string, content = 'seen'): Message {
  return { role: 'tool', callId, name: 'look', content }
}

describe('a conversation', () => {
  it('has something to answer, also when all of it was blank', () => {
    const blank: Message = { role: 'user', content: ' \n' }
    const continuePrompt = { role: 'user', content: 'Continue.' }
    expect(sent(blank)).toEqual([continuePrompt])
    expect(sent({ role: 'system', content: 'be brief' }, blank)).toEqual([
      { role: 'system', content: 'be brief' },
      continuePrompt,
    ])
  })

  it('has arguments as objects, and results by name and id in the order of the calls (Q69, Q78)', () => {
    const system: Message = { role: 'system', content: 'be brief' }
    expect(sent(system, question, call('a', 'b'), result('b', '2'), result('a', '1'))).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'a', function: { name: 'look', arguments: { a: 1 } } },
          { id: 'b', function: { name: 'look', arguments: { a: 1 } } },
        ],
      },
      { role: 'tool', content: '1', tool_name: 'look', tool_call_id: 'a' },
      { role: 'tool', content: '2', tool_name: 'look', tool_call_id: 'b' },
    ])
  })

  it('gives calls with the same id different ids (Q69)', () => {
    const messages = sent(question, call('a'), result('a', '1'), call('a'), result('a', '2'))
    const [first, second] = messages.flatMap(({ tool_calls }) => tool_calls ?? [])
    const results = messages.filter(({ role }) => role === 'tool')
    expect(first?.id).not.toBe(second?.id)
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual([first?.id, second?.id])
  })

  it('gives a call without a result one, and drops a result without a call (Q3)', () => {
    expect(sent(question, result('lost'), call('a')).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('has names, characters and arguments that Ollama takes (Q18)', () => {
    const odd: Message = {
      role: 'assistant',
      content: [
        { type: 'tool-call', callId: 'a', name: 'multi.use', input: { a: '\ud83e' } },
        { type: 'tool-call', callId: 'b', name: 'look', input: [1] },
      ],
    }
    expect(sent({ role: 'user', content: 'a\ud83e' }, odd, result('a', 'b\ud83e'))).toMatchObject([
      { content: 'a\ufffd' },
      {
        tool_calls: [
          { function: { name: 'multi_use', arguments: { a: '\ufffd' } } },
          { function: { arguments: { input: [1] } } },
        ],
      },
      { content: 'b\ufffd' },
      { tool_call_id: 'b' },
    ])
  })

  it('has no empty message (Q1)', () => {
    const blank: Message = { role: 'assistant', content: [{ type: 'text', text: ' ' }] }
    expect(sent({ role: 'system', content: ' ' }, question, blank, { role: 'user', content: '\n' })).toHaveLength(1)
  })

  it('gives reasoning back to the model that wrote it alone (Q5)', () => {
    const answer: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'hello' },
      ],
    }
    expect(sent({ ...answer, model: `ollama/${model}` }, question)[0]).toEqual({
      role: 'assistant',
      content: 'hello',
      thinking: 'hm',
    })
    expect(sent({ ...answer, model: 'ollama/llama3' }, question)[0]).not.toHaveProperty('thinking')
    expect(sent(answer, question)[0]).not.toHaveProperty('thinking')
  })

  it('sends the same for frozen messages and others', () => {
    const messages = [question, call('a'), result('a'), question, call('a'), result('a')]
    const frozen = messages.map((message) => Object.freeze(structuredClone(message)))
    expect(sent(...frozen)).toEqual(sent(...messages))
    expect(sent(...frozen, question)).toEqual(sent(...messages, question))
  })
})

describe('images', () => {
  it('are sent as bytes, in any form', () => {
    const content: Message['content'] = [
      { type: 'text', text: 'what is this?' },
      { type: 'image', base64: png },
      { type: 'image', base64: `data:image/png;base64,${png}` },
      { type: 'image', url: `data:image/png;base64,${png}` },
      { type: 'file', base64: 'iVBORw0KGgo', mediaType: 'image/png' },
      { type: 'image', base64: 'iVBO\nRw0KGgo=' },
    ]
    expect(sent({ role: 'user', content })).toEqual([
      { role: 'user', content: 'what is this?', images: [png, png, png, png, png] },
    ])
  })

  it.each(['/etc/passwd.png', './image.png', 'C:\\image.png', ''])('are never a path: %s (Q76)', (base64) => {
    const { body, warnings } = requestOf({ messages: [{ role: 'user', content: [{ type: 'image', base64 }] }] })
    expect(body.messages).toEqual([{ role: 'user', content: '[image left out]' }])
    expect(warnings).toHaveLength(1)
  })

  it('at an address become a line of text, and so do files', () => {
    const content: Message['content'] = [
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'file', base64: 'JVBERg==', mediaType: 'application/pdf', name: 'a.pdf' },
    ]
    const { body, warnings } = requestOf({ messages: [{ role: 'user', content }] })
    expect(body.messages).toEqual([
      { role: 'user', content: '[image at https://example.com/a.png left out]\n[file "a.pdf" left out]' },
    ])
    expect(warnings).toHaveLength(2)
  })

  it('that a tool returned follow in a message of the user (Q20)', () => {
    const returned: Message = { role: 'tool', callId: 'a', name: 'look', content: [{ type: 'image', base64: png }] }
    expect(sent(question, call('a'), returned).slice(2)).toEqual([
      { role: 'tool', content: '[image: see the next message]', tool_name: 'look', tool_call_id: 'a' },
      { role: 'user', content: 'Returned by the tool "look":', images: [png] },
    ])
  })
})

describe('options', () => {
  const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }
  const other = { ...tool, name: 'smell' }
  const output = { type: 'object', properties: { a: { type: 'string' } } }

  it('are where Ollama looks for them, and no prompt is cut (Q70)', () => {
    const asked = { maxOutputTokens: 9, temperature: 0, stop: ['\n'] }
    expect(requestOf(asked, model, { contextWindow: 8192, keepAlive: '10m' })).toEqual({
      body: {
        model,
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        truncate: false,
        shift: false,
        keep_alive: '10m',
        options: { num_ctx: 8192, num_predict: 9, temperature: 0, stop: ['\n'] },
      },
      warnings: [],
    })
  })

  it('contain only the requested fields', () => {
    expect(Object.keys(requestOf({}).body)).toEqual(['model', 'messages', 'stream', 'truncate', 'shift'])
  })

  it('never hold a format beside tools (Q71)', () => {
    const { body, warnings } = requestOf({ tools: [tool], output })
    expect(body).not.toHaveProperty('format')
    expect(body.tools).toHaveLength(1)
    expect(warnings).toEqual([expect.stringContaining('beside tools')])
    expect(requestOf({ tools: [tool], toolChoice: 'none', output }).body.format).toEqual(output)
  })

  it('do not let a model think where its answer follows a schema (Q72)', () => {
    expect(requestOf({ output })).toMatchObject({ body: { format: output, think: false }, warnings: [] })
    expect(requestOf({ output, reasoning: 'high' }, 'llama3.2').body.think).toBe(false)
    expect(requestOf({ output, reasoning: 'high' })).toMatchObject({
      body: { think: false },
      warnings: [expect.stringContaining('reasoning')],
    })
  })

  it.each([
    { toolChoice: 'auto', shown: ['look', 'smell'], warnings: 0 },
    { toolChoice: 'required', shown: ['look', 'smell'], warnings: 1 },
    { toolChoice: { tool: 'smell' }, shown: ['smell'], warnings: 1 },
    { toolChoice: 'none', shown: undefined, warnings: 0 },
  ] as const)('show the tools that may be called for $toolChoice (Q21)', ({ toolChoice, shown, warnings }) => {
    const request = requestOf({ tools: [tool, other], toolChoice })
    expect(request.body.tools?.map(({ function: { name } }) => name)).toEqual(shown)
    expect(request.warnings).toHaveLength(warnings)
  })

  it('warn that calls may come at once (Q21)', () => {
    expect(requestOf({ tools: [tool], parallelToolCalls: false }).warnings).toHaveLength(1)
    expect(requestOf({ tools: [tool], parallelToolCalls: true }).warnings).toEqual([])
  })

  it.each([
    { id: 'qwen3:8b', reasoning: 'high', think: true, warnings: 0 },
    { id: 'qwen3:8b', reasoning: 'low', think: true, warnings: 1 },
    { id: 'qwen3:8b', reasoning: 'none', think: false, warnings: 0 },
    { id: 'gpt-oss:20b', reasoning: 'medium', think: 'medium', warnings: 0 },
    { id: 'gpt-oss:20b', reasoning: 'none', think: 'low', warnings: 1 },
    { id: 'someone/gpt-oss:20b', reasoning: 'high', think: 'high', warnings: 0 },
    { id: 'qwen3:8b', reasoning: 'medium', think: true, warnings: 1 },
    { id: 'llama3.2', reasoning: 'high', think: undefined, warnings: 1 },
    { id: 'llama3.2', reasoning: 'none', think: false, warnings: 0 },
    { id: 'mistral:7b', reasoning: 'high', think: undefined, warnings: 1 },
    { id: 'qwen2.5-coder:7b', reasoning: 'high', think: undefined, warnings: 1 },
  ] as const)('send the reasoning $reasoning to $id as $think (Q75)', ({ id, reasoning, think, warnings }) => {
    const request = requestOf({ reasoning }, id)
    expect(request.body.think).toBe(think)
    expect(request.warnings).toHaveLength(warnings)
  })
})
