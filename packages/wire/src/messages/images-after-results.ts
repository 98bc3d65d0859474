import type { Message, TextPart, ToolMessage, UserPart } from '@agentkit/core'

/** A message, whose content is text where it is a result. */
export type TextResultMessage = Exclude<Message, ToolMessage> | TextResult
type TextResult = ToolMessage & { content: string }

/**
 * Moves the images that tools returned out of their results, for APIs whose results are text: they follow in a user's
 * message, after the last result of their turn, since nothing may stand between a turn's results.
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

/** What the model reads before the images of one result. */
export function imagesHeading({ name }: ToolMessage): TextPart {
  return { type: 'text', text: `Returned by the tool "${name}":` }
}

/** What stands in a result in place of an image that follows it. */
export const movedImageNote = '[image: see the next message]'

function withoutImages(message: ToolMessage, images: UserPart[]): TextResult {
  const { content } = message
  // TypeScript narrows the field here, and not the message that it is of.
  if (typeof content === 'string') return message as TextResult
  const found = content.filter((part) => part.type === 'image')
  if (found.length > 0) images.push(imagesHeading(message), ...found)
  return { ...message, content: content.map((part) => (part.type === 'text' ? part.text : movedImageNote)).join('\n') }
}
