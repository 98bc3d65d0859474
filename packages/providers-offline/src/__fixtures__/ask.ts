import type { AssistantMessage, Message, ModelEvent, ModelRequest, ToolCallPart, ToolSpec } from '@agentkit/core'
import { offline } from '../offline.ts'

export const model = offline({ now: () => new Date(2026, 1, 10, 12) }).model()

export async function eventsOf(request: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, signal)) events.push(event)
  return events
}

export async function answerTo(request: ModelRequest): Promise<AssistantMessage> {
  const last = (await eventsOf(request)).at(-1)
  if (last?.type !== 'finish') throw new Error('no finish')
  return last.message
}

export function callsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool-call')
}

export function textOf(message: AssistantMessage): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export async function callsFor(text: string, tools: ToolSpec[], rest: Partial<ModelRequest> = {}): Promise<[string, unknown][]> {
  const message = await answerTo({ messages: [{ role: 'user', content: text }], tools, ...rest })
  return callsOf(message).map(({ name, input }) => [name, input])
}

export type FakeResult = { content: string; isError?: boolean }

/** Plays the loop: each user message in turn, each call with its result. Gives the last text of each turn. */
export async function converse(
  users: string[],
  results: Record<string, string | FakeResult | ((input: ToolCallPart['input']) => string)>,
  rest: Partial<ModelRequest> & { system?: string } = {},
): Promise<{ answers: string[]; calls: ToolCallPart[] }> {
  const { system, ...options } = rest
  const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }]
  const answers: string[] = []
  const calls: ToolCallPart[] = []
  for (const content of users) {
    messages.push({ role: 'user', content })
    for (let step = 0; step < 6; step++) {
      const message = await answerTo({ messages: structuredClone(messages), ...options })
      messages.push(message)
      const made = callsOf(message)
      if (made.length === 0) {
        answers.push(textOf(message))
        break
      }
      calls.push(...made)
      for (const { callId, name, input } of made) {
        const given = results[name] ?? 'no result'
        const result = typeof given === 'function' ? given(input) : given
        messages.push({ role: 'tool', callId, name, ...(typeof result === 'string' ? { content: result } : result) })
      }
    }
  }
  return { answers, calls }
}
