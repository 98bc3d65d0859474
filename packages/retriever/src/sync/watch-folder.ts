import { pause } from '../util/pause.ts'
import { treeWatcher } from './watch-tree.ts'

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
  const { except, signal, onChange, quietMs = 200, pollMs = 5000 } = options
  let changes = 1
  let wake = (): void => {}
  const changed = (): void => {
    changes++
    wake()
  }
  const tree = treeWatcher(folder, { except, signal, changed })
  const run = async (): Promise<void> => {
    let isTold = false
    for (let told = 0; !signal.aborted; ) {
      if (told < changes) {
        told = changes
        // Before it is looked at what there is: what changes meanwhile is told of.
        isTold = await tree.renew()
        await onChange()
        if (isTold) continue
        // It may have made the folder.
        isTold = await tree.renew()
        if (isTold) changes++
        continue
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const waiting = new AbortController()
      const until = AbortSignal.any([signal, waiting.signal])
      // Systems forget a change now and then: a slow look finds it.
      await Promise.race([woken, pause(isTold ? pollMs * 12 : pollMs, until).then(changed)])
      waiting.abort()
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
