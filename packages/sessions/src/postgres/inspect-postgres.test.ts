import { testDatabase } from '@agentkit/test-postgres'
import { describe, expect, it } from 'vitest'
import { queryAt } from './__fixtures__/query-at.ts'
import { inspectPostgres } from './inspect-postgres.ts'

describe('an inspected Postgres', () => {
  it('has a version, rights and notifications, and stays as it is', async () => {
    const url = await testDatabase()
    expect(await inspectPostgres(url)).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^Postgres \d+.* has the rights, and delivers notifications\.$/),
    })
    expect(await queryAt(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'agentkit'")).toEqual([])
  })

  it('names the grant that a user lacks', async () => {
    const url = new URL(await testDatabase())
    await queryAt(
      url.href,
      `CREATE ROLE inspector LOGIN PASSWORD 'inspector'; REVOKE CREATE ON DATABASE ${url.pathname.slice(1)} FROM PUBLIC`,
    )
    const guest = Object.assign(new URL(url), { username: 'inspector', password: 'inspector' }).href
    expect(await inspectPostgres(guest)).toMatchObject({
      status: 'fail',
      fix: `GRANT CREATE ON DATABASE "${url.pathname.slice(1)}" TO "inspector"`,
    })
  })

  it('names one that is not there, without its password', async () => {
    const found = await inspectPostgres('postgres://ann:geheim@127.0.0.1:1/app')
    expect(found).toMatchObject({ status: 'fail', detail: expect.stringContaining('127.0.0.1:1') })
    expect(JSON.stringify(found)).not.toContain('geheim')
  })
})
