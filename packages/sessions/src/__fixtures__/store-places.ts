import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BackgroundRuns, RunStore, SessionStore } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeEach } from 'vitest'
import { queryAt } from '../postgres/__fixtures__/query-at.ts'
import { type PostgresSessionsOptions, postgresSessions } from '../postgres/postgres-sessions.ts'
import { sqliteSessions } from '../sqlite/sqlite-sessions.ts'

/** Both kinds of stores have all of these. */
export type Sessions = SessionStore & { runs: RunStore & { background: BackgroundRuns } }

export const storeKinds = ['SQLite', 'Postgres'] as const
export type StoreKind = (typeof storeKinds)[number]

type Options = Pick<PostgresSessionsOptions, 'heartbeatMs' | 'staleAfterMs'> & { poolSize?: number }

export interface StorePlace {
  /** Another store at the same place, as another process opens it. It is closed after the test. */
  open(name?: string, options?: Options): Sessions
  /** The file or the URL, for other processes. */
  address(name?: string): string
  /** Runs statements beside the stores. Tables have no schema in them. */
  execute(statements: string, name?: string): Promise<void>
  /** Called after the test, before what was there earlier is closed. */
  afterTest(close: () => unknown): void
}

/** Where the stores of a test are kept: files in a folder, or schemas in a database. Each test has a new place. */
export function storePlace(kind: StoreKind): StorePlace {
  let place = ''
  let closing: (() => unknown)[]
  beforeEach(async () => {
    place = kind === 'SQLite' ? await mkdtemp(join(tmpdir(), 'agentkit-places-')) : await testDatabase()
    closing = []
  })
  afterEach(async () => {
    for (const close of closing.toReversed()) await close()
    if (kind === 'SQLite') await rm(place, { recursive: true })
  })
  const address = (name = 'agentkit'): string => (kind === 'SQLite' ? join(place, `${name}.db`) : place)
  return {
    address,
    afterTest: (close) => void closing.push(close),
    open(name = 'agentkit', { poolSize, ...options } = {}) {
      const more = { schema: name, ...(poolSize !== undefined && { poolSize }) }
      const store =
        kind === 'SQLite'
          ? sqliteSessions(address(name), options)
          : postgresSessions(place, { ...options, ...more, queue: postgresQueue(place) })
      closing.push(() => store.close())
      return store as Sessions
    },
    async execute(statements, name = 'agentkit') {
      if (kind === 'Postgres') {
        await queryAt(place, `SET search_path TO ${name}; ${statements}`)
        return
      }
      const database = new DatabaseSync(address(name))
      database.exec(statements)
      database.close()
    },
  }
}
