// Migrates a schema, prints "migrating" before the last step, and then takes a minute for it.
// node migrate-slowly.ts <url>
import { migrate } from '../migrations/migrate.ts'
import { openDatabase } from '../database/database.ts'
import { tables } from '../migrations/tables.ts'

const [connectionString = ''] = process.argv.slice(2)
const database = openDatabase({ connectionString, schema: 'agentkit', poolSize: 1, retryMs: 1_000 }, async (open) => {
  const { run } = open
  const migrating = migrate({ ...open, run: (work, options) => run((query, again) => work(watched(query), again), options) }, [
    tables,
    'SELECT pg_sleep(60)',
  ])
  await migrating

  function watched(query: Parameters<Parameters<typeof run>[0]>[0]): typeof query {
    return (text, ...more) => {
      if (text.includes('pg_sleep')) console.log('migrating')
      return query(text, ...more)
    }
  }
})
await database.query('SELECT 1')
