import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import { AgentKitError, type FileNote } from '@agentkit/core'
import { abortError, makeFolder, messageOf, systemCode } from '@agentkit/core/internal'
import { extOf } from '../data/ext-of.ts'
import type { FoundFile } from '../data/file-record.ts'
import { isMissingFile } from '../data/unreadable-file.ts'
import { yieldToOthers } from '../util/yield-to-others.ts'

/** A file of the file system. */
export type ScannedFile = {
  /** Relative to the folder, with `/`. The name has the bytes of the disk: it is not normalized. */
  file: string
  /** Its real path, without links. */
  path: string
} & FoundFile

export type Scan = {
  /** The selected files, sorted by path. */
  files: ScannedFile[]
  /** The names of the other files. */
  others: ReadonlySet<string>
  /** Files whose type has no parser. */
  unsupported: string[]
  /**
   * Folders (ending in `/`) and files that could not be examined: their current content is unknown. Those that are
   * `unsupported` will never be readable.
   */
  unseen: FileNote[]
}

export type ScanOptions = {
  /** The selected extensions, and all supported ones: lower case, with the dot. */
  exts: ReadonlySet<string>
  supported: ReadonlySet<string>
  /** A folder that is skipped, because it is ours. */
  except?: string
  signal: AbortSignal
}

/**
 * Lists every file of a folder and below. A missing folder is created.
 *
 * Hidden names are skipped. A link is followed if it stays inside of the folder and leads to something
 * that is not found under its own name: each file is found once, and no cycle is followed.
 *
 * Synchronous, which takes half the time, with a yield every few milliseconds.
 */
export async function scanFolder(folder: string, options: ScanOptions): Promise<Scan> {
  const root = await realFolder(folder)
  const walk: Walk = {
    root,
    options,
    except: options.except === undefined ? undefined : realPathOf(options.except),
    files: [],
    others: [],
    unseen: [],
    links: [],
    folders: new Set(),
    since: performance.now(),
  }
  await walkFolder('', root, walk)
  walk.links.sort((one, other) => (one.file < other.file ? -1 : 1))
  // Last, so that a file with a name of its own is known by it.
  for (let link = walk.links.shift(); link; link = walk.links.shift()) await follow(link, walk)
  const { files, others, unseen: notes } = walk
  files.sort((one, other) => (one.file < other.file ? -1 : 1))
  const unsupported = others.filter((file) => !options.supported.has(extOf(file))).sort()
  return { files, others: new Set(others), unsupported, unseen: notes }
}

type Link = { file: string; path: string }
type Walk = {
  root: string
  options: ScanOptions
  except: string | undefined
  files: ScannedFile[]
  others: string[]
  unseen: FileNote[]
  links: Link[]
  /** Visited folders, by their real paths. */
  folders: Set<string>
  /** Found files, computed for the first link. */
  paths?: Set<string>
  /** When the thread last yielded. */
  since: number
}

async function realFolder(folder: string): Promise<string> {
  try {
    makeFolder(folder)
    return realpathSync(folder)
  } catch (error) {
    throw folderError(folder, error)
  }
}

function folderError(folder: string, cause: unknown): AgentKitError {
  const isFile = statSync(folder, { throwIfNoEntry: false })?.isFile() ?? false
  const message = isFile
    ? `"${folder}" is a file: name the folder that it lies in.`
    : `The folder "${folder}" cannot be read: ${messageOf(cause)}. Name one that this user may read.`
  return new AgentKitError('storage', message, { cause })
}

async function walkFolder(prefix: string, path: string, walk: Walk): Promise<void> {
  if (walk.options.signal.aborted) throw abortError(walk.options.signal)
  if (path === walk.except || walk.folders.has(path)) return
  walk.folders.add(path)
  let entries: Dirent[] | 'link'
  try {
    entries = entriesOf(path)
  } catch (error) {
    if (prefix === '') throw folderError(path, error)
    if (!isMissingFile(error)) walk.unseen.push(unseen(prefix, error))
    return
  }
  if (entries === 'link') {
    // The path was a folder a moment ago.
    if (prefix === '') throw folderError(path, 'it is a link now')
    walk.links.push({ file: prefix.slice(0, -1), path })
    return
  }
  for (const entry of entries) {
    if (isHidden(entry.name)) continue
    if (performance.now() - walk.since > 8) await pause(walk)
    const file = prefix + entry.name
    const at = path + sep + entry.name
    if (entry.isDirectory()) await walkFolder(`${file}/`, at, walk)
    else if (entry.isFile()) lookAt(file, at, walk)
    else if (entry.isSymbolicLink()) walk.links.push({ file, path: at })
    else leaveOut(file, 'It is a pipe, a socket or a device: write what it says into a file.', walk)
  }
}

/** The entries of the folder at a path, and of no other folder that a link leads to. */
function entriesOf(path: string): Dirent[] | 'link' {
  for (;;) {
    const before = lstatSync(path)
    if (before.isSymbolicLink()) return 'link'
    const entries = readdirSync(path, { withFileTypes: true })
    const after = lstatSync(path)
    // Otherwise it was replaced during the read.
    if (before.dev === after.dev && before.ino === after.ino) return entries
  }
}

async function pause(walk: Walk): Promise<void> {
  await yieldToOthers()
  const { signal } = walk.options
  if (signal.aborted) throw abortError(signal)
  walk.since = performance.now()
}

function lookAt(file: string, path: string, walk: Walk): void {
  const { options, files, others, paths, unseen: notes } = walk
  paths?.add(path)
  if (!options.exts.has(extOf(file))) {
    others.push(file)
    return
  }
  try {
    const stats = lstatSync(path)
    // The path was a file a moment ago.
    if (stats.isSymbolicLink()) walk.links.push({ file, path })
    if (!stats.isFile()) return
    const { dev: device, ino: inode, size, mtimeMs, ctimeMs } = stats
    // A file that is restored with its old time, or that becomes readable, has a new ctime.
    files.push({ file, path, size, mtimeMs: Math.max(mtimeMs, ctimeMs), device, inode })
  } catch (error) {
    if (!isMissingFile(error)) notes.push(unseen(file, error))
    else if (file.includes('\uFFFD')) {
      notes.push({ file, status: 'unsupported', reason: 'Its name is not UTF-8: give it another one.' })
    }
  }
}

async function follow({ file, path }: Link, walk: Walk): Promise<void> {
  let target: string
  let isFolder: boolean
  let isFile: boolean
  try {
    target = realpathSync(path)
    const stats = statSync(target)
    isFolder = stats.isDirectory()
    isFile = stats.isFile()
  } catch (error) {
    if (!isMissingFile(error) && systemCode(error) !== 'ELOOP') walk.unseen.push(unseen(file, error))
    else leaveOut(file, 'It is a link that leads nowhere: put the file itself there.', walk)
    return
  }
  if (!isInside(walk.root, target)) {
    const reason = `It is a link that leads out of the folder: copy ${isFolder ? 'its files' : 'the file'} into it.`
    if (isFolder) walk.unseen.push({ file: `${file}/`, status: 'unsupported', reason })
    else leaveOut(file, reason, walk)
    return
  }
  if (isFolder) return walkFolder(`${file}/`, target, walk)
  walk.paths ??= new Set(walk.files.map(({ path }) => path))
  if (walk.paths.has(target)) return
  if (isFile) lookAt(file, target, walk)
  else leaveOut(file, 'It is a link to a pipe, a socket or a device: write what that says into a file.', walk)
}

/** An entry that is not a regular file is reported if its name has a selected extension. */
function leaveOut(file: string, reason: string, { options, others, unseen: notes }: Walk): void {
  if (options.exts.has(extOf(file))) notes.push({ file, status: 'unsupported', reason })
  else others.push(file)
}

function unseen(file: string, error: unknown): FileNote {
  return { file, status: 'corrupt', reason: `The system says: ${messageOf(error)}.` }
}

/** Whether a name begins with a dot, or is of the file by which Word marks a document as open: `~$report.docx`. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('~$')
}

/** Whether a path is the folder itself or below it. Both are real paths. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** The real path of a folder; undefined if it is missing. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
