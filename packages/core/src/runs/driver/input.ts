import { invalidArgument } from '../../data/errors.ts'
import type { FilePart, ImagePart, InputPart, UserMessage, UserPart } from '../../data/message.ts'
import { messageProblem } from '../../data/message-problem.ts'
import { foreignInput } from '../../util/options/foreign-values.ts'
import { toBase64 } from '../../util/text/to-base64.ts'

/**
 * Converts the input of `chat()` or `stream()` to a message of plain JSON.
 * @throws AgentKitError `invalid-argument` for an empty message or a part that has neither data nor URL
 */
export function toUserMessage(input: string | InputPart[]): UserMessage {
  const foreign = foreignInput(input)
  if (foreign !== undefined) throw invalidArgument(foreign)
  const content = typeof input === 'string' ? input : Array.isArray(input) ? input.map(toUserPart) : []
  if (isEmpty(content)) throw invalidArgument('The message is empty. Pass some text, or a list of parts.')
  const message: UserMessage = { v: 1, role: 'user', content }
  const problem = messageProblem(message)
  if (problem !== undefined) throw invalidArgument(`The message cannot be used: ${problem}.`)
  return message
}

function isEmpty(content: string | UserPart[]): boolean {
  if (typeof content === 'string') return content.trim() === ''
  return content.every((part) => part.type === 'text' && part.text.trim() === '')
}

function toUserPart(part: InputPart): UserPart {
  switch (part?.type) {
    case 'text':
      if (typeof part.text !== 'string') throw invalidArgument('A text part needs `text`.')
      return { type: 'text', text: part.text }
    case 'image':
      return toImagePart(part)
    case 'file':
      return toFilePart(part)
    default:
      throw invalidArgument(`A part is an object of \`type\` "text", "image" or "file"${otherType(part)}.`)
  }
}

/** What the `type` of a part is, as of one that is written for the API of a provider. */
function otherType(part: { type?: unknown } | undefined): string {
  return typeof part?.type === 'string' ? `, not "${part.type.slice(0, 40)}"` : ''
}

/** A part of any kind, before it is checked. */
type GivenPart = {
  type: string
  data?: Uint8Array | URL
  base64?: string
  url?: string
  mediaType?: string
  name?: string
}

function toImagePart(part: GivenPart): ImagePart {
  const mediaType = part.mediaType ?? sniffType(part, imageSignatures)
  return { type: 'image', ...sourceOf(part), ...(mediaType === undefined ? {} : { mediaType }) }
}

function toFilePart(part: GivenPart): FilePart {
  const { mediaType = sniffType(part, fileSignatures), name } = part
  if (!mediaType) throw invalidArgument('A part of type "file" needs `mediaType`, such as "application/pdf".')
  return { type: 'file', ...sourceOf(part), mediaType, ...(name === undefined ? {} : { name }) }
}

function sourceOf({ type, data, base64, url }: GivenPart): { base64: string } | { url: string } {
  const given = [data, base64, url].filter((source) => source !== undefined)
  if (given.length === 1) {
    if (data instanceof Uint8Array && data.length > 0) return { base64: toBase64(data) }
    if (data instanceof URL) return { url: data.href }
    if (typeof base64 === 'string' && base64 !== '') return { base64 }
    if (typeof url === 'string' && url !== '') return { url }
    if (typeof data === 'string') {
      throw invalidArgument(
        `A part of type "${type}" has a text as \`data\`, which takes bytes or a URL: pass the text as \`base64\` or \`url\`, or what readFile() gives.`,
      )
    }
    if (data instanceof Uint8Array) throw invalidArgument(`The \`data\` of a part of type "${type}" has no bytes.`)
  }
  throw invalidArgument(
    `A part of type "${type}" needs exactly one of \`data\` (bytes or a URL), \`base64\` and \`url\`.`,
  )
}

type Signature = { mediaType: string; start: RegExp }

/** The first bytes of images. Providers require the type of an image. */
const imageSignatures: readonly Signature[] = [
  { mediaType: 'image/png', start: /^\x89PNG/ },
  { mediaType: 'image/jpeg', start: /^\xff\xd8\xff/ },
  { mediaType: 'image/gif', start: /^GIF8/ },
  { mediaType: 'image/webp', start: /^RIFF.{4}WEBP/s },
]

/** The first bytes of the files that all APIs with files accept. */
const fileSignatures: readonly Signature[] = [{ mediaType: 'application/pdf', start: /^%PDF-/ }]

function sniffType({ data }: GivenPart, signatures: readonly Signature[]): string | undefined {
  if (!(data instanceof Uint8Array)) return undefined
  const start = String.fromCharCode(...data.subarray(0, 12))
  return signatures.find((signature) => signature.start.test(start))?.mediaType
}
