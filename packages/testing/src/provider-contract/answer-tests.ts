import type { Message, ModelFinishReason, ToolSpec, Usage } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import type { FakeAnswer, Transport } from '../fake-provider/wires/script.ts'
import { ask, type Outcome, type Subject } from './provider-under-test.ts'

const greeting = 'Grüße, 世界 👋'
export const weather: ToolSpec = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
}
const calls = [
  { name: 'weather', input: { city: 'Oslo', days: 3 } },
  { name: 'weather', input: { city: 'São Paulo "SP"', tags: ['a', null, 1.5, { deep: true }] } },
]

/** How an answer becomes events and a message. */
export function answerTests(subject: Subject): void {
  const { wire, models } = subject
  describe('an answer', () => {
    it('is emitted as deltas, then as one finish with the same message', async () => {
      const { events, text, finish } = await ask(subject, { text: greeting })
      expect(text).toBe(greeting)
      expect(events.filter(({ type }) => type === 'finish')).toEqual([events.at(-1)])
      expect(finish).toMatchObject({
        reason: 'stop',
        message: { role: 'assistant', content: [{ type: 'text', text }] },
      })
      expect(finish?.message.model).toBe(
        subject.makeProvider({ url: 'http://127.0.0.1:1', apiKey: 'k' }).model(models.usual).id,
      )
    })

    it.each<[string, Transport]>([
      ['byte by byte', { writes: 'byte' }],
      ['cut inside of characters (Q73)', { writes: 'split-characters' }],
      ['with CRLF', { lineEnd: '\r\n' }],
      ['slowly', { delayMs: 2 }],
    ])('may come %s', async (_how, transport) => {
      const answer: FakeAnswer = { ...transport, text: greeting, toolCalls: calls }
      const outcome = await ask(subject, answer, { tools: [weather] })
      expect(outcome.error).toBeUndefined()
      expect(outcome.text).toBe(greeting)
      expect(outcome.calls.map(({ input }) => input)).toEqual(calls.map(({ input }) => input))
    })

    it('may call several tools, in order, under ids that are unique', async () => {
      const outcome = await ask(subject, { text: 'Let me see.', toolCalls: calls }, { tools: [weather] })
      expect(outcome.calls).toMatchObject(calls)
      expectOwnIds(outcome)
      expect(outcome.finish?.reason).toBe('tool-calls')
      expect(outcome.finish?.message.content).toMatchObject([
        { type: 'text', text: 'Let me see.' },
        ...calls.map((call) => ({ type: 'tool-call', ...call })),
      ])
    })

    it('that calls a tool without arguments has the input {} (Q2)', async () => {
      const spec = { name: 'ping', description: 'Pings.', inputSchema: { type: 'object' } }
      const outcome = await ask(subject, { toolCalls: [{ name: 'ping', input: {} }] }, { tools: [spec] })
      expect(outcome.calls).toMatchObject([{ name: 'ping', input: {} }])
    })

    it.each(['', 'null', 'same'])(
      'has unique call ids where the server sends %j for each (Q7, Q48, Q69)',
      async (callId) => {
        const twice = calls.map((call) => ({ ...call, callId }))
        expectOwnIds(await ask(subject, { toolCalls: twice }, { tools: [weather] }))
      },
    )

    it('has call ids that the conversation does not have (Q7)', async () => {
      const toolCalls = calls.map((call, index) => ({ ...call, callId: `${index}` }))
      const first = await ask(subject, { toolCalls }, { tools: [weather] })
      const content = first.finish?.message.content ?? []
      const results = first.calls.map(({ callId, name }) => ({ role: 'tool' as const, callId, name, content: 'Sunny' }))
      const messages: Message[] = [{ role: 'user', content: 'Hello' }, { role: 'assistant', content }, ...results]
      const second = await ask(subject, { toolCalls }, { tools: [weather], messages })
      const ids = [...first.calls, ...second.calls].map(({ callId }) => callId)
      expect(ids).toHaveLength(2 * calls.length)
      expect(new Set(ids).size).toBe(ids.length)
    })

    if (argumentsAreText.has(wire))
      it('reports arguments that are not JSON, and the other calls with them (Q2)', async () => {
        const toolCalls = [{ name: 'weather', inputText: '{"city": ' }, calls[0]].flatMap((call) => call ?? [])
        const outcome = await ask(subject, { toolCalls }, { tools: [weather] })
        const [broken, whole] = outcome.calls
        expect(broken).toMatchObject({ input: undefined, inputText: '{"city": ', invalid: expect.any(String) })
        expect(whole).toMatchObject({ input: calls[0]?.input })
        expect(outcome.finish?.message.content).toMatchObject([
          { input: {}, inputText: '{"city": ' },
          { input: calls[0]?.input },
        ])
      })

    it('that a tool takes is emitted while it is written, where the provider sends it as text', async () => {
      const answer: FakeAnswer = { toolCalls: calls.slice(1) }
      const usual = await ask(subject, answer, { tools: [weather] })
      const drafted = await ask(subject, answer, { tools: [weather], answerTool: 'weather' })
      const [call] = drafted.calls
      const pieces = drafted.events.flatMap((event) => (event.type === 'tool-input-delta' ? [event] : []))
      expect(pieces.map(({ text }) => text).join('')).toBe(
        argumentsAreText.has(wire) ? JSON.stringify(call?.input) : '',
      )
      expect(pieces.every(({ callId }) => callId === call?.callId)).toBe(true)
      expect(usual.events.filter(({ type }) => type === 'tool-input-delta')).toEqual([])
      // It does not change the request, so the prompt stays cached.
      expect(drafted.requests.at(-1)?.body).toEqual(usual.requests.at(-1)?.body)
    })

    it('that calls tools has the finish reason `tool-calls`, also when the server sends another (Q9)', async () => {
      const { finish } = await ask(subject, { toolCalls: calls, finishReason: 'stop' }, { tools: [weather] })
      expect(finish?.reason).toBe('tool-calls')
    })

    it.each<[string, FakeAnswer, ModelFinishReason]>([
      ['at its bound', { text: 'Once', finishReason: 'length' }, 'length'],
      ...(wire === 'ollama' ? [] : [filtered]),
      ...(hasRefusals.has(wire) ? [refusal] : []),
    ])('that ends %s has that reason', async (_how, answer, reason) => {
      const { finish, error } = await ask(subject, answer)
      expect(error).toBeUndefined()
      expect(finish?.reason).toBe(reason)
    })

    it('that is empty has an empty message', async () => {
      const { finish, text, error } = await ask(subject, { text: '' })
      expect({ text, error, content: finish?.message.content }).toEqual({ text: '', error: undefined, content: [] })
    })

    it('of a model that reasons separates its reasoning', async () => {
      const outcome = await ask(
        subject,
        { reasoning: 'Hm, 世界…', text: greeting },
        { model: models.reasoning, reasoning: 'low' },
      )
      expect(outcome).toMatchObject({ reasoning: 'Hm, 世界…', text: greeting })
      const content = outcome.finish?.message.content.filter((part) => part.type !== 'text' || part.text !== '')
      expect(content).toMatchObject([
        { type: 'reasoning', text: 'Hm, 世界…' },
        { type: 'text', text: greeting },
      ])
    })

    it('reports its usage, with cached and reasoning tokens (Q17, Q42, Q55, Q64)', async () => {
      const usage: Usage = {
        inputTokens: 100,
        outputTokens: 20,
        ...(reportsCache.has(wire) && { cachedInputTokens: 40 }),
      }
      if (reportsReasoning.has(wire)) usage.reasoningTokens = 5
      const answer = { reasoning: 'Hm', text: 'Yes', usage }
      const { finish } = await ask(subject, answer, { model: models.reasoning, reasoning: 'low' })
      expect(finish?.usage).toMatchObject({ ...usage, totalTokens: 120 })
    })

    it('omits usage that the server does not report (Q17, Q78)', async () => {
      const { finish } = await ask(subject, { text: 'Yes', usage: null })
      expect(Object.values(finish?.usage ?? { none: 0 }).filter((count) => count !== undefined)).toEqual([])
    })
  })
}

const filtered: [string, FakeAnswer, ModelFinishReason] = [
  'by a filter',
  { text: 'Once', finishReason: 'content-filter' },
  'content-filter',
]
const refusal: [string, FakeAnswer, ModelFinishReason] = [
  'as a refusal (Q28, Q39)',
  { refusal: 'I cannot help with that.' },
  'content-filter',
]
/** The others refuse in plain text. */
const hasRefusals: ReadonlySet<string> = new Set(['openai-chat', 'openai-responses', 'azure', 'anthropic', 'gemini'])
/** On the others arguments come as values. */
const argumentsAreText: ReadonlySet<string> = new Set([
  'openai-chat',
  'openai-responses',
  'azure',
  'anthropic',
  'mistral',
  'groq',
])
const reportsCache: ReadonlySet<string> = new Set([...argumentsAreText, 'gemini'])
const reportsReasoning: ReadonlySet<string> = new Set([
  'openai-chat',
  'openai-responses',
  'azure',
  'anthropic',
  'groq',
  'gemini',
])

function expectOwnIds({ calls, finish }: Outcome): void {
  const ids = calls.map(({ callId }) => callId)
  expect(ids).toHaveLength(2)
  expect(new Set([...ids, '', 'null'])).toHaveProperty('size', 4)
  const kept = finish?.message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
  expect(kept).toEqual(ids)
}
