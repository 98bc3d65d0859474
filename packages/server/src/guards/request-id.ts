import type { Runnable } from '@agentkit/core'
import { localPath } from '../util/local-path.ts'
import type { Guard } from '../util/server-env.ts'
import { tracerOf } from '../util/tracer-of.ts'

const validRequestId = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Sets the request id: the client's `x-request-id` if it is valid, otherwise a new one. Every answer, problems
 * included, has the request id and the id of the run that answers. Runs that the request starts belong to the trace of
 * its `traceparent`.
 */
export function requestIdGuard(agent: Runnable): Guard {
  return async function requestId(context, next) {
    const given = context.req.header('x-request-id')
    const id = given !== undefined && validRequestId.test(given) ? given : crypto.randomUUID()
    context.set('requestId', id)
    context.set('startedAt', performance.now())
    context.set('localPath', localPath(context))
    const traces = tracerOf(agent)
    await (traces ? traces.continueTrace((name) => context.req.header(name), next) : next())
    context.res.headers.set('x-request-id', id)
    const runId = context.get('runId')
    if (runId !== undefined) context.res.headers.set('x-run-id', runId)
  }
}
