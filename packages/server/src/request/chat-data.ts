import type { Message } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import { type FieldError, ProblemError } from '../answer/problem.ts'
import { toHistory } from './history.ts'
import { isDeeper } from './read-json.ts'

/** The last message, and the conversation before it. */
export type ChatData = { question: string; history: Message[] }

/**
 * Reads `chat_data`: `{ "messages": [{ "role", "content" }] }`, the last of which is the question.
 *
 * The history begins with the first message of the user: a greeting before it is left out, and so is an assistant's
 * message without text, because models reject them.
 *
 * @throws ProblemError `malformed-chat-data` or `forbidden-role`, with the path in `errors`
 */
export function readChatData(text: string, jsonDepth: number): ChatData {
  if (isDeeper(text, jsonDepth)) throw malformed(`chat_data is nested deeper than ${jsonDepth} levels.`)
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw malformed('chat_data is not valid JSON.')
  }
  return toChatData(isRecord(data) ? data.messages : undefined, ['chat_data', 'messages'])
}

/**
 * The same, of the messages themselves.
 * @param path where they are in the request
 */
export function toChatData(messages: unknown, path: readonly string[]): ChatData {
  if (!Array.isArray(messages)) throw malformed(undefined, [{ path: [...path], message: 'must be a list' }])
  if (messages.length === 0) throw malformed('No messages provided')
  const entries = messages.map((message, index) => readMessage(message, [...path, index]))
  const last = entries.pop()
  if (last?.role !== 'user') throw malformed('Last message must be from user')
  if (last.content.trim() === '') {
    throw malformed('The last message is empty.', at([...path, messages.length - 1], 'content'))
  }
  return { question: last.content, history: toHistory(entries) }
}

type Path = readonly (string | number)[]
type Entry = { role: 'user' | 'assistant'; content: string }

/** Roles with more authority than a user's. */
const forbiddenRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'tool', 'function'])

function readMessage(value: unknown, path: Path): Entry {
  if (!isRecord(value)) throw malformed(undefined, at(path, undefined, 'must be an object'))
  const { role, content } = value
  if (forbiddenRoles.has(role)) {
    throw new ProblemError('forbidden-role', { errors: at(path, 'role', 'must be "user" or "assistant"') })
  }
  if (role !== 'user' && role !== 'assistant') {
    throw malformed(undefined, at(path, 'role', 'must be "user" or "assistant"'))
  }
  if (typeof content !== 'string') throw malformed(undefined, at(path, 'content', 'must be a string'))
  // A client may have cut it within a character: models and stores take whole ones.
  return { role, content: content.toWellFormed() }
}

function at(path: Path, key?: string, message = 'must not be empty'): FieldError[] {
  return [{ path: [...path, ...(key === undefined ? [] : [key])], message }]
}

/** A JSON body has no `chat_data`. */
export const jsonChatDetail =
  'The body must be JSON: {"user_id": "…", "session_id": "…", "messages": [{"role": "user", "content": "…"}]}.'

function malformed(given?: string, errors?: FieldError[]): ProblemError {
  const detail = given ?? (errors?.[0]?.path[0] === 'messages' ? jsonChatDetail : undefined)
  return new ProblemError('malformed-chat-data', {
    ...(detail !== undefined && { detail }),
    ...(errors && { errors }),
  })
}
