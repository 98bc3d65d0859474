import { type FieldError, ProblemError } from '../answer/problem.ts'
import type { ServerContext } from '../util/server-env.ts'
import { type ChatData, readChatData } from './chat-data.ts'
import { type FormOptions, noRoom, readForm } from './read-form.ts'

export type ChatRequest = ChatData & { userId: string; sessionId: string }

const fieldNames = ['user_id', 'session_id', 'chat_data'] as const

/**
 * Reads and checks the form of a chat.
 * @throws ProblemError for a form that is not valid
 */
export async function readChatRequest(context: ServerContext, options: FormOptions): Promise<ChatRequest> {
  const fields = await readForm(context, fieldNames, options)
  const missing = fieldNames.filter((name) => !fields.has(name))
  if (missing.length > 0) {
    const errors: FieldError[] = missing.map((name) => ({ path: [name], message: 'is required' }))
    throw new ProblemError('missing-field', { detail: `Required: ${missing.join(', ')}.`, errors })
  }
  const userId = readId(fields, 'user_id')
  const sessionId = readId(fields, 'session_id')
  checkPrincipal(context.get('principal'), userId)
  const text = unquoted(fields.get('chat_data') ?? '')
  const chatData = readChatData(text, options.limits.jsonDepth)
  // The listeners of the body keep the map in memory until the answer is sent.
  fields.clear()
  if (!options.held.set(Buffer.byteLength(text) + chatData.history.length * messageBytes)) throw noRoom(options.runs)
  return { userId, sessionId, ...chatData }
}

/** Memory of a message in addition to its text: an object, its list of parts, a part. */
const messageBytes = 128
const maxIdLength = 128
const controlCharacter = /\p{Cc}/u

function readId(fields: ReadonlyMap<string, string>, name: string): string {
  const id = unquoted(fields.get(name) ?? '')
  if (isId(id)) return id
  const message = `must have 1 to ${maxIdLength} characters, none of them a control character`
  throw new ProblemError('invalid-field', { detail: `${name} ${message}.`, errors: [{ path: [name], message }] })
}

/** Whether a text may be the id of a user or a session. */
export function isId(text: string): boolean {
  // Characters, not UTF-16 units; none has more than two.
  const short = text !== '' && text.length <= maxIdLength * 2 && [...text].length <= maxIdLength
  return short && text.isWellFormed() && !controlCharacter.test(text)
}

/** Some clients send form values in quotes. */
function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

/** A token acts for its own user. 404 instead of 403 does not reveal whether another user exists. */
function checkPrincipal(principal: string | undefined, userId: string): void {
  if (principal !== undefined && principal !== '*' && principal !== userId) throw new ProblemError('not-found')
}
