import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { startPostgres } from './start-postgres.ts'
import { testDatabase, testPostgres } from './test-database.ts'

describe('the Postgres of tests', () => {
  it('gives each caller a database of its own', async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()])
    expect(one).not.toBe(other)
    await query(one, 'CREATE TABLE things (id int)')
    expect(await query(other, "SELECT to_regclass('things') AS found")).toEqual([{ found: null }])
  })

  it.each(['fast', 'immediate'] as const)('is there again with its data after a restart (%s)', async (mode) => {
    const url = await testDatabase()
    await query(url, 'CREATE TABLE things AS SELECT 1 AS id')
    await (await testPostgres()).restart(mode)
    expect(await query(url, 'SELECT id FROM things')).toEqual([{ id: 1 }])
  })

  it('has a replica that can be promoted', async () => {
    const server = await startPostgres()
    const replica = await server.startReplica()
    await query(server.url(), 'CREATE TABLE things AS SELECT 1 AS id')
    await expect
      .poll(() => query(replica.url(), 'SELECT id FROM things').catch(() => []), { timeout: 60_000 })
      .toEqual([{ id: 1 }])
    await expect(query(replica.url(), 'INSERT INTO things VALUES (2)')).rejects.toThrow('read-only')
    await server.stop('immediate')
    await replica.promote()
    await query(replica.url(), 'INSERT INTO things VALUES (2)')
    await replica.stop('fast')
    await server.remove()
  })

  it('ends and is removed when its process is killed', async () => {
    const program = `
      const { startPostgres } = await import('@agentkit/test-postgres')
      const server = await startPostgres()
      const [{ data_directory }] = (await query(server.url(), 'SHOW data_directory'))
      console.log(JSON.stringify({ url: server.url(), data: data_directory }))
      setInterval(() => {}, 1_000)
      async function query(url, text) {
        const { default: pg } = await import('pg')
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        const { rows } = await client.query(text)
        await client.end()
        return rows
      }`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const line = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve))
    const { url, data } = JSON.parse(line)
    child.kill('SIGKILL')
    await expect.poll(() => existsSync(dirname(data)), { timeout: 60_000 }).toBe(false)
    await expect(query(url, 'SELECT 1')).rejects.toThrow()
  })
})

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
