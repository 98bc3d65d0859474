import type { FilePart, ImagePart } from '@agentkit/core'
import { fileData, fileName, imageUrl } from '@agentkit/wire'
import type { Part } from '@google/genai'
import type { GeminiTraits } from './gemini-traits.ts'

/** An image or a file as Gemini takes it; what it cannot read becomes a line of text that says so, with a warning. */
export function mediaPart(part: ImagePart | FilePart, traits: GeminiTraits, warnings: string[]): Part {
  const inline = inlineData(part)
  if (inline) return readable.test(inline.mimeType) ? { inlineData: inline } : leftOut(part, inline.mimeType, warnings)
  const { url = '' } = part
  const mimeType = part.mediaType === undefined ? imageTypeOf(url) : readableType(part.mediaType)
  if (!readable.test(mimeType)) return leftOut(part, mimeType, warnings)
  const address = traits.readsAddresses ? publicAddress : googleAddress
  return address.test(url) ? { fileData: { fileUri: url, mimeType } } : leftOut(part, 'this address', warnings)
}

/** The bytes of a part that has them with it. */
export function inlineData(part: ImagePart | FilePart): { mimeType: string; data: string } | undefined {
  const source = part.type === 'image' ? imageUrl(part) : (fileData(part) ?? part.url)
  if (!source?.startsWith('data:')) return undefined
  const comma = source.indexOf(',')
  const mimeType = source.slice('data:'.length, comma).split(';')[0]
  return { mimeType: readableType(mimeType || part.mediaType || 'image/png'), data: source.slice(comma + 1) }
}

const readable = /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|(?:audio|video|text)\/.+)$/

/** What Gemini fetches itself. */
const publicAddress = /^(?:https|gs):\/\//
const googleAddress =
  /^(?:gs:\/\/|https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\/)/

/** Gemini refuses text under the names of its formats. */
function readableType(mediaType: string): string {
  if (mediaType === 'image/jpg') return 'image/jpeg'
  return textFormats.test(mediaType) ? 'text/plain' : mediaType
}

const textFormats =
  /^application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|x-ndjson|jsonl|[\w.-]+\+(?:json|xml|yaml))$/

function imageTypeOf(url: string): string {
  const extension = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''
  return imageTypes.has(extension) ? `image/${extension}` : 'image/jpeg'
}

const imageTypes: ReadonlySet<string> = new Set(['png', 'webp', 'heic', 'heif', 'gif'])

function leftOut(part: ImagePart | FilePart, what: string, warnings: string[]): Part {
  const name = part.type === 'file' ? `The file "${fileName(part)}"` : 'An image'
  warnings.push(`${name} was left out: Gemini does not read ${what}.`)
  const place = part.url === undefined || part.url.startsWith('data:') ? '' : ` at ${part.url}`
  return { text: part.type === 'file' ? `[file "${fileName(part)}"${place} left out]` : `[image${place} left out]` }
}
