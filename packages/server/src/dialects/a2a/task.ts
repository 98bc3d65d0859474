import type { AgentEvent, Approval, Citation, RunRecord } from '@agentkit/core'
import { runProblem } from '../../answer/problem.ts'

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'

export type TaskStatus = { state: TaskState; timestamp: string; message?: object }

export type Task = {
  id: string
  contextId: string
  status: TaskStatus
  artifacts?: object[]
  metadata: Record<string, unknown>
}

/** The answer of a run, and its sources. */
export type Answer = { text: string; sources: readonly Citation[] }

/**
 * A run as a task. Its answer is one artifact.
 * @param changedAt when it got its status; default: when it ended, or else began
 */
export function taskOf(record: RunRecord, answer?: Answer, changedAt?: string): Task {
  const { runId: id, usage, cost, status } = record
  const contextId = contextOf(record)
  const finishReason = record.finishReason ?? (status === 'waiting' ? 'approval' : undefined)
  const ending = { ...record, ...(finishReason && { finishReason }) }
  return {
    ...{ id, contextId, status: statusOf({ id, contextId }, ending, changedAt) },
    ...(answer && answer.text !== '' && { artifacts: [artifactOf(answer.text, answer.sources)] }),
    metadata: finishReason === undefined ? {} : metadataOf({ finishReason, usage, cost }),
  }
}

/** The context of a run: its session. */
export function contextOf({ sessionId, runId }: Pick<RunRecord, 'sessionId' | 'runId'>): string {
  return sessionId ?? runId
}

export function taskStateOf({ status, finishReason }: Pick<RunRecord, 'status' | 'finishReason'>): TaskState {
  switch (status) {
    case 'queued':
      return 'TASK_STATE_SUBMITTED'
    case 'running':
      return 'TASK_STATE_WORKING'
    case 'waiting':
      return 'TASK_STATE_INPUT_REQUIRED'
    case 'done':
      return 'TASK_STATE_COMPLETED'
    case 'failed':
      return finishReason === 'aborted' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_FAILED'
  }
}

type Place = { id: string; contextId: string }
type Progress = Pick<RunRecord, 'status' | 'finishReason' | 'error' | 'approvals'> & Partial<RunRecord>

/** The status of a task. A failure is our sentence, never the text of a tool or a model. */
export function statusOf({ id, contextId }: Place, progress: Progress, changedAt?: string): TaskStatus {
  const { endedAt, startedAt, createdAt, finishReason = 'stop', error, approvals } = progress
  const timestamp = changedAt ?? endedAt ?? startedAt ?? createdAt ?? new Date().toISOString()
  const state = taskStateOf(progress)
  const parts = state === 'TASK_STATE_INPUT_REQUIRED' ? requestOf(approvals) : []
  const failure = progress.status === 'failed' ? runProblem({ finishReason, ...(error && { error }) }) : undefined
  if (failure) parts.push({ text: failure.detail })
  if (parts.length === 0) return { state, timestamp }
  const message = { messageId: `${id}-status`, taskId: id, contextId, role: 'ROLE_AGENT', parts }
  return { state, timestamp, message }
}

function requestOf(approvals: readonly Approval[]): object[] {
  const names = approvals.map(({ name }) => `"${name}"`).join(', ')
  const decision = [...new Set(approvals.flatMap(({ kind }) => formsOf[kind])), '{ "deny": "…" }'].join(' | ')
  const text = `A decision is needed on ${names}: send a message to this task with the data { "approvals": { "<id>": ${decision} } }.`
  const shown = approvals.map(({ approvalId: id, name, input, kind }) => ({ id, name, input, kind }))
  return [{ text }, { data: { approvals: shown }, mediaType: 'application/json' }]
}

/** What may be sent beside a denial. */
const formsOf: Record<Approval['kind'], string[]> = {
  approval: ['true'],
  'unknown-outcome': ['true', '{ "result": … }'],
  'client-tool': ['{ "result": … }'],
}

export function artifactOf(text: string, sources: readonly Citation[] = []): object {
  return {
    ...{ artifactId: 'answer', name: 'answer', parts: [{ text, mediaType: 'text/plain' }] },
    ...(sources.length > 0 && { metadata: { sources } }),
  }
}

type Ending = Pick<Extract<AgentEvent, { type: 'run-end' }>, 'finishReason'> & {
  usage: RunRecord['usage']
  cost: RunRecord['cost']
}

/** How a run has ended: budgets and limits of steps complete a task too. */
export function metadataOf({ finishReason, usage, cost }: Ending): Record<string, unknown> {
  return { finishReason, usage: usage ?? {}, cost: cost?.usd ?? null }
}
