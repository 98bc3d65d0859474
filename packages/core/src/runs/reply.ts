import type { ToolCall } from '../contracts/model.ts'
import type { ModelFinishReason } from '../data/event.ts'
import type { AssistantMessage, AssistantPart } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import type { Usage } from '../data/usage.ts'
import { isDeepEqual } from '../util/json/deep-equal.ts'

/** A model's answer to one call. It grows while the model streams, so that an aborted call leaves what has arrived. */
export type Reply = {
  text: string
  reasoning: string
  calls: ToolCall[]
  /** Characters of arguments before their call was complete, which then has them. */
  draftChars: number
  reason: ModelFinishReason
  usage: Usage
  message: AssistantMessage
  warnings: string[]
  /** Whether the model has sent an event. */
  hasBegun: boolean
  /** Whether the budget bounded the answer to less than the model's own bound. */
  lowered: boolean
  /** Made by a plan, without a model. */
  planned?: true
  /** Its calls of tools that its request did not offer, though the run has them: their ids and names. */
  hidden?: [callId: string, name: string][]
}

export function emptyReply(): Reply {
  return {
    text: '',
    reasoning: '',
    calls: [],
    draftChars: 0,
    reason: 'stop',
    usage: {},
    message: { v: 1, role: 'assistant', content: [] },
    warnings: [],
    hasBegun: false,
    lowered: false,
  }
}

export function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function reasoningOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
}

/** A model may send its text in its deltas only: without it, the conversation would lack the answer. */
export function withText(message: AssistantMessage, text: string): AssistantMessage {
  if (text.trim() === '' || textOf(message).trim() !== '') return message
  const content = message.content.filter(({ type }) => type !== 'text')
  const firstCall = content.findIndex(({ type }) => type === 'tool-call')
  return {
    ...message,
    content: content.toSpliced(firstCall === -1 ? content.length : firstCall, 0, { type: 'text', text }),
  }
}

/** Makes another message the reply, as a hook or the form of the answer has changed it. */
export function replaceMessage(reply: Reply, other: AssistantMessage): void {
  if (other === reply.message) return
  // Providers refuse empty texts.
  const content = other.content.filter((part) => part.type !== 'text' || part.text !== '' || part.opaque !== undefined)
  const message = { ...other, content: content.map(withGivenInput) }
  const known = new Map(reply.calls.map((call) => [call.callId, call]))
  reply.calls = toolCalls(message).map(({ callId, name, input, inputText }) => {
    const call = known.get(callId)
    const isInvalid = call?.invalid !== undefined && inputText !== undefined
    return isInvalid ? { ...call, name, inputText } : { type: 'tool-call', callId, name, input }
  })
  reply.text = textOf(message)
  reply.message = message
}

/** A call that could not be parsed has no arguments beside its text: with some, a hook has given it these. */
function withGivenInput(part: AssistantPart): AssistantPart {
  if (part.type !== 'tool-call' || part.inputText === undefined || isDeepEqual(part.input, {})) return part
  const { inputText: _, ...given } = part
  return given
}
