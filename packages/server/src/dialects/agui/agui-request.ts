import type { Decision, Decisions, JSONSchema, JSONValue, Message, ToolSpec, UserPart } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import {
  array,
  type GenericSchema,
  type InferOutput,
  looseObject,
  nullish,
  optional,
  picklist,
  string,
  unknown,
} from 'valibot'
import { invalid, type Path } from '../../answer/field-problems.ts'
import { idField, sessionIdField } from '../../request/fields.ts'
import { type EarlierMessage, type FinishedCall, toHistory } from '../../request/history.ts'
import { validate } from '../../request/validate.ts'
import type { ClientOutputs } from '../common/client-outputs.ts'
import { filePart, isBase64, readDataURL } from '../common/data-url.ts'
import { readIfAllowed } from '../common/read-if-allowed.ts'
import { decisionsOfRun } from '../common/run-approvals.ts'

/** `RunAgentInput`. Its `state` and `forwardedProps` are the client's own. */
const body = looseObject({
  threadId: sessionIdField,
  runId: idField,
  protocolVersion: optional(unknown()),
  messages: array(looseObject({ role: string(), content: optional(unknown()) })),
  tools: nullish(
    array(looseObject({ name: string(), description: optional(string()), parameters: optional(unknown()) })),
  ),
  context: nullish(array(looseObject({ description: string(), value: string() }))),
  resume: nullish(
    array(
      looseObject({ interruptId: string(), status: picklist(['resolved', 'cancelled']), payload: optional(unknown()) }),
    ),
  ),
})

/** For the description of the route. */
export const aguiBody: GenericSchema = body

type Input = InferOutput<typeof body>

export type AGUIRequest = {
  threadId: string
  runId: string
  tools: ToolSpec[]
  /** Whether the client takes results of tools in parts. Those before 1.0 take texts, and do not name their version. */
  takesParts: boolean
} & (
  | { question: string | UserPart[]; history: Message[] }
  | {
      resumes: string | undefined
      decisions: Decisions
      outputs: ClientOutputs
      /** The calls of which the client has a result. */
      finished: ReadonlySet<unknown>
      /** What the user says beside the decisions, and the calls before it. */
      said: { text: string; calls: ReadonlySet<unknown> } | undefined
    }
)

/** @throws ProblemError for a body that is not a `RunAgentInput` */
export function readAGUIRequest(sent: unknown): AGUIRequest {
  const input = validate(body, sent)
  const { threadId, runId, messages, tools, context, resume, protocolVersion } = input
  const takesParts = typeof protocolVersion === 'string'
  const common = { threadId, runId, tools: (tools ?? []).map(specOf), takesParts }
  const last = messages.at(-1)
  const outputs = readOutputs(messages)
  const finished = new Set(messages.map(({ role, toolCallId }) => (role === 'tool' ? toolCallId : undefined)))
  if (resume && resume.length > 0) {
    return { ...common, ...readDecisions(resume), outputs, finished, said: readSaid(messages) }
  }
  if (last?.role === 'tool' && outputs.size > 0) {
    return { ...common, resumes: undefined, decisions: {}, outputs, finished, said: undefined }
  }
  if (last?.role !== 'user') throw invalid(['messages'], 'must end with a message of the user')
  const earlier = messages.slice(0, -1)
  const marked = [...earlier.flatMap(instructionOf), ...(context ?? []).map(contextText)]
  return {
    ...common,
    question: withContext(readContent(last.content, messages.length - 1), marked),
    history: historyOf(earlier),
  }
}

function specOf({
  name,
  description = '',
  parameters = { type: 'object' },
}: NonNullable<Input['tools']>[number]): ToolSpec {
  // Checked where the agent takes tools of clients.
  return { name, description, inputSchema: parameters as JSONSchema }
}

/** Only the agent's own instruction has the role `system`: other instructions become marked text. */
function instructionOf({ role, content }: Input['messages'][number]): string[] {
  return (role === 'system' || role === 'developer') && typeof content === 'string' ? [`[${role}]\n${content}`] : []
}

function contextText({ description, value }: { description: string; value: string }): string {
  return `[context: ${description}]\n${value}`
}

function withContext(question: UserPart[], marked: readonly string[]): string | UserPart[] {
  return textOrParts(marked.length > 0 ? [{ type: 'text', text: `${marked.join('\n\n')}\n\n` }, ...question] : question)
}

function textOrParts(parts: UserPart[]): string | UserPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('') : parts
}

function readContent(content: unknown, index: number): UserPart[] {
  const path = ['messages', index, 'content']
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(parts)) throw invalid(path, 'must be a text or a list of parts')
  const read = parts.map((part, at) => readPart(part, [...path, at]))
  const isEmpty = read.every((part) => part.type === 'text' && part.text.trim() === '')
  if (isEmpty) throw invalid(path, 'must not be empty')
  return read
}

function readPart(part: unknown, path: Path): UserPart {
  if (!isRecord(part)) throw invalid(path, 'must be an object')
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  // Versions before 1.0 call any file `binary`.
  const source = part.type === 'binary' ? binarySource(part) : part.source
  if (!isRecord(source)) throw invalid(path, 'must be a text or a file with its type')
  const { type, value, mimeType } = source
  // An address would be read by the model's provider, or by this server, for any client that sends it.
  const read = type === 'url' && typeof value === 'string' ? readDataURL(value) : undefined
  if (read) return filePart(read.base64, read.mediaType)
  if (typeof mimeType !== 'string') throw invalid(path, 'must be a text or a file with its type')
  if (type !== 'data' || typeof value !== 'string' || !isBase64(value)) {
    throw invalid([...path, 'source'], 'must have its data as base64, or as a data URL')
  }
  return filePart(value, mimeType)
}

function binarySource({ url, data, mimeType }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return data === undefined && url !== undefined
    ? { type: 'url', value: url, mimeType }
    : { type: 'data', value: data, mimeType }
}

/** The earlier messages, for a session that has none. Parts that a question may not have are left out. */
function historyOf(messages: Input['messages']): Message[] {
  const results = new Map(messages.map((message) => [message.role === 'tool' ? message.toolCallId : '', message]))
  return toHistory(
    messages.map(({ role, content, toolCalls }): EarlierMessage => {
      if (role !== 'user') return { role, content: textsIn(content), calls: finishedCalls(toolCalls, results) }
      const parts: unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }]
      return { role, content: textOrParts(parts.flatMap((part) => readIfAllowed(() => [readPart(part, [])]))) }
    }),
  )
}

/** The calls of a message that have a result. */
function finishedCalls(calls: unknown, results: ReadonlyMap<unknown, Input['messages'][number]>): FinishedCall[] {
  return (Array.isArray(calls) ? calls : []).flatMap((call: unknown): FinishedCall[] => {
    const { id, function: called } = isRecord(call) ? call : {}
    const result = typeof id === 'string' && id !== '' ? results.get(id) : undefined
    if (!result || typeof id !== 'string' || !isRecord(called) || typeof called.name !== 'string') return []
    const { content, error } = result
    const isError = typeof error === 'string' && error !== ''
    const input = typeof called.arguments === 'string' ? jsonOrText(called.arguments) : {}
    return [{ callId: id, name: called.name, input, output: isError ? error : textsIn(content), isError }]
  })
}

function textsIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : [])).join('')
}

/**
 * The results since the last question: the outputs of the client for the calls of the last answer. Some clients put
 * each result directly after the message of its call, before the messages of other calls.
 */
function readOutputs(messages: Input['messages']): ClientOutputs {
  const answer = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  return new Map(
    answer.flatMap(({ role, toolCallId, content, error }): [string, readonly [Decision, ...Decision[]]][] => {
      if (role !== 'tool' || typeof toolCallId !== 'string') return []
      if (typeof error === 'string' && error !== '') return [[toolCallId, [{ deny: error }]]]
      const text = textsIn(content)
      return [[toolCallId, [{ result: jsonOrText(text) }, { result: text }]]]
    }),
  )
}

/** The protocol has texts only: clients write other values as JSON, and some a text as it is, such as `42`. */
function jsonOrText(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The official client sends a message while a run waits only together with the decisions. */
function readSaid(messages: Input['messages']): { text: string; calls: ReadonlySet<unknown> } | undefined {
  const last = messages.at(-1)
  const text = last?.role === 'user' ? textsIn(last.content) : ''
  if (text.trim() === '') return undefined
  const calls = messages.flatMap(({ toolCalls }) => (Array.isArray(toolCalls) ? toolCalls : []))
  return { text, calls: new Set(calls.map((call: unknown) => (isRecord(call) ? call.id : undefined))) }
}

function readDecisions(resume: NonNullable<Input['resume']>): { resumes: string; decisions: Decisions } {
  const sent = resume.map(({ interruptId, status, payload }, index) => {
    const { approve, reason } = isRecord(payload) ? payload : {}
    if (status === 'resolved' && typeof approve !== 'boolean') {
      throw invalid(['resume', index, 'payload', 'approve'], 'must be true or false')
    }
    const isApproved = status === 'resolved' && approve === true
    return { ref: interruptId, isApproved, reason, at: ['resume', index, 'interruptId'] }
  })
  const { runId = '', decisions = {} } = decisionsOfRun(sent) ?? {}
  return { resumes: runId, decisions }
}
