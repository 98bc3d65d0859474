import { testDatabase } from '@agentkit/test-postgres'
import { runQueueContract } from '@agentkit/testing/vitest'
import { TestClock } from 'pg-boss'
import { openBoss } from './open-boss.ts'
import { postgresQueue } from './postgres-queue.ts'

runQueueContract('postgresQueue(url)', async () => {
  const connectionString = await testDatabase()
  const clock = new TestClock()
  const boss = await openBoss(connectionString, clock)
  return {
    open: async () => postgresQueue({ connectionString, clock }),
    now: () => clock.now(),
    async moveTime(ms) {
      await clock.setTime(clock.now() + ms)
      await boss.supervise() // as a worker would within a second
    },
    cleanup: () => boss.stop({ graceful: false }),
  }
})
