import type { RunStore, StoredRun } from '@agentkit/core'
import { object, optional, picklist } from 'valibot'
import { jsonOf } from '../../answer/answer-schemas.ts'
import { eventResponse, eventStreamType } from '../../answer/event-response.ts'
import { followedEvents } from '../../answer/followed-events.ts'
import { checkKept } from '../../answer/kept-events.ts'
import { finalConflict, ProblemError, throwProblem } from '../../answer/problem.ts'
import { countField } from '../../request/fields.ts'
import type { RouteParts } from '../../request/parts.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import { runStoreOf } from '../../request/run-store.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { userHeader } from '../common/dialect-caller.ts'
import { openaiCaller } from './common-fields.ts'
import { type FoundResponse, findResponse, runBefore } from './find-response.ts'
import { type ResponseHead, responseId } from './response-body.ts'
import { ResponseReader } from './response-reader.ts'
import { responsesEncoder } from './responses-encoder.ts'
import { storedHead, storedResponse } from './stored-response.ts'

const text = { type: 'string' }
const content = { 'application/json': { type: 'object' } }
const maxNumber = 1_000_000_000

/** Responses that are stored: read, deleted, cancelled. */
export function storedResponsesRoutes(parts: RouteParts): Route[] {
  return [readRoute(parts), deleteRoute(parts), cancelRoute(parts)]
}

function findFor(context: ServerContext, parts: RouteParts, id: string): Promise<FoundResponse> {
  return findResponse(parts, id, { userId: openaiCaller(context, undefined), param: 'response_id' })
}

/** The head of a stored response: of its request it has the response before it and the `metadata`. */
async function headFor(context: ServerContext, parts: RouteParts, found: FoundResponse): Promise<ResponseHead> {
  const before = await runBefore(parts, found, openaiCaller(context, undefined))
  return { ...storedHead(parts.agent.id, found), previousId: before === undefined ? null : responseId(before) }
}

const query = object({
  stream: optional(picklist(['true', 'false'], 'must be true or false')),
  starting_after: optional(countField(0, maxNumber)),
})

function readRoute(parts: RouteParts): Route {
  const { agent, capacity } = parts
  return defineRoute({
    method: 'GET',
    path: '/v1/responses/:id',
    tag: 'dialects',
    summary: 'Shows a response',
    description: '`stream=true` follows a background response, after the event that `starting_after` names.',
    query,
    headers: userHeader,
    answers: { 200: { description: 'The response', content: { ...content, [eventStreamType]: text } } },
    async handle(context, { param, query: { stream, starting_after } }) {
      const found = await findFor(context, parts, param('id'))
      const { runId, stored } = found
      context.set('runId', runId)
      const head = await headFor(context, parts, found)
      if (stream !== 'true') return context.json(await storedResponse(parts, found, head))
      if (!stored?.keepsEvents) {
        const errors = [{ path: ['stream'], message: 'is not supported' }]
        throw new ProblemError('unsupported', { detail: 'Only background responses keep their events.', errors })
      }
      const runs = runStoreOf(agent)
      await checkKept(runs, stored, 0)
      const { lastSeq, record } = stored
      if (starting_after !== undefined) await checkPlace(runs, stored, { agent, after: starting_after })
      const isActive = record.status === 'queued' || record.status === 'running'
      const encode = responsesEncoder({
        ...{ head, reader: new ResponseReader(agent.id, agent.speaker) },
        ...(starting_after !== undefined && { after: starting_after }),
      })
      // A run that has waited for approvals continues after such an end.
      const followed = { runId, after: 0, last: lastSeq, continuesAfter: isActive ? lastSeq : lastSeq - 1 }
      const events = followedEvents({ sessions: agent.sessions, draining: capacity.draining, ...followed, encode })
      return eventResponse(events, context, parts)
    },
  })
}

const eventsAtOnce = 500

/** @throws ProblemError `invalid-field` for a number above that of the last event of the response */
async function checkPlace(
  runs: RunStore,
  { record, lastSeq }: StoredRun,
  { agent, after }: { agent: RouteParts['agent']; after: number },
): Promise<void> {
  const reader = new ResponseReader(agent.id, agent.speaker)
  // Two events begin a response, and one ends it.
  let last = -1
  for (let seq = 0; seq < lastSeq && last < after; ) {
    const events = await runs.events(record.runId, seq, eventsAtOnce)
    for (const event of events) {
      if (event.seq > lastSeq) break
      if (last < 0) last += 2
      last += reader.read(event).length + (event.type === 'run-end' ? 1 : 0)
    }
    const end = events.at(-1)
    if (!end) break
    seq = end.seq
  }
  if (after <= Math.max(0, last)) return
  const message = `must not be above ${Math.max(0, last)}, the number of the last event`
  const errors = [{ path: ['starting_after'], message }]
  throw new ProblemError('invalid-field', { status: 400, detail: `starting_after ${message}.`, errors })
}

function deleteRoute(parts: RouteParts): Route {
  const { agent, capacity } = parts
  return defineRoute({
    method: 'DELETE',
    path: '/v1/responses/:id',
    tag: 'dialects',
    summary: 'Deletes a response with its session, unless that has other ones; also any run without a session',
    headers: userHeader,
    answers: {
      200: {
        description: 'It is deleted',
        content: jsonOf({ id: text, object: { const: 'response' }, deleted: { const: true } }),
      },
    },
    async handle(context, { param }) {
      const { runId, sessionId, stored } = await findFor(context, parts, param('id'))
      const userId = openaiCaller(context, undefined)
      const deleted = { id: param('id'), object: 'response', deleted: true }
      if (sessionId === undefined) {
        await agent.cancel(runId, { userId }).catch(throwProblem)
        // A run without a session is stored under a key of its own.
        if (stored) await agent.sessions.delete(stored.key)
        return context.json(deleted)
      }
      const key = { agentId: agent.id, userId, sessionId }
      const turns = await agent.sessions.turns(key, { limit: 2 })
      // Queued runs are not among the turns of their session.
      const queued = agent.sessions.runs ? await agent.runs({ userId, sessionId, status: 'queued', limit: 2 }) : []
      if ([...turns, ...queued].some((each) => each.runId !== runId)) {
        throw finalConflict('Its session has other responses. Delete the session instead.')
      }
      if (agent.sessions.runs) await agent.cancel(runId, { userId }).catch(throwProblem)
      await capacity.sessionRuns.cancel(key)
      await agent.sessions.delete(key)
      return context.json(deleted)
    },
  })
}

function cancelRoute(parts: RouteParts): Route {
  const { agent, capacity } = parts
  return defineRoute({
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    tag: 'dialects',
    summary: 'Ends the run of a response',
    headers: userHeader,
    answers: { 200: { description: 'The response, which has ended', content } },
    async handle(context, { param }) {
      const { runId, sessionId } = await findFor(context, parts, param('id'))
      const userId = openaiCaller(context, undefined)
      context.set('runId', runId)
      if (agent.sessions.runs) await agent.cancel(runId, { userId }).catch(throwProblem)
      else if (sessionId !== undefined) await capacity.sessionRuns.cancel({ userId, sessionId })
      const ended = await findFor(context, parts, param('id'))
      return context.json(await storedResponse(parts, ended, await headFor(context, parts, ended)))
    },
  })
}
