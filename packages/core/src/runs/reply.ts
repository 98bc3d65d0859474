import type { ToolCall } from '../contracts/model.ts'
import type { ModelFinishReason } from '../data/event.ts'
import type { AssistantMessage } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'

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
