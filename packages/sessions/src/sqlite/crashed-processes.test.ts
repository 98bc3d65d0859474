import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunRecord, type RunStore, validateTranscript } from '@agentkit/core'
import { follow } from '@agentkit/core/internal'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from './__fixtures__/child.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-crash-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('ends each run after kill -9 at random moments, with each write made once', { timeout: 300_000 }, async () => {
  const path = join(folder, 'sessions.db')
  const file = join(folder, 'effects.txt')
  const first = startChild('resumable-runs.ts', [path, file, 'start'])
  while (first.lines.length < 6) await first.nextLine()
  const kills = 6
  for (let child = first, kill = 0; kill < kills; kill++) {
    await sleep(Math.random() * 250)
    child.process.kill('SIGKILL')
    await child.exited
    child = startChild('resumable-runs.ts', [path, file, 'recover'])
    await child.nextLine()
    if (kill < kills - 1) continue
    const records = await untilSettled(path, first.lines)
    await check(path, file, records)
    child.process.kill('SIGKILL')
    await child.exited
  }
})

/** Waits until each run has ended; calls of unknown outcome are decided by their result. */
async function untilSettled(path: string, runIds: readonly string[]): Promise<RunRecord[]> {
  const store = sqliteSessions(path)
  const runs = store.runs as RunStore
  for (;;) {
    const records: RunRecord[] = []
    for (const runId of runIds) {
      const stored = await runs.read(runId)
      if (stored) records.push(stored.record)
      for (const { approvalId, kind } of stored?.record.approvals ?? []) {
        expect(kind).toBe('unknown-outcome')
        await runs.decide(runId, { [approvalId]: { result: 'done, says Ann' } })
      }
    }
    if (records.every(({ status }) => status === 'done' || status === 'failed')) {
      await store.close()
      return records
    }
    await sleep(50)
  }
}

async function check(path: string, file: string, records: readonly RunRecord[]): Promise<void> {
  const store = sqliteSessions(path)
  const lines = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n')
  const writes = lines.filter((line) => line.includes(' write '))
  expect(new Set(writes).size).toBe(writes.length)
  expect(records).toHaveLength(6)
  for (const [index, { runId, status, error, sessionId = '', attempts, text }] of records.entries()) {
    const session = await store.load({ agentId: 'worker', userId: 'ann', sessionId })
    expect(validateTranscript(session?.messages ?? [])).toEqual([])
    if (index === 5) {
      // The run may have ended before its process died.
      if (status === 'failed') expect(error).toMatchObject({ code: 'crashed' })
      continue
    }
    const why = `${runId}: ${JSON.stringify({ status, error, attempts })}`
    if (error?.message.includes('5 times')) continue
    expect(text, why).toBe('All is done.')
    // The question, five steps with two results each, and the answer.
    expect(session?.messages, why).toHaveLength(17)
    const types: string[] = []
    const seqs: number[] = []
    for await (const { type, seq } of follow(store, runId)) {
      types.push(type)
      seqs.push(seq)
    }
    expect(new Set(seqs).size).toBe(seqs.length)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(types.at(-1)).toBe('run-end')
    expect(types.filter((type) => type === 'step-end')).toHaveLength(6)
  }
  await store.close()
}
