import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { UsageError } from '../common/usage-error.ts'
import type { Choices } from './choices.ts'
import { mergeIgnored, mergeManifest } from './manifest.ts'
import { type ProjectFile, projectFiles } from './project-files.ts'

/** What is to be written, once all is known. */
export type Plan = {
  folder: string
  files: readonly ProjectFile[]
  /** Files that exist, and are not changed. */
  kept: readonly string[]
  notes: readonly string[]
}

/**
 * Decides which files are written, and reads those that are extended. Nothing is written.
 * @throws UsageError for a folder that is a file, and a package.json that is no JSON
 */
export function planProject(folder: string, choices: Choices, force: boolean): Plan {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory()) throw new UsageError(`"${relative('', folder)}" is a file. Pass a folder.`)
  const read = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined
  const manifest = mergedManifest(read('package.json'), folder, choices)
  const ignored = { name: '.gitignore', text: mergeIgnored(read('.gitignore')) }
  const merged = [{ name: 'package.json', text: manifest.text }, ignored].filter(
    ({ name, text }) => read(name) !== text,
  )
  const files = projectFiles(choices)
  const exists = (name: string): boolean => existsSync(join(folder, name))
  const kept = files.map(({ name }) => name).filter(exists)
  const beside = force
    ? files.filter(({ name }) => exists(name)).map((file) => ({ ...file, name: `${file.name}.new` }))
    : []
  return {
    folder,
    files: [...merged, ...files.filter(({ name }) => !exists(name)), ...beside],
    kept,
    notes: manifest.notes,
  }
}

function mergedManifest(text: string | undefined, folder: string, choices: Choices): { text: string; notes: string[] } {
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
    mkdirSync(dirname(path), { recursive: true })
    // Only these two may exist: a file that has appeared meanwhile is not overwritten.
    const flag = name === 'package.json' || name === '.gitignore' || name.endsWith('.new') ? 'w' : 'wx'
    writeFileSync(path, text, { flag, ...(mode !== undefined && { mode }) })
  }
}
