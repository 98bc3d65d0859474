import type { JSONValue, SessionInfo } from '@agentkit/core'
import { check, maxLength, metadata, object, optional, pipe, strictObject, string } from 'valibot'
import { ProblemError } from '../answer/problem.ts'
import { callerOf } from '../request/caller.ts'
import { countField, idField, isId } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { deleteSession } from './delete-session.ts'
import { findSession } from './find-session.ts'
import { historyRoutes } from './history-routes.ts'
import { memoryRoutes } from './memory-routes.ts'
import { sessionContent, sessionsContent } from './session-schemas.ts'
import { turnsRoute } from './turns-route.ts'

const titleForm = 'must have 1 to 200 characters, none of them a control character'
const titleField = pipe(
  string('must be a string'),
  check((title) => isTitle(title), titleForm),
  metadata({ jsonSchema: { minLength: 1, maxLength: 200 } }),
)
const searchField = pipe(string('must be a string'), maxLength(200, 'must have at most 200 characters'))

/** Conversations: their messages, and the list of them. */
export function sessionRoutes(parts: RouteParts): Route[] {
  const { agent } = parts
  return [
    ...historyRoutes(parts),
    ...memoryRoutes(parts),
    turnsRoute(parts),
    defineRoute({
      method: 'GET',
      path: '/api/v1/sessions',
      tag: 'sessions',
      summary: 'Lists the conversations of a user, the most recently used first',
      description:
        '`q` finds a text in titles and messages, in any case. `before` takes `next` of the page before, which is ' +
        'null on the last page.',
      query: object({
        user_id: optional(idField),
        q: optional(searchField),
        limit: optional(countField(1, 1_000)),
        before: optional(idField),
      }),
      answers: { 200: { description: 'The conversations', content: sessionsContent } },
      async handle(context, { query: { user_id, q = '', limit = 50, before } }) {
        const owner = { agentId: agent.id, userId: callerOf(context, user_id) }
        const filter = { limit: limit + 1, ...(q !== '' && { q }), ...(before !== undefined && { before }) }
        const found = await agent.sessions.list(owner, filter)
        const sessions = found.slice(0, limit)
        const next = found.length > limit ? sessions.at(-1)?.sessionId : undefined
        return context.json({ sessions: sessions.map(encodeSession), next: next ?? null })
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/v1/sessions/:session_id',
      tag: 'sessions',
      summary: 'Sets the title of a conversation',
      body: strictObject({ user_id: optional(idField), title: titleField }),
      answers: { 200: { description: 'The conversation', content: sessionContent } },
      async handle(context, { body, param }) {
        const key = { agentId: agent.id, userId: callerOf(context, body.user_id), sessionId: idOf(param) }
        await agent.sessions.rename(key, body.title)
        const session = await findSession(agent.sessions, key)
        if (!session) throw new ProblemError('not-found')
        return context.json(encodeSession(session))
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/sessions/:session_id',
      tag: 'sessions',
      summary: 'Deletes a conversation with its runs',
      description: 'Runs of the conversation are ended first. Its messages, runs, events and approvals are gone then.',
      query: object({ user_id: optional(idField) }),
      answers: { 204: { description: 'It is deleted' } },
      async handle(context, { query: { user_id }, param }) {
        const key = { agentId: agent.id, userId: callerOf(context, user_id), sessionId: idOf(param) }
        await deleteSession(parts, key)
        return context.body(null, 204)
      },
    }),
  ]
}

/** @throws ProblemError `not-found` for a text that cannot be the id of a session */
function idOf(param: (name: string) => string): string {
  const id = param('session_id')
  if (isId(id)) return id
  throw new ProblemError('not-found')
}

function isTitle(title: string): boolean {
  // Characters, not UTF-16 units; none has more than two.
  const isShort = title !== '' && title.length <= 400 && [...title].length <= 200
  return isShort && title.isWellFormed() && !/\p{Cc}/u.test(title)
}

function encodeSession({ sessionId, title, createdAt, updatedAt, turns, activeRunId }: SessionInfo): JSONValue {
  const times = { created_at: createdAt, updated_at: updatedAt }
  return { session_id: sessionId, title, ...times, turns, active_run_id: activeRunId ?? null }
}
