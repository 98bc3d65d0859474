import { withWaitingMembers } from '@agentkit/core/internal'
import { object, optional, picklist } from 'valibot'
import { jsonOf, listedRun, nullable, runContent } from '../answer/answer-schemas.ts'
import { runBody, storedRunBody } from '../answer/encode-answer.ts'
import { throwProblem } from '../answer/problem.ts'
import { anyCallerOf, callerOf } from '../request/caller.ts'
import { countField, idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { runStoreOf } from '../request/run-store.ts'
import { decisionRoute } from './decision-route.ts'
import { eventsRoute } from './events-route.ts'
import { findRun } from './find-run.ts'

/** Stored runs: their state, their events, decisions on their approvals. */
export function runRoutes(parts: RouteParts): Route[] {
  return [listRoute(parts), readRoute(parts), eventsRoute(parts), cancelRoute(parts), decisionRoute(parts)]
}

const statuses = ['queued', 'running', 'waiting', 'done', 'failed'] as const
const maxRuns = 1_000
const filter = object({
  user_id: optional(idField),
  session_id: optional(idField),
  status: optional(picklist(statuses, `must be one of ${statuses.join(', ')}`)),
  limit: optional(countField(1, maxRuns), '50'),
  after: optional(idField),
})

function listRoute({ agent }: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/runs',
    tag: 'runs',
    summary: 'Lists runs, the newest first, without their answers',
    description: '`status=waiting` is the inbox of approvals. A token for any user may leave `user_id` out.',
    query: filter,
    answers: {
      200: {
        description: 'The runs, and as `next` the `after` of the next page, or null',
        content: jsonOf({ runs: { type: 'array', items: listedRun }, next: nullable({ type: 'string' }) }),
      },
    },
    async handle(context, { query: { user_id, session_id, status, limit, after } }) {
      const isForAll = context.get('principal') === '*'
      const userId = isForAll ? anyCallerOf(context, user_id) : callerOf(context, user_id)
      runStoreOf(agent) // throws our own problem before the agent throws one with its text
      const filters = {
        ...(userId !== undefined && { userId }),
        ...(session_id !== undefined && { sessionId: session_id }),
        ...(status !== undefined && { status }),
        ...(after !== undefined && { after }),
      }
      const page = await agent.runs({ ...filters, limit }).catch(throwProblem)
      const last = page.length === limit ? page.at(-1)?.runId : undefined
      const rest = last === undefined ? [] : await agent.runs({ ...filters, limit: 1, after: last }).catch(throwProblem)
      return context.json({ runs: page.map(listedBody), next: rest.length > 0 ? last : null })
    },
  })
}

const user = object({ user_id: optional(idField) })

function readRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/runs/:id',
    tag: 'runs',
    summary: 'Shows a run',
    query: user,
    answers: { 200: { description: 'The run', content: runContent } },
    async handle(context, { query, param }) {
      const stored = await findRun(parts, param('id'), callerOf(context, query.user_id))
      return context.json(storedRunBody(await withWaitingMembers(parts.agent.sessions, stored)))
    },
  })
}

function cancelRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/v1/runs/:id/cancel',
    tag: 'runs',
    summary: 'Ends a run that has not ended',
    query: user,
    answers: { 200: { description: 'The run, which has ended', content: runContent } },
    async handle(context, { query, param }) {
      const userId = callerOf(context, query.user_id)
      const { record } = await findRun(parts, param('id'), userId)
      context.set('runId', record.runId)
      await parts.agent.cancel(record.runId, { userId }).catch(throwProblem)
      return context.json(storedRunBody(await findRun(parts, record.runId, userId)))
    },
  })
}

/** Lists have no answers. */
function listedBody(record: Parameters<typeof runBody>[0]): object {
  const { answer: _, ...listed } = runBody(record)
  return listed
}
