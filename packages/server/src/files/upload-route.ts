import { jsonOf } from '../answer/answer-schemas.ts'
import { missing } from '../answer/field-problems.ts'
import { ProblemError } from '../answer/problem.ts'
import { anyCallerOf } from '../request/caller.ts'
import { unquoted } from '../request/chat-request.ts'
import { fingerprint } from '../request/fingerprint.ts'
import { idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { isForm, readForm } from '../request/read-form.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { validate } from '../request/validate.ts'
import { checkMayChange, noFiles } from './agent-files.ts'
import { beginUpload } from './begin-upload.ts'
import { fileDetails, fileNames, userQuery } from './file-schemas.ts'

export function uploadRoute(parts: RouteParts): Route {
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
        content: jsonOf({ filenames: fileNames, details: fileDetails }),
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
        if (upload.files.length === 0) throw missing('files')
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
