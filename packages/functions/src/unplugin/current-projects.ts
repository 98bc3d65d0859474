import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ts } from 'ts-morph'
import { openProject, type TypedProject } from '../compiler/project/project.ts'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'

export type CurrentProjects = {
  /** A file with this text, in the current state of its project. */
  open(path: string, text: string): OpenFile
}

export type OpenFile = {
  file: ts.SourceFile
  project: TypedProject
  /**
   * The other files of the project that the file's types may depend on; some may not exist yet. Call it after reading the types:
   * from then on a change of these opens the project again.
   */
  dependencies(): string[]
}

/** The projects of a build, one for each tsconfig.json. A project whose files have changed is opened again. */
export function currentProjects(): CurrentProjects {
  const projects = new Map<string | undefined, WatchedProject>()
  return {
    open(path, text) {
      const { ts } = loadTsMorph()
      const tsconfig = ts.findConfigFile(dirname(path), ts.sys.fileExists)
      const before = projects.get(tsconfig)
      const current = before && !hasChanged(before) ? before : openWatched(path)
      projects.set(tsconfig, current)
      return {
        file: current.project.sourceFile(path, text),
        project: current.project,
        dependencies: () => watchDependencies(path, current),
      }
    },
  }
}

/** How far the times of files may be behind the clock: Linux takes them from its last tick. */
const fileClockMs = 50

type WatchedProject = {
  project: TypedProject
  /** In milliseconds since the epoch. */
  openedAt: number
  /** The last change of each file by its path; undefined if it did not exist. */
  changedAt: Map<string, number | undefined>
}

function openWatched(path: string): WatchedProject {
  // Read before the project is opened, because files may change while it opens.
  const openedAt = Date.now() - fileClockMs
  return { project: openProject([path], { lib: 'small' }), openedAt, changedAt: new Map() }
}

function hasChanged({ openedAt, changedAt }: WatchedProject): boolean {
  return [...changedAt].some(([path, before]) => {
    const now = lastChange(path)
    return now !== before || (now !== undefined && now >= openedAt)
  })
}

function watchDependencies(path: string, { project, changedAt }: WatchedProject): string[] {
  const others = project.dependencies(path).filter((other) => resolve(other) !== resolve(path) && !isInstalled(other))
  for (const other of others) changedAt.set(other, lastChange(other))
  return others
}

/** The change time cannot be set by programs, and also changes when a file is moved here. */
function lastChange(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs
}

function isInstalled(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path)
}
