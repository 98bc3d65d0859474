import type { FilePart, ImagePart } from '@agentkit/core'
import { seenImageType } from './media.ts'

type MediaPart = ImagePart | FilePart

/**
 * A part in its plain form: bytes as standard base64 under a media type that they have, or an address on the web. Users,
 * browsers and other libraries write them in many ways, and each API refuses some.
 *
 * @returns the very same part where it is plain already; `undefined` where there is nothing to read
 */
export function plainMedia(part: MediaPart): MediaPart | undefined {
  if (!Object.isFrozen(part)) return madePlain(part)
  // Megabytes are looked through once, however often the conversation is sent.
  if (!known.has(part)) known.set(part, madePlain(part))
  return known.get(part)
}

const known = new WeakMap<MediaPart, MediaPart | undefined>()

function madePlain(part: MediaPart): MediaPart | undefined {
  const { url, base64 } = part
  const embedded = embeddedIn(base64) ?? embeddedIn(url)
  const bytes = standardBase64(embedded?.base64 ?? base64)
  if (bytes !== undefined) return withBytes(part, bytes, embedded?.mediaType)
  if (url === undefined || !webAddress.test(url)) return undefined
  return part.mediaType === undefined && part.type === 'file' ? { ...part, mediaType: unknownType } : part
}

/** The text of a file that is one: every model reads that, whatever files its API takes. */
export function textOfFile(part: MediaPart): string | undefined {
  const { base64, mediaType = '' } = part
  if (base64 === undefined || !textTypes.test(mediaType) || mediaType.startsWith('image/')) return undefined
  return Buffer.from(base64, 'base64').toString('utf8')
}

const webAddress = /^(?:https?|gs):\/\//i
const unknownType = 'application/octet-stream'
const textTypes = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|typescript|csv|sql|x-ndjson|jsonl|x-sh)\b/i

function withBytes(part: MediaPart, base64: string, embeddedType: string | undefined): MediaPart {
  const told = (embeddedType || part.mediaType)?.split(';')[0]?.trim().toLowerCase()
  const seen = seenImageType(base64)
  const isImage = part.type === 'image' || told?.startsWith('image/') === true
  // Of images the bytes know better: a camera's "image/jpg", a browser's "image/*".
  const mediaType = isImage ? (seen ?? vague(told) ?? 'image/png') : (told ?? unknownType)
  // A type that nobody told stays untold.
  const isSame =
    part.base64 === base64 && (part.mediaType === mediaType || (part.mediaType === undefined && part.type === 'image'))
  if (isSame) return part
  const { url: _url, ...rest } = part
  return { ...rest, base64, mediaType }
}

/** What says that it is an image, and not which. */
function vague(mediaType: string | undefined): string | undefined {
  return mediaType === 'image/*' || mediaType === 'image/' ? undefined : mediaType?.replace('image/jpg', 'image/jpeg')
}

type Embedded = { mediaType: string; base64: string }

function embeddedIn(address: string | undefined): Embedded | undefined {
  if (!address?.startsWith('data:')) return undefined
  const comma = address.indexOf(',')
  const [mediaType = '', ...parameters] = address.slice('data:'.length, comma).split(';')
  const data = address.slice(comma + 1)
  if (parameters.at(-1)?.trim().toLowerCase() === 'base64') return { mediaType, base64: data }
  return { mediaType: mediaType || 'text/plain', base64: Buffer.from(unescaped(data)).toString('base64') }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** In the one alphabet that all of them take, without line breaks; `undefined` for what is none, or empty. */
function standardBase64(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (text.length % 4 === 0 && !foreign.test(text)) return text
  const standard = text
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/(?<!=)=+$/, '')
  if (standard === '' || foreign.test(standard)) return undefined
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')
}

/** Looked for, rather than the whole described: images are megabytes long. */
const foreign = /[^A-Za-z0-9+/=]/
