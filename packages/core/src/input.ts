import { AgentKitError } from './errors.ts'
import type { FilePart, ImagePart, InputPart, UserMessage, UserPart } from './message.ts'

/**
 * What a user passed to `chat()` or `stream()`, as a message of plain JSON.
 * @throws AgentKitError `invalid-argument` for an empty message or a part that has neither data nor URL
 */
export function toUserMessage(input: string | InputPart[]): UserMessage {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid('The message is empty. Pass some text.')
    return { v: 1, role: 'user', content: input }
  }
  if (!Array.isArray(input) || input.length === 0) throw invalid('The message is empty. Pass text or a list of parts.')
  return { v: 1, role: 'user', content: input.map(toUserPart) }
}

function toUserPart(part: InputPart): UserPart {
  if (part.type === 'text') {
    if (typeof part.text !== 'string') throw invalid('A text part needs `text`.')
    return part
  }
  if (part.type !== 'image' && part.type !== 'file') throw invalid('A part is of type "text", "image" or "file".')
  const { type, mediaType, name } = { name: undefined, ...part }
  const data = toData(part)
  const found = mediaType ?? (data.bytes && sniffImage(data.bytes))
  const source: { base64: string } | { url: string } = data.bytes ? { base64: toBase64(data.bytes) } : data.source
  if (type === 'image') {
    const image: ImagePart = { type, ...source }
    if (found !== undefined) image.mediaType = found
    return image
  }
  if (found === undefined) throw invalid('A file part needs `mediaType`, such as "application/pdf".')
  const file: FilePart = { type, ...source, mediaType: found }
  if (name !== undefined) file.name = name
  return file
}

type Data =
  | { bytes: Uint8Array; source?: undefined }
  | { bytes?: undefined; source: { base64: string } | { url: string } }

function toData(part: Exclude<InputPart, { type: 'text' }>): Data {
  if ('data' in part && part.data !== undefined) {
    if (part.data instanceof Uint8Array) return { bytes: part.data }
    if (part.data instanceof URL) return { source: { url: part.data.href } }
    throw invalid(`An ${part.type} part's \`data\` is a Uint8Array or a URL.`)
  }
  const { base64, url } = part as { base64?: string; url?: string }
  if (typeof base64 === 'string' && url === undefined) return { source: { base64 } }
  if (typeof url === 'string' && base64 === undefined) return { source: { url } }
  throw invalid(`A part of type "${part.type}" needs exactly one of \`data\`, \`base64\` and \`url\`.`)
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** By the first bytes; providers refuse an image whose type they are not told. */
const imageSignatures: readonly (readonly [string, string])[] = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['52494646', 'image/webp'],
]

function sniffImage(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  return imageSignatures.find(([signature]) => start.startsWith(signature))?.[1]
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-argument', message)
}
