import { mkdirSync, watch } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { pause } from './pause.ts'

export type WatchFolderOptions = {
  /** Changes in here are ours, and not told of. */
  except: string
  signal: AbortSignal
  /** Something may have changed. Not called again before it has settled; never rejects. */
  onChange(): Promise<void>
  /** How long there must be quiet before a change is told of, in milliseconds. */
  quietMs?: number
  /** How often to look where the system tells of no changes, in milliseconds. */
  pollMs?: number
}

/** Watches a folder and all below it: at once tells that something may have changed, then whenever it does. */
export function watchFolder(folder: string, options: WatchFolderOptions): void {
  const { signal, onChange, quietMs = 200, pollMs = 5000 } = options
  let changes = 1
  let wake = (): void => {}
  const changed = (): void => {
    changes++
    wake()
  }
  const isTold = tellOfChanges(folder, options, changed)
  const run = async (): Promise<void> => {
    for (let told = 0; !signal.aborted; ) {
      if (told < changes) {
        told = changes
        await onChange()
        continue
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      // Systems forget a change now and then: a slow look finds it.
      await Promise.race([woken, pause(isTold() ? pollMs * 12 : pollMs, signal).then(changed)])
      // Whole folders come in many changes. A file that is written for long must not hold up the others.
      for (let seen = 0, waits = 0; seen < changes && waits < 10; waits++) {
        seen = changes
        await pause(quietMs, signal)
      }
    }
  }
  run().catch(() => {
    // The signal ended a pause; nothing else is thrown.
  })
}

/** @returns whether the system tells of changes, now */
function tellOfChanges(folder: string, { except, signal }: WatchFolderOptions, changed: () => void): () => boolean {
  let isTold = true
  const ours = relative(resolve(folder), resolve(except))
  const isOurs = (name: string): boolean => name === ours || name.startsWith(ours + sep)
  const fail = (): void => {
    isTold = false
    changed()
  }
  try {
    mkdirSync(folder, { recursive: true })
    const watcher = watch(folder, { recursive: true, signal })
    watcher.on('change', (_, name) => {
      if (name === null || !(isOurs(String(name)) || isHidden(String(name)))) changed()
    })
    watcher.on('error', fail)
  } catch {
    fail()
  }
  return () => isTold
}

function isHidden(name: string): boolean {
  return name.split(sep).some((part) => part.startsWith('.'))
}
