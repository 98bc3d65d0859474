import { inspect } from 'node:util'
import { startPostgres, testDatabase, testPostgres } from '@agentkit/test-postgres'
import { describe, expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { migrate } from '../migrations/migrate.ts'
import { postgresSessions } from '../postgres-sessions.ts'
import type { Database } from './database.ts'
import { placeOf } from './postgres-errors.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }

describe('a database that cannot be used', () => {
  it.each<[string, Partial<URL>, RegExp]>([
    ['a wrong password', { password: 'other-secret' }, /refuses the user or the password .*URL/],
    ['an unknown user', { username: 'nobody-here' }, /refuses the user or the password .*URL/],
    ['an unknown database', { pathname: '/none' }, /\/none does not exist.*CREATE DATABASE/],
    ['a closed port', { port: '1' }, /not reachable \(ECONNREFUSED\)/],
    ['a server without TLS', { search: '?sslmode=verify-full' }, /TLS connection.*sslmode/],
  ])('is reported with its URL, the fix and no password: %s', async (_, change, message) => {
    const url = Object.assign(new URL(await testDatabase()), change)
    const error = await failureOf(url.href)
    expect(error).toMatchObject({ code: 'storage', message: expect.stringMatching(message) })
    expect(inspect(error, { depth: 10 })).not.toContain(url.password)
  })

  it.each(['no user', 'another user'])(
    'names the SQL for a user who may not create the schema, which %s has made',
    async (what) => {
      const url = new URL(await testDatabase())
      await queryAt(
        url.href,
        `DROP ROLE IF EXISTS guest_${key.userId}; CREATE ROLE guest_${key.userId} LOGIN PASSWORD 'guest'; REVOKE CREATE ON DATABASE ${url.pathname.slice(1)} FROM PUBLIC`,
      )
      const guest = Object.assign(new URL(url), { username: `guest_${key.userId}`, password: 'guest' }).href
      const refused = await failureOf(guest)
      expect(refused).toMatchObject({
        code: 'invalid-config',
        message: expect.stringMatching(/CREATE SCHEMA IF NOT EXISTS "agentkit"; GRANT ALL ON SCHEMA "agentkit" TO/),
      })
      if (what === 'another user') {
        const other = postgresSessions(url.href)
        await other.load(key)
        await other.close()
      }
      const [, sql = ''] = /: (CREATE SCHEMA.*)/.exec(String(refused)) ?? []
      await queryAt(url.href, sql.replaceAll('<its user>', `guest_${key.userId}`))
      const store = postgresSessions(guest)
      expect(await store.load(key)).toBeUndefined()
      await store.begin(key, { runId: 'r', expectedVersion: 0, input: [{ role: 'user', content: 'Hi' }] })
      await store.close()
      await queryAt(url.href, `REASSIGN OWNED BY guest_${key.userId} TO postgres; DROP OWNED BY guest_${key.userId}`)
    },
  )

  it('asks for the primary where it is a replica', async () => {
    const server = await startPostgres()
    const replica = await server.startReplica()
    expect(await failureOf(replica.url())).toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(/read-only replica.*primary.*ALTER DATABASE/),
    })
    await server.remove()
  })

  it('refuses a server before version 13', async () => {
    // No such server is at hand: this is what one answers.
    const query = async () => [{ number: 120_017, version: '12.17', is_read_only: false }]
    const place = 'postgres://db/x'
    const old = { place, run: (work: (query: unknown) => unknown) => work(query) } as unknown as Database
    await expect(migrate(old)).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(/version 12\.17\. Sessions need Postgres 13/),
    })
  })

  it('refuses a schema of a newer version, and says which', async () => {
    const url = await testDatabase()
    const store = postgresSessions(url)
    await store.load(key)
    await store.close()
    await queryAt(url, 'UPDATE agentkit.version SET version = 99')
    expect(await failureOf(url)).toMatchObject({
      code: 'storage',
      message: expect.stringMatching(
        /newer version of @agentkit\/sessions \(its version is 99, this one knows \d+\)\. Update/,
      ),
    })
  })

  it('is tried again by the next call', async () => {
    const url = await testDatabase()
    const name = new URL(url).pathname.slice(1)
    const admin = (await testPostgres()).url()
    await queryAt(admin, `ALTER DATABASE ${name} RENAME TO ${name}_away`)
    const store = postgresSessions(url)
    await expect(store.load(key)).rejects.toMatchObject({ code: 'storage' })
    await queryAt(admin, `ALTER DATABASE ${name}_away RENAME TO ${name}`)
    expect(await store.load(key)).toBeUndefined()
    await store.close()
  })
})

describe('arguments', () => {
  it.each(['', 'sessions.db', 'mysql://x', 'postgres://'])('refuses the URL %j', (url) => {
    expect(() => postgresSessions(url)).toThrow(/takes a URL/)
  })

  it.each([
    { schema: 'a"b' },
    { schema: 'Upper' },
    { poolSize: 0 },
    { queue: 'postgres://127.0.0.1:1/x' as never }, // as JavaScript passes it
    { retryMs: -1 },
    { heartbeatMs: 1.5 },
    { staleAfterMs: Number.NaN },
    { pool: 1 },
  ])('refuses the options %j', (options) => {
    expect(() => postgresSessions('postgres://db/x', options)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('shows no password and no parameters of a URL', () => {
    expect(placeOf('postgres://ann:secret@db.example.com:5433/app?password=secret')).toBe(
      'postgres://ann@db.example.com:5433/app',
    )
    expect(placeOf('postgres://ann:se%cret@db/x y')).not.toContain('se%cret')
  })
})

async function failureOf(url: string): Promise<unknown> {
  const store = postgresSessions(url)
  const failure = await store.load(key).then(
    () => undefined,
    (error: unknown) => error,
  )
  await store.close()
  return failure
}
