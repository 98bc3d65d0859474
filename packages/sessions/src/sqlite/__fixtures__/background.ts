import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent, BackgroundRuns, RunResult, RunStore, SessionStore, Swarm, Worker } from '@agentkit/core'
import { afterEach, beforeEach, expect } from 'vitest'
import { sqliteSessions } from '@agentkit/sessions'

export const session = { userId: 'ann', sessionId: 's' }
export const patiently = { timeout: 60_000 }

/** SQLite on disk has all of these. */
export type Sessions = SessionStore & { runs: RunStore & { background: BackgroundRuns } }

/** A store that knows the runs of members which were called through it. */
export type SpiedSessions = Sessions & { members: ReadonlySet<string> }

/** Stores on disk and workers, for each test of the file that calls it. */
export function backgroundTests() {
  let folder: string
  let closing: (() => unknown)[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentkit-background-'))
    closing = []
  })
  afterEach(async () => {
    for (const close of closing.toReversed()) await close()
    await rm(folder, { recursive: true })
  })
  return {
    afterTest: (close: () => unknown) => void closing.push(close),
    open(name = 'sessions'): SpiedSessions {
      const store = sqliteSessions(join(folder, `${name}.db`)) as Sessions
      closing.push(() => store.close())
      const { runs } = store
      const members = new Set<string>()
      const delegate: BackgroundRuns['delegate'] = (runId, entry) => {
        for (const member of entry.members) members.add(member.runId)
        return runs.background.delegate(runId, entry)
      }
      return { ...store, runs: { ...runs, background: { ...runs.background, delegate } }, members }
    },
    async work(swarm: Swarm, concurrency = 4): Promise<Worker> {
      const started = await swarm.work({ concurrency })
      closing.push(() => started.close())
      return started
    },
  }
}

export async function collect(swarm: Swarm, runId: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of swarm.follow(runId)) events.push(event)
  expect(events.map(({ seq }) => seq)).toEqual([...new Set(events.map(({ seq }) => seq))].toSorted((a, b) => a - b))
  return events
}

/** The result once no approval is open. */
export async function ended(swarm: Swarm, runId: string): Promise<RunResult> {
  await collect(swarm, runId)
  return swarm.result(runId)
}

export async function statusesOf({ runs, members }: SpiedSessions): Promise<unknown[]> {
  const stored = await Promise.all([...members].map((runId) => runs.read(runId)))
  return stored.map((run) => run?.record.status).toSorted()
}

/** How each member ended, in order. */
export function endsOf(events: readonly AgentEvent[]): Record<string, string[]> {
  const ends = events.flatMap((event) => (event.type === 'agent-end' ? [event] : []))
  const byPath = Map.groupBy(ends, ({ path }) => path.join('/'))
  return Object.fromEntries([...byPath].map(([path, of]) => [path, of.map(({ status }) => status)]))
}

export function usageIn(events: readonly AgentEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === 'step-end' ? (event.usage.totalTokens ?? 0) : 0), 0)
}
