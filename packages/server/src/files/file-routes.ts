import { object, optional } from 'valibot'
import { jsonOf } from '../answer/answer-schemas.ts'
import { ProblemError } from '../answer/problem.ts'
import { anyCallerOf } from '../request/caller.ts'
import { unquoted } from '../request/chat-request.ts'
import { idField } from '../request/fields.ts'
import { fingerprint } from '../request/fingerprint.ts'
import { idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { isForm, readForm } from '../request/read-form.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { validate } from '../request/validate.ts'
import type { ServerContext } from '../util/server-env.ts'
import { agentFiles, checkMayChange, noFiles, type Scope, scopeOf, separateUsers } from './agent-files.ts'
import { beginUpload } from './begin-upload.ts'
import { checkKind, checkType, headBytes } from './file-kind.ts'
import { checkFileName } from './file-name.ts'
import { indexRoutes } from './index-routes.ts'
import { passageRoute } from './passage-route.ts'
import { syncIn } from './sync-in.ts'

/** Imported by the calls: `createApp` also runs where there is no `node:fs`. */
const disk = () => import('./disk.ts')

const userQuery = object({ user_id: optional(idField) })

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

const text = { type: 'string' }
const names = { type: 'array', items: text }
const details = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: text, size: { type: 'integer' }, status: text, reason: text },
    required: ['name', 'size', 'status'],
  },
}

function uploadRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/v1/uploadfiles',
    tag: 'files',
    summary: 'Stores files, and makes them searchable',
    description:
      'A file replaces one of the same name. It is searchable when the request ends, or `details` say why not; when no ' +
      'file can be read, nothing is stored. With files of its own for each user, `user_id` is a field of the form or of ' +
      'the query.',
    query: userQuery,
    otherBody: { 'multipart/form-data': uploadForm },
    answers: {
      200: {
        description: 'The names of the files, and whether each can be searched',
        content: jsonOf({ filenames: names, details }),
      },
    },
    async handle(context, { query }) {
      if (!isForm(context.req.header('content-type'))) throw noForm()
      checkMayChange(context, parts.rules)
      const upload = await beginUpload(context, parts)
      if (!upload) throw noFiles()
      const { limits, capacity } = parts
      const held = capacity.hold()
      try {
        const fields = await readForm(context, ['user_id'], { limits, runs: capacity.runs, held, files: upload })
        const sent = fields.get('user_id')
        const { user_id } = validate(userQuery, { user_id: sent && unquoted(sent) })
        if (upload.files.length === 0) throw missingFiles()
        const userId = anyCallerOf(context, user_id ?? query.user_id)
        const files = upload.files.map(({ name, sha256 }) => [name, sha256]).sort()
        const request = { userId, fingerprint: fingerprint(context, [userId ?? null, files]) }
        return await idempotent(context, parts, request, async () => {
          const details = await upload.store(userId)
          return context.json({ filenames: details.map(({ name }) => name), details })
        })
      } finally {
        held.release()
        await upload.discard()
      }
    },
  })
}

const uploadForm = {
  type: 'object',
  properties: { files: { type: 'array', items: { type: 'string', format: 'binary' } }, user_id: { type: 'string' } },
  required: ['files'],
}

function noForm(): ProblemError {
  return new ProblemError('unsupported-media-type', {
    detail: 'Send the files as multipart/form-data, in the field "files".',
    headers: { accept: 'multipart/form-data' },
  })
}

function missingFiles(): ProblemError {
  return new ProblemError('missing-field', {
    detail: 'Required: files.',
    errors: [{ path: ['files'], message: 'is required' }],
  })
}

function listRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/files',
    tag: 'files',
    summary: 'Lists the files that the agent answers from',
    query: userQuery,
    answers: {
      200: { description: 'The names, and whether each can be searched', content: jsonOf({ files: names, details }) },
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
    answers: { 200: { description: 'The file is deleted', content: jsonOf({ message: text }) } },
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
    answers: { 200: { description: 'The file is renamed', content: jsonOf({ message: text }) } },
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
