import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { makeFolder, systemCode } from '@agentkit/core/internal'
import { statOf } from '../common/stat-of.ts'
import { UsageError } from '../common/usage-error.ts'
import type { Choices } from './choices.ts'
import { type MergedManifest, mergeIgnored, mergeManifest } from './manifest.ts'
import { isBelowOtherProject } from './project-above.ts'
import { type ProjectFile, projectFiles } from './project-files.ts'

/** The files that a new project gets. */
export type Plan = {
  folder: string
  files: readonly ProjectFile[]
  /** Files that exist, and are not changed. */
  kept: readonly string[]
  notes: readonly string[]
  /** Our scripts whose names package.json has for its own. */
  taken: readonly string[]
}

/**
 * Decides which files are written, and reads those that are extended. Nothing is written.
 * @throws UsageError for a folder that is a file or below one, and for a package.json or .gitignore that cannot be extended
 */
export function planProject(folder: string, choices: Choices, force: boolean): Plan {
  checkFolder(folder)
  const exists = (name: string): boolean => isThere(join(folder, name))
  const read = (name: string): string | undefined => (exists(name) ? readText(folder, name) : undefined)
  const manifest = mergedManifest(read('package.json'), folder, choices)
  const ignored = { name: '.gitignore', text: mergeIgnored(read('.gitignore')) }
  const merged = [{ name: 'package.json', text: manifest.text }, ignored].filter(
    ({ name, text }) => read(name) !== text,
  )
  const { ownTest } = manifest
  const files = projectFiles(choices, ownTest !== undefined)
  const existing = files.filter(({ name }) => exists(name))
  const beside = force ? existing.map((file) => ({ ...file, name: `${file.name}.new` })) : []
  const isNew = ({ name }: ProjectFile): boolean => !exists(name)
  const lock = { name: 'yarn.lock', text: '' }
  const needsLock = choices.manager === 'yarn' && isNew(lock) && isBelowOtherProject(folder)
  return {
    folder,
    files: [...merged, ...[...files, ...(needsLock ? [lock] : []), ...beside].filter(isNew)],
    kept: [...existing, ...beside.filter((file) => !isNew(file))].map(({ name }) => name),
    notes: ownTest === undefined ? manifest.notes : [...manifest.notes, noTest(ownTest)],
    taken: manifest.taken,
  }
}

function noTest(command: string): string {
  return (
    `There is no agent.test.ts: it is for node --test, and the tests here run by "${command}". ` +
    'How agents are tested: agentkit docs scripted-model'
  )
}

/** The folder need not exist, but what exists of its path are folders. */
function checkFolder(folder: string): void {
  const stats = statOf(folder)
  if (stats === undefined && dirname(folder) !== folder) checkFolder(dirname(folder))
  if (stats && !stats.isDirectory()) throw new UsageError(`"${relative('', folder)}" is a file. Pass a folder.`)
}

/** Whether something is at a path. A link without a target counts too, and is not replaced. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function readText(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch (error) {
    throw new UsageError(`${name} cannot be read (${systemCode(error)}). Correct it, and run the command again.`)
  }
}

function mergedManifest(text: string | undefined, folder: string, choices: Choices): MergedManifest {
  try {
    return mergeManifest(text, folder, choices)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`package.json cannot be extended: ${reason}. Correct it, and run the command again.`)
  }
}

export function writeProject({ folder, files }: Plan): void {
  for (const { name, text, mode } of files) {
    const path = join(folder, name)
    // Only these two files may exist: a file that was created since the check is not overwritten.
    const flag = name === 'package.json' || name === '.gitignore' ? 'w' : 'wx'
    try {
      makeFolder(dirname(path))
      writeFileSync(path, text, { flag, ...(mode !== undefined && { mode }) })
    } catch (cause) {
      throw new AgentKitError('storage', `${relative('', path)} cannot be written (${systemCode(cause)}).`, { cause })
    }
  }
}
