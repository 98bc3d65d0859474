import type { Decision, Decisions, InputPart, JSONValue } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import { array, boolean, type InferOutput, looseObject, nullish, optional, string, unknown } from 'valibot'
import { isId, isSessionId, sessionIdForm } from '../../request/fields.ts'
import { validate } from '../../request/validate.ts'
import { filePart, isBase64, readDataURL } from '../common/data-url.ts'
import { A2AError, type CallId } from './a2a-error.ts'

export type Call = { id: CallId; method: string; params: Record<string, unknown> }

/** The id of a call, as far as it has one: an error names it too. */
export function callIdOf(sent: unknown): CallId {
  const id = isRecord(sent) ? sent.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** @throws A2AError for a body that is not a call of JSON-RPC 2.0 */
export function readCall(sent: unknown): Call {
  if (Array.isArray(sent)) throw new A2AError('InvalidRequest', 'Send one call per request: batches are not taken.')
  if (!isRecord(sent) || sent.jsonrpc !== '2.0' || typeof sent.method !== 'string') {
    const form = '{ "jsonrpc": "2.0", "id", "method", "params" }'
    throw new A2AError('InvalidRequest', `The body must be a call of JSON-RPC 2.0: ${form}.`)
  }
  const id = callIdOf(sent)
  if (id === null) throw new A2AError('InvalidRequest', 'The call needs an id: a text or a number.')
  const { method, params = {} } = sent
  if (!isRecord(params)) throw new A2AError('InvalidParams', 'The params must be an object.')
  return { id, method, params }
}

const body = looseObject({
  message: looseObject({
    messageId: string('must be a string'),
    role: unknown(),
    parts: array(looseObject({}), 'must be a list'),
    contextId: nullish(string('must be a string')),
    taskId: nullish(string('must be a string')),
  }),
  configuration: nullish(
    looseObject({
      returnImmediately: nullish(boolean('must be true or false')),
      taskPushNotificationConfig: optional(unknown()),
    }),
  ),
})

/** A message begins a task, or decides on the approvals of one that waits. */
export type A2AMessage = { contextId: string | undefined; returnsImmediately: boolean } & (
  | { question: string | InputPart[]; taskId?: never }
  | { taskId: string; decisions: Decisions }
)

/** @throws ProblemError for params that do not fit `SendMessage` */
export function readMessage(params: Record<string, unknown>): A2AMessage {
  const { message, configuration } = validate(body, params)
  if (configuration?.taskPushNotificationConfig) throw new A2AError('PushNotificationNotSupported', noPush)
  if (message.role !== 'ROLE_USER' && message.role !== 1) throw invalid('message.role', 'must be "ROLE_USER"')
  const contextId = readId('message.contextId', message.contextId)
  if (contextId !== undefined && !isSessionId(contextId)) throw invalid('message.contextId', sessionIdForm)
  const taskId = readId('message.taskId', message.taskId)
  const common = { contextId, returnsImmediately: configuration?.returnImmediately === true }
  const { parts } = message
  if (taskId !== undefined) return { ...common, taskId, decisions: readDecisions(parts) }
  return { ...common, question: readQuestion(parts) }
}

export const noPush = 'This agent sends no push notifications: read the task by GetTask or SubscribeToTask.'

/** The id of a task or a context; an empty id means none, as in Protocol Buffers. */
export function readId(name: string, id: unknown): string | undefined {
  if (id === undefined || id === null || id === '') return undefined
  if (typeof id !== 'string' || !isId(id)) {
    throw invalid(name, 'must have 1 to 128 characters, none of them a control character')
  }
  return id
}

type Part = InferOutput<typeof body>['message']['parts'][number]

function readQuestion(parts: readonly Part[]): string | InputPart[] {
  const read = parts.map((part, index) => readPart(part, `message.parts.${index}`))
  const texts = read.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length < read.length) return read
  const text = texts.join('')
  if (text.trim() === '') throw invalid('message.parts', 'must have a text or a file')
  return text
}

function readPart({ text, raw, url, data, mediaType, filename }: Part, name: string): InputPart {
  if (typeof text === 'string') return { type: 'text', text }
  if (data !== undefined) return { type: 'text', text: `[data]\n${JSON.stringify(data)}\n` }
  if (typeof raw === 'string') {
    if (!isBase64(raw)) throw invalid(`${name}.raw`, 'must be base64')
    return filePart(raw, mediaType, filename)
  }
  if (typeof url === 'string') {
    const read = readDataURL(url)
    // The model's provider, or this server, would fetch an address for any client that sends it.
    if (!read) throw new A2AError('ContentTypeNotSupported', `The ${name}.url must be a data URL with base64.`)
    return filePart(read.base64, mediaType || read.mediaType, filename)
  }
  throw invalid(name, 'must have text, raw, url or data')
}

/** The decisions in the data parts of a message to a task: `{ approvals: { [id]: true | { deny } | { result } } }`. */
function readDecisions(parts: readonly Part[]): Decisions {
  const decisions: Record<string, Decision> = Object.create(null)
  for (const [index, { data }] of parts.entries()) {
    if (!isRecord(data) || data.approvals === undefined) continue
    const name = `message.parts.${index}.data.approvals`
    if (!isRecord(data.approvals)) throw invalid(name, 'must be an object of decisions by approval')
    for (const [id, decision] of Object.entries(data.approvals)) decisions[id] = readDecision(name, decision)
  }
  return { ...decisions }
}

function readDecision(name: string, decision: unknown): Decision {
  if (decision === true) return true
  if (isRecord(decision) && typeof decision.deny === 'string') return { deny: decision.deny }
  // Parsed from JSON.
  if (isRecord(decision) && decision.result !== undefined) return { result: decision.result as JSONValue }
  throw invalid(name, 'must have true, { "deny": "the reason" } or { "result": … } for each approval')
}

export function invalid(name: string, message: string): A2AError {
  return new A2AError('InvalidParams', `The field ${name} ${message}.`)
}
