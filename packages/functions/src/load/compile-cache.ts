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

/** The cache between starts: one file for each source file, in the nearest node_modules. */
export type CompileCache = {
  read(path: string, text: string): CachedFile | undefined
  /** Stores it for the next start, if the folder is writable. */
  write(path: string, text: string, file: CachedFile): void
}

/** @param version of the compiler: data of another version is ignored */
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
/** The maximum size of a cache file, in bytes. */
const largest = 64 * 1_024 * 1_024

function cacheFolder(folder: string): string | undefined {
  const root = nearestFolder(folder, 'node_modules') ?? nearestFolder(folder, 'package.json')
  return root && join(root, 'node_modules', '.cache', 'agentkit')
}

/** Reads a cache file of this user. A broken file, or one of another owner, counts as absent. */
function parse(place: string): { [Key in keyof Kept]?: unknown } | undefined {
  let handle: number | undefined
  try {
    handle = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(handle)
    const isOurs = stats.uid === (process.geteuid?.() ?? stats.uid)
    if (!isOurs || !stats.isFile() || stats.size > largest) return undefined
    // The caller checks version and digest.
    return JSON.parse(readFileSync(handle, 'utf8'))
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Writes atomically, because another process may start at the same time. On failure, the next start compiles again. */
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
