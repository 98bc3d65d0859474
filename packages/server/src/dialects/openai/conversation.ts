import type { Message, UserPart } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import { invalid, type Path } from '../../answer/field-problems.ts'
import { type EarlierMessage, toHistory } from '../../request/history.ts'
import { filePart, isBase64, readDataURL } from '../common/data-url.ts'
import { unsupported } from './common-fields.ts'
import { type EarlierCall, earlierCalls, isFinished } from './earlier-calls.ts'

/** The question to the agent, and the earlier messages. */
export type Conversation = { question: string | UserPart[]; history: Message[] }

/**
 * Reads the messages of a request. Messages of `system` and `developer` become one marked text of the user at the
 * beginning: only the agent's own instruction has the role `system`.
 *
 * @param messages of the request, not checked yet
 * @param path where they are in the request
 * @param instructions of the request, beside its messages
 * @throws ProblemError for a message that an agent does not accept, and if the last message is not the user's
 */
export function readConversation(messages: readonly unknown[], path: Path, instructions: string[] = []): Conversation {
  const { question, marked, read } = readMessages(messages, path, instructions)
  return { question, history: historyOf(marked, read) }
}

/**
 * The question of a request that continues an answer, whose history the server has: all that the messages after the last one
 * of the assistant say. See {@link readConversation}.
 */
export function readAddition(
  messages: readonly unknown[],
  path: Path,
  instructions: string[],
): Conversation['question'] {
  const { question, marked, read, newest } = readMessages(messages, path, instructions)
  const texts = marked.filter((text) => text.trim() !== '')
  const front = texts.length > 0 ? partsOf(markedText(texts)) : []
  const earlier = read.slice(newest).flatMap(({ role, content }) => (role === 'user' ? partsOf(content) : []))
  const added = [...front, ...earlier]
  return added.length > 0 ? [...added, ...partsOf(question)] : question
}

function partsOf(content: Conversation['question']): UserPart[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

type ReadMessage = Omit<EarlierMessage, 'calls'> & { calls?: readonly EarlierCall[] }

type Read = {
  question: Conversation['question']
  marked: string[]
  /** The messages before the question. */
  read: ReadMessage[]
  /** The index at which the messages after the last answer begin. */
  newest: number
}

function readMessages(messages: readonly unknown[], path: Path, instructions: string[]): Read {
  if (messages.length === 0) throw invalid(path, 'must not be empty')
  const marked = [...instructions]
  const read: ReadMessage[] = []
  const known = earlierCalls()
  let newest = 0
  for (const [index, message] of messages.entries()) {
    const at = [...path, index]
    if (!isRecord(message)) throw invalid(at, 'must be an object')
    const { role, content } = message
    switch (role) {
      case 'system':
      case 'developer':
        marked.push(contentText(readContent(content, [...at, 'content'])))
        break
      case 'user':
        read.push({ role, content: readContent(content, [...at, 'content']) })
        break
      case 'assistant': {
        const text =
          content === null || content === undefined ? '' : contentText(readContent(content, [...at, 'content']))
        read.push({ role, content: text, calls: known.read(message.tool_calls) })
        newest = read.length
        break
      }
      case 'tool': {
        // Responses has another name for it.
        const field = 'call_id' in message ? 'call_id' : 'tool_call_id'
        known.finish({ id: message[field], at: [...at, field], output: readResult(content, [...at, 'content']) })
        break
      }
      case 'function':
        throw unsupported([...at, 'role'], 'this model runs its own tools')
      default:
        throw invalid([...at, 'role'], 'must be "user", "assistant", "tool", "system" or "developer"')
    }
  }
  const question = read.pop()
  if (question?.role !== 'user') throw invalid([...path, messages.length - 1], 'must be a message of the user')
  const { content } = question
  if (typeof content === 'string' ? content.trim() === '' : content.length === 0) {
    throw invalid([...path, messages.length - 1, 'content'], 'must not be empty')
  }
  return { question: content, marked, read, newest }
}

function historyOf(marked: readonly string[], read: readonly ReadMessage[]): Message[] {
  const texts = marked.filter((text) => text.trim() !== '')
  const front = texts.length > 0 ? [{ role: 'user', content: markedText(texts) }] : []
  return toHistory([...front, ...read.map((each) => ({ ...each, calls: (each.calls ?? []).filter(isFinished) }))])
}

/** The instructions of an application, as text of its user. */
function markedText(texts: readonly string[]): string {
  return `The application of the user asks you to respect this:\n<application>\n${texts.join('\n\n')}\n</application>`
}

function contentText(content: string | UserPart[]): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** The result of a tool: a text, or parts of text and images. */
function readResult(content: unknown, path: Path): string | UserPart[] {
  const read = readContent(content ?? '', path)
  return typeof read === 'string' ? read : read.filter(({ type }) => type !== 'file')
}

/** The content of a message: a text, or parts of either API. A message of one text is that text. */
function readContent(content: unknown, path: Path): string | UserPart[] {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or a list of parts')
  const parts = content.flatMap((part: unknown, index) => readPart(part, [...path, index]))
  const [first, ...others] = parts
  return first?.type === 'text' && others.length === 0 ? first.text : parts
}

function readPart(part: unknown, path: Path): UserPart[] {
  if (!isRecord(part)) throw invalid(path, 'must be an object')
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
      if (typeof part.text !== 'string') throw invalid([...path, 'text'], 'must be a string')
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'refusal':
      return typeof part.refusal === 'string' && part.refusal !== '' ? [{ type: 'text', text: part.refusal }] : []
    case 'image_url': {
      const image = isRecord(part.image_url) ? part.image_url.url : undefined
      return [readImage(image, [...path, 'image_url', 'url'])]
    }
    case 'input_image':
      return [readImage(part.image_url, [...path, 'image_url'])]
    case 'file':
      return [readFile(part.file, [...path, 'file'])]
    case 'input_file':
      return [readFile(part, path)]
    case 'input_audio':
      throw unsupported([...path, 'type'], 'this model neither hears nor speaks')
    default:
      throw invalid([...path, 'type'], 'must be the type of a text, an image or a file')
  }
}

function readImage(url: unknown, path: Path): UserPart {
  const data = typeof url === 'string' ? readDataURL(url) : undefined
  if (!data) throw invalid(path, 'must be a data URL with base64')
  return { type: 'image', base64: data.base64, mediaType: data.mediaType || 'image/png' }
}

function readFile(file: unknown, path: Path): UserPart {
  const { file_data: sent, filename } = isRecord(file) ? file : {}
  const isPlain = typeof sent === 'string' && isBase64(sent)
  const data = typeof sent === 'string' && !isPlain ? readDataURL(sent) : undefined
  const base64 = isPlain ? sent : data?.base64
  if (base64 === undefined) throw invalid([...path, 'file_data'], 'must be base64, or a data URL with it')
  return filePart(base64, data?.mediaType, filename)
}
