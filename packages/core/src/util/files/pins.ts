import { invalidConfig } from '../../data/errors.ts'
import { systemCode } from '../../data/system-error.ts'
import { sha256 } from '../text/sha256.ts'
import { terminalLine } from '../text/terminal-text.ts'
import { makeFolder } from './make-folder.ts'

/** A file of hashes that is committed: what may be used is what was there when it was written. */
export type LockFile<Entry> = {
  /** @throws AgentKitError `invalid-config` for a file that is not a lock file of this kind */
  read(name: string): Entry | undefined
  /** Changes one entry, in one step: a reader never sees half a file. */
  change(name: string, change: (entry: Entry | undefined) => Entry): void
}

type LockFileOptions<Entry> = {
  /** What is pinned, for messages. */
  of: string
  /** The key of the entries in the file. */
  section: string
  isEntry(value: unknown): value is Entry
}

const lockFileBytes = 4_194_304

export function lockFile<Entry>(path: string, { of, section, isEntry }: LockFileOptions<Entry>): LockFile<Entry> {
  const fs = process.getBuiltinModule('node:fs')
  return {
    read: (name) => readAll().get(name),
    change(name, change) {
      const entries = readAll()
      entries.set(name, change(entries.get(name)))
      const text = JSON.stringify(sortedKeys({ version: 1, [section]: Object.fromEntries(entries) }), undefined, 2)
      const temporary = `${path}.${process.pid}.tmp`
      makeFolder(process.getBuiltinModule('node:path').dirname(path))
      fs.writeFileSync(temporary, `${text}\n`)
      fs.renameSync(temporary, path)
    },
  }

  function readAll(): Map<string, Entry> {
    const file = parse()
    if (file === undefined) return new Map()
    const entries = Object.entries(Object(file[section]) as Record<string, unknown>)
    if (file.version !== 1 || !entries.every(([, entry]) => isEntry(entry))) throw noLockFile()
    return new Map(entries as [string, Entry][]) // checked above
  }

  function parse(): Record<string, unknown> | undefined {
    try {
      if (fs.statSync(path).size > lockFileBytes) throw noLockFile()
      return Object(JSON.parse(fs.readFileSync(path, 'utf8')))
    } catch (cause) {
      if (systemCode(cause) === 'ENOENT') return undefined
      throw noLockFile(cause)
    }
  }

  function noLockFile(cause?: unknown): Error {
    return invalidConfig(`${path} is not a lock file of ${of}. Restore it from version control, or delete it.`, {
      cause,
    })
  }
}

/** Whether every value of an object is a text, as hashes by their names are. */
export function areHashes(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((hash) => typeof hash === 'string')
}

/** The hash that pins a value of JSON; the order of its keys has no meaning. */
export function pinOf(value: unknown): string {
  return `sha256-${sha256(JSON.stringify(sortedKeys(value)), 'base64url')}`
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, child]) => [key, sortedKeys(child)]))
}

/** Whether no lock file is written: what has no pin then ends the run. */
export function isProduction(): boolean {
  const { NODE_ENV, CI } = process.env
  return NODE_ENV === 'production' || (CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0')
}

const printed = new Set<string>()

/** Prints a sentence once in this process, on stderr. */
export function notice(text: string): void {
  if (printed.has(text)) return
  printed.add(text)
  console.warn(terminalLine(`agentkit: ${text}`))
}
