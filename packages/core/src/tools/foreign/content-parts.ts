import type { ImagePart, TextPart } from '../../data/message.ts'
import { toBase64 } from '../../util/text/to-base64.ts'

/** What a model can read in the result of a tool. */
export type ContentPart = TextPart | ImagePart

export function textPart(text: string): TextPart {
  return { type: 'text', text }
}

/** An image, or a sentence in place of a file that the result of a tool cannot hold. */
export function mediaPart(source: unknown, mediaType: string | undefined, name?: unknown): ContentPart {
  const media = mediaOf(source, mediaType)
  if (media && isImage(media.mediaType ?? mediaType)) return { type: 'image', ...media }
  return missingFile(mediaType, name)
}

/** An image of base64 (bytes or text), of a `data:` URL or of another URL. */
export function imagePart(source: unknown, mediaType?: string): ContentPart {
  const media = mediaOf(source, mediaType)
  return media ? { type: 'image', ...media } : missingFile(mediaType ?? 'image')
}

/** The text shows the model that content is missing, so that it can request it in another way. */
export function missingFile(mediaType: string | undefined, name?: unknown): TextPart {
  const named = typeof name === 'string' ? ` named "${name}"` : ''
  return textPart(`[A file${named} of the type ${mediaType ?? 'unknown'}: a tool's result holds text and images only.]`)
}

type Media = { base64: string; mediaType?: string } | { url: string; mediaType?: string }

function mediaOf(source: unknown, mediaType: string | undefined): Media | undefined {
  const type = mediaType !== undefined && fullType.test(mediaType) ? { mediaType } : {}
  if (source instanceof Uint8Array) return { base64: toBase64(source), ...type }
  if (source instanceof ArrayBuffer) return { base64: toBase64(new Uint8Array(source)), ...type }
  const text = source instanceof URL ? source.href : source
  if (typeof text !== 'string' || text === '') return undefined
  const [, dataType, base64] = /^data:([^;,]+)(?:;[^;,]+)*;base64,(.*)$/s.exec(text) ?? []
  if (dataType !== undefined && base64 !== undefined) return { base64, mediaType: dataType }
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? { url: text, ...type } : { base64: text, ...type }
}

/** `image` and `image/*` name a kind, which providers do not accept as a type. */
const fullType = /^[^/*]+\/[^/*]+$/

function isImage(mediaType: string | undefined): boolean {
  return /^image(\/|$)/.test(mediaType ?? '')
}
