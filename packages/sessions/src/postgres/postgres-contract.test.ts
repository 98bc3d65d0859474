import { testDatabase } from '@agentkit/test-postgres'
import {
  backgroundRunsContract,
  durableSessionStoreContract,
  memoryStoreContract,
  runStoreContract,
} from '@agentkit/testing/vitest'
import { setStoreTime } from '../util/store-time.ts'
import { unusedQueue } from './__fixtures__/unused-queue.ts'
import { postgresSessions } from './postgres-sessions.ts'

// A schema of its own is as good as a database of its own, and sooner there.
let schemas = 0
const newSchema = (): string => `test_${schemas++}`

let database: Promise<string> | undefined
const url = (): Promise<string> => {
  database ??= testDatabase()
  return database
}

durableSessionStoreContract('postgresSessions', async () => {
  const options = { schema: newSchema() }
  const store = postgresSessions(await url(), options)
  return {
    store,
    reopen: async () => {
      await store.close()
      return postgresSessions(await url(), options)
    },
  }
})

memoryStoreContract('postgresSessions', async () => ({
  store: postgresSessions(await url(), { schema: newSchema() }),
}))

runStoreContract('postgresSessions', async () => {
  const options = { schema: newSchema() }
  return { open: async () => postgresSessions(await url(), options) }
})

backgroundRunsContract('postgresSessions', async () => {
  const options = { schema: newSchema(), queue: unusedQueue }
  let moved = 0
  const restoreTime = setStoreTime(() => Date.now() + moved)
  return {
    open: async () => postgresSessions(await url(), options),
    moveTime: (ms) => {
      moved += ms
    },
    cleanup: async () => restoreTime(),
  }
})
