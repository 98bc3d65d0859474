import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/**
 * Whether a folder above is a project that does not have this one as a workspace. Yarn 4 installs nothing then, unless
 * this folder has a lock file of its own.
 */
export function isBelowOtherProject(folder: string): boolean {
  const above = foldersAbove(folder).filter((one) => existsSync(join(one, 'package.json')) || hasLock(one))
  return above.length > 0 && !above.some((one) => workspacesOf(one).some((pattern) => matches(folder, one, pattern)))
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...foldersAbove(above)]
}

function hasLock(folder: string): boolean {
  return existsSync(join(folder, 'yarn.lock'))
}

function workspacesOf(folder: string): string[] {
  try {
    const { workspaces } = Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    const patterns: unknown = Array.isArray(workspaces) ? workspaces : Object(workspaces).packages
    return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === 'string') : []
  } catch {
    return []
  }
}

/** Supports the glob patterns that are usual here: `*` and `**`. */
function matches(folder: string, root: string, pattern: string): boolean {
  const source = pattern
    .replace(/^\.\/|\/$/g, '')
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'))
  return new RegExp(`^${source}$`).test(relative(root, folder).split(sep).join('/'))
}
