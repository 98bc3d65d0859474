import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { AgentKitError, QueuedJob, RunQueue } from '@agentkit/core'
import { testDatabase, testPostgres } from '@agentkit/test-postgres'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { startProxy } from './__fixtures__/proxy.ts'
import { postgresQueue } from './postgres-queue.ts'
import { schema } from './settings.ts'

const patience = { timeout: 60_000 }
const opened: RunQueue[] = []

function open(connectionString: string): RunQueue {
  const queue = postgresQueue(connectionString)
  opened.push(queue)
  return queue
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.close()))
})

const job = (runId: string): QueuedJob => ({ runId, agentId: 'writer', userId: 'ann' })
const failureOf = (promise: Promise<unknown>): Promise<AgentKitError> =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  )

describe('a queue whose Postgres is away', () => {
  it.each(['fast', 'immediate'] as const)(
    'works again after a restart (%s), and every call is answered',
    async (mode) => {
      const queue = open(await testDatabase())
      let calls = 0
      queue.onReady(['writer'], () => calls++)
      await queue.add([job('before')])
      const restarted = testPostgres().then((server) => server.restart(mode))
      const added = ['a', 'b', 'c'].map((runId) => queue.add([job(runId)]))
      await Promise.all([restarted, ...added])
      const ids: string[] = []
      await expect
        .poll(async () => {
          ids.push(...(await queue.take({ agentIds: ['writer'], limit: 10 })).map(({ runId }) => runId))
          return [...ids].sort()
        }, patience)
        .toEqual(['a', 'b', 'before', 'c'])
      const before = calls
      await expect
        .poll(async () => {
          await queue.add([job('after')])
          return calls
        }, patience)
        .toBeGreaterThan(before)
    },
  )

  it('keeps and settles jobs whose worker was cut off for a moment', async () => {
    const proxy = await startProxy(await testDatabase())
    const queue = open(proxy.url)
    await queue.add([job('r1')])
    const taken = await queue.take({ agentIds: ['writer'], limit: 1 })
    proxy.cut()
    const kept = queue.keep(taken)
    proxy.heal()
    expect(await kept).toEqual([])
    for (const each of taken) await queue.settle(each)
    expect(await queue.missing(['r1'])).toEqual(['r1'])
    await queue.close()
    await proxy.close()
  })

  it('adds a job once when the answer of the first try is lost', async () => {
    const url = await testDatabase()
    const proxy = await startProxy(url)
    const queue = open(proxy.url)
    await queue.migrate()
    proxy.loseAnswers()
    const added = queue.add([job('r1')])
    await expect.poll(() => open(url).missing(['r1']), patience).toEqual([])
    proxy.cut()
    proxy.heal()
    await added
    expect(await queue.counts()).toMatchObject([{ queued: 1 }])
    await queue.close()
    await proxy.close()
  })
})

describe('an error of the queue', () => {
  it('names the place without its password, and the fix', async () => {
    const { port, password } = await testPostgres()
    const wrong = await failureOf(open(`postgres://postgres:hunter22@127.0.0.1:${port}/postgres`).migrate())
    expect(wrong).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('Correct the user or the password'),
    })
    expect(wrong.message).toContain(`postgres://postgres@127.0.0.1:${port}/postgres`)
    expect(`${wrong.stack}${JSON.stringify(wrong)}`).not.toContain('hunter22')
    const unknown = await failureOf(open(`postgres://postgres:${password}@127.0.0.1:${port}/nowhere`).counts())
    expect(unknown).toMatchObject({ code: 'storage', message: expect.stringContaining('Create the database') })
  })

  it('comes soon when nothing listens, and the next call tries again', async () => {
    const proxy = await startProxy(await testDatabase())
    proxy.cut()
    const queue = open(proxy.url)
    expect(await failureOf(queue.add([job('r1')]))).toMatchObject({ code: 'storage', retryable: true })
    proxy.heal()
    await queue.add([job('r1')])
    await queue.close()
    await proxy.close()
    expect(await failureOf(open(proxy.url).migrate())).toMatchObject({
      message: expect.stringContaining('Start Postgres, or correct the host and the port'),
    })
  })

  it('reaches a program that does nothing else meanwhile', async () => {
    const program = `import { postgresQueue } from '${new URL('postgres-queue.ts', import.meta.url)}'
      await postgresQueue('postgres://ann@127.0.0.1:1/app').migrate().catch(({ code }) => console.log(code))`
    const words = ['--conditions=@agentkit/source', '--no-warnings', '--input-type=module', '--eval', program]
    expect((await promisify(execFile)(process.execPath, words)).stdout).toBe('storage\n')
  })

  it.each([
    ['the schema does not exist', 'clerk'],
    ['another user has made the tables', 'cashier'],
  ])(
    'has the SQL to run where the user may not create a schema, and %s',
    // The databases of a server have their users in common.
    async (what, user) => {
      const url = await testDatabase()
      if (what !== 'the schema does not exist') await open(url).migrate()
      const { pathname } = new URL(url)
      await execute(url, [
        `DROP ROLE IF EXISTS ${user}`,
        `CREATE ROLE ${user} LOGIN PASSWORD 'clerk-secret'`,
        `REVOKE CREATE ON DATABASE ${pathname.slice(1)} FROM PUBLIC`,
      ])
      const limited = new URL(url)
      limited.username = user
      limited.password = 'clerk-secret'
      const refused = await failureOf(open(limited.href).migrate())
      expect(refused).toMatchObject({ code: 'invalid-config', message: expect.stringContaining(`CREATE SCHEMA`) })
      expect(refused.message).not.toContain('clerk-secret')
      const [, sql = ''] = /: (CREATE SCHEMA.*)/.exec(refused.message) ?? []
      await execute(url, [sql.replaceAll('<its user>', user)])
      const queue = open(limited.href)
      await queue.add([job('r1')])
      expect(await queue.take({ agentIds: [job('r1').agentId], limit: 1 })).toMatchObject([{ runId: 'r1' }])
      await queue.close()
      await execute(url, [`REASSIGN OWNED BY ${user} TO postgres`, `DROP OWNED BY ${user}`])
    },
  )

  it('says which version is needed for a schema of a later pg-boss', async () => {
    const url = await testDatabase()
    await open(url).migrate()
    await execute(url, [`UPDATE ${schema}.version SET version = 999`])
    expect(await failureOf(open(url).migrate())).toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(/has version 999, and pg-boss [\d.]+ knows \d+\. Update pg-boss/),
    })
  })

  it('is thrown by every call after close, at once', async () => {
    const queue = open(await testDatabase())
    await queue.migrate()
    await Promise.all([queue.close(), queue.close()])
    await queue.close()
    expect(await failureOf(queue.add([job('r1')]))).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('closed'),
    })
    expect(await failureOf(queue.take({ agentIds: ['writer'], limit: 1 }))).toMatchObject({ code: 'storage' })
  })

  it.each(['', 7, undefined, { connectionString: '' }])('is `invalid-argument` for the URL %j', (url) => {
    // @ts-expect-error one of them is a number
    expect(() => postgresQueue(url)).toThrow('postgresQueue takes the URL of a database')
  })
})

it('is woken by messages of other programs on its channel, and does not fail', async () => {
  const url = await testDatabase()
  const queue = open(url)
  let calls = 0
  queue.onReady(['writer'], () => calls++)
  for (const payload of ['[', '{}']) {
    const before = calls
    await expect
      .poll(async () => {
        await execute(url, [`SELECT pg_notify('${schema}', '${payload}')`])
        return calls
      }, patience)
      .toBeGreaterThan(before)
  }
})

it('is made once when many processes start at the same time', async () => {
  const url = await testDatabase()
  const queues = Array.from({ length: 8 }, () => open(url))
  await Promise.all(queues.map((queue, index) => queue.add([job(`r${index}`)])))
  expect(await queues[0]?.counts()).toMatchObject([{ queued: 8 }])
})

async function execute(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
