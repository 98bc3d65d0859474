import type { Model, ModelEvent, ModelRequest } from '@agentkit/core'

export function question(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ v: 1, role: 'user', content: text }], ...more }
}

/** All events of one answer. */
export async function ask(
  model: Model,
  request: ModelRequest | string,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  const asked = typeof request === 'string' ? question(request) : request
  for await (const event of model.stream(asked, signal)) events.push(event)
  return events
}

export async function textOf(model: Model, request: ModelRequest | string): Promise<string> {
  const events = await ask(model, request)
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}
