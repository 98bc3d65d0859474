import type { AgentEvent } from '@agentkit/core'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import { runProblem } from '../../answer/problem.ts'
import { endOf } from './agentkit-field.ts'
import { openaiError } from './openai-problem.ts'
import { type ResponseHead, type ResponseState, type ResponseStatus, responseBody } from './response-body.ts'
import type { Frame } from './response-items.ts'
import type { ResponseReader } from './response-reader.ts'

export type ResponsesEncoderOptions = {
  head: ResponseHead
  reader: ResponseReader
  /** Events up to this number are left out: the client has them. */
  after?: number
}

/** Encodes the events of one run as the stream of a response. */
export function responsesEncoder({ head, reader, after = -1 }: ResponsesEncoderOptions): EncodeEvent {
  let number = 0
  let hasBegun = false
  let hasEnded = false

  const frame = ({ type, ...fields }: Frame): string => {
    const sequence_number = number++
    return sequence_number <= after
      ? ''
      : `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
  }
  const begin = ({ runId }: AgentEvent): Frame[] => {
    if (hasBegun) return []
    hasBegun = true
    const response = responseBody(head, { facts: { runId }, status: 'in_progress', output: [] })
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ]
  }
  const encode = (event: AgentEvent): string => {
    if (hasEnded) return ''
    const frames = [...begin(event), ...reader.read(event)]
    if (event.type === 'run-end') {
      hasEnded = true
      const state = endedState(reader)
      frames.push({ type: `response.${endTypes[state.status] ?? 'failed'}`, response: responseBody(head, state) })
    }
    return frames.map(frame).join('')
  }
  const cut = (): string => {
    const message = 'The server is shutting down. The response continues: read it by its id.'
    // The number of the last event, because the client continues after it.
    const error = {
      type: 'error',
      sequence_number: Math.max(0, number - 1),
      code: 'server_error',
      message,
      param: null,
    }
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`
  }
  return Object.assign(encode, { cut })
}

const endTypes: Partial<Record<ResponseStatus, string>> = { completed: 'completed', incomplete: 'incomplete' }

/** The state of a run whose end was read. */
export function endedState({ facts: { end, sources, approvals }, output, hasSteps }: ResponseReader): ResponseState {
  const { runId = '', finishReason = 'error', cost, usage = {} } = end ?? {}
  const problem = runProblem(end ?? { finishReason })
  const waiting = finishReason === 'approval' ? approvals : []
  const status = problem ? failedStatus(finishReason) : endOf(finishReason) === 'stop' ? 'completed' : 'incomplete'
  return {
    facts: { runId, finishReason, cost, sources, approvals: waiting },
    ...{ status, output, usage },
    ...(problem && { error: openaiError(problem) }),
    isBlocked: finishReason === 'content-filter' && !hasSteps,
  }
}

function failedStatus(finishReason: string): ResponseStatus {
  return finishReason === 'aborted' ? 'cancelled' : 'failed'
}
