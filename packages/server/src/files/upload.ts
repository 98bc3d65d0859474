import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import type { FileReceiver } from '../request/read-form.ts'
import type { ServerContext } from '../util/server-env.ts'
import { type AgentFiles, checkMayChange, scopeOf } from './agent-files.ts'
import { diskProblem } from './disk.ts'
import { checkKind, checkType, headBytes } from './file-kind.ts'
import { checkFileName } from './file-name.ts'
import type { FileDetail } from './list-files.ts'
import { type ReceivedFile, storeFiles } from './store-files.ts'
import { removeTemporary, temporaryPath } from './temporary-files.ts'

/** The files of one request, from their first byte until they can be searched. */
export interface Upload extends FileReceiver {
  readonly files: readonly ReceivedFile[]
  /**
   * Gives the files their names, and makes them searchable.
   * @param userId the `user_id` of the request
   * @returns whether each can be searched, and why not
   * @throws ProblemError when none is stored: no room, no file that can be read
   */
  store(userId: string | undefined): Promise<FileDetail[]>
  /** Removes the files that have not been stored. */
  discard(): Promise<void>
}

/** Receives files in the folder of the agent. */
export function createUpload(context: ServerContext, agent: AgentFiles, parts: RouteParts): Upload {
  const files: ReceivedFile[] = []
  const writing: Promise<unknown>[] = []
  return {
    files,
    async receive(stream, given) {
      checkMayChange(context, parts.rules)
      const name = checkFileName(given)
      checkType(name, agent.knowledge)
      if (files.some((file) => file.name === name)) throw sentTwice(name)
      const file: ReceivedFile = { name, path: temporaryPath(agent.folder), size: 0, sha256: '' }
      files.push(file)
      const written = write(stream, file, agent, parts)
      writing.push(written.catch(() => {}))
      await written
    },
    async store(userId) {
      const scope = scopeOf(context, agent, parts, { userId, changes: true })
      const bytes = files.reduce((sum, { size }) => sum + size, 0)
      if (parts.hasRoom && !(await parts.hasRoom(bytes))) throw new ProblemError('quota-exceeded')
      return storeFiles(files, { agent, scope, parts, context })
    },
    async discard() {
      // A file that is still being written would appear again.
      await Promise.all(writing)
      await Promise.all(files.map(({ path }) => removeTemporary(path)))
    },
  }
}

async function write(stream: Readable, file: ReceivedFile, agent: AgentFiles, { limits }: RouteParts): Promise<void> {
  const sha256 = createHash('sha256')
  const measured = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let head = Buffer.alloc(0)
    for await (const chunk of chunks) {
      file.size += chunk.length
      if (file.size > limits.fileBytes) throw fileTooLarge(file.name, limits.fileBytes)
      if (head.length < headBytes) {
        head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
        if (head.length === headBytes) checkKind(file.name, head)
      }
      sha256.update(chunk)
      yield chunk
    }
    if (head.length < headBytes) checkKind(file.name, head)
  }
  try {
    await mkdir(agent.folder, { recursive: true })
    // `wx` creates the file, and follows no link. It is there before it is written, so that `discard` always removes it:
    // a stream that fails while it opens its file does not wait for the file.
    const handle = await open(file.path, 'wx', 0o600)
    await pipeline(stream, measured, handle.createWriteStream())
  } catch (error) {
    throw diskProblem(error)
  }
  file.sha256 = sha256.digest('hex')
}

function sentTwice(name: string): ProblemError {
  return new ProblemError('invalid-field', {
    detail: `The file "${name}" is sent more than once.`,
    errors: [{ path: ['files'], message: 'must have different names' }],
  })
}

function fileTooLarge(name: string, fileBytes: number): ProblemError {
  const detail = `"${name}" is larger than the limit of ${fileBytes} bytes for a file.`
  return new ProblemError('payload-too-large', { detail })
}
