import { createHash } from 'node:crypto'
import { closeSync, constants, type Dirent, fstatSync, opendirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '@agentkit/core/internal'
import { limits } from './limits.ts'

/** A file of a skill, as it was when the skill was read. */
export type SkillFile = { bytes: number; hash: string }

/** Counts the entries of all folders that are searched. */
export type Entries = { count: number }

/**
 * All files of a skill by their paths with `/`; without hidden files and leftovers of tools.
 * @throws Error with a sentence, for a link, a special file, and what exceeds a limit
 */
export function listFiles(root: string, entries: Entries): Map<string, SkillFile> {
  const files = new Map<string, SkillFile>()
  let bytes = 0
  const walk = (folder: string, prefix: string, depth: number): void => {
    if (depth > limits.folderDepth) throw new Error(`has more than ${limits.folderDepth} levels of folders`)
    for (const entry of listFolder(folder, entries)) {
      const path = `${prefix}${entry.name}`
      if (entry.isDirectory()) walk(join(folder, entry.name), `${path}/`, depth + 1)
      else if (!entry.isFile()) throw new Error(`has ${JSON.stringify(path)}, which is ${kindOf(entry)}. ${inside}`)
      else {
        if (files.size === limits.filesPerSkill) throw new Error(`has more than ${limits.filesPerSkill} files`)
        const file = readRegular(join(folder, entry.name), path, limits.skillBytes - bytes)
        bytes += file.bytes
        files.set(path, file)
      }
    }
  }
  walk(root, '', 0)
  return files
}

const inside = 'A skill is folders and files: put the file itself there'

/** The entries of a folder, in an order that is the same everywhere. */
export function listFolder(path: string, entries: Entries): Dirent[] {
  const found: Dirent[] = []
  const folder = opendirSync(path)
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
      if (++entries.count > limits.entries) throw new Error(`has more than ${limits.entries} files and folders`)
      if (!isLeftBehind(entry.name)) found.push(entry)
    }
  } finally {
    folder.closeSync()
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isLeftBehind(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || name === '__pycache__'
}

/**
 * Reads a regular file, which no link leads to, and never more than `most` bytes of it.
 * @param collect receives its bytes
 * @throws Error with a sentence that begins with "has"
 */
export function readRegular(file: string, path: string, most: number, collect?: (chunk: Buffer) => void): SkillFile {
  const name = JSON.stringify(path)
  let handle: number
  try {
    // Without waiting: a pipe would block the process.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    const code = systemCode(cause)
    if (code === 'ELOOP') throw new Error(`has ${name}, which is a link. ${inside}`, { cause })
    throw new Error(`has ${name}, which cannot be read (${code})`, { cause })
  }
  try {
    if (!fstatSync(handle).isFile()) throw new Error(`has ${name}, which is no regular file. ${inside}`)
    const hash = lineHash()
    const buffer = Buffer.alloc(65_536)
    let bytes = 0
    for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer)) {
      bytes += read
      if (bytes > most) throw new Error(`has ${name}, which is too large. The limit is ${most} bytes`)
      hash.update(buffer.subarray(0, read))
      collect?.(Buffer.from(buffer.subarray(0, read)))
    }
    return { bytes, hash: hash.digest() }
  } finally {
    closeSync(handle)
  }
}

/**
 * A hash of which CRLF is the same as LF, since Git for Windows writes CRLF into the folders that it checks out. As for Git,
 * a file with a zero byte in its beginning is not text.
 */
function lineHash(): { update(chunk: Buffer): void; digest(): string } {
  const hash = createHash('sha256')
  let isText: boolean | undefined
  let held = ''
  return {
    update(chunk) {
      isText ??= !chunk.subarray(0, 8_000).includes(0)
      if (!isText) return void hash.update(chunk)
      const text = held + chunk.toString('latin1')
      // Its LF may be the first byte of the next chunk.
      held = text.endsWith('\r') ? '\r' : ''
      hash.update(text.slice(0, text.length - held.length).replaceAll('\r\n', '\n'), 'latin1')
    },
    digest: () => hash.update(held, 'latin1').digest('base64url'),
  }
}

/** @throws Error with a sentence that begins with "has" */
export function decodeText(bytes: Buffer, path: string): string {
  const problem = `has ${JSON.stringify(path)}, which is binary (${bytes.length} bytes). Only text in UTF-8 can be read`
  if (bytes.includes(0)) throw new Error(problem)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error(problem, { cause })
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link'
  if (entry.isFIFO()) return 'a pipe'
  return entry.isSocket() ? 'a socket' : 'a device'
}
