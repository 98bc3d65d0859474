import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Finding, shellWord, systemCode } from '@agentkit/core/internal'
import { toStorageError } from './database/sqlite-errors.ts'
import { migrations } from './migrations/migrations.ts'

/**
 * Checks a file of sessions without changing it: whether it can be written, its schema, its integrity and who may read it.
 *
 * @param path of the file, which need not exist
 * @param signal ends the check of a large file
 */
export async function inspectSQLite(path: string, signal: AbortSignal): Promise<Finding> {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return inspectFolder(path)
  if (!stats.isFile()) return fail(`${path} is a folder, not a session database.`, moved(path, 'old'))
  const found = await readFacts(path, signal)
  if (!found) {
    return { status: 'skipped', detail: `${path} was not read: this Node has no SQLite, or could not be started.` }
  }
  const aside = moved(path, 'damaged')
  if ('error' in found) return fail(toStorageError(found.error, path).message, aside)
  const { version, tables, problem } = found
  if (version > migrations.length) {
    const schema = `its schema is ${version}, this package knows ${migrations.length}`
    return fail(`${path} was made by a newer version of @agentkit/sessions: ${schema}.`, 'npm i agentkit@latest')
  }
  if (version === 0 && tables > 0) return fail(`${path} holds something else than sessions.`, moved(path, 'old'))
  if (problem !== 'ok') return fail(`${path} is damaged: ${problem}.`, aside)
  const refused = refusedAccess(path) ?? refusedAccess(dirname(path))
  if (refused === 'EROFS') return fail(`${path} cannot be written: its disk is read-only.`, otherDisk)
  if (refused !== undefined) {
    return fail(`${path} cannot be written by this user.`, `chmod u+rw ${shellWord(path)} ${shellWord(dirname(path))}`)
  }
  // On Windows the mode says nothing of other users.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    return {
      status: 'warn',
      detail: `${path} can be read by other users of this machine.`,
      fix: `chmod 600 ${shellWord(path)}`,
    }
  }
  const migrates = version < migrations.length ? `; the next run migrates it from ${version}` : ''
  return { status: 'ok', detail: `${path} is sound, its schema is ${migrations.length}${migrates}.` }
}

/** The nearest folder that exists must be one that can be written. */
function inspectFolder(path: string): Finding {
  let folder = dirname(resolve(path))
  let stats = statOf(folder)
  while (stats === undefined && dirname(folder) !== folder) {
    folder = dirname(folder)
    stats = statOf(folder)
  }
  if (stats && stats !== 'unreadable' && !stats.isDirectory()) {
    return fail(`${path} cannot be made: ${folder} is a file.`, moved(folder, 'old'))
  }
  const refused = stats === 'unreadable' ? 'EACCES' : refusedAccess(folder)
  if (refused === 'EROFS') return fail(`${path} cannot be made: the disk of ${folder} is read-only.`, otherDisk)
  if (refused !== undefined) {
    return fail(`${path} cannot be made: this user cannot write ${folder}.`, `chmod u+rwx ${shellWord(folder)}`)
  }
  return { status: 'ok', detail: `There are no sessions yet: ${path} is made by the first run.` }
}

function statOf(path: string): ReturnType<typeof statSync> | 'unreadable' | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // A part of the path is a file: the loop reaches it.
    return systemCode(error) === 'ENOTDIR' ? undefined : 'unreadable'
  }
}

/** The code of the error where this user cannot read and write it. */
function refusedAccess(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return systemCode(error) ?? 'EACCES'
  }
}

/** No mode of a file helps there, for root neither. */
const otherDisk = 'Choose a path of `sessions` on a disk that can be written, such as a volume of the container.'

type Facts = { version: number; tables: number; problem: string } | { error: { errcode?: number; message: string } }

/** In a process of its own, as SQLite checks a whole file without a pause, and has to end at the signal. */
async function readFacts(path: string, signal: AbortSignal): Promise<Facts | undefined> {
  const address = pathToFileURL(resolve(path))
  // Without these files the database has no writer, and read-only access would create one of them.
  if (!existsSync(`${path}-wal`) || !existsSync(`${path}-shm`)) address.searchParams.set('immutable', '1')
  const words = ['--no-warnings', '--input-type=module', '--eval', program, address.href]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, words, { signal, env: withoutOptions() })
    return JSON.parse(stdout)
  } catch (cause) {
    if (signal.aborted) throw cause
    // An old one, which the check of Node reports. Of the file nothing is known.
    return undefined
  }
}

/** Options of this process, such as `--import`, are not for the check. */
function withoutOptions(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...env } = process.env
  return env
}

const program = `
import { DatabaseSync } from 'node:sqlite'
const print = (facts) => process.stdout.write(JSON.stringify(facts))
try {
  const database = new DatabaseSync(new URL(process.argv[1]), { readOnly: true })
  const first = (sql) => Object.values(database.prepare(sql).get())[0]
  const [version, tables] = [first('PRAGMA user_version'), first('SELECT count(*) FROM sqlite_schema')]
  // The first line of some findings only names the database.
  const lines = String(first('PRAGMA quick_check(1)')).split('\\n')
  print({ version, tables, problem: lines.find((line) => !line.startsWith('***')) ?? lines[0] })
} catch ({ errcode, message }) {
  print({ error: { errcode, message } })
}`

/** The command that moves a file away. */
function moved(path: string, ending: string): string {
  return `mv ${shellWord(path)} ${shellWord(`${path}.${ending}`)}`
}

function fail(detail: string, fix: string): Finding {
  return { status: 'fail', detail, fix }
}
