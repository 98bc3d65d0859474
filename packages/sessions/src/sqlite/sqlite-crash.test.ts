import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SessionStore, type Turn, validateTranscript } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const key = { agentId: 'helper', userId: 'ann', sessionId: 'shared' }
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'data', 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

it('loses no acknowledged turn to a kill at any moment, and continues at once', async () => {
  const acknowledged: string[] = []
  for (let round = 0; round < 10; round++) {
    const writer = startChild('write-turns.ts', [path, `round${round}`])
    await writer.nextLine()
    await sleep(Math.random() * 60)
    writer.process.kill('SIGKILL')
    await writer.exited
    acknowledged.push(...writer.lines)

    expect(checkIntegrity(path)).toBe('ok')
    const store = sqliteSessions(path)
    await beginAtOnce(store, `after${round}`)
    const turns = await store.turns(key)
    const done = new Map(turns.filter((turn) => turn.status === 'done').map((turn) => [turn.runId, turn]))
    expect(acknowledged.filter((runId) => !done.has(runId))).toEqual([])
    for (const [runId, turn] of done)
      if (runId.startsWith('round')) expect(shapeOf(turn)).toBe('user assistant tool assistant')
    expect(turns.filter((turn) => turn.status === 'running').map((turn) => turn.runId)).toEqual([`after${round}`])
    expect(validateTranscript((await store.load(key))?.messages ?? [])).toEqual([])
    await store.end(`after${round}`, 'done')
    await store.close()
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(10)
})

it('lets processes create one file and write one session at the same time', async () => {
  const names = ['a', 'b', 'c']
  const writers = names.map((name) => startChild('write-turns.ts', [path, name, '40']))
  expect(await Promise.all(writers.map((writer) => writer.exited))).toEqual([0, 0, 0])

  const store = sqliteSessions(path)
  const turns = await store.turns(key)
  expect(turns.map((turn) => turn.runId).sort()).toEqual(writers.flatMap((writer) => writer.lines).sort())
  expect(turns).toHaveLength(120)
  for (const turn of turns) expect(shapeOf(turn)).toBe('user assistant tool assistant')
  expect((await store.load(key))?.version).toBe(240)
  await store.close()
})

it('does not settle a run while its process sends heartbeats', async () => {
  const holder = startChild('hold-run.ts', [path, '50'])
  await holder.nextLine()
  const store = sqliteSessions(path, { staleAfterMs: 2_000 })
  await sleep(2_500)
  expect(await store.load(key)).toMatchObject({ version: 1 })
  await expect(beginAtOnce(store, 'other')).rejects.toMatchObject({ code: 'session-conflict' })
  const appended = holder.nextLine()
  holder.process.stdin.end('more\n')
  expect(await appended).toBe('ok')
  expect(await holder.exited).toBe(0)
  // The store of this run was closed before the run ended.
  await beginAtOnce(store, 'other')
  await store.close()
})

it('settles a run of a process without heartbeats, and refuses its later writes', async () => {
  const holder = startChild('hold-run.ts', [path, '50'])
  await holder.nextLine()
  const store = sqliteSessions(path, { staleAfterMs: 300 })
  holder.process.kill('SIGSTOP')
  await sleep(600)
  await beginAtOnce(store, 'taken')
  holder.process.kill('SIGCONT')
  const refused = holder.nextLine()
  holder.process.stdin.end('late\n')
  expect(await refused).toBe('session-conflict')
  await holder.exited
  expect(await store.find('held')).toMatchObject({ status: 'failed', messages: [{ role: 'user' }] })
  await store.append('taken', [{ role: 'assistant', content: [{ type: 'text', text: 'fine' }] }])
  await store.end('taken', 'done')
  await store.close()
})

it('lets one of several processes resume a suspended run whose process was killed', async () => {
  const suspending = startChild('suspend-run.ts', [path])
  await suspending.nextLine()
  suspending.process.kill('SIGKILL')
  await suspending.exited

  const resumers = [1, 2, 3].map(() => startChild('resume-run.ts', [path]))
  await Promise.all(resumers.map((waker) => waker.nextLine()))
  const outcomes = resumers.map((waker) => waker.nextLine())
  for (const waker of resumers) waker.process.stdin.write('now\n')
  const lines = await Promise.all(outcomes)
  expect(lines.toSorted()).toEqual(['session-conflict', 'session-conflict', 'won'])

  const store = sqliteSessions(path)
  expect(await store.find('parked')).toMatchObject({ status: 'running', messages: { length: 3 } })
  const winner = resumers[lines.indexOf('won')]
  winner?.process.kill('SIGKILL')
  await winner?.exited
  await beginAtOnce(store, 'next')
  // The finished work of the run is stored and not repeated.
  expect(await store.find('parked')).toMatchObject({ status: 'failed', usage: { totalTokens: 5 } })
  const seen = (await store.load(key))?.messages ?? []
  expect(seen.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(validateTranscript(seen)).toEqual([])
  await store.end('next', 'done')
  for (const waker of resumers) waker.process.stdin.end()
  await Promise.all(resumers.map((waker) => waker.exited))
  await store.close()
})

it.runIf(process.platform !== 'win32')('keeps every acknowledged turn when the disk is full', async () => {
  // A limit on file sizes simulates a full disk: 1000 blocks of 512 bytes or of 1 KB.
  const limited = ['sh', '-c', 'ulimit -f 1000; exec "$@" 2>/dev/null', 'sh']
  const writer = startChild('write-turns.ts', [path, 'full'], limited)
  expect(await writer.exited).toBe(1)
  expect(writer.lines.length).toBeGreaterThan(0)
  expect(checkIntegrity(path)).toBe('ok')
  const store = sqliteSessions(path)
  await beginAtOnce(store, 'after')
  const done = (await store.turns(key)).filter((turn) => turn.status === 'done').map((turn) => turn.runId)
  expect(writer.lines.filter((runId) => !done.includes(runId))).toEqual([])
  await store.close()
})

async function beginAtOnce(store: SessionStore, runId: string): Promise<void> {
  const expectedVersion = (await store.load(key))?.version ?? 0
  await store.begin(key, { runId, expectedVersion, input: [{ v: 1, role: 'user', content: runId }] })
}

function shapeOf(turn: Turn): string {
  return turn.messages.map((message) => message.role).join(' ')
}

function checkIntegrity(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA integrity_check').get()?.integrity_check
  } finally {
    database.close()
  }
}
