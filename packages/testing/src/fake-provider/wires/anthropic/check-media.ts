import type { Fields } from '../wire-spec.ts'
import { fieldsAt, invalid, oneOfAt, refuseExtras, textAt, unexpectedTag } from './checks.ts'

/** The role of a block's message, and the version of the API. */
export type Speaker = { role: string; version: string }

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Rejects an image that the API rejects. */
export function checkImage(block: Fields, path: string): void {
  const source = fieldsAt(block.source, `${path}.source`)
  switch (source.type) {
    case 'base64':
      refuseExtras(source, ['type', 'media_type', 'data'], `${path}.source.base64`)
      oneOfAt(source.media_type, imageTypes, `${path}.source.base64.media_type`)
      checkBase64(source.data, `${path}.source.base64`)
      break
    case 'url':
      checkURL(source, `${path}.source.url`)
      break
    case 'file':
      textAt(source.file_id, `${path}.source.file.file_id`)
      break
    default:
      throw unexpectedTag(`${path}.source`, source.type, ['base64', 'file', 'url'])
  }
}

/** Rejects a document that the API rejects. */
export function checkDocument(block: Fields, path: string, { role, version }: Speaker): void {
  if (role === 'assistant' && version >= '2026-10-21') {
    throw invalid(path, '`document` blocks are not permitted in `assistant` messages')
  }
  const source = fieldsAt(block.source, `${path}.source`)
  switch (source.type) {
    case 'base64':
      oneOfAt(source.media_type, ['application/pdf'], `${path}.source.base64.media_type`)
      checkBase64(source.data, `${path}.source.base64`)
      break
    case 'text':
      oneOfAt(source.media_type, ['text/plain'], `${path}.source.text.media_type`)
      textAt(source.data, `${path}.source.text.data`)
      break
    case 'url':
      checkURL(source, `${path}.source.url`)
      break
    case 'file':
      textAt(source.file_id, `${path}.source.file.file_id`)
      break
    case 'content':
      break
    default:
      throw unexpectedTag(`${path}.source`, source.type, ['base64', 'content', 'file', 'text', 'url'])
  }
}

function checkBase64(data: unknown, path: string): void {
  const text = textAt(data, `${path}.data`)
  if (text === '') throw invalid(path, 'file cannot be empty')
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0) return
  throw invalid(`${path}.data`, 'Invalid base64 data')
}

function checkURL(source: Fields, path: string): void {
  refuseExtras(source, ['type', 'url'], path)
  if (!textAt(source.url, `${path}.url`).startsWith('https://')) {
    throw invalid(`${path}.url`, 'Only HTTPS URLs are supported.')
  }
}
