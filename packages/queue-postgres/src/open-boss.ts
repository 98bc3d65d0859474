import { createRequire } from 'node:module'
import { AgentKitError } from '@agentkit/core'
import { type Clock, type ConstructorOptions, PgBoss } from 'pg-boss'
import { bossSettings, connectionSettings, queueName, queueSettings, quietClock, schema, table } from './settings.ts'
import { isNotPermitted } from './storage-error.ts'
import { indexes } from './take-jobs.ts'

/** Starts pg-boss: creates or migrates its schema, under its lock, and our indexes. */
export async function openBoss(connectionString: string, clock: Clock = quietClock): Promise<PgBoss> {
  const settings = { ...connectionSettings, ...bossSettings, connectionString, clock }
  const boss = await startBoss(settings).catch((error) => {
    if (!isNotPermitted(error)) throw error
    // A user who may not create schemas may use an existing one; otherwise the first failure has the fix.
    return startBoss({ ...settings, createSchema: false }).catch(() => {
      throw error
    })
  })
  try {
    await requireKnownSchema(boss)
    await boss.createQueue(queueName, queueSettings)
    // An earlier version may have made it with others.
    const { policy: _, ...changed } = queueSettings
    await boss.updateQueue(queueName, changed)
    for (const [name, columns] of Object.entries(indexes)) await createIndex(boss, name, columns)
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {})
    throw error
  }
}

async function startBoss(settings: ConstructorOptions): Promise<PgBoss> {
  const boss = new PgBoss(settings)
  // Whatever happens to a connection between calls: the next call finds out.
  boss.on('error', () => {})
  try {
    await boss.start()
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {})
    throw error
  }
}

/** pg-boss starts on a schema of a later version of it, whose meaning it cannot know. */
async function requireKnownSchema(boss: PgBoss): Promise<void> {
  // The package has no `exports`, so its manifest is there to read.
  const { version, pgboss }: { version: string; pgboss: { schema: number } } = createRequire(import.meta.url)(
    'pg-boss/package.json',
  )
  const stored = await boss.schemaVersion()
  if (stored === null || stored <= pgboss.schema) return
  throw new AgentKitError(
    'invalid-config',
    `The schema ${schema} has version ${stored}, and pg-boss ${version} knows ${pgboss.schema}. Update pg-boss to the version of the processes that migrated it.`,
  )
}

async function createIndex(boss: PgBoss, name: string, columns: string): Promise<void> {
  const db = boss.getDb()
  // `CREATE INDEX IF NOT EXISTS` would wait for every writer, also when the index is there.
  const { rows } = await db.executeSql('SELECT to_regclass($1) AS found', [`${schema}.${name}`])
  if (rows[0].found !== null) return
  await db.executeSql(`BEGIN;
    SELECT pg_advisory_xact_lock(hashtext('${schema}.indexes'));
    CREATE INDEX IF NOT EXISTS ${name} ON ${table} ${columns};
    COMMIT`)
}
