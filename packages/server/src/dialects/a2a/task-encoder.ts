import type { AgentEvent } from '@agentkit/core'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import type { EventSource } from '../../answer/event-stream.ts'
import { ProblemError } from '../../answer/problem.ts'
import { publicEvent } from '../../answer/public-event.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { type CallId, errorBody } from './a2a-error.ts'
import { artifactOf, metadataOf, statusOf, type Task } from './task.ts'

export type TaskEncoderOptions = {
  callId: CallId
  contextId: string
  /** The member whose words are the answer, of `Runnable.speaker`. */
  speaker?: string | undefined
  /** Set for a task that the client has received and follows from here on; `reader` has the answer up to now. */
  followed?: { reader?: AnswerReader | undefined }
}

type RunEnd = Extract<AgentEvent, { type: 'run-end' }>

/**
 * Encodes the events of one run as events of a task: the task, its answer as one artifact that grows, and the status
 * with which the stream ends.
 */
export function taskEncoder({ callId, contextId, speaker, followed }: TaskEncoderOptions): EncodeEvent {
  const reader = followed?.reader ?? new AnswerReader({ speaker })
  // The earlier approvals are decided.
  reader.approvals.length = 0
  let hasBegun = followed !== undefined
  let hasEnded = false
  let hasArtifact = reader.text !== ''

  const begin = (id: string): object[] => {
    if (hasBegun) return []
    hasBegun = true
    const status = statusOf({ id, contextId }, { status: 'running', approvals: [] })
    return [{ task: { id, contextId, status, metadata: {} } }]
  }
  const append = (taskId: string, text: string, isLast: boolean): object => {
    const artifact = artifactOf(text, isLast ? reader.sources : [])
    const update = { taskId, contextId, artifact, append: hasArtifact, lastChunk: isLast }
    hasArtifact = true
    return { artifactUpdate: update }
  }
  const finish = ({ runId: taskId, finishReason, usage, cost, error }: RunEnd, rest: string): object[] => {
    hasEnded = true
    const isFailed = finishReason === 'error' || finishReason === 'aborted'
    const isWaiting = finishReason === 'approval'
    const status = isFailed ? 'failed' : isWaiting ? 'waiting' : 'done'
    const ending = { status, finishReason, approvals: reader.approvals, ...(error && { error }) } as const
    const update = { taskId, contextId, status: statusOf({ id: taskId, contextId }, ending) }
    const hasLast = rest !== '' || (hasArtifact && !isWaiting)
    return [
      ...(hasLast ? [append(taskId, rest, !isWaiting)] : []),
      { statusUpdate: { ...update, metadata: metadataOf({ finishReason, usage, cost }) } },
    ]
  }

  const encode = (event: AgentEvent): string => {
    if (hasEnded) return ''
    const shown = publicEvent(event)
    const text = reader.read(shown)
    const results = begin(event.runId)
    if (shown.type === 'run-end') results.push(...finish(shown, text))
    else if (text !== '') results.push(append(event.runId, text, false))
    return results.map((result) => resultFrame(callId, result)).join('')
  }
  const cut = (): string => {
    const detail = 'The server is shutting down. The task continues: follow it by SubscribeToTask.'
    const error = errorBody(new ProblemError('overloaded', { detail }))
    return `data: ${JSON.stringify({ jsonrpc: '2.0', id: callId, error })}\n\n`
  }
  return Object.assign(encode, { cut })
}

/**
 * The rest of a task that the client follows. The first frame is the current task, because the next event may come
 * late.
 */
export function followedTask(callId: CallId, task: Task, events: EventSource): EventSource {
  return {
    async read(send) {
      void send(resultFrame(callId, { task }), { beginsAnswer: true, isFollowed: true })
      await events.read(send)
    },
    leave: () => events.leave(),
  }
}

/** A frame with one result of a streamed call. */
export function resultFrame(id: CallId, result: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`
}
