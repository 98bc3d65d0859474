import type { AgentRun, Runnable } from '@agentkit/core'
import { runAnswer, type WholeFormat } from '../answer/encode-answer.ts'
import { eventResponse, eventStreamType } from '../answer/event-response.ts'
import { followedEvents } from '../answer/followed-events.ts'
import { liveEvents } from '../answer/live-events.ts'
import { ProblemError, thrownProblem } from '../answer/problem.ts'
import type { Leave } from '../capacity/capacity.ts'
import { type AnswerFormat, negotiate } from '../request/accept.ts'
import type { ChatRequest } from '../request/chat-request.ts'
import { type Begin, idempotencyKeyOf, idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { runStoreOf } from '../request/run-store.ts'
import type { ServerContext } from '../util/server-env.ts'
import { chatAnswers, chatBodies } from './chat-schemas.ts'
import { receiveChat } from './received-chat.ts'

/** The chat routes. A swarm has them under its older names, too. */
export function chatRoutes(parts: RouteParts): Route[] {
  const names = 'agents' in parts.agent ? ['/api/v1/chat', '/swarm/chat'] : ['/api/v1/chat']
  return names.flatMap((path) => [
    chatRoute(parts, path, 'text/plain'),
    chatRoute(parts, `${path}_stream`, eventStreamType),
  ])
}

/** Runs the agent on one message, and answers in the format that the client accepts. */
function chatRoute(parts: RouteParts, path: string, fallback: AnswerFormat): Route {
  const handle = async (context: ServerContext): Promise<Response> => {
    const format = negotiate(context.req.header('accept'), fallback)
    if (!format) throw new ProblemError('not-acceptable')
    return receiveChat(context, parts, async ({ request, store, release }) => {
      const chat: Chat = { request, format, context, parts, release }
      const isDurable = request.isResumable || idempotencyKeyOf(context) !== undefined
      if (isDurable) {
        const answer = idempotent(context, parts, request, (begin) => store().then(() => durableRun(chat, begin)))
        return answer.finally(release)
      }
      await store()
      // A stream may begin before its run: what waits in the queue is still in memory.
      return boundRun(chat)
    })
  }
  return defineRoute({
    method: 'POST',
    path,
    tag: 'chat',
    summary: 'Answers the last message of a conversation',
    otherBody: chatBodies,
    answers: chatAnswers,
    handle,
  })
}

type Chat = {
  request: ChatRequest
  format: AnswerFormat
  context: ServerContext
  parts: RouteParts
  /** Called when the run has started: the body is then no longer held in memory. */
  release(): void
}

/** A run that its client waits for: it ends when the client leaves. */
async function boundRun(chat: Chat): Promise<Response> {
  const { request, format, context, parts, release } = chat
  const { agent, capacity, limits } = parts
  const { signal } = context.req.raw
  const enteredAt = performance.now()
  const place = capacity.enter(signal, { userId: request.userId, timeoutMs: limits.deadlineMs })
  const start = (): AgentRun => {
    // The deadline holds for the wait and the run together.
    const timeoutMs = Math.max(1, Math.round(limits.deadlineMs - (performance.now() - enteredAt)))
    const run = startRun(agent, request, { signal, timeoutMs })
    context.set('runId', run.runId)
    return run
  }
  const run = place.then(start).finally(release)
  const answer =
    format === eventStreamType
      ? eventResponse(liveEvents(run), context, parts)
      : run.then((started) => wholeAnswer(started, format, request))
  void releaseAfter(chat, run, place)
  return answer
}

/** A run that continues when its client leaves, and in another process when this one dies. */
async function durableRun(chat: Chat, begin: Begin): Promise<Response> {
  const { request, format, context, parts, release } = chat
  const { agent, capacity, limits } = parts
  const { sessions } = agent
  // Before the run waits for a place.
  runStoreOf(agent)
  const place = capacity.enter(context.req.raw.signal, { userId: request.userId, timeoutMs: limits.deadlineMs })
  const start = async (): Promise<AgentRun> => {
    const started = startRun(agent, request, { resumable: true, timeoutMs: limits.backgroundMs })
    context.set('runId', started.runId)
    settled = await begin({ runId: started.runId, type: format })
    return started
  }
  let settled = async (): Promise<void> => {}
  const starting = place.then(start).finally(release)
  void releaseAfter(chat, starting, place)
  const run = await starting
  if (format !== eventStreamType) {
    return wholeAnswer(run, format, request).catch(async (problem) => {
      const stored = await sessions.runs?.read(run.runId)
      throw stored?.record.status === 'running' ? handedBack() : problem
    })
  }
  void run.result.then(settled, settled)
  const followed = { sessions, runId: run.runId, after: 0, last: 0, draining: capacity.draining, run }
  return eventResponse(followedEvents(followed), context, parts)
}

/** The server stops: the next one continues the run. */
function handedBack(): ProblemError {
  const detail = 'The server is shutting down. The run continues: read it by the id in X-Run-Id.'
  return new ProblemError('overloaded', { detail, headers: { 'retry-after': '1', connection: 'close' }, quiet: true })
}

type Bounds = { timeoutMs: number; signal?: AbortSignal; resumable?: boolean }

function startRun(agent: Runnable, request: ChatRequest, bounds: Bounds): AgentRun {
  const { question, userId, sessionId, history, replaces } = request
  const options = { userId, sessionId, history, ...(replaces !== undefined && { replaces }) }
  try {
    return agent.stream(question, { ...options, ...bounds, onApproval: 'end' })
  } catch (error) {
    throw thrownProblem(error)
  }
}

/** Releases the run's place when the run has settled, which may be long after its client has left. */
async function releaseAfter({ request, parts }: Chat, run: Promise<AgentRun>, place: Promise<Leave>): Promise<void> {
  const settle = (started: AgentRun): AgentRun['result'] => {
    parts.capacity.sessionRuns.add(request, started)
    return started.result
  }
  const spent = await run.then(settle).catch(() => undefined)
  await place.then(
    (leave) => leave(spent),
    () => {},
  )
}

/** Waits for the run's end, because the status depends on it. */
async function wholeAnswer(run: AgentRun, format: WholeFormat, owner: ChatRequest): Promise<Response> {
  const result = await run.result.catch((error) => {
    throw thrownProblem(error)
  })
  return runAnswer(result, format, owner)
}
