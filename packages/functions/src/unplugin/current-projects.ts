import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ts } from 'ts-morph'
import { openProject, type TypedProject } from '../compiler/project/project.ts'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'

export type CurrentProjects = {
  /** A file with this text, in its project as that is on disk now. */
  open(path: string, text: string): OpenFile
}

export type OpenFile = {
  file: ts.SourceFile
  project: TypedProject
  /**
   * The other files of the project that the file's types may depend on; some may not exist yet. Take it after the types:
   * from then on a change of these opens the project again.
   */
  dependencies(): string[]
}

/** The projects of a build, one for each tsconfig.json. One of which files have changed is opened again. */
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

type WatchedProject = {
  project: TypedProject
  /** In milliseconds since the epoch. */
  openedAt: number
  /** When each file had last changed, by its path; undefined where there was none. */
  changedAt: Map<string, number | undefined>
}

function openWatched(path: string): WatchedProject {
  // Taken before: what changes while a project is opened may have been read, or not.
  const openedAt = Date.now()
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

/** This time of a file cannot be set, and tells of a file too that was moved here. */
function lastChange(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs
}

function isInstalled(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path)
}
