import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AgentEvent, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createVersion1 } from './__fixtures__/version-1.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const canary = 'CANARY-of-ann'
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

it('leaves no byte of deleted sessions on disk after a clean close, wherever they were stored', async () => {
  const store = sqliteSessions(path)
  // Deleted while others are written, which moves what is stored from page to page.
  const left = await fill(store, { deleting: true })
  await store.close()
  expect(await countCanaries()).toBeGreaterThan(100)

  const again = sqliteSessions(path)
  for (const sessionId of left) await again.delete(keyOf(sessionId))
  await again.close()
  expect(await readdir(folder)).toEqual(['sessions.db'])
  expect(await countCanaries()).toBe(0)
})

it('overwrites most of a session as soon as it is deleted', async () => {
  const store = sqliteSessions(path)
  const secret = await fill(store, { deleting: false })
  const checkpoint = new DatabaseSync(path)
  checkpoint.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const before = await countCanaries()
  for (const sessionId of secret) await store.delete(keyOf(sessionId))
  checkpoint.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(await countCanaries()).toBeLessThan(before / 20)
  checkpoint.close()
  await store.close()
})

it('removes data that version 1 left in the file', async () => {
  createVersion1(path)
  const earlier = new DatabaseSync(path)
  earlier.exec(`INSERT INTO messages VALUES (1, 9, '"${canary}"'); DELETE FROM messages WHERE position = 9`)
  earlier.close()
  expect(await countCanaries()).toBe(1)
  const store = sqliteSessions(path)
  await store.load(keyOf('any'))
  await store.close()
  await rm(`${path}.version-1`)
  expect(await countCanaries()).toBe(0)
})

/** Sessions of all sizes, every other one with the canary in everything that is stored. @returns the ids of those */
async function fill(store: SessionStore, { deleting }: { deleting: boolean }): Promise<string[]> {
  const { runs } = store
  if (!runs) throw new Error('The store has no runs.')
  const random = randomNumbers(7)
  const secret: string[] = []
  for (let index = 0; index < 60; index++) {
    const text = index % 2 ? canary : 'public-of-bob'
    const sessionId = `${text} ${random(1e9)}`
    const key = keyOf(sessionId)
    if (index % 2) secret.push(sessionId)
    const some = (): string => text.repeat(1 + random([5, 50, 200, 800][random(4)] ?? 1))
    for (let turn = 0; turn <= random(4); turn++) {
      const runId = `${sessionId} ${turn}`
      const request = { scope: text, key: runId, fingerprint: text }
      const expectedVersion = (await store.load(key))?.version ?? 0
      await runs.answers.reserve(request)
      await runs.answers.store(request, { runId, status: 200, body: some() })
      await runs.create(key, {
        ...{ runId, agentId: key.agentId, expectedVersion, isResumable: true, keepsEvents: true },
        ...{ input: [{ v: 1, role: 'user', content: some() }], options: some(), progress: some() },
      })
      for (let step = 1; step <= 1 + random(7); step++) {
        const delta = { type: 'text-delta', text: some(), runId, path: [], seq: step } satisfies AgentEvent
        await runs.append(runId, {
          attempt: 1,
          messages: [{ v: 1, role: 'assistant', content: [{ type: 'text', text: some() }] }],
          calls: [{ callId: `${text}${step}`, name: some(), startedAt: 1 }],
          ...{ progress: some(), state: some(), events: [delta] },
        })
      }
      const approval = { approvalId: text, callId: 'c', name: text, input: some(), kind: 'approval' } as const
      if (random(2)) await runs.suspend(runId, { attempt: 1, approvals: [approval] })
      else await runs.end(runId, { attempt: 1, status: 'done', finishReason: 'stop', text: some() })
    }
    await store.rename(key, text)
    if (deleting && secret.length > 5 && random(2)) {
      for (const old of secret.splice(random(secret.length), 1)) await store.delete(keyOf(old))
    }
  }
  return secret
}

function keyOf(sessionId: string): { agentId: string; userId: string; sessionId: string } {
  return { agentId: 'helper', userId: 'ann', sessionId }
}

async function countCanaries(): Promise<number> {
  const files = await readdir(folder)
  const bytes = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))
  return bytes.join('').split(canary).length - 1
}

/** The same numbers each time: whole ones below a limit. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor((state / 2_147_483_647) * below)
  }
}
