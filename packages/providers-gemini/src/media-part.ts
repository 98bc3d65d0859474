import { isTextType, type MediaPart, mediaSource } from '@agentkit/wire'
import type { Part } from '@google/genai'
import type { GeminiTraits } from './gemini-traits.ts'

/** Whether Gemini takes a part, which is in its plain form. */
export function readsPart(part: MediaPart, { readsAddresses }: GeminiTraits): boolean {
  if (!readable.test(mimeTypeOf(part))) return false
  const { url } = mediaSource(part)
  return url === undefined || (readsAddresses ? publicAddress : googleAddress).test(url)
}

const readable = /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|(?:audio|video|text)\/.+)$/

/** The addresses that Gemini fetches itself. */
const publicAddress = /^(?:https|gs):\/\//
const googleAddress =
  /^(?:gs:\/\/|https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\/)/

/** An image or a file that Gemini takes, as a part of its own. */
export function mediaPart(part: MediaPart): Part {
  return inlinePart(part) ?? { fileData: { fileUri: mediaSource(part).url ?? '', mimeType: mimeTypeOf(part) } }
}

/** A part that has its bytes with it; `undefined` for one that has an address. */
export function inlinePart(part: MediaPart): { inlineData: { mimeType: string; data: string } } | undefined {
  const { base64 } = mediaSource(part)
  return base64 === undefined ? undefined : { inlineData: { mimeType: mimeTypeOf(part), data: base64 } }
}

/** Gemini refuses text under the names of its formats. */
function mimeTypeOf(part: MediaPart): string {
  const { mediaType, url = '' } = mediaSource(part)
  if (mediaType === undefined) return imageTypeOf(url)
  return isTextType(mediaType) && !mediaType.startsWith('text/') ? 'text/plain' : mediaType
}

function imageTypeOf(url: string): string {
  const extension = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''
  return imageTypes.has(extension) ? `image/${extension}` : 'image/jpeg'
}

const imageTypes: ReadonlySet<string> = new Set(['png', 'webp', 'heic', 'heif', 'gif'])
