import type { ToolCall } from '../contracts/model.ts'
import type { ModelFinishReason } from '../data/event.ts'
import type { AssistantMessage } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'

/** What a model answered. It grows while the model speaks, so that an aborted call leaves what there is. */
export type Reply = {
  text: string
  reasoning: string
  calls: ToolCall[]
  reason: ModelFinishReason
  usage: Usage
  message: AssistantMessage
  warnings: string[]
  /** Whether the model has said anything. */
  heard: boolean
  /** Whether the answer was bounded to less than the model's own bound. */
  lowered: boolean
  /** No model has said it. */
  planned?: true
}

export function emptyReply(): Reply {
  return {
    text: '',
    reasoning: '',
    calls: [],
    reason: 'stop',
    usage: {},
    message: { v: 1, role: 'assistant', content: [] },
    warnings: [],
    heard: false,
    lowered: false,
  }
}

export function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
