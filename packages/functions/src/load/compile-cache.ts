import { hash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type CachedFile, checkCachedFile } from './cached-file.ts'
import { nearestFolder } from './nearest-folder.ts'

/** What is kept between two starts: one file for each file of the user's, in the node_modules nearest to that. */
export type CompileCache = {
  read(path: string, text: string): CachedFile | undefined
  /** Keeps it for the next start. Where nothing can be written, nothing is kept. */
  write(path: string, text: string, file: CachedFile): void
}

/** @param version of all that compiles: what another one has kept does not count */
export function createCompileCache(version: string): CompileCache {
  const folders = new Map<string, string | undefined>()
  return {
    read(path, text) {
      const place = placeOf(path)
      const kept = place === undefined ? undefined : parse(place)
      if (kept?.version !== version || kept.text !== digest(text)) return undefined
      return checkCachedFile(kept.file, text)
    },
    write(path, text, file) {
      const place = placeOf(path)
      const kept: Kept = { version, text: digest(text), file }
      if (place !== undefined) replace(place, JSON.stringify(kept))
    },
  }

  function placeOf(path: string): string | undefined {
    const folder = dirname(path)
    if (!folders.has(folder)) folders.set(folder, cacheFolder(folder))
    const parent = folders.get(folder)
    return parent && join(parent, `${basename(path).slice(0, 80)}-${digest(path).slice(0, 16)}.json`)
  }
}

export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** `text` is a digest. */
type Kept = { version: string; text: string; file: CachedFile }
/** Of a file that may be one of ours, in bytes. */
const largest = 64 * 1_024 * 1_024

function cacheFolder(folder: string): string | undefined {
  const root = nearestFolder(folder, 'node_modules') ?? nearestFolder(folder, 'package.json')
  return root && join(root, 'node_modules', '.cache', 'agentkit')
}

/** What this user has kept. A file that is broken, or of another owner, counts as absent. */
function parse(place: string): { [Key in keyof Kept]?: unknown } | undefined {
  let handle: number | undefined
  try {
    handle = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(handle)
    const isOurs = stats.uid === (process.geteuid?.() ?? stats.uid)
    if (!isOurs || !stats.isFile() || stats.size > largest) return undefined
    // Whatever else may stand there has not this version and digest.
    return JSON.parse(readFileSync(handle, 'utf8'))
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Whole or not at all: another process may start at the same time. What cannot be kept is compiled again. */
function replace(place: string, content: string): void {
  const draft = `${place}.${randomUUID()}`
  try {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(draft, content)
    renameOrRemove(draft, place)
  } catch {}
}

function renameOrRemove(draft: string, place: string): void {
  try {
    renameSync(draft, place)
  } catch {
    rmSync(draft)
  }
}
