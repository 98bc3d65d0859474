import type { Message, ModelRequest } from '@agentkit/core'
import type { ModelFacts } from '@agentkit/wire'
import { describe, expect, it } from 'vitest'
import { toGroqRequest } from './request.ts'

const user: Message = { role: 'user', content: 'hi' }
const echo = { name: 'echo', description: 'Echo.', inputSchema: { type: 'object', properties: {} } }

function toBody(model: string, more: Partial<ModelRequest> = {}, facts?: ModelFacts) {
  return toGroqRequest(model, { messages: [user], ...more }, facts)
}

/** An answer of a model, which called a tool. */
function called(model: string, name = 'echo'): Message[] {
  return [
    {
      role: 'assistant',
      model,
      content: [
        { type: 'reasoning', text: 'I had better look.' },
        { type: 'tool-call', callId: 'call_1', name, input: {} },
      ],
    },
    { role: 'tool', callId: 'call_1', name, content: 'done' },
  ]
}

describe('toGroqRequest', () => {
  it('sends reasoning back to a model that is known by its name to reason', () => {
    const { body } = toBody('qwen/qwen3.8-27b', { messages: [user, ...called('groq/qwen/qwen3.8-27b')] })
    expect(body.messages[1]).toMatchObject({ reasoning: 'I had better look.' })
  })

  it('sends only the settings that Groq knows', () => {
    const { body, warnings } = toBody('llama-3.3-70b-versatile', {
      tools: [echo],
      toolChoice: 'required',
      parallelToolCalls: false,
      maxOutputTokens: 50,
      temperature: 0.5,
      stop: ['END'],
    })
    expect(body).toEqual({
      model: 'llama-3.3-70b-versatile',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      tools: [{ type: 'function', function: { name: 'echo', description: 'Echo.', parameters: echo.inputSchema } }],
      tool_choice: 'required',
      disable_tool_validation: true,
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      temperature: 0.5,
      stop: ['END'],
    })
    expect(warnings).toEqual([])
  })

  it('leaves a schema of the answer out, with a warning: it goes with no stream and no tools (Q54)', () => {
    const { body, warnings } = toBody('openai/gpt-oss-20b', { output: { type: 'object' } })
    expect(body).not.toHaveProperty('response_format')
    expect(warnings).toEqual([expect.stringContaining('`output` was left out')])
  })

  it.each([
    ['openai/gpt-oss-120b', 'high', 'high', 0],
    ['openai/gpt-oss-120b', 'none', 'low', 1],
    ['openai/gpt-oss-safeguard-20b', 'medium', 'medium', 0],
    ['qwen/qwen3-32b', 'none', 'none', 0],
    ['qwen/qwen3-32b', 'low', 'default', 1],
    ['qwen/qwen3.6-27b', 'high', 'default', 1],
    ['qwen/qwen3.8-27b', 'low', 'low', 0],
    ['qwen/qwen3.8-27b', 'none', 'none', 0],
    ['openai/gpt-oss-9', 'low', 'low', 0],
    ['maker/brand-new', 'high', 'high', 0],
  ] as const)('sends %s the effort %s as %s', (model, reasoning, effort, warned) => {
    const { body, warnings } = toBody(model, { reasoning })
    expect(body.reasoning_effort).toBe(effort)
    expect(warnings).toHaveLength(warned)
  })

  it.each([
    ['meta-llama/llama-4-scout-17b-16e-instruct', undefined],
    ['moonshotai/kimi-k2-instruct-0905', undefined],
    ['groq/compound-mini', undefined],
    ['maker/plain', { reasoning: false }],
  ])('leaves reasoning out for %s, which does none, with a warning', (model, facts) => {
    const { body, warnings } = toBody(model, { reasoning: 'high' }, facts)
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(warnings).toEqual([expect.stringContaining('`reasoning`')])
  })

  it.each([
    ['qwen/qwen3.8-27b', 'parsed'],
    ['openai/gpt-oss-120b', undefined],
    ['llama-3.1-8b-instant', undefined],
    ['maker/brand-new', undefined],
  ])('asks %s to separate its reasoning from its answer: %s', (model, format) => {
    expect(toBody(model).body.reasoning_format).toBe(format)
  })

  it('sends reasoning back to the model whose it is, and by its own name only (Q53)', () => {
    const history = [user, ...called('groq/openai/gpt-oss-120b')]
    const { body } = toBody('openai/gpt-oss-120b', { tools: [echo], messages: history })
    expect(body.messages[1]).toMatchObject({ role: 'assistant', reasoning: 'I had better look.' })
    expect(JSON.stringify(body)).not.toContain('reasoning_content')
  })

  it.each([
    ["another model's", 'openai/gpt-oss-20b', 'groq/openai/gpt-oss-120b'],
    ["another provider's", 'openai/gpt-oss-120b', 'openai/gpt-oss-120b'],
    ['that of a model that is not known to reason', 'llama-3.1-8b-instant', 'groq/llama-3.1-8b-instant'],
  ])('leaves reasoning out: %s (Q5, Q53)', (_name, model, maker) => {
    const { body } = toBody(model, { tools: [echo], messages: [user, ...called(maker)] })
    expect(body.messages[1]).not.toHaveProperty('reasoning')
    expect(body.messages[1]).toHaveProperty('tool_calls')
  })

  it('lists a tool that was called and is gone, so that its call is accepted (Q57)', () => {
    const { body } = toBody('m', { tools: [echo], messages: [user, ...called('groq/m', 'old.tool')] })
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['echo', 'old_tool'])
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'old_tool' } }] })
    expect(body).not.toHaveProperty('tool_choice')
  })

  it('lists it without any other tool too, and lets it not be called (Q57)', () => {
    const { body } = toBody('m', { messages: [user, ...called('groq/m')] })
    expect(body).toMatchObject({ tools: [{ function: { name: 'echo' } }], tool_choice: 'none' })
  })

  it('gets a call of a tool that there is not as a call, but where one tool must be called (Q52)', () => {
    expect(toBody('m', { tools: [echo] }).body.disable_tool_validation).toBe(true)
    const { body } = toBody('m', { tools: [echo], toolChoice: { tool: 'echo' } })
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'echo' } })
    expect(body).not.toHaveProperty('disable_tool_validation')
  })

  it('keeps to the bounds of Groq and of the model', () => {
    const more = { stop: ['a', 'b', 'c', 'd', 'e'], maxOutputTokens: 9000 }
    const { body, warnings } = toBody('m', more, { maxOutputTokens: 4000 })
    expect(body).toMatchObject({ stop: ['a', 'b', 'c', 'd'], max_completion_tokens: 4000 })
    expect(warnings).toEqual([expect.stringContaining('`stop`'), expect.stringContaining('`maxOutputTokens`')])
  })

  const png = { type: 'image', base64: 'iVBORw0KGgo=' } as const
  it.each([
    ['a model that reads them', { reads: ['image'] }, { type: 'image_url' }, 0],
    ['a model that is unknown', undefined, { type: 'image_url' }, 0],
    ['a model that does not', { reads: [] }, { type: 'text', text: '[image left out]' }, 1],
    ['a model of which it is not known', {}, { type: 'text', text: '[image left out]' }, 1],
  ])('sends images to %s', (_name, facts, part, warned) => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'See.' }, png] }]
    const { body, warnings } = toBody('m', { messages }, facts)
    expect(body.messages).toMatchObject([{ content: [{ text: 'See.' }, part] }])
    expect(warnings).toHaveLength(warned)
  })

  it('puts a line of text where a file was, with a warning', () => {
    const pdf = { type: 'file', base64: 'JVBERi0=', mediaType: 'application/pdf', name: 'a.pdf' } as const
    const { body, warnings } = toBody('m', { messages: [{ role: 'user', content: [pdf] }] }, { reads: ['image'] })
    expect(body.messages).toEqual([{ role: 'user', content: '[file "a.pdf" left out]' }])
    expect(warnings).toEqual([expect.stringContaining('files')])
  })
})
