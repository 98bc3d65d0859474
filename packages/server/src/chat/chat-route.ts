import type { AgentRun, Runnable } from '@agentkit/core'
import { jsonAnswer, textAnswer } from '../answer/encode-answer.ts'
import { eventStream } from '../answer/event-stream.ts'
import { logProblem } from '../answer/log-problem.ts'
import { ProblemError, runProblem, thrownProblem } from '../answer/problem.ts'
import type { Leave } from '../capacity/capacity.ts'
import { type AnswerFormat, negotiate } from '../request/accept.ts'
import { type ChatRequest, readChatRequest } from '../request/chat-request.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerContext } from '../util/server-env.ts'

/** The chat routes. A swarm has them under its older names, too. */
export function chatRoutes(parts: RouteParts): Route[] {
  const names = 'agents' in parts.agent ? ['/api/v1/chat', '/swarm/chat'] : ['/api/v1/chat']
  return names.flatMap((path) => [
    chatRoute(parts, path, 'text/plain'),
    chatRoute(parts, `${path}_stream`, 'text/event-stream'),
  ])
}

/** Runs the agent on one message, and answers in the format that the client accepts. */
function chatRoute(parts: RouteParts, path: string, fallback: AnswerFormat): Route {
  const { agent, capacity, limits } = parts
  const { runs } = capacity
  const handle = async (context: ServerContext): Promise<Response> => {
    const format = negotiate(context.req.header('accept'), fallback)
    if (!format) throw new ProblemError('not-acceptable')
    const held = capacity.hold()
    const request = await readChatRequest(context, { limits, runs, held }).catch((error) => {
      held.release()
      throw error
    })
    const { signal } = context.req.raw
    const enteredAt = performance.now()
    const place = capacity.enter(signal, { userId: request.userId, timeoutMs: limits.deadlineMs })
    // The deadline holds for the wait and the run together.
    const msLeft = (): number => Math.max(1, Math.round(limits.deadlineMs - (performance.now() - enteredAt)))
    const start = (): AgentRun => {
      const run = startRun(agent, request, { signal, timeoutMs: msLeft() })
      context.set('runId', run.runId)
      return run
    }
    const run = place.then(start).finally(held.release)
    const answer =
      format === 'text/event-stream'
        ? streamedAnswer(run, context, parts)
        : wholeAnswer(run, format === 'application/json' ? (result) => jsonAnswer(result, request) : textAnswer)
    void releaseAfter(answer.finished, run, place)
    return await answer.response
  }
  return defineRoute({
    method: 'POST',
    path,
    tag: 'chat',
    summary: 'Answers the last message of a conversation',
    otherBody: { 'multipart/form-data': chatForm, 'application/json': chatJSON },
    answers: { 200: { description: 'The answer, in the format that `Accept` asks for', content: answerTypes } },
    handle,
  })
}

const text = { type: 'string' }
const flag = { type: 'boolean' }
const common = { user_id: text, session_id: text, replaces: text }
const chatForm = {
  type: 'object',
  properties: { ...common, chat_data: text, resumable: { enum: ['true', 'false'] } },
  required: ['session_id', 'chat_data'],
}
const message = {
  type: 'object',
  properties: { role: { enum: ['user', 'assistant'] }, content: text },
  required: ['role', 'content'],
}
const chatJSON = {
  type: 'object',
  properties: { ...common, messages: { type: 'array', items: message }, resumable: flag },
  required: ['session_id', 'messages'],
  additionalProperties: false,
}
const answerTypes = { 'text/plain': text, 'application/json': { type: 'object' }, 'text/event-stream': text }

/** Releases the run's place when the run has settled, which may be long after its client has left. */
async function releaseAfter(finished: Promise<unknown>, run: Promise<AgentRun>, place: Promise<Leave>): Promise<void> {
  await finished.catch(() => {})
  const spent = await run.then(({ result }) => result).catch(() => undefined)
  await place.then(
    (leave) => leave(spent),
    () => {},
  )
}

type Bounds = { signal: AbortSignal; timeoutMs: number }

function startRun(agent: Runnable, request: ChatRequest, bounds: Bounds): AgentRun {
  const { question, userId, sessionId, history, replaces } = request
  const options = { userId, sessionId, history, ...(replaces !== undefined && { replaces }) }
  try {
    return agent.stream(question, { ...options, ...bounds, onApproval: 'end' })
  } catch (error) {
    throw thrownProblem(error)
  }
}

type Answer = { response: Promise<Response>; finished: Promise<unknown> }
type Encode = (result: Awaited<AgentRun['result']>) => Response

/** Waits for the run's end, because the status depends on it. */
function wholeAnswer(run: Promise<AgentRun>, encode: Encode): Answer {
  const result = run.then((started) => started.result)
  const respond = async (): Promise<Response> => {
    const ended = await result.catch((error) => {
      throw thrownProblem(error)
    })
    const failure = runProblem(ended)
    if (failure) throw failure
    return encode(ended)
  }
  return { response: respond(), finished: result }
}

function streamedAnswer(run: Promise<AgentRun>, context: ServerContext, { limits, log }: RouteParts): Answer {
  const stream = eventStream(run, {
    limits,
    onFailure: (problem) => logProblem(problem, context, log),
    dropClient: () => context.env?.outgoing?.destroy(),
  })
  const respond = async (): Promise<Response> => {
    const problem = await stream.decided
    if (!problem) return new Response(stream.body, { headers: streamHeaders(context) })
    await stream.body.cancel()
    throw problem
  }
  return { response: respond(), finished: stream.finished }
}

function streamHeaders(context: ServerContext): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  }
  // With this header the Node adapter sends the headers at once; otherwise it waits to see whether the body is short.
  if (context.env?.incoming?.httpVersion === '1.1') headers['transfer-encoding'] = 'chunked'
  return headers
}
