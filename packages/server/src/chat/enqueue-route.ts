import { type AgentKitError, isAgentKitError, type Runnable } from '@agentkit/core'
import { jsonOf } from '../answer/answer-schemas.ts'
import { ProblemError, thrownProblem } from '../answer/problem.ts'
import { asSpent } from '../capacity/capacity.ts'
import type { ChatRequest } from '../request/chat-request.ts'
import { idempotencyKeyOf, idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerContext } from '../util/server-env.ts'
import { chatBodies } from './chat-schemas.ts'
import { receiveChat } from './received-chat.ts'

/** Stores a run that a worker begins, of this process or of another one. */
export function enqueueRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/v1/runs',
    tag: 'runs',
    summary: 'Runs the agent in the background',
    description:
      'Takes the body of a chat. The run is stored when this is answered: a worker begins it, and continues it when a process dies.',
    otherBody: chatBodies,
    answers: {
      202: {
        description: 'The id of the run, whose path is in `Location`',
        content: jsonOf({ run_id: { type: 'string' }, status: { const: 'queued' } }),
      },
    },
    handle: (context) => enqueue(context, parts),
  })
}

async function enqueue(context: ServerContext, parts: RouteParts): Promise<Response> {
  const { agent, capacity } = parts
  requireBackground(agent)
  if (capacity.runs.isClosed) {
    throw capacity.runs.overloaded('The server is shutting down.', { connection: 'close' })
  }
  return receiveChat(context, parts, async ({ request, store, release }) => {
    try {
      const response = await idempotent(context, parts, request, async (begin) => {
        await capacity.checkBudget(request.userId).catch(asSpent)
        await store()
        const runId = await enqueueRun(context, parts, request)
        await begin({ runId, type: 'application/json', isAccepted: true })
        context.set('runId', runId)
        return context.json({ run_id: runId, status: 'queued' }, 202)
      })
      // Also where the answer is replayed.
      const runId = context.get('runId')
      if (response.status === 202 && runId !== undefined) {
        response.headers.set('location', `${parts.rules.basePath}/api/v1/runs/${encodeURIComponent(runId)}`)
      }
      return response
    } finally {
      release()
    }
  })
}

type Enqueue = NonNullable<Runnable['enqueue']>

/** @throws ProblemError `unsupported` */
function requireBackground({ enqueue: method, sessions }: Runnable): void {
  if (method && sessions.runs?.background) return
  throw new ProblemError('unsupported', { detail: 'Background runs need sessions on disk or Postgres.' })
}

async function enqueueRun(
  context: ServerContext,
  { agent, limits }: RouteParts,
  request: ChatRequest,
): Promise<string> {
  const { question, userId, sessionId, history, replaces, fingerprint } = request
  const key = idempotencyKeyOf(context)
  const options: Parameters<Enqueue>[1] = {
    ...{ userId, sessionId, history },
    timeoutMs: limits.backgroundMs,
    ...(replaces !== undefined && { replaces }),
    // Where this process dies before its answer is stored, the request that is sent again finds the run.
    ...(key !== undefined && { idempotencyKey: `POST /api/v1/runs ${key} ${fingerprint}` }),
  }
  try {
    const run = await agent.enqueue?.(question, options, { queued: limits.queued, userQueued: limits.userQueued })
    return (run as { runId: string }).runId // `requireBackground` has found the method
  } catch (error) {
    throw isAgentKitError(error) && error.code === 'overloaded' ? tooManyQueued(error) : thrownProblem(error)
  }
}

function tooManyQueued(cause: AgentKitError): ProblemError {
  const detail = 'Too many background runs are queued.'
  return new ProblemError('overloaded', { detail, cause, headers: { 'retry-after': '5' }, quiet: true })
}
