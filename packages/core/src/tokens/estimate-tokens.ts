import type { ModelInfo, ModelRequest, ToolSpec } from '../contracts/model.ts'
import { assertNever } from '../data/errors.ts'
import type { AssistantPart, FilePart, JSONSchema, Message, Opaque, UserPart } from '../data/message.ts'
import { countPdfPages } from './pdf-pages.ts'
import { fillPairTables, longWord, pairCosts, scriptCosts, standIn, wordMasks } from './token-costs.ts'

/**
 * An upper estimate of the tokens of a text, for any tokenizer: 1.5 to 2 times what GPT counts for English and code,
 * more where tokenizers differ more. One pass, without allocation.
 */
export function estimateText(text: string): number {
  if (text === '') return 0
  fillPairTables()
  let hundredths = 0
  let before = newline
  let wordLength = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // The casts hold: both tables cover every index.
    if (code < 128) {
      const pair = (before << 7) | code
      // Masks instead of branches: the processor cannot predict where words end.
      wordLength = (wordLength + 1) & (wordMasks[pair] as number)
      const longMask = (longWord.letters - 1 - wordLength) >> 31
      hundredths += (pairCosts[pair] as number) + (longWord.letterCost & longMask)
      before = code
    } else {
      hundredths += scriptCosts[code >> 6] as number
      before = standIn(code)
      wordLength = 0
    }
  }
  return Math.ceil(hundredths / 100) + overheads.text
}

/** An upper estimate of the tokens of a message. Cached per message object, which must not change afterwards. */
export function estimateMessage(message: Message, info?: ModelInfo): number {
  let size = messageSizes.get(message)
  if (!size) {
    size = sizeOfMessage(message)
    messageSizes.set(message, size)
  }
  return size.tokens + size.images * (info?.imageTokens ?? defaultImageTokens)
}

/** An upper estimate of the tokens of a request: its messages, tools, output schema, and what providers add. */
export function estimateRequest(
  { messages, tools, output }: Pick<ModelRequest, 'messages' | 'tools' | 'output'>,
  info?: ModelInfo,
): number {
  let tokens = overheads.request
  for (const message of messages) tokens += estimateMessage(message, info)
  if (tools && tools.length > 0) tokens += estimateOnce(toolTokens, tools, estimateTools)
  if (output) tokens += estimateOnce(outputTokens, output, estimateOutput)
  return tokens
}

const newline = 10

/** The tokens of an image for which the provider package has no number: Claude's maximum. */
const defaultImageTokens = 5_000

/** The tokens of a PDF page: its text, and an image of the page. */
const pdfPageTokens = 4_000

/** The tokens of a file that only its provider reads: one for each byte, up to the limit of most providers. */
const mostFileTokens = 100_000

/** Tokens beside the content: roles, tags, templates, and the prompts that introduce tools. */
const overheads = {
  text: 3,
  message: 8,
  toolCall: 30,
  toolResult: 30,
  tool: 30,
  tools: 400,
  output: 300,
  request: 40,
}

/** Images are counted separately: their cost depends on the model. */
type Size = { tokens: number; images: number }

const messageSizes = new WeakMap<Message, Size>()
const toolTokens = new WeakMap<readonly ToolSpec[], number>()
const outputTokens = new WeakMap<JSONSchema, number>()

function sizeOfMessage(message: Message): Size {
  const size: Size = { tokens: overheads.message, images: 0 }
  if (message.role === 'tool') size.tokens += overheads.toolResult + estimateText(message.name)
  if (typeof message.content === 'string') size.tokens += estimateText(message.content)
  else for (const part of message.content) addPart(size, part)
  return size
}

function addPart(size: Size, part: UserPart | AssistantPart): void {
  if ('opaque' in part && part.opaque) size.tokens += estimateOpaque(part.opaque)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      size.tokens += estimateText(part.text)
      break
    case 'tool-call':
      size.tokens += overheads.toolCall + estimateText(part.name) + estimateJSON(part.input)
      break
    case 'image':
      size.images++
      break
    case 'file':
      if (part.mediaType.startsWith('image/')) size.images++
      else size.tokens += estimateFile(part)
      break
    default:
      assertNever(part)
  }
}

/** Encrypted reasoning counts as its plain reasoning: several characters of base64 are one token. */
function estimateOpaque({ data }: Opaque): number {
  return Math.ceil(estimateJSON(data) / 2)
}

function estimateFile({ base64, mediaType, name = '' }: FilePart): number {
  if (base64 === undefined) return mostFileTokens
  const bytes = Buffer.from(base64.slice(base64.indexOf(',') + 1), 'base64')
  if (textTypes.test(mediaType)) return estimateText(name) + estimateText(bytes.toString())
  if (mediaType === 'application/pdf') return countPdfPages(bytes) * pdfPageTokens
  return Math.min(bytes.length, mostFileTokens)
}

const textTypes = /^text\/|\b(?:json|xml|yaml|toml|csv|sql|javascript|typescript)\b/

function estimateTools(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + overheads.tool + estimateJSON(tool), overheads.tools)
}

function estimateOutput(schema: JSONSchema): number {
  return overheads.output + estimateJSON(schema)
}

function estimateJSON(value: unknown): number {
  return estimateText(JSON.stringify(value) ?? '')
}

function estimateOnce<Key extends object>(
  known: WeakMap<Key, number>,
  key: Key,
  estimate: (key: Key) => number,
): number {
  const tokens = known.get(key) ?? estimate(key)
  known.set(key, tokens)
  return tokens
}
