import { imageType, isTextType, type MediaPart } from './media.ts'

/**
 * A part in its plain form: bytes as standard base64 with their media type, or an address on the web; an image is an
 * image part, also where it came as a file. Users, browsers and other libraries write media in many ways, and each API
 * refuses some.
 *
 * @returns the same object if the part is plain already; `undefined` for a part without content
 */
export function plainMedia(part: MediaPart): MediaPart | undefined {
  if (!Object.isFrozen(part)) return toPlain(part)
  // Megabytes are scanned once, however often the conversation is sent.
  if (!known.has(part)) known.set(part, toPlain(part))
  return known.get(part)
}

const known = new WeakMap<MediaPart, MediaPart | undefined>()

function toPlain(part: MediaPart): MediaPart | undefined {
  const { url, base64 } = part
  const embedded = embeddedIn(base64) ?? embeddedIn(url)
  const bytes = standardBase64(embedded?.base64 ?? base64)
  if (bytes !== undefined) return withBytes(part, bytes, embedded?.mediaType)
  if (url === undefined || !webAddress.test(url)) return undefined
  if (part.type === 'image') return part
  if (part.mediaType?.startsWith('image/')) return { type: 'image', url, mediaType: part.mediaType }
  return part.mediaType === undefined ? { ...part, mediaType: unknownType } : part
}

const webAddress = /^(?:https?|gs):\/\//i
const unknownType = 'application/octet-stream'

function withBytes(part: MediaPart, base64: string, embeddedType: string | undefined): MediaPart {
  const declared = (embeddedType || part.mediaType)?.split(';')[0]?.trim().toLowerCase()
  const { url, ...rest } = part
  const isBytes = part.base64 === base64 && url === undefined
  if (part.type === 'image' || declared?.startsWith('image/')) {
    // The first bytes are right where the declared type is not: a camera's "image/jpg", a browser's "image/*".
    const mediaType = imageType(base64) ?? specificType(declared) ?? 'image/png'
    const isTyped = part.mediaType === mediaType || part.mediaType === undefined
    return part.type === 'image' && isBytes && isTyped ? part : { type: 'image', base64, mediaType }
  }
  const mediaType = declared ?? unknownType
  const bytes = isTextType(mediaType) ? inUTF8(base64) : base64
  return isBytes && bytes === base64 && part.mediaType === mediaType ? part : { ...rest, base64: bytes, mediaType }
}

/** Text in UTF-16, as some programs of Windows write it, in the encoding that every model reads. */
function inUTF8(base64: string): string {
  const encoding = /^\/\/[4-7]/.test(base64) ? 'utf-16le' : /^\/v[89+/]/.test(base64) ? 'utf-16be' : undefined
  if (encoding === undefined) return base64
  return Buffer.from(new TextDecoder(encoding).decode(Buffer.from(base64, 'base64'))).toString('base64')
}

/** `undefined` for a type that says only that it is an image. */
function specificType(mediaType: string | undefined): string | undefined {
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

/** Base64 in the alphabet that every API takes, without line breaks; `undefined` for an empty or invalid text. */
function standardBase64(text: string | undefined): string | undefined {
  if (!text) return undefined
  const end = text.search(foreign)
  if (text.length % 4 === 0 && (end === -1 || isPadding(text, end))) return text
  const standard = text
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/(?<!=)=+$/, '')
  // One character beyond groups of four is not a byte.
  if (standard === '' || standard.length % 4 === 1 || foreign.test(standard)) return undefined
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')
}

/** A search for one such character: a pattern of the whole text is slow on megabytes. */
const foreign = /[^A-Za-z0-9+/]/

function isPadding(text: string, from: number): boolean {
  const rest = text.slice(from, from + 3)
  return rest === '=' || rest === '=='
}
