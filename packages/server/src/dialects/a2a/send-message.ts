import type { RunResult, RunStore } from '@agentkit/core'
import { isEnded } from '@agentkit/core/internal'
import { eventResponse, eventStreamType } from '../../answer/event-response.ts'
import { loggedRequest, logProblem } from '../../answer/log-problem.ts'
import { type ProblemError, runProblem } from '../../answer/problem.ts'
import { boundRun, type Chat, durableRun } from '../../chat/run-chat.ts'
import { withoutKey } from '../../request/idempotency.ts'
import { findRun } from '../../runs/find-run.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { decideRun } from '../common/decide-run.ts'
import { readWhole } from '../common/read-whole.ts'
import { A2AError } from './a2a-error.ts'
import { type CallOf, result, streamedTask } from './a2a-methods.ts'
import { type A2AMessage, invalid, readMessage } from './a2a-request.ts'
import { readAnswer, readTask, taskWithAnswer } from './read-task.ts'
import { contextOf, taskOf } from './task.ts'
import { followedTask, taskEncoder } from './task-encoder.ts'

type Sent = CallOf & { handOver(): () => void }

/** A message: a new task, or decisions on the approvals of one. */
export async function sendMessage(sent: Sent): Promise<Response> {
  const message = readMessage(sent.call.params)
  return message.taskId === undefined ? begin(sent, message) : decide(sent, message)
}

type Question = Extract<A2AMessage, { question: unknown }>
type Decided = Extract<A2AMessage, { decisions: unknown }>

async function begin(sent: Sent, message: Question): Promise<Response> {
  const { call, userId, context, parts, handOver } = sent
  const { question, returnsImmediately, contextId = `ctx_${crypto.randomUUID()}` } = message
  const request = { question, history: [], userId, sessionId: contextId }
  const chat = { request, context, parts, release: handOver() }
  // A task is read, followed and cancelled by later calls: where runs are stored, it outlives its client.
  const start = (whole: Chat): Promise<Response> =>
    parts.agent.sessions.runs ? durableRun(whole, withoutKey) : boundRun(whole)
  if (call.method === 'SendStreamingMessage') {
    const encode = taskEncoder({ callId: call.id, contextId, speaker: parts.agent.speaker })
    return start({ ...chat, answer: { type: eventStreamType, encode } })
  }
  return wholeTask(sent, { contextId, returnsImmediately }, (answer) => start({ ...chat, answer }))
}

type Whole = Extract<Chat['answer'], { whole: unknown }>

/** The task when its run has ended or waits; once it has begun, for a client that does not wait. */
async function wholeTask(
  { call, userId, context, parts }: Sent,
  { contextId, returnsImmediately }: { contextId: string; returnsImmediately: boolean },
  start: (answer: Whole) => Promise<Response>,
): Promise<Response> {
  const reader = new AnswerReader({ speaker: parts.agent.speaker })
  const begun = Promise.withResolvers<string>()
  let failed: { run: RunResult; problem: ProblemError } | undefined
  const answer = start({
    type: 'application/json',
    read(event) {
      reader.read(event)
      begun.resolve(event.runId)
    },
    whole(run) {
      const problem = runProblem(run)
      if (problem) {
        failed = { run, problem }
        throw problem
      }
      return result(call, { task: taskOf(recordOf(run, { contextId, parts, userId }), reader) })
    },
  })
  const settled = answer.catch(async (error) => {
    // A run that was refused before it was stored is no task.
    const isTask = failed && error === failed.problem && (await parts.agent.sessions.runs?.read(failed.run.runId))
    if (!failed || !isTask) throw error
    logProblem(failed.problem, loggedRequest(context), parts.log)
    return result(call, { task: await readTask(parts, failed.run.runId, userId) })
  })
  const { runs } = parts.agent.sessions
  if (!returnsImmediately || !runs) return settled
  const over = new AbortController()
  const stored = begun.promise.then((runId) => untilStored(runs, runId, over.signal))
  const first = await Promise.race([stored, settled]).finally(() => over.abort())
  if (typeof first !== 'string') return settled
  settled.catch(ignore)
  return result(call, { task: await readTask(parts, first, userId) })
}

function ignore(): void {}

/** Resolves with the id of a run once it is stored, from when on it is a task; with nothing when `signal` aborts. */
async function untilStored(runs: RunStore, runId: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    // Subscribes before the run is read, so that no write is missed in between.
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = runs.watch(runId, resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    try {
      if (await runs.read(runId)) return runId
      await promise
    } finally {
      stop()
    }
  }
  return undefined
}

type Owner = { contextId: string; userId: string; parts: CallOf['parts'] }

/** A run that has just ended or waits, as it would be stored. */
function recordOf(run: RunResult, { contextId, userId, parts }: Owner): Parameters<typeof taskOf>[0] {
  const { runId, finishReason, approvals, usage, sources, cost } = run
  const now = new Date().toISOString()
  return {
    ...{ runId, finishReason, approvals, usage, sources, userId, agentId: parts.agent.id, sessionId: contextId },
    ...{ status: finishReason === 'approval' ? 'waiting' : 'done', attempts: 1, createdAt: now, endedAt: now },
    ...(cost && { cost }),
  }
}

async function decide(sent: Sent, { taskId, contextId, decisions }: Decided): Promise<Response> {
  const { call, userId, context, parts } = sent
  const isStreamed = call.method === 'SendStreamingMessage'
  const stored = await findRun(parts, taskId, userId)
  const { record } = stored
  if (contextId !== undefined && contextId !== contextOf(record)) {
    throw invalid('message.contextId', 'must be that of the task')
  }
  if (isEnded(stored.record.status)) {
    throw new A2AError('UnsupportedOperation', 'The task has ended: send the message without its taskId.')
  }
  const ids = record.approvals.map(({ approvalId }) => approvalId)
  const isKnown = (id: string): boolean => stored.approvals.some(({ approvalId }) => approvalId === id)
  if (Object.keys(decisions).length === 0 || !Object.keys(decisions).every(isKnown)) {
    if (record.status !== 'waiting') throw new A2AError('UnsupportedOperation', 'The task takes no message now.')
    const form = '{ "approvals": { "<id>": true | { "deny": "…" } } }'
    throw new A2AError('InvalidParams', `The task waits for the data ${form}, with the ids ${ids.join(', ')}.`)
  }
  const reader = await readAnswer(parts, stored)
  const task = await taskWithAnswer(parts, stored)
  const events = await decideRun(context, parts, stored, { decisions, userId })
  if (!events) {
    const still = await readTask(parts, taskId, userId)
    return isStreamed ? streamedTask(call, still) : result(call, { task: still })
  }
  if (isStreamed) {
    const working = { state: 'TASK_STATE_WORKING', timestamp: new Date().toISOString() } as const
    const { contextId: at } = task
    const encode = taskEncoder({ callId: call.id, contextId: at, speaker: parts.agent.speaker, followed: { reader } })
    const followed = followedTask(call.id, { ...task, status: working, metadata: {} }, events(encode))
    return eventResponse(followed, context, parts)
  }
  // A run that fails is a task that has failed.
  await readWhole(
    events(() => ''),
    context.req.raw.signal,
  ).catch(ignore)
  return result(call, { task: await readTask(parts, taskId, userId) })
}
