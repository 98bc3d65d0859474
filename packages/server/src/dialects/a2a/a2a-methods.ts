import type { RunRecord } from '@agentkit/core'
import { isEnded, statusTime } from '@agentkit/core/internal'
import { eventResponse, eventStreamType } from '../../answer/event-response.ts'
import { followedEvents } from '../../answer/followed-events.ts'
import { throwProblem } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import { runStoreOf } from '../../request/run-store.ts'
import { findRun } from '../../runs/find-run.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { A2AError } from './a2a-error.ts'
import { type Call, invalid, noPush, readId } from './a2a-request.ts'
import { readAnswer, readTask, taskWithAnswer } from './read-task.ts'
import { taskOf, taskStateOf } from './task.ts'
import { followedTask, resultFrame, taskEncoder } from './task-encoder.ts'

/** A call of a user. */
export type CallOf = { call: Call; userId: string; context: ServerContext; parts: RouteParts }

/** The answer to every method but those that send a message. */
export async function answerCall(asked: CallOf): Promise<Response> {
  const { call } = asked
  switch (call.method) {
    case 'GetTask':
      return result(call, await readTask(asked.parts, taskIdOf(call), asked.userId))
    case 'ListTasks':
      return result(call, await listTasks(asked))
    case 'CancelTask':
      return cancelTask(asked)
    case 'SubscribeToTask':
      return subscribe(asked)
    case 'GetExtendedAgentCard':
      throw new A2AError('UnsupportedOperation', 'This agent has no extended card.')
  }
  if (/^(?:Create|Get|List|Delete)TaskPushNotificationConfigs?$/.test(call.method)) {
    throw new A2AError('PushNotificationNotSupported', noPush)
  }
  throw new A2AError('MethodNotFound', `There is no such method. There are ${methods.join(', ')}.`)
}

const methods = ['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask']

/** The result of a call. */
export function result({ id }: Call, value: object): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: value })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function taskIdOf({ params }: Call): string {
  const id = readId('id', params.id)
  if (id === undefined) throw new A2AError('InvalidParams', 'Required: id.')
  return id
}

async function cancelTask({ call, userId, parts }: CallOf): Promise<Response> {
  const stored = await findRun(parts, taskIdOf(call), userId)
  const { runId } = stored.record
  const isCancelled =
    !isEnded(stored.record.status) && (await parts.agent.cancel(runId, { userId }).catch(throwProblem))
  if (!isCancelled) throw new A2AError('TaskNotCancelable', 'The task has ended.')
  return result(call, await readTask(parts, runId, userId))
}

/** A task as it is, then what comes. */
async function subscribe({ call, userId, context, parts }: CallOf): Promise<Response> {
  const stored = await findRun(parts, taskIdOf(call), userId)
  if (isEnded(stored.record.status))
    throw new A2AError('UnsupportedOperation', 'The task has ended: read it by GetTask.')
  const { record, lastSeq } = stored
  const reader = await readAnswer(parts, stored)
  if (record.status === 'waiting') return streamedTask(call, await taskWithAnswer(parts, stored))
  if (!reader) throw new A2AError('UnsupportedOperation', 'The events of this task are not kept: read it by GetTask.')
  const task = taskOf(record, reader, statusTime(stored))
  const encode = taskEncoder({ callId: call.id, contextId: task.contextId, followed: { reader } })
  context.set('runId', record.runId)
  const { agent, capacity } = parts
  const followed = { runId: record.runId, after: lastSeq, last: lastSeq, draining: capacity.draining, encode }
  const events = followedEvents({ sessions: agent.sessions, ...followed })
  return eventResponse(followedTask(call.id, task, events), context, parts)
}

/** A task of which nothing more comes before a decision. */
export function streamedTask({ id }: Call, task: object): Response {
  return new Response(resultFrame(id, { task }), { headers: { 'content-type': eventStreamType } })
}

const maxTasks = 1_000

/** Tasks, the most recently changed first. */
async function listTasks({ call: { params }, userId, parts }: CallOf): Promise<object> {
  const contextId = readId('contextId', params.contextId)
  const { pageSize, status, pageToken, includeArtifacts, statusTimestampAfter } = params
  // In the protocol's JSON, null is the default of a field.
  const size = (pageSize ?? 0) === 0 ? 50 : pageSize
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1 || size > 100) {
    throw invalid('pageSize', 'must be a whole number from 1 to 100')
  }
  const since = readTime(statusTimestampAfter)
  const state = readState(status)
  runStoreOf(parts.agent)
  const filter = { userId, ...(contextId !== undefined && { sessionId: contextId }), limit: maxTasks }
  const runs = await parts.agent.runs(filter).catch(throwProblem)
  const inState = runs.filter((record) => state === anyState || taskStateOf(record) === state)
  const dated = await Promise.all(inState.map((record) => withTime(parts, record)))
  const found = dated
    .filter(({ changedAt }) => since === undefined || Date.parse(changedAt) >= since)
    .sort((one, other) => other.changedAt.localeCompare(one.changedAt))
  const start = (pageToken ?? '') === '' ? 0 : found.findIndex(({ record }) => record.runId === pageToken)
  if (start === -1) throw invalid('pageToken', 'must be a nextPageToken of this list')
  const page = found.slice(start, start + size)
  const tasks = page.map(async ({ record, changedAt }) =>
    includeArtifacts === true ? readTask(parts, record.runId, userId) : taskOf(record, undefined, changedAt),
  )
  return {
    tasks: await Promise.all(tasks),
    nextPageToken: found[start + size]?.record.runId ?? '',
    pageSize: size,
    totalSize: found.length,
  }
}

const anyState = 'TASK_STATE_UNSPECIFIED'
/** The states of the protocol in the order of their numbers, which its JSON takes too. */
const states = [
  ...[anyState, 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'],
  ...['TASK_STATE_CANCELED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED'],
]

function readState(sent: unknown): string {
  const state = states.find((each, number) => sent === each || sent === number)
  if (state !== undefined) return state
  if (sent === undefined || sent === null) return anyState
  throw invalid('status', 'must be a state of tasks, such as "TASK_STATE_WORKING"')
}

type DatedRecord = { record: RunRecord; changedAt: string }

/** Reads since when a run waits, or when it was decided: records in lists lack that. */
async function withTime(parts: RouteParts, record: RunRecord): Promise<DatedRecord> {
  const { status, endedAt, startedAt, createdAt } = record
  const isActive = status === 'waiting' || status === 'running'
  const stored = isActive ? await runStoreOf(parts.agent).read(record.runId) : undefined
  return { record, changedAt: stored ? statusTime(stored) : (endedAt ?? startedAt ?? createdAt) }
}

function readTime(sent: unknown): number | undefined {
  if (sent === undefined || sent === null || sent === '') return undefined
  const time = typeof sent === 'string' ? Date.parse(sent) : Number.NaN
  if (Number.isNaN(time)) throw invalid('statusTimestampAfter', 'must be a time such as 2026-01-31T12:00:00Z')
  return time
}
