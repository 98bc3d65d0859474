import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Watches files that other files may be moved to. */
export type ReplacedWatch = {
  /** Adds the files that the watched process reports to Node's watcher by this message. */
  add(message: unknown): void
  close(): void
}

/**
 * Reports that a file was replaced, as many editors do when they save, and each later change of it. On Linux, Node's
 * watcher misses these changes, because it watches the file that was there before. This code watches the folders.
 */
export function watchReplaced(onReplaced: () => void): ReplacedWatch {
  const folders = new Map<string, { names: Set<string>; watcher: FSWatcher }>()
  const addFile = (file: string): void => {
    const path = dirname(file)
    if (path.split(sep).includes('node_modules')) return
    const folder = folders.get(path) ?? watchFolder(path, onReplaced)
    if (!folder) return
    folder.names.add(basename(file))
    folders.set(path, folder)
  }
  return {
    add(message) {
      const sent = Object(message) as Record<string, unknown>
      for (const files of [sent['watch:require'], sent['watch:import']]) {
        if (!Array.isArray(files)) continue
        for (const file of files.map(String)) addFile(file.startsWith('file:') ? fileURLToPath(file) : file)
      }
    },
    close() {
      for (const { watcher } of folders.values()) watcher.close()
    },
  }
}

/** @returns `undefined` for a folder that cannot be watched */
function watchFolder(path: string, onReplaced: () => void): { names: Set<string>; watcher: FSWatcher } | undefined {
  const names = new Set<string>()
  const replaced = new Set<string>()
  try {
    const watcher = watch(path, { persistent: false }, (event, name) => {
      // A file that was removed does not exist.
      if (name === null || !names.has(name) || !existsSync(`${path}${sep}${name}`)) return
      // A file that is written in place causes "change".
      if (event === 'rename') replaced.add(name)
      if (replaced.has(name)) onReplaced()
    })
    watcher.on('error', () => {})
    return { names, watcher }
  } catch {
    return undefined
  }
}
