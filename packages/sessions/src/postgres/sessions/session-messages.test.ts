import { testDatabase } from '@agentkit/test-postgres'
import { keptMessagesTests } from '../../__fixtures__/kept-messages-tests.ts'
import { queryAt } from '../__fixtures__/query-at.ts'
import { postgresSessions } from '../postgres-sessions.ts'

keptMessagesTests(async () => {
  const url = await testDatabase()
  return {
    open: () => postgresSessions(url),
    async execute(sql) {
      await queryAt(url, `SET search_path TO agentkit; ${sql}`)
    },
    async cleanup() {},
  }
})
