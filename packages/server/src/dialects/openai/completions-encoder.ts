import type { AgentEvent } from '@agentkit/core'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { runProblem } from '../../answer/problem.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { agentkitField, completionUsage, endOf } from './agentkit-field.ts'
import { openaiError } from './openai-problem.ts'

export type CompletionOptions = {
  model: string
  /** When the request came, in seconds since 1970. */
  created: number
  metadata: Readonly<Record<string, string>>
  /** The member of a swarm whose words are the answer. */
  speaker?: string | undefined
}

/**
 * Encodes the events of one run as chunks of Chat Completions. Tools are the agent's own work: no call is shown.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function completionsEncoder(options: CompletionOptions & { includeUsage: boolean }): EncodeEvent {
  const reader = new AnswerReader({ speaker: options.speaker })
  let hasBegun = false
  let hasEnded = false

  const chunk = (event: AgentEvent, fields: object): string => {
    const { runId } = event
    const facts = reader.end ? factsOf(reader, reader.end) : { runId }
    return frame({
      ...headOf(runId, 'chat.completion.chunk', options),
      ...fields,
      ...(options.includeUsage && !('usage' in fields) && { usage: null }),
      agentkit: agentkitField(facts),
    })
  }
  const choice = (delta: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
  const finish = (event: Extract<AgentEvent, { type: 'run-end' }>): string => {
    hasEnded = true
    const problem = runProblem(event)
    if (problem) return frame({ error: openaiError(problem) })
    const usage = { choices: [], usage: completionUsage(event.usage) }
    const last = chunk(event, choice({}, endOf(event.finishReason)))
    return `${last}${options.includeUsage ? chunk(event, usage) : ''}data: [DONE]\n\n`
  }

  return (event) => {
    if (hasEnded) return ''
    const begin = hasBegun ? '' : chunk(event, choice({ role: 'assistant', content: '' }))
    hasBegun = true
    const text = reader.read(event)
    const delta = text === '' ? '' : chunk(event, choice({ content: text }))
    return begin + delta + (event.type === 'run-end' ? finish(event) : '')
  }
}

/** The answer of a run that has ended, or waits. */
export function completionBody(reader: AnswerReader, options: CompletionOptions): object {
  const { end, text } = reader
  const { runId = '', finishReason = 'stop', usage = {} } = end ?? {}
  const message = { role: 'assistant', content: text, refusal: null, annotations: [] }
  return {
    ...headOf(runId, 'chat.completion', options),
    choices: [{ index: 0, message, logprobs: null, finish_reason: endOf(finishReason) }],
    usage: completionUsage(usage) ?? undefined,
    agentkit: agentkitField(end ? factsOf(reader, end) : { runId }),
  }
}

function factsOf({ sources, approvals }: AnswerReader, end: Extract<AgentEvent, { type: 'run-end' }>) {
  const { runId, finishReason, cost } = end
  return { runId, finishReason, cost, sources, approvals: finishReason === 'approval' ? approvals : [] }
}

function headOf(runId: string, object: string, { model, created, metadata }: CompletionOptions): object {
  const echoed = Object.keys(metadata).length > 0 ? { metadata } : {}
  return { id: `chatcmpl-${runId}`, object, created, model, ...echoed }
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
