import type { FilePart, ImagePart } from '@agentkit/core'

/** An image or a file of a message. */
export type MediaPart = ImagePart | FilePart

/** The content of a part: its bytes and their type, or its address on the web. */
export type MediaSource =
  | { base64: string; mediaType: string; url?: undefined }
  | { url: string; mediaType: string | undefined; base64?: undefined }

/** The content of a part in its plain form, which `readableMessages` gives. */
export function mediaSource({ base64, url = '', mediaType }: MediaPart): MediaSource {
  if (base64 === undefined) return { url, mediaType }
  return { base64, mediaType: mediaType ?? imageType(base64) ?? 'image/png' }
}

/** The content of a part in its plain form as one URL: its address, or its bytes as a `data:` URL. */
export function mediaURL(part: MediaPart): string {
  const { base64, mediaType, url } = mediaSource(part)
  return base64 === undefined ? url : `data:${mediaType};base64,${base64}`
}

/** A file's name; one without a name is named for its type. */
export function fileName({ name, mediaType }: FilePart): string {
  return name ?? `file.${extensions.get(mediaType) ?? mediaType.split(/[/+;]/)[1] ?? 'bin'}`
}

const extensions = new Map([
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])

/** The media type of an image by its first bytes; `undefined` for other formats. */
export function imageType(base64: string): string | undefined {
  return imageTypes.find(([start]) => base64.startsWith(start))?.[1]
}

/** The first bytes of each format, as base64. */
const imageTypes = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const

/** Whether a part in its plain form is an image in one of the formats that every model with vision reads. */
export function isCommonImage(part: MediaPart): boolean {
  if (part.type !== 'image' || hasNonWebURL(part)) return false
  return part.mediaType === undefined || commonImages.has(part.mediaType)
}

const commonImages: ReadonlySet<string> = new Set(imageTypes.map(([, mediaType]) => mediaType))

/** Whether a part has an address that only its owner can fetch, such as `gs://…`. */
export function hasNonWebURL({ url }: MediaPart): boolean {
  return url !== undefined && !/^https?:/i.test(url)
}

/** Whether a file of this type is text. SVG is an image. */
export function isTextType(mediaType: string): boolean {
  return textTypes.test(mediaType) && !mediaType.startsWith('image/')
}

const textTypes = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|typescript|csv|sql|x-ndjson|jsonl|x-sh)\b/i
