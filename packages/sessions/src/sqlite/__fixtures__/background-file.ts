import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackgroundRuns, RunStore, SessionStore } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'

export type BackgroundFile = {
  folder: string
  store: SessionStore
  runs: RunStore
  background: BackgroundRuns
  close(): Promise<void>
}

/** A store of background runs in a file of its own, `sessions.db` in `folder`. */
export async function openBackgroundFile(): Promise<BackgroundFile> {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  const store = sqliteSessions(join(folder, 'sessions.db'))
  // A file has both.
  const runs = store.runs as RunStore
  const background = runs.background as BackgroundRuns
  const close = async (): Promise<void> => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { folder, store, runs, background, close }
}
