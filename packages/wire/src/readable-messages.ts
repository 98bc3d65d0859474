import type { FilePart, ImagePart, Message, TextPart, UserPart } from '@agentkit/core'
import { fileName } from './media.ts'

/**
 * A conversation as a model can read it: images and files that it does not take become a line of text that says so, with
 * one warning for each kind. Messages without any stay the very same objects.
 *
 * @param reads whether it takes a part; what is unknown is taken to be read
 */
export function readableMessages(
  messages: readonly Message[],
  reads: (part: ImagePart | FilePart) => boolean,
  model: string,
  warnings: string[],
): readonly Message[] {
  const unread = new Set<'image' | 'file'>()
  const readable = <Part extends UserPart>(part: Part): Part | TextPart => {
    if (part.type === 'text' || reads(part)) return part
    unread.add(part.type)
    return { type: 'text', text: part.type === 'image' ? '[image left out]' : `[file "${fileName(part)}" left out]` }
  }
  const isReadable = (part: UserPart): boolean => part.type === 'text' || reads(part)
  const converted = messages.map((message): Message => {
    if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message
    if (message.content.every(isReadable)) return message
    if (message.role === 'user') return { ...message, content: message.content.map(readable) }
    return { ...message, content: message.content.map(readable) }
  })
  for (const kind of unread) warnings.push(`"${model}" does not read ${kind}s: a line of text says that one was there.`)
  return converted
}
