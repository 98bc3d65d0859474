import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keptMessagesTests } from '../../__fixtures__/kept-messages-tests.ts'
import { sqliteSessions } from '../sqlite-sessions.ts'

keptMessagesTests(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-messages-'))
  const path = join(folder, 'sessions.db')
  let stores = 0
  return {
    // A store with different options has its own connection.
    open: () => sqliteSessions(path, { lockTimeoutMs: 5_000 + stores++ }),
    async execute(sql) {
      const database = new DatabaseSync(path)
      database.exec('PRAGMA foreign_keys = ON')
      database.exec(sql.replaceAll("'1'", '1'))
      database.close()
    },
    cleanup: () => rm(folder, { recursive: true }),
  }
})
