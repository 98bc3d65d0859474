import type { Decision, Decisions, JSONValue, Message, ToolSpec, UserPart } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import {
  array,
  boolean,
  type GenericSchema,
  type InferOutput,
  looseObject,
  metadata,
  optional,
  picklist,
  pipe,
  string,
  unknown,
} from 'valibot'
import { invalid, type Path } from '../../answer/field-problems.ts'
import { sessionIdField } from '../../request/fields.ts'
import { type EarlierMessage, type FinishedCall, toHistory } from '../../request/history.ts'
import { validate } from '../../request/validate.ts'
import type { ClientOutputs } from '../common/client-outputs.ts'
import { filePart, readDataURL } from '../common/data-url.ts'
import { readIfAllowed } from '../common/read-if-allowed.ts'
import { decisionsOfRun } from '../common/run-approvals.ts'

/** The fields that `DefaultChatTransport` sends; other fields belong to the application. */
const body = looseObject({
  id: sessionIdField,
  messages: pipe(
    array(looseObject({ id: optional(string()), role: string(), parts: optional(array(unknown())) })),
    metadata({ jsonSchema: { minItems: 1 } }),
  ),
  trigger: optional(
    picklist(['submit-message', 'regenerate-message'], 'must be "submit-message" or "regenerate-message"'),
  ),
  messageId: optional(string()),
  resumable: optional(boolean('must be true or false')),
  tools: optional(unknown()),
})

/** For the description of the route. */
export const uiBody: GenericSchema = body

type UIMessage = InferOutput<typeof body>['messages'][number]

/** A question, or the decisions on approvals of the run whose message is the last. */
export type UIRequest = { sessionId: string; isResumable: boolean } & (
  | {
      question: string | UserPart[]
      history: Message[]
      replacesAfter: Replaced | undefined
      /** Only for an agent that accepts client tools: for other agents the field belongs to the application. */
      tools: readonly ToolSpec[]
    }
  | { runId: string; decisions: Decisions; outputs: ClientOutputs }
)

/**
 * The first turn after the first of these runs that is known is replaced; where none is, the first of the session, if the
 * question is the first. A message that no run has written may have any id, or none.
 */
export type Replaced = { runIds: readonly (string | undefined)[]; isFirst: boolean }

/** @throws ProblemError for a body that is not a request of `useChat` */
export function readUIRequest(sent: unknown): UIRequest {
  const { id, messages, trigger, messageId, resumable = false, tools } = validate(body, sent)
  const common = { sessionId: id, isResumable: resumable }
  const last = messages.at(-1)
  if (!last) throw invalid(['messages'], 'must not be empty')
  const place = ['messages', messages.length - 1]
  if (last.role === 'assistant') return { ...common, ...readDecisions(last, place) }
  if (last.role !== 'user') throw invalid([...place, 'role'], 'must be "user" or "assistant"')
  const earlier = messages.slice(0, -1)
  const edits = trigger === 'submit-message' && messages.some((each) => each.role === 'user' && each.id === messageId)
  const isReplacing = trigger === 'regenerate-message' || (messageId !== undefined && edits)
  const runIds = earlier.flatMap(({ role, id }) => (role === 'assistant' ? [id] : [])).reverse()
  // Before the first question are greetings of the page.
  const first = messages.findIndex(({ role }) => role === 'user')
  const isFirst = !earlier.slice(first).some(({ role }) => role === 'assistant')
  // Each once: the session has those before an earlier answer.
  const unsent = isFirst ? earlier : earlier.slice(earlier.findLastIndex(({ role }) => role === 'assistant') + 1)
  return {
    ...common,
    question: withInstructions(readQuestion(last, place), unsent.flatMap(instructionOf)),
    history: historyOf(earlier),
    tools: Array.isArray(tools) ? tools : [],
    replacesAfter: isReplacing ? { runIds, isFirst } : undefined,
  }
}

function readQuestion({ parts = [] }: UIMessage, path: Path): string | UserPart[] {
  const content = parts.flatMap((part, index) => readPart(part, [...path, 'parts', index]))
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (content.length === 0 || (texts.length === content.length && texts.join('').trim() === '')) {
    throw invalid([...path, 'parts'], 'must have a text or a file')
  }
  return texts.length === content.length ? texts.join('') : content
}

/** Only the agent's own instruction has the role `system`: other instructions become marked text. */
function instructionOf({ role, parts = [] }: UIMessage): string[] {
  if (role !== 'system') return []
  const text = parts.map((part) => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join('')
  return text.trim() === '' ? [] : [`[system]\n${text}`]
}

function withInstructions(question: string | UserPart[], marked: readonly string[]): string | UserPart[] {
  if (marked.length === 0) return question
  const front = `${marked.join('\n\n')}\n\n`
  return typeof question === 'string' ? front + question : [{ type: 'text', text: front }, ...question]
}

/** Parts that only the client shows have nothing for the model. */
function readPart(part: unknown, path: Path): UserPart[] {
  if (!isRecord(part)) throw invalid(path, 'must be an object')
  const { type, text, url, mediaType, filename } = part
  if (type === 'text') {
    if (typeof text !== 'string') throw invalid([...path, 'text'], 'must be a string')
    return text === '' ? [] : [{ type: 'text', text }]
  }
  if (type !== 'file') return []
  const data = typeof url === 'string' ? readDataURL(url) : undefined
  if (data === undefined) throw invalid([...path, 'url'], 'must be a data URL with base64')
  return [filePart(data.base64, mediaType || data.mediaType, filename)]
}

/** The earlier messages, for a session that has none. Parts that a question may not have are left out. */
function historyOf(messages: readonly UIMessage[]): Message[] {
  return toHistory(
    messages.flatMap(({ role, parts = [] }): EarlierMessage[] => {
      if (role === 'assistant') return stepsOf(parts)
      const content = parts.flatMap((part) => readIfAllowed(() => readPart(part, [])))
      const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      return [{ role, content: texts.length === content.length ? texts.join('') : content }]
    }),
  )
}

/** The steps of an assistant: a text, and the calls after it. */
function stepsOf(parts: readonly unknown[]): EarlierMessage[] {
  const steps: { texts: string[]; calls: FinishedCall[] }[] = [{ texts: [], calls: [] }]
  for (const part of parts) {
    if (!isRecord(part)) continue
    const step = steps.at(-1)
    if (part.type === 'step-start' && step?.calls.length) steps.push({ texts: [], calls: [] })
    if (part.type === 'text' && typeof part.text === 'string' && part.text !== '') steps.at(-1)?.texts.push(part.text)
    steps.at(-1)?.calls.push(...finishedCall(part))
  }
  return steps.map(({ texts, calls }) => ({ role: 'assistant', content: texts.join('\n\n'), calls }))
}

function finishedCall(part: Readonly<Record<string, unknown>>): FinishedCall[] {
  const { type, toolCallId, state, input, output, errorText, approval } = part
  const name = type === 'dynamic-tool' ? part.toolName : /^tool-(.+)$/.exec(String(type))?.[1]
  if (typeof toolCallId !== 'string' || typeof name !== 'string' || part.preliminary === true) return []
  const call = { callId: toolCallId, name, input }
  if (state === 'output-available') return [{ ...call, output, isError: false }]
  if (state === 'output-error') return [{ ...call, output: String(errorText ?? ''), isError: true }]
  if (state !== 'output-denied') return []
  const reason = isRecord(approval) && typeof approval.reason === 'string' ? `: ${approval.reason}` : '.'
  return [{ ...call, output: `The user denied this call${reason}`, isError: true }]
}

/** The answers to the approvals of one run, and the outputs of its calls, in the parts of its message. */
function readDecisions(
  { id, parts = [] }: UIMessage,
  path: Path,
): { runId: string; decisions: Decisions; outputs: ClientOutputs } {
  const sent = parts.flatMap((part, index) => {
    if (!isRecord(part) || part.state !== 'approval-responded') return []
    const at = [...path, 'parts', index, 'approval']
    const { id, approved, reason } = isRecord(part.approval) ? part.approval : {}
    if (typeof approved !== 'boolean') throw invalid([...at, 'approved'], 'must be true or false')
    return [{ ref: id, isApproved: approved, reason, at: [...at, 'id'] }]
  })
  const outputs = new Map(parts.flatMap(readOutput))
  const { runId = id, decisions = {} } = decisionsOfRun(sent) ?? {}
  if (runId !== undefined && (sent.length > 0 || outputs.size > 0)) return { runId, decisions, outputs }
  throw invalid([...path, 'role'], 'must be "user", unless its parts answer approvals or calls of client tools')
}

/** The output of a call: of client tools it is the page's. */
function readOutput(part: unknown): [string, [Decision]][] {
  if (!isRecord(part) || typeof part.toolCallId !== 'string') return []
  const { toolCallId, state, output = null, errorText } = part
  // Parsed from JSON.
  if (state === 'output-available') return [[toolCallId, [{ result: output as JSONValue }]]]
  return state === 'output-error' ? [[toolCallId, [{ deny: typeof errorText === 'string' ? errorText : '' }]]] : []
}
