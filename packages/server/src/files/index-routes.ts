import { array, maxLength, metadata, object, optional, pipe, string } from 'valibot'
import { jsonOf } from '../answer/answer-schemas.ts'
import { missing } from '../answer/field-problems.ts'
import { ProblemError } from '../answer/problem.ts'
import { idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Method, type Route } from '../request/route.ts'
import { agentFiles, noFiles, scopeOf } from './agent-files.ts'
import { syncIn } from './sync-in.ts'

const path = pipe(string('must be a text'), maxLength(4_096, 'must have at most 4096 characters'))

const indexFields = object({
  user_id: optional(idField),
  index_name: path,
  index_type: optional(path),
  file_path: optional(pipe(array(path, 'must be a list of paths'), maxLength(1_000, 'must have at most 1000 paths'))),
  folder_path: optional(path),
})

/** What is deleted has to be named. */
const namedFields = pipe(
  indexFields,
  metadata({ jsonSchema: { anyOf: [{ required: ['file_path'] }, { required: ['folder_path'] }] } }),
)

/** Updating the index of the agent's folder, under the names of the original's routes. */
export function indexRoutes(parts: RouteParts): Route[] {
  const update = (method: Method, name: string, summary: string, done: string): Route =>
    indexRoute(parts, { method, name, summary, done, work: async () => {} })
  return [
    update('POST', 'create_index', 'Makes the files of the agent searchable', 'The index is up to date.'),
    update('POST', 'insert_documents', 'Makes new files searchable', 'The documents are searchable.'),
    update('PUT', 'update_documents', 'Reads changed files again', 'The documents are up to date.'),
    indexRoute(parts, {
      method: 'DELETE',
      name: 'delete_documents',
      body: namedFields,
      summary: 'Deletes files from the folder and the index',
      done: 'The documents are deleted.',
      async work(paths) {
        if (paths.length === 0) throw missing('file_path')
        const [{ removeFile }, { filesBelow }] = await Promise.all([import('./disk.ts'), import('./list-files.ts')])
        for (const one of paths) for (const file of await filesBelow(one)) await removeFile(file)
      },
    }),
  ]
}

type IndexRoute = {
  method: Method
  name: string
  summary: string
  done: string
  body?: typeof indexFields | typeof namedFields
  /** Called with the real paths that the request names. */
  work(paths: readonly string[]): Promise<void>
}

function indexRoute(parts: RouteParts, { method, name, summary, done, body = indexFields, work }: IndexRoute): Route {
  return defineRoute({
    method,
    path: `/api/v1/${name}`,
    tag: 'files',
    summary,
    description:
      'The index always has what is in the folder, so paths are only checked: they are relative to the folder with the ' +
      'files of the agent, or inside of it. `index_name` is the id of the agent. It answers after the sync.',
    body,
    answers: { 200: { description: 'Done', content: jsonOf({ message: { type: 'string' } }) } },
    async handle(context, { body: sent }) {
      const files = agentFiles(parts.agent)
      if (!files) throw noFiles()
      const scope = scopeOf(context, files, parts, { userId: sent.user_id, changes: true })
      checkIndexName(sent.index_name, parts)
      const { realPaths } = await import('./real-paths.ts')
      await work(await realPaths(scope, sent))
      const problem = await syncIn(files, { parts, context })
      return context.json({ message: problem ?? done })
    },
  })
}

function checkIndexName(name: string, { agent }: RouteParts): void {
  if (name === agent.id || name === agent.name) return
  throw new ProblemError('not-found', { detail: `The agent has one index; its index_name is "${agent.id}".` })
}
