import type { FilePart, ImagePart } from '@agentkit/core'

/** An image as a URL: the one it has, or its bytes. `undefined` when it has neither. */
export function imageUrl({ url, base64, mediaType }: ImagePart): string | undefined {
  if (url !== undefined) return url
  return base64 === undefined ? undefined : dataUrl(base64, mediaType ?? imageType(base64))
}

/** A file's bytes as a URL; `undefined` when it has only an address. */
export function fileData({ base64, mediaType }: FilePart): string | undefined {
  return base64 === undefined ? undefined : dataUrl(base64, mediaType)
}

/** Whether a part is an image, also where it came as a file. */
export function isImage(part: ImagePart | FilePart): boolean {
  return part.type === 'image' || part.mediaType.startsWith('image/')
}

/** A file's name, made of its type where it has none. */
export function fileName({ name, mediaType }: FilePart): string {
  return name ?? `file.${extensions.get(mediaType) ?? mediaType.split(/[/+;]/)[1] ?? 'bin'}`
}

function dataUrl(base64: string, mediaType: string): string {
  return base64.startsWith('data:') ? base64 : `data:${mediaType};base64,${base64}`
}

/** The first bytes of each format, as base64. */
const imageTypes = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const

/** What kind of image its bytes are, where they tell. */
export function seenImageType(base64: string): ImageType | undefined {
  return imageTypes.find(([start]) => base64.startsWith(start))?.[1]
}

/** What kind of image its bytes are; PNG where they do not tell. */
export function imageType(base64: string): ImageType {
  return seenImageType(base64) ?? 'image/png'
}

type ImageType = (typeof imageTypes)[number][1]

const extensions = new Map([
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])
