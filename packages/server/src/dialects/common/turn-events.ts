import type { AgentEvent, AgentEventBody, Approval, Citation, Message } from '@agentkit/core'
import { isStoppedNote, withoutNote } from '@agentkit/core/internal'

type StoredRunParts = {
  agentId: string
  runId: string
  /** The whole turn, as it is stored. */
  messages: readonly Message[]
  approvals?: readonly Approval[]
  sources?: readonly Citation[]
  /** The member whose words are the answer, with its messages: the last call is the one that it has answered. */
  speaker?: { id: string; messages: readonly Message[] } | undefined
}

/** The events of a stored run without its end, rebuilt from its messages. */
export function turnEvents({
  agentId,
  runId,
  messages,
  approvals = [],
  sources = [],
  speaker,
}: StoredRunParts): AgentEvent[] {
  const entries = withSpeaker(ownOf(messages), speaker)
  const hasSpoken = entries.some(({ message, path }) => path.length > 0 && hasText(message))
  const lastText = entries.findLastIndex(({ message, path }) => path.length > 0 === hasSpoken && hasText(message))
  const events: AgentEvent[] = []
  const emit = (body: AgentEventBody, path: readonly string[] = []): void => {
    events.push({ seq: events.length + 1, runId, path: [agentId, ...path], ...body })
  }
  let step = 0
  for (const [index, { message, path }] of entries.entries()) {
    if (index === lastText) for (const source of sources) emit({ type: 'source', source })
    if (message.role === 'tool') {
      const { callId, name, isError = false } = message
      // The note of the loop detection is for the model: events never have it.
      const content = withoutNote(message.content)
      const output = typeof content === 'string' ? content : content.map(shownPart)
      emit({ type: 'tool-result', callId, name, output, isError, durationMs: 0 }, path)
    }
    if (message.role !== 'assistant' || isStoppedNote(message)) continue
    emit({ type: 'step-start', step: ++step }, path)
    for (const part of message.content) {
      if (part.type === 'text') emit({ type: 'text-delta', text: part.text }, path)
      else if (part.type === 'reasoning') emit({ type: 'reasoning-delta', text: part.text }, path)
      else {
        const { callId, name, input, inputText } = part
        emit({ type: 'tool-call', callId, name, input: inputText ?? input }, path)
      }
    }
  }
  if (lastText < 0) for (const source of sources) emit({ type: 'source', source })
  for (const { path, ...approval } of approvals) emit({ type: 'approval-request', ...approval }, path)
  return events
}

/** The messages that seeded the session are in its first turn, before the question. */
function ownOf(messages: readonly Message[]): Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
}

type Entry = { message: Message; path: readonly string[] }

/** The messages of the member stand before the result of its call. */
function withSpeaker(own: readonly Message[], speaker: StoredRunParts['speaker']): Entry[] {
  const entries: Entry[] = own.map((message) => ({ message, path: [] }))
  if (!speaker) return entries
  const result = own.findLastIndex(({ role }) => role === 'tool')
  const spoken = ownOf(speaker.messages).map((message) => ({ message, path: [speaker.id] }))
  return entries.toSpliced(result < 0 ? entries.length : result, 0, ...spoken)
}

function hasText(message: Message): boolean {
  return message.role === 'assistant' && message.content.some((part) => part.type === 'text' && part.text !== '')
}

/** Images are long, and clients of this protocol show none. */
function shownPart(part: { type: string; text?: string }): object {
  return part.type === 'text' ? { type: 'text', text: part.text } : { type: part.type }
}
