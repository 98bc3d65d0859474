import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { QueuedJob, RunQueue, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setStoreTime } from '../util/store-time.ts'
import { type Child, startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

// Workers in processes of their own, which share the queue of a file.

const patience = { timeout: 60_000, interval: 20 }
let folder: string
let path: string
let store: SessionStore
let queue: RunQueue
let children: Child[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
  store = sqliteSessions(path)
  queue = store.runs?.background?.queue as RunQueue // a file has one
  children = []
})
afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.map(({ exited }) => exited))
  await store.close()
  await rm(folder, { recursive: true })
})

it('delivers each job to one of several processes, which find it without being called', async () => {
  await startWorkers('settle', 3)
  // Nothing is there yet: they learn of it from the file.
  await queue.add(jobs(200))
  await vi.waitFor(async () => expect(await queue.counts()).toEqual([]), patience)
  await vi.waitFor(() => expect(taken()).toHaveLength(200), patience)
  expect(taken().toSorted()).toEqual(
    jobs(200)
      .map(({ runId }) => runId)
      .toSorted(),
  )
})

it('delivers the jobs of a process that was killed, and those of its session after them', async () => {
  await startWorkers('hold', 1)
  await queue.add([...jobs(4), { ...job('first'), sessionKey: 's' }, { ...job('second'), sessionKey: 's' }])
  await vi.waitFor(() => expect(taken()).toHaveLength(5), patience)
  children[0]?.process.kill('SIGKILL')
  await children[0]?.exited
  expect(await queue.take({ agentIds: ['helper'], limit: 10 })).toEqual([])
  const restoreTime = setStoreTime(() => Date.now() + 11_000)
  try {
    const again = await queue.take({ agentIds: ['helper'], limit: 10 })
    expect(again.map(({ runId }) => runId).toSorted()).toEqual(['first', 'r0', 'r1', 'r2', 'r3'])
    for (const one of again) await queue.settle(one)
    expect(await queue.take({ agentIds: ['helper'], limit: 10 })).toMatchObject([{ runId: 'second' }])
  } finally {
    restoreTime()
  }
})

async function startWorkers(how: string, count: number): Promise<void> {
  children.push(...Array.from({ length: count }, () => startChild('take-jobs.ts', [path, how])))
  await vi.waitFor(() => expect(children.every(({ lines }) => lines.includes('ready'))).toBe(true), patience)
}

function taken(): string[] {
  return children.flatMap(({ lines }) => lines.filter((line) => line !== 'ready'))
}

function job(runId: string): QueuedJob {
  return { runId, agentId: 'helper', userId: 'ann' }
}

function jobs(count: number): QueuedJob[] {
  return Array.from({ length: count }, (_, index) => job(`r${index}`))
}
