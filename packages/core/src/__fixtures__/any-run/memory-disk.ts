import { memorySessions } from '../../sessions/memory-sessions.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Disk } from './converse.ts'

/** Sessions in memory that outlive their stores: closing a store fails its active runs, as on a disk. */
export function memoryDisk(): Disk {
  const sessions = memorySessions()
  return {
    open(): SessionStore {
      const begun: string[] = []
      return {
        ...sessions,
        async begin(key, run) {
          await sessions.begin(key, run)
          begun.push(run.runId)
        },
        async close() {
          for (const runId of begun) {
            if ((await sessions.find(runId))?.status === 'running') await sessions.end(runId, 'failed')
          }
        },
      }
    },
  }
}
