import { boolean, object, optional, picklist, strictObject, string, unknown } from 'valibot'
import { missing } from '../answer/field-problems.ts'
import { ProblemError } from '../answer/problem.ts'
import type { ServerContext } from '../util/server-env.ts'
import { noRoom } from './body-problems.ts'
import { callerOf } from './caller.ts'
import { type ChatData, jsonChatDetail, readChatData, toChatData } from './chat-data.ts'
import { idField, sessionIdField } from './fields.ts'
import { fingerprint } from './fingerprint.ts'
import { type FormOptions, isForm, readForm } from './read-form.ts'
import { isJSON, readJSON } from './read-json.ts'
import { validate } from './validate.ts'

/** A message to the agent. */
export type ChatRequest = ChatData & {
  userId: string
  sessionId: string
  /** The run continues when its client leaves or its process dies. */
  isResumable: boolean
  /** The run of the session that this one replaces. */
  replaces?: string
  /** The fingerprint of a request with an `Idempotency-Key`; otherwise empty. */
  fingerprint: string
}

/** The media types of a chat. */
const accepted = 'multipart/form-data, application/json'
const fieldNames = ['user_id', 'session_id', 'chat_data', 'resumable', 'replaces'] as const

const common = { user_id: optional(idField), session_id: sessionIdField, replaces: optional(idField) }
const flag = 'must be true or false'
const formFields = object({ ...common, chat_data: string(), resumable: optional(picklist(['true', 'false'], flag)) })
const jsonFields = strictObject({ ...common, messages: unknown(), resumable: optional(boolean(flag)) })

/**
 * Reads and checks a chat: a multipart form, or JSON.
 * @throws ProblemError for a body that is not valid
 */
export async function readChatRequest(context: ServerContext, options: FormOptions): Promise<ChatRequest> {
  const type = context.req.header('content-type') ?? ''
  if (isJSON(type)) return readJSONChat(context, options)
  if (isForm(type)) return readFormChat(context, options)
  throw new ProblemError('unsupported-media-type', {
    detail:
      'Send the request as multipart/form-data, with the text fields user_id, session_id and chat_data, ' +
      'or as application/json, with user_id, session_id and messages.',
    headers: { accept: accepted },
  })
}

async function readFormChat(context: ServerContext, options: FormOptions): Promise<ChatRequest> {
  const fields = await readForm(context, fieldNames, options)
  const sent = Object.fromEntries(Array.from(fields, ([name, value]) => [name, unquoted(value)]))
  // The listeners of the body keep the map in memory until the answer is sent.
  fields.clear()
  checkNamed(context, sent, ['session_id', 'chat_data'])
  const { user_id, session_id, chat_data, resumable, replaces } = validate(formFields, sent)
  const userId = callerOf(context, user_id)
  const chatData = readChatData(chat_data, options.limits.jsonDepth)
  keep(chatData, options)
  const ids = { userId, sessionId: session_id, ...(replaces !== undefined && { replaces }) }
  // The same files are the same request, whatever the boundaries and the order of its parts.
  const files = options.files?.files.map(({ name, sha256 }) => [name, sha256]).sort() ?? []
  const all = files.length > 0 ? { ...sent, files } : sent
  return { ...chatData, ...ids, isResumable: resumable === 'true', fingerprint: fingerprint(context, all) }
}

async function readJSONChat(context: ServerContext, options: FormOptions): Promise<ChatRequest> {
  const sent = await readJSON(context, options).catch(asChatData)
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw new ProblemError('malformed-chat-data', { detail: jsonChatDetail })
  }
  checkNamed(context, sent, ['session_id', 'messages'])
  const { user_id, session_id, messages, resumable = false, replaces } = validate(jsonFields, sent)
  const userId = callerOf(context, user_id)
  const chatData = toChatData(messages, ['messages'])
  keep(chatData, options)
  const ids = { userId, sessionId: session_id, ...(replaces !== undefined && { replaces }) }
  return { ...chatData, ...ids, isResumable: resumable, fingerprint: fingerprint(context, sent) }
}

/** A body that is not JSON is answered like `chat_data` that is not. */
function asChatData(error: unknown): never {
  if (!(error instanceof ProblemError) || error.code !== 'malformed-json') throw error
  throw new ProblemError('malformed-chat-data', { detail: error.detail, cause: error })
}

/** @throws ProblemError `missing-field` that names all missing fields: also the user, where the token names none */
function checkNamed(context: ServerContext, sent: object, required: readonly string[]): void {
  const principal = context.get('principal')
  const names = principal === undefined || principal === '*' ? ['user_id', ...required] : required
  const absent = names.filter((name) => !Object.hasOwn(sent, name))
  if (absent.length > 0) throw missing(...absent)
}

/** Memory of a message in addition to its text: an object, its list of parts, a part. */
const messageBytes = 128

/** Counts what stays in memory until the run starts. */
function keep({ question, history }: ChatData, { held, runs }: FormOptions): void {
  let bytes = Buffer.byteLength(question)
  for (const { content } of history) {
    bytes += messageBytes
    // `toChatData` makes only texts, and messages of one text part.
    const text = typeof content === 'string' ? content : content[0]?.type === 'text' ? content[0].text : ''
    bytes += Buffer.byteLength(text)
  }
  if (!held.set(bytes)) throw noRoom(runs)
}

/** Some clients send form values in quotes. */
export function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}
