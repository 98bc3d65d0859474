import { isAgentKitError, type Passage } from '@agentkit/core'
import { knowledgeOf } from '@agentkit/core/internal'
import { object, optional } from 'valibot'
import { jsonOf, nullable } from '../answer/answer-schemas.ts'
import { failureProblem, ProblemError } from '../answer/problem.ts'
import { countField, idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerContext } from '../util/server-env.ts'
import { agentFiles, noFiles, scopeOf } from './agent-files.ts'

/** The text around a citation, which a user opens to check an answer. */
export function passageRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/passages/:chunk_id',
    tag: 'files',
    summary: 'Gives a cited passage with the text around it',
    description:
      'The `chunk_id` is that of a source of an answer. `context` is the longest text before and after, in characters. ' +
      'A passage is `stale` when its file has changed since; after its words have changed, it is 404.',
    query: object({ user_id: optional(idField), context: optional(countField(0, 10_000), '1000') }),
    answers: {
      200: {
        description: 'The passage',
        content: jsonOf({
          ...{ file: text, page: number, row: number, heading: nullable(text), start: offset, end: offset },
          ...{ quote: text, before: text, after: text, stale: { type: 'boolean' } },
        }),
      },
    },
    async handle(context, { query, param }) {
      const prefix = prefixOf(context, parts, query.user_id)
      const passage = await findPassage(parts, param('chunk_id'), query.context)
      const { file, page = null, row = null, heading = null, start, end, quote, before, after, stale = false } = passage
      if (!file.startsWith(prefix)) throw new ProblemError('not-found')
      const place = { file: file.slice(prefix.length), page, row, heading, start, end }
      return context.json({ ...place, quote, before, after, stale })
    },
  })
}

/** Looks in all knowledge of a swarm: each member cites its own. */
async function findPassage({ agent }: RouteParts, id: string, context: number): Promise<Passage> {
  if (id.length > maxIdLength) throw new ProblemError('not-found')
  for (const knowledge of knowledgeOf(agent)) {
    try {
      const passage = await knowledge.passage?.(id, { context })
      if (passage) return passage
    } catch (error) {
      if (!isAgentKitError(error)) throw error
      if (error.code !== 'not-found') throw failureProblem(error)
    }
  }
  throw new ProblemError('not-found')
}

const maxIdLength = 256

const text = { type: 'string' }
const offset = { type: 'integer' }
const number = nullable(offset)

function prefixOf(context: ServerContext, parts: RouteParts, userId: string | undefined): string {
  const files = agentFiles(parts.agent)
  if (files) return scopeOf(context, files, parts, { userId, changes: false }).prefix
  if (parts.rules.perUserFiles) throw noFiles()
  return ''
}
