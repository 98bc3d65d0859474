import { isAgentKitError, type Memory } from '@agentkit/core'
import { object, optional } from 'valibot'
import { jsonOf, nullable, objectOf } from '../answer/answer-schemas.ts'
import { ProblemError } from '../answer/problem.ts'
import { callerOf } from '../request/caller.ts'
import { idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'

const text = { type: 'string' }
const note = { note_id: text, text, at: { type: 'string', format: 'date-time' } }
const notesContent = jsonOf({
  notes: { type: 'array', items: objectOf({ ...note, session_id: nullable(text), run_id: nullable(text) }) },
})

/** The routes of an agent's memory of a user. */
export function memoryRoutes({ agent }: RouteParts): Route[] {
  const inMemory = async <Value>(work: (memory: Memory) => Promise<Value>): Promise<Value> => {
    try {
      if (agent.memory) return await work(agent.memory)
    } catch (error) {
      if (!isAgentKitError(error) || error.code !== 'unsupported') throw error
    }
    throw new ProblemError('unsupported', { detail: 'The agent has no memory. Give it the option `memory`.' })
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/memory',
      tag: 'sessions',
      summary: "Lists the agent's notes about a user, oldest first",
      description: 'Each cites the run in which it was made. 400 `unsupported` for an agent without memory.',
      query: object({ user_id: optional(idField) }),
      answers: { 200: { description: 'The notes', content: notesContent } },
      async handle(context, { query: { user_id } }) {
        const userId = callerOf(context, user_id)
        const notes = await inMemory((memory) => memory.notes({ userId }))
        return context.json({
          notes: notes.map(({ noteId, text, at, sessionId = null, runId = null }) => ({
            ...{ note_id: noteId, text, at, session_id: sessionId, run_id: runId },
          })),
        })
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/memory',
      tag: 'sessions',
      summary: 'Deletes what the agent remembers of a user',
      description:
        'The notes are gone, and no turn until now is found again. The conversations stay: they are deleted one by one.',
      query: object({ user_id: optional(idField) }),
      answers: { 204: { description: 'It is deleted' } },
      async handle(context, { query: { user_id } }) {
        const userId = callerOf(context, user_id)
        await inMemory((memory) => memory.delete({ userId }))
        return context.body(null, 204)
      },
    }),
  ]
}
