import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { nearestWord } from '@agentkit/core/internal'
import { statOf } from './stat-of.ts'
import { UsageError } from './usage-error.ts'

/** The files that commands load when none is named, in this folder. */
const defaultFiles = ['agent.ts', 'agent.js', 'app.ts', 'app.js'].flatMap((name) => [name, join('src', name)])

/**
 * The absolute path of the file that has the agents of a command.
 *
 * @param file as it was passed; without one, the first of `agent.ts`, `app.ts`, … in this folder and in `src/`
 * @returns `undefined` where none was passed and there is none
 * @throws UsageError for a file that is missing, with the most similar name
 */
export function agentFile(file: string | undefined): string | undefined {
  if (file === undefined) {
    const found = defaultFiles.find((name) => existsSync(name))
    return found && resolve(found)
  }
  checkFile(file, 'Pass a file that exports agents.')
  return resolve(file)
}

/**
 * Checks that a file or a folder exists.
 * @param fix the advice, if neither a file nor a command has a similar name
 * @param options.kind the kind of file, for the message; default a file
 * @param options.commands that may have been meant instead of a file
 * @throws UsageError
 */
export function checkFile(
  file: string,
  fix: string,
  { commands = [], kind = 'file' }: { commands?: readonly string[]; kind?: 'file' | 'folder' | 'cassette' } = {},
): void {
  const stats = statOf(file)
  const isFolder = kind === 'folder'
  if (stats && stats.isDirectory() === isFolder) return
  if (stats) throw new UsageError(`"${file}" is a ${isFolder ? 'file. Pass its folder.' : `folder. ${fix}`}`)
  const command = nearestWord(file, commands)
  if (command !== undefined) throw new UsageError(`There is no command "${file}". Did you mean "${command}"?`)
  const nearest = nearestWord(basename(file), filesIn(dirname(file)))
  const hint = nearest === undefined ? fix : `Did you mean "${join(dirname(file), nearest)}"?`
  throw new UsageError(`There is no ${kind} "${file}". ${hint}`.trimEnd())
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
