import type { Decisions, Runnable } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import { invalid, missing } from '../../answer/field-problems.ts'
import { decisionsOfRun } from '../common/run-approvals.ts'
import { type CommonFields, readCommonFields, unsupported } from './common-fields.ts'
import { type Conversation, readAddition, readConversation } from './conversation.ts'

export type ResponseRequest = CommonFields & {
  previousId: string | undefined
  isStored: boolean
  isBackground: boolean
  instructions: string | null
} & (({ kind: 'question' } & Conversation) | { kind: 'decisions'; runId: string; decisions: Decisions })

/** @throws ProblemError for a body that is not a request of Responses, or that asks for more than an agent supports */
export function readResponseRequest(body: unknown, agent: Runnable): ResponseRequest {
  const { fields, ...common } = readCommonFields(body, agent)
  const previousId = textField(fields.previous_response_id, 'previous_response_id')
  const instructions = textField(fields.instructions, 'instructions') ?? null
  const isBackground = flag(fields.background, 'background') ?? false
  const isStored = flag(fields.store, 'store') ?? true
  if (isBackground && !isStored) throw unsupported(['store'], 'a background response is stored')
  if (Array.isArray(fields.include) && fields.include.includes('message.output_text.logprobs')) {
    throw unsupported(['include'], 'this model has no log probabilities')
  }
  const request = { ...common, previousId, isStored, isBackground, instructions }
  const { input } = fields
  if (input === undefined) throw missing('input')
  if (typeof input !== 'string' && !Array.isArray(input)) throw invalid(['input'], 'must be a string or a list')
  if (typeof input === 'string' && input.trim() === '') throw invalid(['input'], 'must not be empty')
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const decided = readDecisions(items)
  if (decided) return { ...request, kind: 'decisions', ...decided }
  const front = instructions === null || instructions.trim() === '' ? [] : [instructions]
  const messages = messagesIn(items)
  if (previousId === undefined) return { ...request, kind: 'question', ...readConversation(messages, ['input'], front) }
  checkNoDecision(items)
  return { ...request, kind: 'question', question: readAddition(messages, ['input'], front), history: [] }
}

/** Items that a client sends back, although the model needs none of them. */
const known: ReadonlySet<unknown> = new Set([
  ...['reasoning', 'mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response'],
])

/** The items as messages; items that a model does not need become messages without text, so that paths stay right. */
function messagesIn(items: readonly unknown[]): unknown[] {
  return items.map((item, index) => {
    if (!isRecord(item)) return item
    const { type, name, call_id } = item
    if (type === undefined || type === 'message') return item
    if (known.has(type)) return { role: 'assistant', content: null }
    switch (type) {
      case 'mcp_call': {
        const { id, output, error } = item
        return calling({ id, function: { name, arguments: item.arguments }, output, error })
      }
      case 'function_call':
        return calling({ id: call_id, function: { name, arguments: item.arguments } })
      case 'function_call_output':
        return { role: 'tool', call_id, content: item.output }
      case 'custom_tool_call_output':
        throw unsupported(['input', index, 'type'], 'this model runs its own tools')
      default:
        throw invalid(['input', index, 'type'], 'must be the type of a message')
    }
  })
}

function calling(call: object): object {
  return { role: 'assistant', content: null, tool_calls: [call] }
}

/** The answers to approvals that follow the last message of the user, if there are any. */
function readDecisions(items: readonly unknown[]): { runId: string; decisions: Decisions } | undefined {
  const isQuestion = (item: unknown): boolean => isRecord(item) && item.role === 'user'
  const start = items.findLastIndex(isQuestion) + 1
  const sent = items.slice(start).flatMap((item, offset) => {
    if (!isRecord(item) || item.type !== 'mcp_approval_response') return []
    const at = ['input', start + offset]
    const { approval_request_id: id, approve, reason } = item
    if (typeof approve !== 'boolean') throw invalid([...at, 'approve'], 'must be true or false')
    return [{ ref: id, isApproved: approve, reason, at: [...at, 'approval_request_id'] }]
  })
  return decisionsOfRun(sent)
}

/**
 * A run that waits continues by its decisions alone, so a question beside them would be another run.
 * @param items that continue a response: those after the last one of the assistant are new
 */
function checkNoDecision(items: readonly unknown[]): void {
  const isAnswer = (item: unknown): boolean => isRecord(item) && (item.role === 'assistant' || item.type === 'mcp_call')
  const start = items.findLastIndex(isAnswer) + 1
  const at = items.findIndex((item, index) => index >= start && isRecord(item) && item.type === 'mcp_approval_response')
  if (at !== -1) throw invalid(['input', at], 'must be sent without a message of the user, which is the next request')
}

function textField(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid([name], 'must be a string')
  return value
}

function flag(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') throw invalid([name], 'must be true or false')
  return value
}
