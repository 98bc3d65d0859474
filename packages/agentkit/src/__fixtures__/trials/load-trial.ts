import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, isAgentKitError, type RunResult, type Swarm, validateTranscript } from '@agentkit/core'
import { openTrialStore, type TrialStore } from './open-trial-store.ts'
import { type LogLine, type Repetitions, readLog, repetitionsIn } from './run-log.ts'
import { trialAgents } from './trial-agents.ts'
import type { TrialWorker } from './trial-worker.ts'
import { type WorkerProcesses, workerProcesses } from './worker-processes.ts'

export type LoadTrial = {
  /** A `postgres://` URL, or the path of a file: of the enqueuing process and, where they have no other, of the workers. */
  place: string
  workers: WorkerProcesses
  store: TrialStore
  steps: Agent
  log: string
  /** Random numbers from 0 to 1, the same for the same seed. */
  random(): number
  readLog(): LogLine[]
  /** Notes that what a process had was lost. */
  lose(pid: number): void
  /** Notes the time within which each run that a process has now is continued by another one. */
  watchTakeover(pid: number, since: number): void
  /** The runs that are accepted so far. */
  readonly accepted: readonly string[]
}

export type TrialReport = Repetitions & {
  accepted: number
  statuses: Record<string, number>
  /** Runs that had neither ended nor waited in time. */
  open: string[]
  /** Runs that failed, with the reason. */
  failed: string[]
  /** Runs whose conversation, text or events are not as promised. */
  wrong: string[]
  /** How long lost runs waited for another process, in milliseconds. */
  takeovers: { count: number; p50: number; p99: number; max: number }
  deaths: string[]
  ms: number
}

export type TrialOptions = {
  place: string
  seed: number
  /** The least number of runs. */
  runs: number
  thinkMs?: number
  workers?: number
  concurrency?: number
  /** How long the runs may take after the last disturbance, in milliseconds. */
  drainMs?: number
  /** The place of a worker's store; `place` when absent. */
  workerPlace?(index: number): string
  workerClockMs?(index: number): number
  /** The options of one worker that others do not have. */
  workerOptions?(index: number): Partial<TrialWorker>
  /** Whether another worker starts where one has died by itself. */
  restarts?: boolean
  /** Disturbs the workers. Runs are enqueued at the same time, so that there is always work. */
  disturb(trial: LoadTrial): Promise<void>
}

/** Workers under load that are disturbed; then all runs are driven to their end, and what happened is compared with the promises. */
export async function loadTrial(options: TrialOptions): Promise<TrialReport> {
  const { place, seed, runs, thinkMs = 300, concurrency = 8, drainMs = 120_000, disturb } = options
  const begun = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-trial-'))
  const log = join(folder, 'log')
  const store = openTrialStore(place)
  const [steps, team] = trialAgents({ sessions: store, log: () => {} })
  const random = randomOf(seed)
  const accepted: string[] = []
  const open = new Set<string>()
  const losses = new Map<number, number>()
  const lose = (pid: number): void => void losses.set(pid, (losses.get(pid) ?? 0) + 1)
  const workers = workerProcesses({ ...(options.restarts && { restarts: true }), onDeath: lose })
  const takeovers: number[] = []
  const watching: Promise<void>[] = []
  const over = new AbortController()

  const enqueue = async (): Promise<void> => {
    const items = Array.from({ length: 25 }, (_, index) => {
      const number = accepted.length + index
      const sessionId = random() < 0.7 ? { sessionId: `s${Math.floor(random() * 60)}` } : {}
      const priority = Math.floor(random() * 3)
      return { input: `Work ${number}.`, userId: `user${number % 5}`, priority, ...sessionId }
    })
    const agent = random() < 0.3 ? team : steps
    // A failed commit may have been accepted in part: it is not counted.
    const stored = await agent.enqueueMany(items).catch(() => [])
    for (const { runId } of stored) {
      accepted.push(runId)
      open.add(runId)
    }
  }
  /** Says what calls of unknown outcome gave, and removes runs that have ended. */
  const decide = async (): Promise<void> => {
    for (const runId of open) {
      const stored = await store.runs.read(runId).catch(() => undefined)
      if (!stored) continue
      const { status, approvals } = stored.record
      if (status === 'done' || status === 'failed') open.delete(runId)
      if (status !== 'waiting') continue
      const agent = stored.record.agentId === 'team' ? team : steps
      for (const { approvalId } of approvals) {
        await agent.decide(runId, { [approvalId]: { result: 'done, says Ann' } }).catch(ignoreConflict)
      }
    }
  }
  const trial: LoadTrial = {
    ...{ place, workers, store, steps, log, random, accepted, lose },
    readLog: () => readLog(log),
    watchTakeover(pid, since) {
      watching.push(takeoversOf(store, readLog(log), pid, since, takeovers))
    },
  }
  const count = options.workers ?? 3
  try {
    await steps.enqueue('Prepare the store.').then(({ runId }) => accepted.push(runId))
    for (let index = 0; index < count; index++) {
      const clockMs = options.workerClockMs?.(index) ?? 0
      const usual = { place: options.workerPlace?.(index) ?? place, log, concurrency, thinkMs, clockMs }
      await workers.start({ ...usual, ...options.workerOptions?.(index) })
    }
    const feeding = (async () => {
      while (!over.signal.aborted) {
        if (open.size < 2 * count * concurrency) await enqueue()
        await decide()
        await sleep(200)
      }
    })()
    await disturb(trial)
    while (accepted.length < runs) await sleep(200)
    over.abort()
    await feeding
    const giveUpAt = performance.now() + drainMs
    while (open.size > 0 && performance.now() < giveUpAt) {
      await decide()
      await sleep(200)
    }
    await Promise.all(watching)
    const { deaths } = workers
    const repetitions = repetitionsIn(readLog(log), losses)
    const ends = await checkEnds(accepted, (runId) => endOf(runId, { steps, team, store }))
    takeovers.sort((one, other) => one - other)
    const at = (part: number): number => Math.round(takeovers[Math.floor(takeovers.length * part)] ?? 0)
    return {
      ...{ accepted: accepted.length, ...ends, open: [...open], ...repetitions },
      takeovers: { count: takeovers.length, p50: at(0.5), p99: at(0.99), max: Math.round(takeovers.at(-1) ?? 0) },
      ...{ deaths, ms: Math.round(performance.now() - begun) },
    }
  } finally {
    over.abort()
    await workers.killAll()
    await store.close()
    if (process.env.KEEP_TRIAL) console.log(folder, workers.printed.join('\n'))
    else rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Measures, for the runs of a lost process, the time until another process has them, or they have ended or were
 * suspended.
 */
async function takeoversOf(
  store: TrialStore,
  lines: readonly LogLine[],
  pid: number,
  since: number,
  found: number[],
): Promise<void> {
  const last = new Map(lines.map(({ runId, pid }) => [runId, pid]))
  const own = [...last].filter(([, of]) => of === pid).map(([runId]) => runId)
  const before = await Promise.all(own.map((runId) => store.runs.read(runId).catch(() => undefined)))
  let left = before.filter((stored) => stored?.record.status === 'running' && !stored.awaitsMembers && !stored.isFree)
  const giveUpAt = since + 120_000
  while (left.length > 0 && performance.now() < giveUpAt) {
    await sleep(100)
    const now = await Promise.all(left.map((stored) => store.runs.read(stored?.record.runId ?? '').catch(() => stored)))
    left = left.filter((stored, index) => {
      const after = now[index]?.record
      const isSame = after?.status === 'running' && after.attempts === stored?.record.attempts
      if (!isSame) found.push(performance.now() - since)
      return isSame
    })
  }
  for (const _ of left) found.push(performance.now() - since)
}

type Parts = { steps: Agent; team: Swarm; store: TrialStore }
type End = { runId: string; status: string; failure?: string; wrong?: string }

async function checkEnds(
  accepted: readonly string[],
  read: (runId: string) => Promise<End>,
): Promise<Pick<TrialReport, 'statuses' | 'failed' | 'wrong'>> {
  const statuses: Record<string, number> = {}
  const failed: string[] = []
  const wrong: string[] = []
  for (const id of accepted) {
    const { runId, status, failure, wrong: why } = await read(id)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (failure !== undefined) failed.push(`${runId}: ${failure}`)
    if (why !== undefined) wrong.push(`${runId}: ${why}`)
  }
  return { statuses, failed, wrong }
}

async function endOf(runId: string, { steps, team, store }: Parts): Promise<End> {
  const stored = await store.runs.read(runId)
  if (!stored) return { runId, status: 'lost', wrong: 'It is not stored.' }
  const { status, agentId } = stored.record
  if (status !== 'done') return { runId, status, ...(status === 'failed' && { failure: reasonOf(stored.record.error) }) }
  const agent = agentId === 'team' ? team : steps
  const result = await agent.result(runId)
  const numbers: number[] = []
  let last: string | undefined
  for await (const { seq, type } of agent.follow(runId)) {
    numbers.push(seq)
    last = type
  }
  const isOrdered = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
  const wrong = [
    ...(isOrdered && last === 'run-end' ? [] : [`events ${last} ${numbers.join()}`]),
    ...wrongOf(result, agentId === 'team' ? ['All have worked.', 5] : ['Steps has worked.', 11]),
  ]
  return { runId, status, ...(wrong.length > 0 && { wrong: wrong.join('; ') }) }
}

function wrongOf({ text, messages }: RunResult, [expected, count]: [string, number]): string[] {
  const problems = validateTranscript(messages)
  return [
    ...(text === expected ? [] : [`text ${text}`]),
    ...(messages.length === count ? [] : [`${messages.length} messages`]),
    ...(problems.length === 0 ? [] : [JSON.stringify(problems)]),
  ]
}

function reasonOf(error: { code: string; message?: string } | undefined): string {
  return error ? `${error.code} ${error.message ?? ''}` : 'no error'
}

function ignoreConflict(error: unknown): void {
  if (!isAgentKitError(error)) throw error
}

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
