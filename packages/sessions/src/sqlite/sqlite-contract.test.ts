import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunQueue, SessionStore } from '@agentkit/core'
import {
  backgroundRunsContract,
  durableSessionStoreContract,
  memoryStoreContract,
  runQueueContract,
  runStoreContract,
  sessionStoreContract,
} from '@agentkit/testing/vitest'
import { setStoreTime } from '../util/store-time.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

durableSessionStoreContract('sqliteSessions(file)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  const path = join(folder, 'sessions.db')
  const store = sqliteSessions(path)
  return {
    store,
    reopen: async () => {
      await store.close()
      return sqliteSessions(path)
    },
    cleanup: () => rm(folder, { recursive: true }),
  }
})

memoryStoreContract('sqliteSessions(file)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  const store = sqliteSessions(join(folder, 'sessions.db'))
  return { store, cleanup: () => rm(folder, { recursive: true }) }
})

runStoreContract('sqliteSessions(file)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  return {
    open: async () => sqliteSessions(join(folder, 'sessions.db')),
    cleanup: () => rm(folder, { recursive: true }),
  }
})

backgroundRunsContract('sqliteSessions(file)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  let moved = 0
  const restoreTime = setStoreTime(() => Date.now() + moved)
  return {
    open: async () => sqliteSessions(join(folder, 'sessions.db')),
    moveTime: (ms) => {
      moved += ms
    },
    cleanup: async () => {
      restoreTime()
      await rm(folder, { recursive: true })
    },
  }
})

runQueueContract('sqliteSessions(file)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  const stores: SessionStore[] = []
  // The clock does not advance by itself, so that no job becomes due while a walk looks at it.
  let time = Date.now()
  const now = (): number => time
  const restoreTime = setStoreTime(now)
  return {
    open: async () => {
      const store = sqliteSessions(join(folder, 'sessions.db'))
      stores.push(store)
      return store.runs?.background?.queue as RunQueue // a file has one
    },
    moveTime: (ms) => {
      time += ms
    },
    now,
    cleanup: async () => {
      restoreTime()
      await Promise.all(stores.map((store) => store.close()))
      await rm(folder, { recursive: true })
    },
  }
})

sessionStoreContract('sqliteSessions(:memory:)', async () => ({ store: sqliteSessions(':memory:') }))
