import type { FilePart, ImagePart, Message, TextPart, ToolMessage, UserMessage, UserPart } from '@agentkit/core'
import { fileName } from './media.ts'
import { partsOf } from './text.ts'

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
): Message[] {
  const unread = new Set<'image' | 'file'>()
  const converted = messages.map((message) => {
    if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message
    const leftOut = message.content.filter((part) => part.type !== 'text' && !reads(part))
    if (leftOut.length === 0) return message
    for (const part of leftOut) if (part.type !== 'text') unread.add(part.type)
    return without(leftOut, message)
  })
  for (const kind of unread) warnings.push(`"${model}" does not read ${kind}s: a line of text says that one was there.`)
  return converted
}

/** By the message, and the places in it of what is left out. */
const replacements = new WeakMap<Message, Map<string, Message>>()

/** Of a message that nobody can change the copy is kept, and frozen: `convertConversation` knows it again. */
function without(leftOut: readonly UserPart[], message: UserMessage | ToolMessage): Message {
  if (!Object.isFrozen(message)) return replaced(message, leftOut)
  const places = partsOf<UserPart>(message.content)
    .map((part) => (leftOut.includes(part) ? 1 : 0))
    .join('')
  const known = replacements.get(message) ?? new Map<string, Message>()
  const replacement = known.get(places) ?? Object.freeze(replaced(message, leftOut))
  replacements.set(message, known.set(places, replacement))
  return replacement
}

function replaced(message: UserMessage | ToolMessage, leftOut: readonly UserPart[]): Message {
  const line = <Part extends UserPart>(part: Part): Part | TextPart => (leftOut.includes(part) ? lineFor(part) : part)
  if (message.role === 'user') return { ...message, content: partsOf(message.content).map(line) }
  return { ...message, content: partsOf(message.content).map(line) }
}

function lineFor(part: UserPart): TextPart {
  return { type: 'text', text: part.type === 'file' ? `[file "${fileName(part)}" left out]` : '[image left out]' }
}
