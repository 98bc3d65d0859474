import type { FilePart, ImagePart, UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import {
  hasNonWebURL,
  isBlank,
  isCommonImage,
  isTextType,
  type MediaPart,
  mediaSource,
  wellFormed,
} from '@agentkit/wire'
import type { DocumentBlockParam, ImageBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages'

export type MediaBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam

/** Whether Claude takes a part, which is in its plain form: of files only PDFs by address, and no address without TLS. */
export function readsPart(part: MediaPart): boolean {
  if (hasNonWebURL(part)) return false
  const { base64, mediaType, url } = mediaSource(part)
  if (base64 === undefined && !/^https:/i.test(url)) return false
  if (part.type === 'image') return base64 === undefined || isCommonImage(part)
  return mediaType === pdf || (base64 !== undefined && isTextType(mediaType))
}

const pdf = 'application/pdf'

/** The parts of a user's message or a tool's result as blocks; media are in their plain form. */
export function userBlocks(parts: readonly UserPart[]): MediaBlock[] {
  return parts.flatMap((part) => {
    switch (part.type) {
      case 'text':
        return textBlocks(part.text)
      case 'image':
        return imageBlock(part)
      case 'file':
        return fileBlock(part)
      default:
        return assertNever(part)
    }
  })
}

/** The API refuses empty and blank text. */
function textBlocks(text: string): TextBlockParam[] {
  return isBlank(text) ? [] : [{ type: 'text', text: wellFormed(text) }]
}

function imageBlock(part: ImagePart): ImageBlockParam {
  const { base64, mediaType, url } = mediaSource(part)
  if (base64 === undefined) return { type: 'image', source: { type: 'url', url } }
  // `readsPart` lets these types pass alone.
  const media_type = mediaType as 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
  return { type: 'image', source: { type: 'base64', media_type, data: base64 } }
}

function fileBlock(part: FilePart): DocumentBlockParam | TextBlockParam {
  const { base64, mediaType, url } = mediaSource(part)
  const { name } = part
  const title = name === undefined || isBlank(name) ? {} : { title: wellFormed(name) }
  if (base64 === undefined) return { type: 'document', source: { type: 'url', url }, ...title }
  if (mediaType === pdf) {
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data: base64 }, ...title }
  }
  const data = Buffer.from(base64, 'base64').toString('utf8')
  if (isBlank(data)) return { type: 'text', text: `[file ${wellFormed(JSON.stringify(name ?? mediaType))} is empty]` }
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title }
}
