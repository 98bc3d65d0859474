import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentEvent, type RunResult, type Swarm, validateTranscript } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Child, startChild } from './__fixtures__/child.ts'
import { journalTeam } from './__fixtures__/journal-team.ts'
import { kinds } from './__fixtures__/team.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

let folder: string
let children: Child[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-swarm-processes-'))
})
afterEach(async () => {
  for (const { process } of children) process.kill('SIGKILL')
  await Promise.all(children.map(({ exited }) => exited))
  children = []
  await rm(folder, { recursive: true })
})

it('ends each swarm after kill -9 of workers at random moments: no effect twice, each member answers once', {
  timeout: 300_000,
}, async () => {
  const [path, file] = [join(folder, 'sessions.db'), join(folder, 'journal.txt')]
  const store = sqliteSessions(path)
  const kills = Number(process.env.AGENTKIT_KILLS ?? 5)
  const swarms = kinds.map((kind) => journalTeam(store, kind, file))
  for (let worker = 0; worker < 3; worker++) children.push(await startWorker(path, file))
  const accepted: [Swarm, string][] = []
  for (let round = 0; round < 2 + kills / 5; round++) {
    for (const swarm of swarms) {
      const { runId } = await swarm.enqueue('Go.', { userId: `user${round}`, sessionId: `s${round}` })
      accepted.push([swarm, runId])
    }
  }
  for (let kill = 0; kill < kills; kill++) {
    await sleep(100 + Math.random() * 300)
    const [victim] = children.splice(Math.floor(Math.random() * children.length), 1)
    victim?.process.kill('SIGKILL')
    await victim?.exited
    children.push(await startWorker(path, file))
  }
  const results = await Promise.all(accepted.map(([swarm, runId]) => untilEnded(swarm, runId)))
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  const counts = lines.filter((line) => line.startsWith('effect count'))
  expect(new Set(counts).size).toBe(counts.length)
  let steps = 0
  for (const [index, result] of results.entries()) {
    const [swarm, runId] = accepted[index] as [Swarm, string]
    expect([runId, result.finishReason, result.error]).toEqual([runId, 'stop', undefined])
    expect(validateTranscript(result.messages)).toEqual([])
    const events: AgentEvent[] = []
    for await (const event of swarm.follow(runId)) events.push(event)
    const numbers = events.map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop' })
    const ended = events.filter(({ type }) => type === 'step-end')
    expect(result.usage.totalTokens).toBe(ended.length * 15)
    steps += ended.length
  }
  // Each kill may cut off one call of each run that its worker had.
  const calls = lines.filter((line) => line.startsWith('call')).length
  expect(calls).toBeGreaterThanOrEqual(steps)
  expect(calls).toBeLessThanOrEqual(steps + 6 * kills)
  await store.close()
})

async function startWorker(path: string, file: string): Promise<Child> {
  const child = startChild('swarm-worker.ts', [path, file])
  await child.nextLine()
  return child
}

/** Reports of calls of unknown outcome what they returned. */
async function untilEnded(swarm: Swarm, runId: string): Promise<RunResult> {
  for (;;) {
    const result = await swarm.result(runId)
    if (result.finishReason !== 'approval') return result
    for (const { approvalId, kind } of result.approvals) {
      expect(kind).toBe('unknown-outcome')
      await swarm.decide(runId, { [approvalId]: { result: 'count is done.' } })
    }
  }
}
