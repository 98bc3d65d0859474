import type { Message, ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../__fixtures__/random.ts'
import { toChatRequest } from '../openai/chat-request.ts'
import { toResponsesRequest } from '../openai/responses-request.ts'
import { keptBodyBytes, requestBody } from './request-body.ts'

type Item = { role: string; content?: unknown }

const words = ['plain', 'ü', '日本', '😀', '\ud800 alone', '"quoted" \\ \n', '\u2028', '']
const seeds = process.env.AGENTKIT_SEED ? [Number(process.env.AGENTKIT_SEED)] : Array.from({ length: 60 }, (_, n) => n)

const expectSame = (body: object, seed: number): void => {
  expect(requestBody(body).toString(), `AGENTKIT_SEED=${seed}`).toBe(JSON.stringify(body))
}

describe('requestBody', () => {
  it('equals the output of JSON.stringify after any addition, edit, cut, mark or fork', () => {
    for (const seed of seeds) {
      const random = randomFrom(seed)
      const upTo = (count: number): number => Math.floor(random() * count)
      const item = (): Item => {
        const text = Array.from({ length: 1 + upTo(4) }, () => words[upTo(words.length)]).join(' ')
        return {
          role: ['user', 'assistant', 'tool'][upTo(3)] ?? '',
          content: upTo(3) ? text : [{ type: 'text', text }],
        }
      }
      let items = Array.from({ length: 40 + upTo(60) }, item)
      const forks = [items]
      for (let request = 0; request < 30; request++) {
        const action = upTo(9)
        if (action === 0) items = items.with(upTo(items.length), item())
        else if (action === 1) items = items.slice(0, 1 + upTo(items.length))
        else if (action === 2) items = [item(), ...items.slice(upTo(items.length))]
        else if (action === 3) items = forks[upTo(forks.length)] ?? items
        else items = [...items, ...Array.from({ length: 1 + upTo(12) }, item)]
        forks.push(items)
        const marked = items.map((each, index) =>
          index === items.length - 1 - upTo(5) ? { ...each, mark: true } : each,
        )
        const sent = upTo(3) === 0 ? marked : items
        const instructions = upTo(4) > 0 ? [{ role: 'system', content: `Be brief${'!'.repeat(upTo(2))}` }] : []
        const before = upTo(4) > 0 ? { model: words[upTo(words.length)], system: undefined } : {}
        const after = upTo(4) > 0 ? { stream: true, tools: [{ name: 'echo' }] } : {}
        expectSame({ ...before, [upTo(2) ? 'messages' : 'input']: [...instructions, ...sent], ...after }, seed)
      }
    }
  })

  it('keeps at most 32 MB, of those used last', () => {
    for (let conversation = 0; conversation < 12; conversation++) {
      const messages = Array.from({ length: 80 }, (_, index) => ({ role: 'user', content: `${index}`.repeat(25_000) }))
      for (let request = 0; request < 3; request++) expectSame({ model: 'm', messages }, conversation)
      expect(keptBodyBytes()).toBeLessThanOrEqual(33_554_432)
    }
    expect(keptBodyBytes()).toBeGreaterThan(16_777_216)
  })
})

/** Conversations as stores give them: frozen, with unfrozen ones of the run at the end. */
it.each<[string, (request: ModelRequest) => object]>([
  ['Chat Completions', (request) => toChatRequest('m', request, chat).body],
  ['Responses', (request) => toResponsesRequest('m', 'openai/m', request, traits).body],
])('%s gets the same of a conversation that grows, is edited, compacted or sent to another model', (_, toBody) => {
  for (const seed of seeds.slice(0, 20)) {
    const random = randomFrom(seed)
    const upTo = (count: number): number => Math.floor(random() * count)
    let history: Message[] = []
    const instructions: Message = { role: 'system', content: 'Be brief.' }
    for (let turn = 0; turn < 30; turn++) {
      const callId = `call_${turn}`
      const run: Message[] = [
        { role: 'user', content: `${words[upTo(words.length)]} ${turn}` },
        { v: 1, role: 'assistant', content: [{ type: 'tool-call', callId, name: 'echo', input: { text: `${turn}` } }] },
        { role: 'tool', callId, name: 'echo', content: words[upTo(words.length)] ?? '' },
        { v: 1, role: 'assistant', content: [{ type: 'text', text: `Answer ${turn}` }] },
      ]
      for (const count of [1, 3]) {
        const marks = upTo(2) ? (['instruction', 'previous', 'end'] as const) : (['end'] as const)
        const cache = upTo(2) ? { cache: { key: 'k', marks: [...marks] } } : {}
        const request = { messages: [instructions, ...history, ...run.slice(0, count)], ...cache } as ModelRequest
        expectSame(toBody(request), seed)
      }
      history.push(...run.map((message) => Object.freeze(message)))
      const event = upTo(12)
      if (event === 0) history = history.slice(4 * upTo(5))
      if (event === 1)
        history = history.map((message, at) => (at === upTo(9) ? Object.freeze({ ...message }) : message))
      if (event === 2) history = [Object.freeze({ role: 'user' as const, content: 'Summary.' }), ...history.slice(8)]
    }
  }
})

// The cast holds: only this trait determines the form of messages.
const traits = { caching: 'breakpoints' } as Parameters<typeof toResponsesRequest>[3]
const chat = {
  ...{ maxTokensField: 'max_completion_tokens', systemRole: 'developer', strict: true },
  traits,
} as Parameters<typeof toChatRequest>[2]
