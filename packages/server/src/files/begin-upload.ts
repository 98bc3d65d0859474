import type { RouteParts } from '../request/parts.ts'
import type { ServerContext } from '../util/server-env.ts'
import { agentFiles } from './agent-files.ts'
import type { Upload } from './upload.ts'

/**
 * Begins to receive the files of a request.
 *
 * @returns undefined when the agent has no files
 * @example
 * const upload = await beginUpload(context, parts)
 * try {
 *   const fields = await readForm(context, names, { ...options, files: upload })
 *   await upload?.store(fields.get('user_id'))
 * } finally {
 *   await upload?.discard()
 * }
 */
export async function beginUpload(context: ServerContext, parts: RouteParts): Promise<Upload | undefined> {
  const files = agentFiles(parts.agent)
  if (!files) return undefined
  // Imported by the call: `createApp` also runs where there is no `node:fs`.
  const { createUpload } = await import('./upload.ts')
  return createUpload(context, files, parts)
}
