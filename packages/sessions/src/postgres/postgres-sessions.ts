import { AgentKitError, type RunQueue, type SessionStore } from '@agentkit/core'
import { checkOptionNames, hasMethod } from '@agentkit/core/internal'
import { queueOfSchema, usualSchema } from './background/queue-of-schema.ts'
import { openPostgresStore } from './open-postgres-store.ts'

/** The tables of the sessions, and how the database is connected to. */
export type PostgresSessionsOptions = {
  /** Holds the jobs of background runs. Without it there are none. The store closes it. */
  queue?: RunQueue
  /** The schema of its tables, which is created; `agentkit` when absent. */
  schema?: string
  /** The most connections, beside one that listens; default 10. */
  poolSize?: number
  /** How long a call tries again while the database restarts or fails over, in milliseconds; default 30,000. */
  retryMs?: number
  /** Interval of a store's heartbeats during runs, in milliseconds; default 2,000. */
  heartbeatMs?: number
  /**
   * How long after its last heartbeat a store counts as dead, in milliseconds; default 9,000. A run confirms that it is held
   * where its last write began more than 4,000 ms ago: with less, a process that was frozen may call a model once more.
   */
  staleAfterMs?: number
}

const optionNames: Record<keyof PostgresSessionsOptions, true> = {
  queue: true,
  schema: true,
  poolSize: true,
  retryMs: true,
  heartbeatMs: true,
  staleAfterMs: true,
}

const isQueue = hasMethod('take', 'a RunQueue: postgresQueue(url) of @agentkit/queue-postgres')

/**
 * Sessions in Postgres 13 or newer, which the processes of many machines share. It connects at the first call, and
 * creates or migrates its schema then. All times come from the clock of the database.
 *
 * A run whose process has died is settled as failed by the next `load` or `begin` of its session; later writes of that
 * run are refused. While the database cannot be reached, calls wait and are tried again.
 *
 * @param url `postgres://user:password@host:5432/database`
 * @throws AgentKitError `invalid-argument` for an invalid URL, and for an unknown option
 * @throws AgentKitError from every call: `missing-package` without `pg`; `invalid-config` when the database cannot be
 *   used, with the SQL to run; `storage` when it cannot be reached
 * @example
 * const sessions = postgresSessions('postgres://agentkit:secret@db.example.com/agentkit')
 * const agent = new Agent({ name: 'Notes', functions: [], model, sessions })
 */
export function postgresSessions(url: string, options: PostgresSessionsOptions = {}): SessionStore {
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\/./.test(url)) {
    throw new AgentKitError(
      'invalid-argument',
      'postgresSessions takes a URL: postgres://user:password@host:5432/database',
    )
  }
  checkOptionNames(options, optionNames, { code: 'invalid-argument' })
  if (options.queue !== undefined && !isQueue.holds(options.queue)) {
    throw new AgentKitError('invalid-argument', `\`queue\` is ${isQueue.is}.`)
  }
  const { queue, schema = usualSchema, poolSize = 10, retryMs = 30_000 } = options
  const { heartbeatMs = 2_000, staleAfterMs = 9_000 } = options
  const numbers = { poolSize, retryMs, heartbeatMs, staleAfterMs }
  checkOptions({ schema, ...numbers })
  return openPostgresStore(url, { ...numbers, schema }, queue && queueOfSchema(queue, schema))
}

function checkOptions({ schema, ...numbers }: { schema: string; [name: string]: string | number }): void {
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const rule = 'a name of lower-case letters, digits and underscores, at most 63'
    throw new AgentKitError('invalid-argument', `\`schema\` is ${JSON.stringify(schema)}; it must be ${rule}.`)
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (Number.isInteger(value) && Number(value) > 0 && Number(value) <= 86_400_000) continue
    throw new AgentKitError('invalid-argument', `\`${name}\` is ${value}; it must be a whole number above 0.`)
  }
}
