import { keptMs } from '@agentkit/core/internal'
import { jsonOf } from '../answer/answer-schemas.ts'
import { asSpent } from '../capacity/capacity.ts'
import type { ChatRequest } from '../request/chat-request.ts'
import { idempotencyKeyOf, idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { runStoreOf } from '../request/run-store.ts'
import { sentPath } from '../util/sent-path.ts'
import type { ServerContext } from '../util/server-env.ts'
import { chatBodies } from './chat-schemas.ts'
import { enqueueRun, requireBackground } from './enqueue-run.ts'
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
        description: 'The id of the run',
        headers: { Location: 'The path of the run' },
        content: jsonOf({ run_id: { type: 'string' }, status: { const: 'queued' } }),
      },
    },
    handle: (context) => enqueue(context, parts),
  })
}

async function enqueue(context: ServerContext, parts: RouteParts): Promise<Response> {
  requireBackground(parts)
  return receiveChat(context, parts, async ({ request, store, release }) => {
    try {
      const response = await idempotent(context, parts, request, async (begin) => {
        await parts.capacity.checkBudget(request.userId).catch(asSpent)
        await store()
        const runId = await enqueueOnce(parts, request, context)
        await begin({ runId, type: 'application/json', isAccepted: true })
        context.set('runId', runId)
        return context.json({ run_id: runId, status: 'queued' }, 202)
      })
      // A replayed answer has these headers too.
      const runId = context.get('runId')
      if (response.status === 202 && runId !== undefined) {
        const path = sentPath(context).replace(/\/$/, '')
        response.headers.set('location', `${path}/${encodeURIComponent(runId)}`)
      }
      return response
    } finally {
      release()
    }
  })
}

/**
 * Stores the run. Where a process has died before it had stored its answer, the same request finds the run again. A run
 * that ended so long ago that its answer is not kept belongs to an earlier request: since then the key is free.
 */
async function enqueueOnce(parts: RouteParts, request: ChatRequest, context: ServerContext): Promise<string> {
  const requestId = context.get('requestId')
  const key = idempotencyKeyOf(context)
  if (key === undefined) return enqueueRun(parts, request, { requestId })
  const runs = runStoreOf(parts.agent)
  const once = `POST /api/v1/runs ${key} ${request.fingerprint}`
  for (let idempotencyKey = once; ; ) {
    const runId = await enqueueRun(parts, request, { requestId, idempotencyKey })
    const endedAt = (await runs.read(runId))?.record.endedAt
    if (endedAt === undefined || Date.parse(endedAt) >= runs.now() - keptMs) return runId
    idempotencyKey = `${once} ${runId}`
  }
}
