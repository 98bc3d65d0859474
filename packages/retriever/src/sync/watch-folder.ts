import { sleep } from '@agentkit/core/internal'
import { treeWatcher } from './watch-tree.ts'

export type WatchFolderOptions = {
  /** Changes in here are ours, and not reported. */
  except: string
  signal: AbortSignal
  /** Called when something may have changed. Not called again before it has settled; never rejects. */
  onChange(): Promise<void>
  /** The quiet time before a change is reported, in milliseconds. */
  quietMs?: number
  /** The polling interval for systems without notifications, in milliseconds. */
  pollMs?: number
}

/** Watches a folder and everything below it: reports a possible change at once, and after each change. */
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
    let isNotified = false
    for (let reported = 0; !signal.aborted; ) {
      if (reported < changes) {
        reported = changes
        // Before the first scan, so that changes during it are reported.
        isNotified = await tree.renew()
        await onChange()
        if (isNotified) continue
        // The callback may have created the folder.
        isNotified = await tree.renew()
        if (isNotified) changes++
        continue
      }
      const changeNotified = new Promise<void>((resolve) => {
        wake = resolve
      })
      const waiting = new AbortController()
      const until = AbortSignal.any([signal, waiting.signal])
      // Systems lose notifications occasionally: slow polling finds the changes.
      await Promise.race([changeNotified, sleep(isNotified ? pollMs * 12 : pollMs, until).then(changed)])
      waiting.abort()
      // A folder is copied as many changes. A file that is written for a long time must not delay the others.
      for (let seen = 0, waits = 0; seen < changes && waits < 10; waits++) {
        seen = changes
        await sleep(quietMs, signal)
      }
    }
  }
  run().catch(() => {
    // The signal ended a pause; nothing else is thrown.
  })
}
