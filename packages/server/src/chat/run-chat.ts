import type { AgentEvent, AgentRun, InputPart, JSONValue, Message, Runnable, RunResult, ToolSpec } from '@agentkit/core'
import { reported, withRequest } from '@agentkit/core/internal'
import type { WholeFormat } from '../answer/encode-answer.ts'
import type { EncodeEvent } from '../answer/encode-event.ts'
import { eventResponse, eventStreamType } from '../answer/event-response.ts'
import { followedEvents } from '../answer/followed-events.ts'
import { liveEvents } from '../answer/live-events.ts'
import { hasOwnLine, type LoggedRequest, loggedRequest, logProblem } from '../answer/log-problem.ts'
import { LeftToOthers, ProblemError, thrownProblem } from '../answer/problem.ts'
import type { BoundRun, Leave } from '../capacity/capacity.ts'
import type { Begin } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { runStoreOf } from '../request/run-store.ts'
import { logRun } from '../util/log-run.ts'
import type { ServerContext } from '../util/server-env.ts'
import { replacedProblem, requireReplaced } from './replaced-problem.ts'

/** A message to the agent, in any protocol. */
export type ChatMessage = {
  question: string | InputPart[]
  history: Message[]
  userId: string
  sessionId?: string
  /** The run of the session that this one replaces. */
  replaces?: string
  /** Tools that the client executes. */
  clientTools?: readonly ToolSpec[]
  /** What is stored with the run for its client. */
  clientData?: JSONValue
}

/** How a run is answered: by its events while it runs, or once it has ended. */
export type Answering =
  | { type: typeof eventStreamType; encode?: EncodeEvent }
  | {
      type: WholeFormat
      whole(result: RunResult): Response
      /** Called with each event, where the answer is made of more than the result. */
      read?(event: AgentEvent): void
    }

export type Chat = {
  request: ChatMessage
  answer: Answering
  context: ServerContext
  parts: RouteParts
  /** Called when the run has started: the body is then no longer held in memory. */
  release(): void
  /** Cancels a run that its client waits for; default: the signal of the request. */
  signal?: AbortSignal
}

/** A run that its client waits for: it ends when the client leaves. */
export async function boundRun(chat: Chat): Promise<Response> {
  const { request, answer, context, parts, release } = chat
  const { agent, capacity, limits } = parts
  const { signal = context.req.raw.signal } = chat
  const logged = loggedRequest(context)
  const enteredAt = performance.now()
  const { userId, sessionId } = request
  const place = capacity.enter(signal, { userId, sessionId, timeoutMs: limits.deadlineMs })
  const start = (): AgentRun => {
    // The deadline holds for the wait and the run together.
    const timeoutMs = Math.max(1, Math.round(limits.deadlineMs - (performance.now() - enteredAt)))
    const run = startRun(agent, request, { signal, timeoutMs })
    logged.runId = run.runId
    context.set('runId', run.runId)
    return run
  }
  const run = place.then(start).finally(release)
  const response =
    answer.type === eventStreamType
      ? eventResponse(liveEvents(run, answer.encode), context, streamOptions(parts, logged))
      : run.then((started) => wholeAnswer(started, answer))
  void releaseAfter({ request, parts, logged }, run, place, capacity.boundRuns)
  return response.catch((problem) => {
    throw replacedProblem(problem, request.replaces)
  })
}

/** A run that continues when its client leaves, and in another process when this one dies. */
export async function durableRun(chat: Chat, begin: Begin): Promise<Response> {
  const { request, answer, context, parts, release } = chat
  const { agent, capacity, limits } = parts
  const { sessions } = agent
  // Checked before the run waits for a place.
  runStoreOf(agent)
  const logged = loggedRequest(context)
  const { userId, sessionId } = request
  const place = capacity.enter(context.req.raw.signal, { userId, sessionId, timeoutMs: limits.deadlineMs })
  const start = async (): Promise<AgentRun> => {
    await requireReplaced(agent, request, context.req.raw.signal)
    const started = startRun(agent, request, { resumable: true, timeoutMs: limits.backgroundMs })
    logged.runId = started.runId
    context.set('runId', started.runId)
    settled = await begin({ runId: started.runId, type: answer.type })
    return started
  }
  let settled = async (): Promise<void> => {}
  const starting = place.then(start).finally(release)
  void releaseAfter({ request, parts, logged }, starting, place)
  const run = await starting
  if (answer.type !== eventStreamType) {
    const left = context.req.raw.signal
    const leave = capacity.readers.add(run.runId)
    left.addEventListener('abort', leave)
    if (left.aborted) leave()
    return wholeAnswer(run, answer)
      .catch(async (problem) => {
        const stored = await sessions.runs?.read(run.runId)
        // A store that fails may still have it as running, where nothing continues it.
        const isLeft = stored?.record.status === 'running' && !hasCode(problem, 'storage', 'insufficient-storage')
        if (isLeft) throw new LeftToOthers(capacity.draining.aborted)
        // This process was frozen, say, and another one has continued the run and ended it.
        const found =
          stored && hasCode(problem, 'session-conflict') ? await agent.result?.(run.runId, { userId }) : undefined
        if (found) return answer.whole(found)
        throw replacedProblem(problem, request.replaces)
      })
      .finally(() => {
        left.removeEventListener('abort', leave)
        leave()
      })
  }
  void run.result.then(settled, settled)
  const encode = answer.encode && { encode: answer.encode }
  const begun = { sessions, runId: run.runId, run, agentId: agent.id, sessionId }
  const followed = { ...begun, after: 0, last: 0, draining: capacity.draining, ...encode }
  return eventResponse(followedEvents(followed), context, streamOptions(parts, logged))
}

/** How a run streams whose failure is logged with its request. */
function streamOptions(parts: RouteParts, logged: LoggedRequest): Parameters<typeof eventResponse>[2] {
  return { ...parts, onFailure: (problem) => logProblem(problem, logged, parts.log) }
}

function hasCode(problem: unknown, ...codes: readonly ProblemError['code'][]): boolean {
  return problem instanceof ProblemError && codes.includes(problem.code)
}

type Bounds = { timeoutMs: number; signal?: AbortSignal; resumable?: boolean }

function startRun(agent: Runnable, request: ChatMessage, bounds: Bounds): AgentRun {
  const { question, userId, sessionId, history, replaces, clientTools, clientData } = request
  const ids = { userId, ...(sessionId !== undefined && { sessionId }) }
  const options = { ...ids, history, ...(replaces !== undefined && { replaces }), ...(clientTools && { clientTools }) }
  try {
    const stream = (): AgentRun => agent.stream(question, { ...options, ...bounds, onApproval: 'end' })
    return reported(clientData === undefined ? stream() : withRequest({ client: clientData }, stream))
  } catch (error) {
    throw thrownProblem(error)
  }
}

/**
 * Releases the run's place when the run has settled, which may be long after its client has left.
 * @param active has the run until then
 */
async function releaseAfter(
  { request, parts, logged }: Pick<Chat, 'request' | 'parts'> & { logged: LoggedRequest },
  run: Promise<AgentRun>,
  place: Promise<Leave>,
  active?: Set<BoundRun>,
): Promise<void> {
  const bound: BoundRun = { run: undefined }
  const settle = (started: AgentRun): AgentRun['result'] => {
    const { userId, sessionId } = request
    bound.run = started
    active?.add(bound)
    if (sessionId !== undefined) parts.capacity.sessionRuns.add({ userId, sessionId }, started)
    return started.result
  }
  const spent = await run.then(settle).catch(() => undefined)
  active?.delete(bound)
  bound.run = undefined
  // A server that stops leaves a durable run to the next one.
  const isLeft = !active && spent?.finishReason === 'aborted' && parts.capacity.runs.isClosed
  if (spent && !isLeft && hasOwnLine(spent, logged)) {
    logRun(spent, { log: parts.log, requestId: logged.id, startedAt: logged.startedAt })
  }
  await place.then(
    (leave) => leave(spent),
    () => {},
  )
}

/** Waits for the run's end, because the status depends on it. */
async function wholeAnswer(run: AgentRun, { whole, read }: Extract<Answering, { whole: unknown }>): Promise<Response> {
  if (read) await readEvents(run, read)
  const result = await run.result.catch((error) => {
    throw thrownProblem(error)
  })
  return whole(result)
}

async function readEvents(run: AgentRun, read: (event: AgentEvent) => void): Promise<void> {
  try {
    for await (const event of run) read(event)
  } catch {
    // A run that breaks its contract: its result rejects too.
  }
}
