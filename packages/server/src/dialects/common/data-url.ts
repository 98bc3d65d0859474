import type { FilePart, ImagePart } from '@agentkit/core'
import { mediaTypeOf, unknownType } from './media-types.ts'

/**
 * The content of a data URL with base64. An address would be read by the model's provider, or by this server, for any
 * client that sends it.
 * @returns `undefined` for any other URL
 */
export function readDataURL(url: string): { base64: string; mediaType: string } | undefined {
  const comma = url.indexOf(',')
  const head = /^data:([^;,]*)[^,]*;base64$/i.exec(url.slice(0, Math.min(Math.max(comma, 0), 300)))
  const base64 = url.slice(comma + 1)
  return head && isBase64(base64) ? { base64, mediaType: head[1] ?? '' } : undefined
}

/** Whether a text has the letters of base64 only, and at least one: an agent refuses a file without content. */
export function isBase64(text: string): boolean {
  return text !== '' && !/[^\w+/=-]/.test(text)
}

/**
 * An image, or a file with its name. Browsers do not know the types of many files, such as of Markdown: the name decides
 * then.
 */
export function filePart(base64: string, sentType: unknown, sentName?: unknown): ImagePart | FilePart {
  const name = typeof sentName === 'string' ? sentName : ''
  const isKnown = typeof sentType === 'string' && sentType !== '' && sentType !== unknownType
  const mediaType = isKnown ? sentType : mediaTypeOf(name).type
  if (mediaType.startsWith('image/')) return { type: 'image', base64, mediaType }
  return { type: 'file', base64, mediaType, ...(name !== '' && { name }) }
}
