import { AgentKitError, type ImagePart, type TextPart } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'

type Part = TextPart | ImagePart

/**
 * The result of a call for the model: text, parts with images, or the structured content.
 * @param notes sentences that the result ends with
 * @param secrets texts to redact from an error
 * @throws AgentKitError `tool-error` for a result that the server marks as an error
 */
export function toResult(result: CallToolResult, notes: readonly string[], secrets: readonly string[] = []): unknown {
  const { content = [], structuredContent, isError } = result
  const parts = content.slice(0, limits.blocks).map(partOf)
  if (content.length > parts.length) parts.push(textPart(`[${content.length - parts.length} more parts are left out]`))
  const text = joinTexts(parts)
  if (isError) {
    const reason = text || (structuredContent === undefined ? 'The tool failed.' : JSON.stringify(structuredContent))
    // Redacted before an error cuts it, because half a key is not recognized as one; not the megabytes that it drops.
    const clean = redactSecrets(reason.slice(0, limits.failureChars * 2), secrets)
    throw new AgentKitError('tool-error', [clean, ...notes].join('\n'))
  }
  const isText = parts.every((part) => part.type === 'text')
  if (structuredContent !== undefined) {
    const isRepeated = isText && (text.trim() === '' || isSameJSON(text, structuredContent))
    if (isRepeated && notes.length === 0) return structuredContent
    if (isRepeated) parts.length = 0
    parts.push(textPart(JSON.stringify(structuredContent)))
  }
  parts.push(...notes.map(textPart))
  return isText ? joinTexts(parts) || undefined : parts
}

function joinTexts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? part.text : [])).join('\n')
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return textPart(block.text)
    case 'image':
      return block.mimeType.startsWith('image/')
        ? { type: 'image', base64: block.data, mediaType: block.mimeType }
        : textPart(`[${block.mimeType}, ${bytesOf(block.data)} bytes, as an image]`)
    case 'audio':
      return textPart(`[audio, ${block.mimeType}, ${bytesOf(block.data)} bytes]`)
    case 'resource_link':
      return textPart(
        [`[resource ${block.uri}]`, block.title ?? block.name, block.description].filter(Boolean).join(' '),
      )
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return textPart(resource.text)
      const { uri, blob, mimeType = 'binary' } = resource
      // The model has no other way to read it.
      if (mimeType.startsWith('image/')) return { type: 'image', base64: blob, mediaType: mimeType }
      if (mimeType.startsWith('text/')) return textPart(Buffer.from(blob, 'base64').toString('utf8'))
      return textPart(`[resource ${uri}, ${mimeType}, ${bytesOf(blob)} bytes]`)
    }
    default:
      return textPart(`[content of the unknown type "${String((block as { type?: unknown }).type).slice(0, 64)}"]`)
  }
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4)
}

/** Servers repeat structured content as text, for older clients. */
function isSameJSON(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}
