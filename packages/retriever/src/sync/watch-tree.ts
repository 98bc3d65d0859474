import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { systemCode } from '@agentkit/core/internal'
import { timeSlices } from '../util/time-slices.ts'
import { isHidden } from './scan.ts'

/** Listens for file system notifications of a folder and everything below it. */
export interface TreeWatcher {
  /**
   * Listens to the folders that exist now, including ones that were created again.
   * @returns whether the system sends notifications
   */
  renew(): Promise<boolean>
}

export type TreeWatcherOptions = {
  /** Changes in here are ours, and not reported. */
  except: string
  signal: AbortSignal
  /** Called when something may have changed. */
  changed(): void
}

/** These systems watch a whole tree. Elsewhere Node watches each file, and loses replaced ones. */
const hasRecursion = ['darwin', 'win32'].includes(process.platform)

export function treeWatcher(folder: string, { except, signal, changed }: TreeWatcherOptions): TreeWatcher {
  const root = resolve(folder)
  const ours = relative(root, resolve(except))
  const isWatched = (name: string): boolean =>
    !(name === ours || name.startsWith(ours + sep) || name.split(sep).some(isHidden))
  let watchers: FSWatcher[] = []
  /** The folder that is watched as a whole. */
  let watched: string | undefined
  const close = (): void => {
    for (const watcher of watchers) watcher.close()
    watchers = []
    watched = undefined
  }
  signal.addEventListener('abort', close, { once: true })

  const add = (path: string, isWatched: (name: string) => boolean, recursive = false): void => {
    const watcher = watch(path, { recursive })
    watchers.push(watcher)
    watcher.on('change', (_, name) => {
      if (name === null || isWatched(String(name))) changed()
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
    add(root, isWatched, true)
    watched = `${dev}:${ino}`
  }

  const slices = timeSlices()
  const addFolder = async (prefix: string): Promise<void> => {
    const path = join(root, prefix)
    // First, so that no new entry is missed.
    add(path, (name) => isWatched(prefix + name))
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (slices.isOver) await slices.next()
      if (signal.aborted) return
      const name = prefix + entry.name
      if (entry.isDirectory() && isWatched(name)) await addFolder(name + sep).catch(passOver)
    }
  }

  const renewFolders = async (): Promise<void> => {
    close()
    // When the folder itself is created again, its parent is notified.
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

/** A folder that was deleted or is not readable is skipped. The system's limit of watchers is an error. */
function passOver(error: unknown): void {
  const code = systemCode(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
}
