import { testDatabase } from '@agentkit/test-postgres'
import { durableSessionStoreContract, runStoreContract } from '@agentkit/testing/vitest'
import { postgresSessions } from './postgres-sessions.ts'

// A schema of its own is as good as a database of its own, and sooner there.
let schemas = 0
const newSchema = (): string => `test_${schemas++}`

let database: Promise<string> | undefined
const url = (): Promise<string> => (database ??= testDatabase())

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

runStoreContract('postgresSessions', async () => {
  const options = { schema: newSchema() }
  return { open: async () => postgresSessions(await url(), options) }
})
