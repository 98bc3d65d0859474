import { messageOf } from '../../data/errors.ts'
import { type ContentPart, imagePart, mediaPart, missingFile, textPart } from './content-parts.ts'
import type { Fields } from './foreign-tool.ts'

/**
 * What `toModelOutput` of an AI SDK tool returns, as the result of a tool of agentkit.
 * @throws Error for an output that is an error
 */
export function fromModelOutput(output: unknown): unknown {
  const { type, value, reason } = Object(output) as Fields
  switch (type) {
    case 'text':
    case 'json':
      return value
    case 'content':
      return Array.isArray(value) ? value.map(contentPart) : value
    case 'error-text':
      throw new Error(String(value))
    case 'error-json':
      throw new Error(JSON.stringify(value) ?? 'The tool failed.')
    case 'execution-denied':
      throw new Error(`The call was denied: ${messageOf(reason) || 'no reason was given.'}`)
    default:
      throw new Error(`The tool's toModelOutput returned an output of the unknown type ${JSON.stringify(type)}.`)
  }
}

function contentPart(item: unknown): ContentPart {
  const part = Object(item) as Fields & { mediaType?: string }
  const { type, mediaType, data, url, filename } = part
  switch (type) {
    case 'text':
      return textPart(String(part.text))
    case 'image-data':
      return imagePart(data, mediaType)
    case 'image-url':
      return imagePart(url, mediaType)
    case 'media':
    case 'file-data':
      return mediaPart(data, mediaType, filename)
    case 'file-url':
      return mediaPart(url, mediaType, filename)
    case 'file':
      return filePart(Object(data), mediaType, filename)
    default:
      // Ids of files that one provider stores, and parts that one provider defines.
      return missingFile(mediaType ?? String(type), filename)
  }
}

function filePart(data: Fields, mediaType: string | undefined, filename: unknown): ContentPart {
  switch (data.type) {
    case 'text':
      return textPart(String(data.text))
    case 'data':
      return mediaPart(data.data, mediaType, filename)
    case 'url':
      return mediaPart(data.url, mediaType, filename)
    default:
      return missingFile(mediaType, filename)
  }
}
