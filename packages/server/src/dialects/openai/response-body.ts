import type { Usage } from '@agentkit/core'
import { agentkitField, type RunFacts, responseUsage } from './agentkit-field.ts'
import type { OpenAIError } from './openai-problem.ts'
import type { Item } from './response-items.ts'

/** The fields that a response repeats from its request. A response that is read later has only the stored ones. */
export type ResponseHead = {
  model: string
  /** In seconds since 1970. */
  created: number
  metadata?: Readonly<Record<string, string>>
  instructions?: string | null
  previousId?: string | null
  isStored?: boolean
  isBackground?: boolean
}

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

export type ResponseState = {
  facts: RunFacts
  status: ResponseStatus
  output: readonly Item[]
  usage?: Usage | undefined
  error?: OpenAIError | undefined
  /** A hook has blocked the question, of which nothing is stored unless it was enqueued. */
  isBlocked?: boolean
}

/** The id of a run's response. */
export function responseId(runId: string): string {
  return `resp_${runId}`
}

/** A response, with the fields that OpenAI's clients expect. */
export function responseBody(
  head: ResponseHead,
  { facts, status, output, usage, error, isBlocked = false }: ResponseState,
): object {
  const { finishReason } = facts
  const { isStored = true, isBackground = false } = head
  const reason = finishReason === 'content-filter' ? 'content_filter' : 'max_output_tokens'
  return {
    id: responseId(facts.runId),
    object: 'response',
    created_at: head.created,
    status,
    background: isBackground,
    error: error ? { code: errorCode(error), message: error.message } : null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    instructions: head.instructions ?? null,
    max_output_tokens: null,
    metadata: head.metadata ?? {},
    model: head.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: head.previousId ?? null,
    reasoning: { effort: null, summary: null },
    store: isStored && (isBackground || !isBlocked),
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: usage ? responseUsage(usage) : null,
    agentkit: agentkitField(facts),
  }
}

/** A code of the closed list that responses have. */
function errorCode({ code }: OpenAIError): string {
  return code === 'rate_limit_exceeded' ? code : 'server_error'
}
