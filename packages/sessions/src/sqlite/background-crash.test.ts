import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, type AgentEvent, validateTranscript } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Child, startChild } from './__fixtures__/child.ts'
import { steps } from './__fixtures__/steps.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

let folder: string
let children: Child[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-background-'))
})
afterEach(async () => {
  for (const { process } of children) process.kill('SIGKILL')
  await Promise.all(children.map(({ exited }) => exited))
  children = []
  await rm(folder, { recursive: true })
})

it('ends each accepted run after kill -9 of workers at random moments, with each effect made once', {
  timeout: 300_000,
}, async () => {
  const [path, file] = [join(folder, 'sessions.db'), join(folder, 'effects.txt')]
  const store = sqliteSessions(path)
  const agent = steps({ sessions: store })
  const kills = Number(process.env.AGENTKIT_KILLS ?? 8)
  const accepted = await agent.enqueueMany(
    Array.from({ length: 20 + 4 * kills }, (_, index) => ({
      ...{ input: `Work ${index}.`, userId: `user${index % 3}`, sessionId: `s${index % 7}`, priority: index % 2 },
    })),
  )
  for (let worker = 0; worker < 3; worker++) children.push(await startWorker(path, file))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(100 + Math.random() * 400)
    const [victim] = children.splice(Math.floor(Math.random() * children.length), 1)
    victim?.process.kill('SIGKILL')
    await victim?.exited
    children.push(await startWorker(path, file))
  }
  const results = await Promise.all(accepted.map(({ runId }) => untilEnded(agent, runId)))
  const effects = (await readFile(file, 'utf8')).trim().split('\n')
  const writes = effects.filter((line) => line.includes(' write '))
  expect(new Set(writes).size).toBe(writes.length)
  const calls = (await readFile(`${file}.calls`, 'utf8')).trim().split('\n')
  expect(calls.length).toBeLessThanOrEqual(4 * accepted.length + 8 * kills)
  for (const { runId, text, messages, error } of results) {
    // A run fails with `crashed` when five processes have died with it.
    if (error?.code === 'crashed') continue
    expect([runId, text, messages.length]).toEqual([runId, 'All is done.', 11])
    expect(validateTranscript(messages)).toEqual([])
    const events: AgentEvent[] = []
    for await (const event of agent.follow(runId)) events.push(event)
    const numbers = events.map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop' })
  }
  await store.close()
})

async function startWorker(path: string, file: string): Promise<Child> {
  const child = startChild('background-worker.ts', [path, file])
  await child.nextLine()
  return child
}

/** Says of calls of unknown outcome what they gave. */
async function untilEnded(agent: Agent, runId: string): ReturnType<Agent['result']> {
  for (;;) {
    const result = await agent.result(runId)
    if (result.finishReason !== 'approval') return result
    for (const { approvalId, kind } of result.approvals) {
      expect(kind).toBe('unknown-outcome')
      await agent.decide(runId, { [approvalId]: { result: 'done, says Ann' } })
    }
  }
}
