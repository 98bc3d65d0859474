import type { AgentEvent, AgentEventBody, Approval, Citation, Message } from '@agentkit/core'
import { isStoppedNote, withoutNote } from '@agentkit/core/internal'

type StoredRunParts = {
  agentId: string
  runId: string
  /** The whole turn, as it is stored. */
  messages: readonly Message[]
  approvals?: readonly Approval[]
  sources?: readonly Citation[]
}

/**
 * The events of a stored run without its end, rebuilt from its messages. A turn has messages of the agent that speaks
 * only.
 */
export function turnEvents({ agentId, runId, messages, approvals = [], sources = [] }: StoredRunParts): AgentEvent[] {
  // The messages that seeded the session are in its first turn, before the question.
  const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  const lastText = own.findLastIndex((message) => message.role === 'assistant' && hasText(message))
  const events: AgentEvent[] = []
  const emit = (body: AgentEventBody, path: readonly string[] = []): void => {
    events.push({ seq: events.length + 1, runId, path: [agentId, ...path], ...body })
  }
  let step = 0
  for (const [index, message] of own.entries()) {
    if (index === lastText) for (const source of sources) emit({ type: 'source', source })
    if (message.role === 'tool') {
      const { callId, name, isError = false } = message
      // The note of the loop detection is for the model: events never have it.
      const content = withoutNote(message.content)
      const output = typeof content === 'string' ? content : content.map(shownPart)
      emit({ type: 'tool-result', callId, name, output, isError, durationMs: 0 })
    }
    if (message.role !== 'assistant' || isStoppedNote(message)) continue
    emit({ type: 'step-start', step: ++step })
    for (const part of message.content) {
      if (part.type === 'text') emit({ type: 'text-delta', text: part.text })
      else if (part.type === 'reasoning') emit({ type: 'reasoning-delta', text: part.text })
      else {
        const { callId, name, input, inputText } = part
        emit({ type: 'tool-call', callId, name, input: inputText ?? input })
      }
    }
  }
  if (lastText < 0) for (const source of sources) emit({ type: 'source', source })
  for (const { path, ...approval } of approvals) emit({ type: 'approval-request', ...approval }, path)
  return events
}

function hasText({ content }: Extract<Message, { role: 'assistant' }>): boolean {
  return content.some((part) => part.type === 'text' && part.text !== '')
}

/** Images are long, and clients of this protocol show none. */
function shownPart(part: { type: string; text?: string }): object {
  return part.type === 'text' ? { type: 'text', text: part.text } : { type: part.type }
}
