import type { Message, TextPart, ToolMessage, UserMessage, UserPart } from '@agentkit/core'
import { fileName, hasNonWebURL, isTextType, type MediaPart, mediaSource } from './media.ts'
import { plainMedia } from './plain-media.ts'
import { partsOf } from './text.ts'

/**
 * A conversation as a model can read it: images and files in their plain form; text files as text where the model takes
 * no such files; in place of any other part a line of text that names it, with one warning for each kind. Messages that
 * need no change stay the same objects.
 *
 * @param reads whether the model takes a part, which is in its plain form
 */
export function readableMessages(
  messages: readonly Message[],
  reads: (part: MediaPart) => boolean,
  model: string,
  warnings: string[],
): Message[] {
  const reasons = new Set<string>()
  const converted = messages.map((message) => {
    if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message
    if (message.content.every(({ type }) => type === 'text')) return message
    const parts = partsOf<UserPart>(message.content).map((part) => readablePart(part, reads, model))
    for (const { omitted } of parts) if (omitted !== undefined) reasons.add(omitted)
    return parts.every(({ how }) => how === 'same') ? message : replaced(message, parts)
  })
  warnings.push(...reasons)
  return converted
}

/** A part as it is sent, how it was converted, and why it was omitted. */
type Readable = { part: UserPart; how: 'same' | 'plain' | 'text' | 'line'; omitted?: string }

function readablePart(part: UserPart, reads: (part: MediaPart) => boolean, model: string): Readable {
  if (part.type === 'text') return { part, how: 'same' }
  const plain = plainMedia(part)
  if (plain && reads(plain)) return { part: plain, how: plain === part ? 'same' : 'plain' }
  if (plain?.base64 !== undefined && isTextType(plain.mediaType ?? '')) {
    const text = Buffer.from(plain.base64, 'base64').toString('utf8')
    return { part: { type: 'text', text: `[file "${nameOf(part)}"]\n${text}` }, how: 'text' }
  }
  const omitted = `${reason(part, plain, reads, model)}: a line of text says that one was there.`
  return { part: lineFor(part), how: 'line', omitted }
}

function reason(
  part: MediaPart,
  plain: MediaPart | undefined,
  reads: (part: MediaPart) => boolean,
  model: string,
): string {
  if (!plain) {
    return `An ${part.type === 'image' ? 'image' : 'attached file'} has neither data nor an address on the web`
  }
  if (hasNonWebURL(plain)) return `"${model}" reads no ${plain.type} at such an address`
  if (plain.type === 'image' && !reads(ordinaryImage)) return `"${model}" does not read images`
  const { url, mediaType } = mediaSource(plain)
  return `"${model}" does not read ${plain.type}s ${url === undefined ? `of type "${mediaType}"` : 'at such an address'}`
}

/** A model that does not read this one reads no images. */
const ordinaryImage: MediaPart = { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' }

function lineFor(part: MediaPart): TextPart {
  const place = part.url === undefined || part.url.startsWith('data:') ? '' : ` at ${part.url}`
  const what = part.type === 'file' ? `file "${nameOf(part)}"` : 'image'
  return { type: 'text', text: `[${what}${place} left out]` }
}

function nameOf(part: MediaPart): string {
  return part.type === 'file' ? fileName({ ...part, mediaType: part.mediaType ?? '' }) : 'image'
}

/** Copies of frozen messages, by how their parts were converted. */
const replacements = new WeakMap<Message, Map<string, Message>>()

/** The copy of a frozen message is kept and frozen too, so that `convertConversation` recognizes it. */
function replaced(message: UserMessage | ToolMessage, parts: readonly Readable[]): Message {
  const content = parts.map(({ part }) => part)
  // A tool message holds no files, and the conversion of an image makes none.
  const copy = { ...message, content } as Message
  if (!Object.isFrozen(message)) return copy
  const outcome = parts.map(({ how }) => how).join()
  const known = replacements.get(message) ?? new Map<string, Message>()
  const replacement = known.get(outcome) ?? Object.freeze(copy)
  replacements.set(message, known.set(outcome, replacement))
  return replacement
}
