import { isUtf8 } from 'node:buffer'
import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/server'
import { ProblemError } from '../../answer/problem.ts'
import type { Scope } from '../../files/agent-files.ts'
import { openFile } from '../../files/disk.ts'
import { checkFileName } from '../../files/file-name.ts'
import { listFiles } from '../../files/list-files.ts'
import { realPaths } from '../../files/real-paths.ts'
import { mediaTypeOf } from '../common/media-types.ts'
import { mcpSDK } from './load-mcp.ts'
import type { MCPHost } from './mcp-host.ts'

const prefix = 'agentkit://files/'
const pageSize = 100
const maxUri = 4_096
/** The largest file that is a resource: the whole of it is one JSON text. */
export const maxResourceBytes: number = 8 * 1024 * 1024

/**
 * The agent's files that the caller may read, in pages.
 * @throws ProblemError `invalid-field` for a cursor that is not one of this list
 */
export async function listResources(host: MCPHost, cursor: string | undefined): Promise<ListResourcesResult> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const found = host.files()
  if (!found) return { resources: [] }
  const all = (await listFiles(found.files, found.scope)).filter(({ name }) => isReadable(name))
  const rest = after === undefined ? all : all.filter(({ name }) => name > after)
  const page = rest.slice(0, pageSize)
  const last = page.at(-1)
  return {
    resources: page.map(({ name, size }) => ({
      uri: uriOf(name),
      name,
      size,
      mimeType: mediaTypeOf(name).type,
    })),
    ...(rest.length > pageSize && last && { nextCursor: Buffer.from(last.name).toString('base64url') }),
  }
}

/**
 * Reads one resource: its text, or its bytes in base64.
 * @throws ResourceNotFoundError also for files that the caller may not read
 * @throws ProblemError `payload-too-large`
 */
export async function readResource(host: MCPHost, uri: string): Promise<ReadResourceResult> {
  const name = nameOf(uri)
  const found = host.files()
  const file = name === undefined || !found ? undefined : await openInScope(found.scope, name)
  if (!file || name === undefined) throw new (mcpSDK().ResourceNotFoundError)(uri.slice(0, maxUri))
  const { handle, size } = file
  try {
    if (size > maxResourceBytes) throw tooLarge(size)
    host.reserve(size * 2)
    const bytes = Buffer.alloc(size)
    let read = 0
    while (read < size) {
      const { bytesRead } = await handle.read(bytes, read, size - read, read)
      if (bytesRead === 0) break
      read += bytesRead
    }
    const content = bytes.subarray(0, read)
    const { type, isText } = mediaTypeOf(name)
    const body = isText && isUtf8(content) ? { text: content.toString() } : { blob: content.toString('base64') }
    return { contents: [{ uri, mimeType: type, ...body }] }
  } finally {
    await handle.close()
  }
}

/** Never outside of the folder, also not by a link. */
async function openInScope(scope: Scope, name: string): ReturnType<typeof openFile> {
  try {
    const [path] = await realPaths(scope, { file_path: [name] })
    return path === undefined ? undefined : await openFile(path)
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) return undefined
    throw error
  }
}

/** Files in folders have names with slashes. */
function uriOf(name: string): string {
  return prefix + name.split('/').map(encodeURIComponent).join('/')
}

function nameOf(uri: string): string | undefined {
  if (!uri.startsWith(prefix) || uri.length > maxUri) return undefined
  try {
    const name = uri.slice(prefix.length).split('/').map(decodeURIComponent).join('/')
    return isReadable(name) ? name : undefined
  } catch {
    return undefined
  }
}

/** Whether each part of a path is the name of a file as uploads may have it. */
function isReadable(name: string): boolean {
  try {
    for (const part of name.split('/')) checkFileName(part)
    return true
  } catch {
    return false
  }
}

function readCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString()
  if (cursor !== '' && Buffer.from(name).toString('base64url') === cursor) return name
  throw new ProblemError('invalid-field', { status: 400, detail: 'The cursor is not a nextCursor of this list.' })
}

function tooLarge(size: number): ProblemError {
  const detail = `The file has ${size} bytes, and a resource at most ${maxResourceBytes}. Ask the agent about it, or download it over HTTP.`
  return new ProblemError('payload-too-large', { detail })
}
