import type { Message, TextPart, ToolMessage, UserPart } from '@agentkit/core'

/** A message; tool results have text content. */
export type TextResultMessage = Exclude<Message, ToolMessage> | TextResult
type TextResult = ToolMessage & { content: string }

/**
 * Moves images out of tool results, for APIs whose results are text. They follow in a user's message after the last
 * result of the turn: no other message may be between the results of a turn.
 */
export function imagesAfterResults(messages: readonly Message[]): TextResultMessage[] {
  const moved: TextResultMessage[] = []
  let images: UserPart[] = []
  for (const message of messages) {
    if (message.role !== 'tool' && images.length > 0) {
      moved.push({ role: 'user', content: images })
      images = []
    }
    moved.push(message.role === 'tool' ? withoutImages(message, images) : message)
  }
  if (images.length > 0) moved.push({ role: 'user', content: images })
  return moved
}

/** The heading of the images of one result. */
export function imagesHeading({ name }: ToolMessage): TextPart {
  return { type: 'text', text: `Returned by the tool "${name}":` }
}

/** The text in a result in place of an image. */
export const movedImageNote = '[image: see the next message]'

function withoutImages(message: ToolMessage, images: UserPart[]): TextResult {
  const { content } = message
  // TypeScript narrows the field, but not the message.
  if (typeof content === 'string') return message as TextResult
  const found = content.filter((part) => part.type === 'image')
  if (found.length > 0) images.push(imagesHeading(message), ...found)
  return { ...message, content: content.map((part) => (part.type === 'text' ? part.text : movedImageNote)).join('\n') }
}
