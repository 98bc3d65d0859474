import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { ProblemError } from '../answer/problem.ts'
import type { Scope } from './agent-files.ts'
import { sizeOf, statOf } from './disk.ts'

type IndexPaths = { file_path?: string[] | undefined; folder_path?: string | undefined }

/**
 * The real paths of the files and the folder that a request names.
 * @throws ProblemError `path-not-allowed` for a path outside of the scope, also by a link; `not-found`
 */
export async function realPaths(scope: Scope, { file_path = [], folder_path }: IndexPaths): Promise<string[]> {
  const files = await Promise.all(file_path.map((one) => realPathIn(scope, one)))
  for (const file of files) if ((await sizeOf(file)) === undefined) throw new ProblemError('not-found')
  if (folder_path === undefined) return files
  const folder = await realPathIn(scope, folder_path)
  if (!(await statOf(folder))?.isDirectory()) throw new ProblemError('not-found')
  return [...files, folder]
}

/**
 * The real path of a file that a request names. @throws ProblemError `path-not-allowed` outside of the folder;
 * `not-found`
 */
async function realPathIn({ folder }: Scope, given: string): Promise<string> {
  if (given.includes('\0')) throw new ProblemError('path-not-allowed')
  const root = await realpath(folder).catch(() => resolve(folder))
  // A path as the server's own configuration has it, from the working directory, is accepted too. No other path is looked
  // up: the answer would say whether something is there, such as a file of another user.
  const candidates = [resolve(folder, given), resolve(given)].filter(
    (one) => isInside(resolve(folder), one) || isInside(root, one),
  )
  if (candidates.length === 0) throw new ProblemError('path-not-allowed')
  for (const candidate of candidates) {
    const real = await realpath(candidate).catch(() => undefined)
    if (real === undefined) continue
    if (!isInside(root, real)) throw new ProblemError('path-not-allowed')
    return real
  }
  throw new ProblemError('not-found')
}

function isInside(folder: string, one: string): boolean {
  const way = relative(folder, one)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
