import { jsonOf } from '../answer/answer-schemas.ts'
import { asSpent } from '../capacity/capacity.ts'
import { idempotencyKeyOf, idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
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
        const key = idempotencyKeyOf(context)
        // When this process dies before its answer is stored, a repeated request finds the run.
        const idempotencyKey = key && `POST /api/v1/runs ${key} ${request.fingerprint}`
        const runId = await enqueueRun(parts, request, { requestId: context.get('requestId'), idempotencyKey })
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
