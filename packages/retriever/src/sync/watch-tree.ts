import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { timeSlices } from '../util/time-slices.ts'

/** Listens to the system for changes of a folder and all below it. */
export interface TreeWatcher {
  /**
   * Listens to what is there now, be it made anew.
   * @returns whether the system tells of its changes
   */
  renew(): Promise<boolean>
}

export type TreeWatcherOptions = {
  /** Changes in here are ours, and not told of. */
  except: string
  signal: AbortSignal
  /** Something may have changed. */
  changed(): void
}

/** These systems watch a tree as a whole. Elsewhere Node watches each file, and loses those that are replaced. */
const hasRecursion = ['darwin', 'win32'].includes(process.platform)

export function treeWatcher(folder: string, { except, signal, changed }: TreeWatcherOptions): TreeWatcher {
  const root = resolve(folder)
  const ours = relative(root, resolve(except))
  const isHeard = (name: string): boolean => !(name === ours || name.startsWith(ours + sep) || isHidden(name))
  let watchers: FSWatcher[] = []
  /** The folder that is watched as a whole. */
  let watched: string | undefined
  const close = (): void => {
    for (const watcher of watchers) watcher.close()
    watchers = []
    watched = undefined
  }
  signal.addEventListener('abort', close, { once: true })

  const add = (path: string, isHeard: (name: string) => boolean, recursive = false): void => {
    const watcher = watch(path, { recursive })
    watchers.push(watcher)
    watcher.on('change', (_, name) => {
      if (name === null || isHeard(String(name))) changed()
    })
    watcher.on('error', () => {
      watched = undefined
      changed()
    })
  }

  const renewWhole = (): void => {
    const { dev, ino } = statSync(root)
    if (watched === `${dev}:${ino}`) return
    close()
    add(root, isHeard, true)
    watched = `${dev}:${ino}`
  }

  const slices = timeSlices()
  const addFolder = async (prefix: string): Promise<void> => {
    const path = join(root, prefix)
    // First, so that nothing comes into it unseen.
    add(path, (name) => isHeard(prefix + name))
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (slices.isOver) await slices.next()
      if (signal.aborted) return
      const name = prefix + entry.name
      if (entry.isDirectory() && isHeard(name)) await addFolder(name + sep).catch(passOver)
    }
  }

  const renewFolders = async (): Promise<void> => {
    close()
    // When the folder itself is made anew, the one around it tells.
    if (dirname(root) !== root) add(dirname(root), (name) => name === basename(root))
    await addFolder('')
  }

  return {
    async renew() {
      if (signal.aborted) return false
      try {
        if (hasRecursion) renewWhole()
        else await renewFolders()
        return true
      } catch {
        return false
      } finally {
        if (signal.aborted) close()
      }
    },
  }
}

/** A folder below that is gone again or closed to us is nothing to watch. That there is no room for more watchers is. */
function passOver(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
}

function isHidden(name: string): boolean {
  return name.split(sep).some((part) => part.startsWith('.'))
}
