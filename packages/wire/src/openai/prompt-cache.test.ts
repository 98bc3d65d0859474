import type { CachePlan, Message, ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { toChatRequest } from './chat-request.ts'
import { toResponsesRequest } from './responses-request.ts'
import { openaiTraits } from './traits.ts'

const cache: CachePlan = { key: 'of-this-chat', marks: ['instruction', 'previous', 'end'] }
const system: Message = { role: 'system', content: 'Be brief.' }
const hi: Message = { role: 'user', content: 'hi' }
const called: Message = {
  v: 1,
  role: 'assistant',
  content: [
    { type: 'tool-call', callId: 'a', name: 'echo', input: {} },
    { type: 'tool-call', callId: 'b', name: 'echo', input: {} },
  ],
}
const resultOf = (callId: string, content: string): Message => ({ v: 1, role: 'tool', callId, name: 'echo', content })

function bodies(model: string, messages: Message[], { isPlanned = true } = {}): Record<string, unknown>[] {
  const request: ModelRequest = { messages, ...(isPlanned && { cache }) }
  const traits = openaiTraits(model)
  const chat = { maxTokensField: 'max_completion_tokens', systemRole: 'developer', strict: true, traits } as const
  return [toResponsesRequest(model, `openai/${model}`, request, traits).body, toChatRequest(model, request, chat).body]
}

/** The numbers of the items of a body that have breakpoints. */
function marked(body: Record<string, unknown>): number[] {
  const items = (body.input ?? body.messages) as unknown[]
  return items.flatMap((item, index) => (JSON.stringify(item).includes('prompt_cache_breakpoint') ? [index] : []))
}

/** The items of a prompt without what moves. */
function items(body: Record<string, unknown>): string[] {
  const mark = /,"prompt_cache_breakpoint":\{"mode":"explicit"\}/g
  return ((body.input ?? body.messages) as unknown[]).map((item) => JSON.stringify(item).replace(mark, ''))
}

describe.each([['Responses'], ['Chat Completions']])('the cache by %s', (api) => {
  const bodyOf = (...args: Parameters<typeof bodies>): Record<string, unknown> => {
    return bodies(...args)[api === 'Responses' ? 0 : 1] as Record<string, unknown>
  }

  it.each([
    ['gpt-4o-mini', 'of-this-chat'],
    ['gpt-4.1', 'of-this-chat'],
    ['gpt-5.5', 'of-this-chat'],
    ['o4-mini', 'of-this-chat'],
    ['gpt-4', undefined],
    ['gpt-3.5-turbo', undefined],
    ['gpt-oss-120b', undefined],
    ['deepseek-v4', undefined],
  ])('gives %s the key %s, and no breakpoints, which it refuses', (model, key) => {
    const body = bodyOf(model, [system, hi])
    expect(body.prompt_cache_key).toBe(key)
    expect(JSON.stringify(body)).not.toMatch(/breakpoint|prompt_cache_options/)
  })

  it.each(['gpt-5.6', 'gpt-5.6-luna', 'gpt-6.2-sol'])('marks where %s is to read on', (model) => {
    const body = bodyOf(model, [system, hi, called, resultOf('a', 'one'), resultOf('b', 'two')])
    expect(body).toMatchObject({ prompt_cache_key: 'of-this-chat', prompt_cache_options: { mode: 'explicit' } })
    // In the Responses API each call is an item.
    expect(marked(body)).toEqual(api === 'Responses' ? [0, 1, 5] : [0, 1, 4])
    expect(body).not.toHaveProperty('instructions')
  })

  it('is not written for a prompt that no request repeats', () => {
    const body = bodyOf('gpt-5.6', [system, hi], { isPlanned: false })
    expect(body).toMatchObject({ prompt_cache_options: { mode: 'explicit' } })
    expect(body).not.toHaveProperty('prompt_cache_key')
    expect(marked(body)).toEqual([])
  })

  it('marks the result before an empty one, which has no part', () => {
    const messages = [system, hi, called, resultOf('a', 'one'), resultOf('b', '')]
    const next = [...messages, called, resultOf('a', 'three'), resultOf('b', 'four')]
    const [end] = marked(bodyOf('gpt-5.6', messages)).slice(-1)
    expect(marked(bodyOf('gpt-5.6', next))).toContain(end)
  })

  it('sends the beginning of each request as the one before had it, but for the marks', () => {
    const turns: Message[] = [system, hi]
    let before: string[] = []
    for (let step = 0; step < 5; step++) {
      const now = items(bodyOf('gpt-5.6', [...turns]))
      expect(now.slice(0, before.length)).toEqual(before)
      before = now
      turns.push(called, resultOf('a', `a${step}`), resultOf('b', step === 2 ? '' : `b${step}`))
    }
  })
})
