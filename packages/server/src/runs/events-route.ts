import type { RunStore, StoredRun } from '@agentkit/core'
import { isEnded } from '@agentkit/core/internal'
import { object, optional, string } from 'valibot'
import { eventResponse, eventStreamType } from '../answer/event-response.ts'
import { followedEvents } from '../answer/followed-events.ts'
import { checkKept } from '../answer/kept-events.ts'
import { ProblemError } from '../answer/problem.ts'
import { callerOf } from '../request/caller.ts'
import { idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { runStoreOf } from '../request/run-store.ts'
import type { ServerContext } from '../util/server-env.ts'
import { findRun } from './find-run.ts'

/** The stored events of a run, and those that come. */
export function eventsRoute(parts: RouteParts): Route {
  const { agent, capacity } = parts
  return defineRoute({
    method: 'GET',
    path: '/api/v1/runs/:id/events',
    tag: 'runs',
    summary: 'Streams the events of a run',
    description:
      'From the event after `Last-Event-ID` (or `after`), else from the first that is kept, until a `run-end`.',
    query: object({ user_id: optional(idField), after: optional(string()) }),
    headers: { 'Last-Event-ID': { type: 'string', pattern: '^\\d{1,15}$' } },
    answers: {
      200: { description: 'The events', content: { [eventStreamType]: { type: 'string' } } },
      204: { description: 'There are no more events' },
    },
    async handle(context, { query, param }) {
      const stored = await findRun(parts, param('id'), callerOf(context, query.user_id))
      const { runId, status } = stored.record
      if (!stored.keepsEvents) throw new ProblemError('not-found', { detail: 'This run keeps no events.' })
      context.set('runId', runId)
      const runs = runStoreOf(agent)
      const after = await startOf(runs, stored, lastEventOf(context, query.after, stored.lastSeq))
      const { lastSeq } = stored
      if (after === lastSeq && isEnded(status)) return context.body(null, 204)
      const followed = { sessions: agent.sessions, runId, after, last: lastSeq, draining: capacity.draining }
      return eventResponse(followedEvents(followed), context, parts)
    },
  })
}

/** The number of the event that the client has read last. @throws ProblemError `invalid-field` above the last one */
function lastEventOf(context: ServerContext, after: string | undefined, lastSeq: number): number | undefined {
  const header = context.req.header('last-event-id')
  const text = header ?? after
  if (text === undefined) return undefined
  const name = header === undefined ? 'after' : 'Last-Event-ID'
  if (!/^\d{1,15}$/.test(text)) throw notAnEvent(name, 'must be the number of an event')
  if (Number(text) <= lastSeq) return Number(text)
  throw notAnEvent(name, `must not be above ${lastSeq}, the number of the last event`)
}

/** @throws ProblemError `stream-expired` where the events after it are no longer kept */
async function startOf(runs: RunStore, { record, lastSeq }: StoredRun, after: number | undefined): Promise<number> {
  const range = after === undefined ? await runs.eventRange(record.runId) : undefined
  const start = range ? range.oldest - 1 : (after ?? 0)
  await checkKept(runs, { record, lastSeq }, start)
  return start
}

function notAnEvent(name: string, message: string): ProblemError {
  return new ProblemError('invalid-field', {
    status: 400,
    detail: `${name} ${message}.`,
    errors: [{ path: [name], message }],
  })
}
