import { setTimeout as sleep } from 'node:timers/promises'
import type { Message, RunStore, SessionStore } from '@agentkit/core'
import { startPostgres, testDatabase, testPostgres } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { tcpProxy } from './__fixtures__/tcp-proxy.ts'
import { openPostgresStore } from './open-postgres-store.ts'
import { postgresSessions } from './postgres-sessions.ts'

// A database that goes away under load: calls wait, no run fails, and nothing is stored twice.

it.each(['fast', 'immediate'] as const)('loses and repeats nothing when Postgres restarts (%s)', async (mode) => {
  const store = postgresSessions(await testDatabase())
  const server = await testPostgres()
  const load = underLoad(store)
  for (let restart = 0; restart < 3; restart++) {
    await load.progress()
    await server.restart(mode)
  }
  await load.finish()
  await store.close()
})

it('closes within seconds while Postgres is away', async () => {
  const store = postgresSessions(await testDatabase())
  const server = await testPostgres()
  await store.begin(keyOf(0), { runId: 'r1', expectedVersion: 0, input: [text('one')] })
  await server.stop('fast')
  const begunAt = performance.now()
  await store.close()
  expect(performance.now() - begunAt).toBeLessThan(10_000)
  await server.start()
})

it('continues on a replica that is promoted', async () => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const replica = await server.startReplica()
  const proxy = await tcpProxy(url)
  const failing = postgresSessions(proxy.urlOf(url))
  const load = underLoad(failing)
  await load.progress()
  await server.stop('immediate')
  proxy.leadTo(replica.port)
  // The replica is read-only until it is promoted.
  await replica.promote()
  await load.finish()
  await failing.close()
  await proxy.close()
  await replica.stop('fast')
  await server.remove()
})

it('replaces a connection that gives no answer, and the server releases the locks of its transaction', async () => {
  const url = await testDatabase()
  const proxy = await tcpProxy(url)
  const options = { schema: 'agentkit', poolSize: 2, retryMs: 60_000, heartbeatMs: 60_000, staleAfterMs: 120_000 }
  const store = openPostgresStore(proxy.urlOf(url), { ...options, queryMs: 1_000 }, undefined)
  const other = postgresSessions(url)
  const key = keyOf(0)
  await store.begin(key, { runId: 'r1', expectedVersion: 0, input: [text('one')] })
  proxy.freezeAt('FOR NO KEY UPDATE')
  const ending = store.end('r1', 'done')
  await expect(other.begin(key, { runId: 'r2', expectedVersion: 1, input: [] })).rejects.toMatchObject({
    code: 'session-conflict',
  })
  await ending
  expect(await other.load(key)).toEqual({ version: 2, messages: [text('one')] })
  await store.close()
  await other.close()
  await proxy.close()
})

it('lets calls wait for one of few connections', async () => {
  const store = postgresSessions(await testDatabase(), { poolSize: 1 })
  const load = underLoad(store, 40)
  await load.progress()
  await load.finish()
  await store.close()
})

it('says that the store is closed', async () => {
  const store = postgresSessions(await testDatabase())
  await store.load(keyOf(0))
  await store.close()
  await expect(store.load(keyOf(0))).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('closed'),
  })
})

/** Runs of several sessions, until they are to finish; then every message of each must be there once. */
function underLoad(store: SessionStore, sessions = 10) {
  let isFinishing = false
  let writes = 0
  const expected = new Map<number, Message[]>()
  const workers = Array.from({ length: sessions }, async (_, index) => {
    const messages: Message[] = []
    expected.set(index, messages)
    for (let turn = 0; !isFinishing; turn++) {
      const runId = `${index}-${turn}`
      await create(store.runs, index, runId, turn)
      messages.push(text(runId))
      for (const step of [1, 2, 3]) {
        const message = text(`${runId}-${step}`)
        await store.runs?.append(runId, { attempt: 1, position: step, messages: [message], progress: { step } })
        messages.push(message)
        writes++
      }
      await store.runs?.end(runId, { attempt: 1, status: 'done', finishReason: 'stop' })
    }
  })
  const all = Promise.all(workers)
  return {
    /** Waits until something more is written. */
    async progress(): Promise<void> {
      for (const before = writes; writes < before + sessions; ) await Promise.race([sleep(10), all])
    },
    async finish(): Promise<void> {
      await this.progress()
      isFinishing = true
      await all
      for (const [index, messages] of expected) expect((await store.load(keyOf(index)))?.messages).toEqual(messages)
    },
  }
}

async function create(runs: RunStore | undefined, index: number, runId: string, turn: number): Promise<void> {
  const run = { runId, agentId: 'helper', expectedVersion: turn * 2, input: [text(runId)] }
  await runs?.create(keyOf(index), { ...run, isResumable: true, keepsEvents: false })
}

function keyOf(index: number) {
  return { agentId: 'helper', userId: 'ann', sessionId: `s${index}` }
}

function text(content: string): Message {
  return { v: 1, role: 'user', content }
}
