import type { FilePart, ImagePart, UserPart } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import { imageType, isBlank, wellFormed } from '@agentkit/wire'
import type { DocumentBlockParam, ImageBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages'

export type MediaBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam

/** What a user or a tool gives, as blocks. Of what Claude does not read a line of text says that it was there. */
export function userBlocks(parts: readonly UserPart[], warnings: string[]): MediaBlock[] {
  return parts.flatMap((part) => {
    switch (part.type) {
      case 'text':
        return textBlocks(part.text)
      case 'image':
        return [imageBlock(part, warnings)]
      case 'file':
        return fileBlocks(part, warnings)
      default:
        return assertNever(part)
    }
  })
}

/** The API refuses text that is empty or white. */
function textBlocks(text: string): TextBlockParam[] {
  return isBlank(text) ? [] : [{ type: 'text', text: wellFormed(text) }]
}

function imageBlock(part: ImagePart, warnings: string[]): MediaBlock {
  const { url, bytes } = sourceOf(part)
  if (url !== undefined) return { type: 'image', source: { type: 'url', url } }
  const type = bytes?.mediaType ?? imageType(bytes?.data ?? '')
  if (bytes && isImageType(type)) {
    return { type: 'image', source: { type: 'base64', media_type: type, data: bytes.data } }
  }
  warnings.push(
    bytes
      ? `Claude does not read images of type "${type}": a line of text says that one was there.`
      : 'An image without data and address was left out.',
  )
  return { type: 'text', text: '[image left out]' }
}

function fileBlocks(part: FilePart, warnings: string[]): MediaBlock[] {
  const mediaType = part.mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (mediaType.startsWith('image/')) return [imageBlock({ ...part, type: 'image', mediaType }, warnings)]
  const { url, bytes } = sourceOf(part)
  const title = part.name === undefined || isBlank(part.name) ? {} : { title: wellFormed(part.name) }
  if (mediaType === 'application/pdf') {
    if (url !== undefined) return [{ type: 'document', source: { type: 'url', url }, ...title }]
    if (bytes) {
      const source = { type: 'base64', media_type: 'application/pdf', data: bytes.data } as const
      return [{ type: 'document', source, ...title }]
    }
  } else if (bytes && isTextType(mediaType)) {
    const data = Buffer.from(bytes.data, 'base64').toString('utf8')
    if (isBlank(data)) return [{ type: 'text', text: `[file ${called(part)} is empty]` }]
    return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title }]
  }
  return [fileLine(part, url, warnings)]
}

function fileLine(part: FilePart, url: string | undefined, warnings: string[]): TextBlockParam {
  if (url !== undefined) {
    warnings.push(`Claude takes only PDFs by address: of the file ${called(part)} only its address was sent.`)
    return { type: 'text', text: `[file ${called(part)} at ${url}]` }
  }
  warnings.push(
    part.base64 === undefined
      ? `The file ${called(part)} has no data and no address, and was left out.`
      : `Claude does not read files of type "${part.mediaType}": a line of text says that one was there.`,
  )
  return { type: 'text', text: `[file ${called(part)} left out]` }
}

function called({ name, mediaType }: FilePart): string {
  return wellFormed(JSON.stringify(name ?? mediaType))
}

type Source = { url?: string; bytes?: { data: string; mediaType?: string } }

/** Data may come as a `data:` URL in either place. */
function sourceOf({ url, base64, mediaType }: ImagePart | FilePart): Source {
  const [, embeddedType, embedded] = dataUrl.exec(base64 ?? url ?? '') ?? []
  const type = (embeddedType || mediaType)?.toLowerCase().replace(/^image\/jpg$/, 'image/jpeg')
  const data = embedded ?? base64
  if (data !== undefined) return { bytes: { data, ...(type && { mediaType: type }) } }
  return url !== undefined && /^https?:/i.test(url) ? { url } : {}
}

const dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

const imageTypes: ReadonlySet<string> = new Set<ImageType>(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function isImageType(type: string): type is ImageType {
  return imageTypes.has(type)
}

function isTextType(mediaType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|csv|sql|x-ndjson|x-sh)$/.test(mediaType)
}
