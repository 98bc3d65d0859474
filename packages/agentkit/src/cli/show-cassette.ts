import type { Message, ModelEvent } from '@agentkit/core'
import { counted, firstChars } from '@agentkit/core/internal'
import type { Cassette, RecordedCall } from '@agentkit/testing'

/** The number of calls and their models: `3 calls of openai/gpt-5.4-mini.` */
export function showSum({ calls }: Cassette): string {
  const models = [...new Set(calls.map(({ model }) => model))]
  const count = counted(calls.length, 'call')
  return models.length === 0 ? `${count}.` : `${count} of ${models.join(', ')}.`
}

/** Each call in a few lines: the last message, the answer, the finish reason. */
export function showCalls({ calls }: Cassette): string {
  return calls.map(showCall).join('\n')
}

function showCall(recorded: RecordedCall): string {
  const { call, model, request, events } = recorded
  const last = request.messages.at(-1)
  const lines = [
    ...(last ? [`${sender(last)}: ${contentText(last.content)}`] : []),
    ...answerOf(events.flat()),
    endOf(recorded),
  ]
  return [`${call}  ${cut(model)}`, ...lines.map((line) => `   ${cut(line)}`)].join('\n')
}

function sender(message: Message): string {
  return message.role === 'tool' ? `tool ${message.name}` : message.role
}

function contentText(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join(' ')
}

function answerOf(events: readonly ModelEvent[]): string[] {
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  const calls = events.flatMap((event) =>
    event.type === 'tool-call' ? [`→ ${event.name}(${event.inputText ?? JSON.stringify(event.input)})`] : [],
  )
  return [...(text.trim() === '' ? [] : [`assistant: ${text}`]), ...calls]
}

function endOf({ events, error, thrown, left }: RecordedCall): string {
  if (error) return `failed: ${error.code}: ${error.message}`
  if (thrown) return `failed: ${thrown.name}: ${thrown.message}`
  const last = events.at(-1)?.at(-1)
  if (last?.type !== 'finish') return left === undefined ? 'ended without a finish event' : 'was left or aborted'
  const { inputTokens, outputTokens } = last.usage
  return `${last.reason}, ${inputTokens ?? '?'} tokens in, ${outputTokens ?? '?'} out`
}

/** One line of a terminal. */
function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 110 ? `${firstChars(line, 109)}…` : line
}
