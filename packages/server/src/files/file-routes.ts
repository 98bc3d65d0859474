import { separateUsers } from '@agentkit/core/internal'
import { jsonOf } from '../answer/answer-schemas.ts'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerContext } from '../util/server-env.ts'
import { agentFiles, noFiles, type Scope, scopeOf } from './agent-files.ts'
import { checkKind, checkType, headBytes } from './file-kind.ts'
import { checkFileName } from './file-name.ts'
import { fileDetails, fileNames, userQuery } from './file-schemas.ts'
import { indexRoutes } from './index-routes.ts'
import { passageRoute } from './passage-route.ts'
import { syncIn } from './sync-in.ts'
import { uploadRoute } from './upload-route.ts'

/** Imported by the calls: `createApp` also runs where there is no `node:fs`. */
const disk = () => import('./disk.ts')

/**
 * Files of the agent: uploading, listing, downloading, deleting and renaming them, their index and their passages.
 * Removes unfinished files of killed processes.
 */
export function fileRoutes(parts: RouteParts): Route[] {
  if (parts.rules.perUserFiles) separateUsers(parts.agent)
  const files = agentFiles(parts.agent)
  if (files) void import('./temporary-files.ts').then(({ removeLeftovers }) => removeLeftovers(files.folder))
  return [
    uploadRoute(parts),
    listRoute(parts),
    downloadRoute(parts),
    deleteRoute(parts),
    namelessRoute(),
    renameRoute(parts),
    passageRoute(parts),
    ...indexRoutes(parts),
  ]
}

function listRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/files',
    tag: 'files',
    summary: 'Lists the files that the agent answers from',
    query: userQuery,
    answers: {
      200: {
        description: 'The names, and whether each can be searched',
        content: jsonOf({ files: fileNames, details: fileDetails }),
      },
    },
    async handle(context, { query }) {
      const files = agentFiles(parts.agent)
      if (!files) throw noFiles()
      const { listFiles } = await import('./list-files.ts')
      const details = await listFiles(files, scopeOf(context, files, parts, { userId: query.user_id, changes: false }))
      return context.json({ files: details.map(({ name }) => name), details })
    },
  })
}

function downloadRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/files/:name',
    tag: 'files',
    summary: 'Downloads a file',
    query: userQuery,
    answers: { 200: { description: 'The file', content: { 'application/octet-stream': {} } } },
    async handle(context, { query, param }) {
      const name = checkFileName(param('name'))
      const { scope } = found(context, parts, query.user_id, false)
      const { bytesOf, nameOnDisk, openFile } = await disk()
      const file = await openFile(`${scope.folder}/${await nameOnDisk(scope.folder, name)}`)
      if (!file) throw new ProblemError('not-found')
      const headers = {
        'content-type': 'application/octet-stream',
        'content-disposition': disposition(name),
        'content-length': String(file.size),
      }
      if (context.req.method === 'HEAD') {
        await file.handle.close()
        return new Response(null, { headers })
      }
      return new Response(bytesOf(file), { headers })
    },
  })
}

/** An attachment, so that a browser never shows it as a page of this server. */
function disposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function deleteRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/api/v1/files/:name',
    tag: 'files',
    summary: 'Deletes a file, also from the index',
    query: userQuery,
    answers: { 200: { description: 'The file is deleted', content: jsonOf({ message: { type: 'string' } }) } },
    async handle(context, { query, param }) {
      const name = checkFileName(param('name'))
      const { files, scope } = found(context, parts, query.user_id, true)
      const { nameOnDisk, removeFile } = await disk()
      if (!(await removeFile(`${scope.folder}/${await nameOnDisk(scope.folder, name)}`)))
        throw new ProblemError('not-found')
      await syncIn(files, { parts, context })
      return context.json({ message: `File ${name} deleted successfully.` })
    },
  })
}

/** A client that encodes an empty name, or `.`, arrives at the list. */
function namelessRoute(): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/api/v1/files',
    tag: 'files',
    summary: 'Refuses to delete a file without a name',
    answers: {},
    handle() {
      throw new ProblemError('invalid-filename')
    },
  })
}

function renameRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'PUT',
    path: '/api/v1/files/:old/:new',
    tag: 'files',
    summary: 'Renames a file, also in the index',
    description: 'A file that cannot be read as the type of its new name keeps the old one.',
    query: userQuery,
    answers: { 200: { description: 'The file is renamed', content: jsonOf({ message: { type: 'string' } }) } },
    async handle(context, { query, param }) {
      const [from, to] = [checkFileName(param('old')), checkFileName(param('new'))]
      const { files, scope } = found(context, parts, query.user_id, true)
      const [{ nameOnDisk, sizeOf }, { renameStored }] = await Promise.all([disk(), import('./store-files.ts')])
      const old = await nameOnDisk(scope.folder, from)
      const path = `${scope.folder}/${old}`
      if ((await sizeOf(path)) === undefined) throw new ProblemError('not-found')
      checkType(to, files.knowledge)
      checkKind(to, await headOf(path))
      await renameStored(old, to, { agent: files, scope, parts, context })
      return context.json({ message: `File ${from} renamed to ${to} successfully.` })
    },
  })
}

async function headOf(path: string): Promise<Uint8Array> {
  const { openFile } = await disk()
  const file = await openFile(path)
  if (!file) throw new ProblemError('not-found')
  try {
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.handle.close()
  }
}

type Found = { files: NonNullable<ReturnType<typeof agentFiles>>; scope: Scope }

function found(context: ServerContext, parts: RouteParts, userId: string | undefined, changes: boolean): Found {
  const files = agentFiles(parts.agent)
  if (!files) throw noFiles()
  return { files, scope: scopeOf(context, files, parts, { userId, changes }) }
}
