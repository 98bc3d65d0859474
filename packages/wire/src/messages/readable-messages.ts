import type { FilePart, ImagePart, Message, TextPart, ToolMessage, UserMessage, UserPart } from '@agentkit/core'
import { fileName, isImage } from './media.ts'
import { plainMedia, textOfFile } from './plain-media.ts'
import { partsOf } from './text.ts'

/**
 * A conversation as a model can read it: images and files in their plain form, files of text as text where files are not
 * taken, and of anything else that is not read a line of text that says that it was there, with one warning for each
 * kind. Messages that are so already stay the very same objects.
 *
 * @param reads whether the model takes a part, which is in its plain form; what is unknown is taken to be read
 */
export function readableMessages(
  messages: readonly Message[],
  reads: (part: ImagePart | FilePart) => boolean,
  model: string,
  warnings: string[],
): Message[] {
  const unread = new Set<string>()
  const converted = messages.map((message) => {
    if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message
    if (message.content.every(({ type }) => type === 'text')) return message
    const parts = partsOf<UserPart>(message.content).map((part) => readablePart(part, reads, model))
    for (const { why } of parts) if (why !== undefined) unread.add(why)
    return parts.every(({ how }) => how === 'same') ? message : replaced(message, parts)
  })
  warnings.push(...unread)
  return converted
}

/** Whether it is an image in one of the formats that every model reads which sees. */
export function isCommonImage(part: ImagePart | FilePart): boolean {
  return isImage(part) && (part.mediaType === undefined || commonImages.test(part.mediaType)) && !hasNonWebURL(part)
}

/** Whether it lies where only its owner can fetch it. */
export function hasNonWebURL({ url }: ImagePart | FilePart): boolean {
  return url !== undefined && !/^https?:/i.test(url)
}

const commonImages = /^image\/(?:png|jpeg|gif|webp)$/

/** A part as it is sent, what became of it, and why it was left out. */
type Readable = { part: UserPart; how: 'same' | 'plain' | 'text' | 'line'; why?: string }

function readablePart(part: UserPart, reads: (part: ImagePart | FilePart) => boolean, model: string): Readable {
  if (part.type === 'text') return { part, how: 'same' }
  const plain = plainMedia(part)
  if (plain && reads(plain)) return { part: plain, how: plain === part ? 'same' : 'plain' }
  const text = plain && textOfFile(plain)
  if (text !== undefined) return { part: { type: 'text', text: `[file "${nameOf(part)}"]\n${text}` }, how: 'text' }
  return {
    part: lineFor(part),
    how: 'line',
    why: `${reason(part, plain, model)}: a line of text says that one was there.`,
  }
}

function reason(part: ImagePart | FilePart, plain: ImagePart | FilePart | undefined, model: string): string {
  if (!plain)
    return `An ${part.type === 'image' ? 'image' : 'attached file'} has neither data nor an address on the web`
  if (hasNonWebURL(plain)) return `"${model}" reads no ${part.type} at such an address`
  const isOdd = plain.mediaType !== undefined && !(isImage(plain) && commonImages.test(plain.mediaType))
  return `"${model}" does not read ${part.type}s${isOdd ? ` of type "${plain.mediaType}"` : ''}`
}

function lineFor(part: ImagePart | FilePart): TextPart {
  const place = part.url === undefined || part.url.startsWith('data:') ? '' : ` at ${part.url}`
  const what = part.type === 'file' ? `file "${nameOf(part)}"` : 'image'
  return { type: 'text', text: `[${what}${place} left out]` }
}

function nameOf(part: ImagePart | FilePart): string {
  return part.type === 'file' ? fileName({ ...part, mediaType: part.mediaType ?? '' }) : 'image'
}

/** By the message, and what has become of its parts. */
const replacements = new WeakMap<Message, Map<string, Message>>()

/** Of a message that nobody can change the copy is kept, and frozen: `convertConversation` knows it again. */
function replaced(message: UserMessage | ToolMessage, parts: readonly Readable[]): Message {
  const content = parts.map(({ part }) => part)
  // What a tool gives holds no files, and what becomes of its parts is none either.
  const copy = { ...message, content } as Message
  if (!Object.isFrozen(message)) return copy
  const outcome = parts.map(({ how }) => how).join()
  const known = replacements.get(message) ?? new Map<string, Message>()
  const replacement = known.get(outcome) ?? Object.freeze(copy)
  replacements.set(message, known.set(outcome, replacement))
  return replacement
}
