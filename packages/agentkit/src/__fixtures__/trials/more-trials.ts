// Runs that end their processes, versions side by side while the queue is built again, and schedules.
// node --conditions=@agentkit/source packages/agentkit/src/__fixtures__/trials/more-trials.ts poison|versions|schedules [postgres|sqlite] [<count>] [<runs>] [<seed>]
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
import type { RunRecord } from '@agentkit/core'
import { loadTrial, type TrialOptions, type TrialReport } from './load-trial.ts'
import { openTrialStore } from './open-trial-store.ts'
import { trialAgents } from './trial-agents.ts'
import { workerProcesses } from './worker-processes.ts'

type Options = Pick<TrialOptions, 'place' | 'seed' | 'runs' | 'thinkMs' | 'concurrency' | 'drainMs'>

/** Some runs end the process that has them, among others that do not. @returns the poisonous ones too */
export async function poisonWorkers({
  count,
  staleAfterMs,
  ...options
}: Options & { count: number; staleAfterMs?: number }): Promise<TrialReport & { poisonous: RunRecord[] }> {
  const word = 'poison'
  let poisonous: RunRecord[] = []
  const report = await loadTrial({
    ...options,
    restarts: true,
    workerOptions: () => ({ poison: word, ...(staleAfterMs !== undefined && { staleAfterMs }) }),
    async disturb({ steps, store }) {
      const input = `This is ${word}.`
      const enqueued = await steps.enqueueMany(Array.from({ length: count }, () => ({ input, userId: 'eve' })))
      const read = async (): Promise<RunRecord[]> => {
        const stored = await Promise.all(enqueued.map(({ runId }) => store.runs.read(runId)))
        return stored.flatMap((one) => (one ? [one.record] : []))
      }
      const giveUpAt = performance.now() + 600_000
      do {
        await sleep(500)
        poisonous = await read()
      } while (poisonous.some(({ status }) => status !== 'failed') && performance.now() < giveUpAt)
    },
  })
  return { ...report, poisonous }
}

/** Workers of two versions, while the queue is built again and again. */
export async function rebuildQueue({ count, ...options }: Options & { count: number }): Promise<TrialReport> {
  const cli = fileURLToPath(new URL('../../cli.ts', import.meta.url))
  return loadTrial({
    ...options,
    workerOptions: (index) => ({ version: String(1 + (index % 2)) }),
    async disturb({ place, random }) {
      for (let time = 0; time < count; time++) {
        await sleep(random() * 2_000)
        const words = ['--conditions=@agentkit/source', '--no-warnings', cli, 'queue', 'rebuild', '--sessions', place]
        await promisify(execFile)(process.execPath, words)
      }
    },
  })
}

export type ScheduleReport = { schedules: number; dueTimes: number; started: number; twice: string[]; missing: string[] }

/** Schedules of each minute, while workers are killed. */
export async function killSchedulers(place: string, schedules: number, minutes: number): Promise<ScheduleReport> {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-schedules-'))
  const store = openTrialStore(place)
  const [steps] = trialAgents({ sessions: store, log: () => {} })
  const workers = workerProcesses()
  const options = { place, log: join(folder, 'log'), thinkMs: 1, concurrency: 4 }
  try {
    // Waits for the first half of a minute, so that all schedules have the same first due time.
    while (Date.now() % 60_000 > 25_000) await sleep(500)
    for (let index = 0; index < schedules; index++) {
      await steps.schedule(`s${index}`, { cron: '* * * * *' }, `Schedule ${index}.`, { userId: `user${index % 7}`, sessionId: `s${index}` })
    }
    const first = Math.ceil(Date.now() / 60_000) * 60_000
    for (let index = 0; index < 3; index++) await workers.start(options)
    while (Date.now() < first + (minutes - 1) * 60_000 + 35_000) {
      await sleep(Math.random() * 3_000)
      // Mostly while runs are started.
      const victim = workers.running[Math.floor(Math.random() * workers.running.length)]
      if (!victim || Date.now() < first) continue
      await workers.kill(victim)
      await workers.start(options)
    }
    for (let index = 0; index < schedules; index++) await steps.unschedule(`s${index}`)
    const starts = new Map<string, number>()
    let after: string | undefined
    for (;;) {
      const page = await store.runs.list({ agentId: 'steps' }, { limit: 100, ...(after !== undefined && { after }) })
      for (const { sessionId, createdAt } of page) {
        const key = `${sessionId} ${createdAt.slice(0, 16)}`
        starts.set(key, (starts.get(key) ?? 0) + 1)
      }
      after = page.at(-1)?.runId
      if (page.length < 100) break
    }
    const expected = Array.from({ length: minutes }, (_, minute) => new Date(first + minute * 60_000).toISOString().slice(0, 16)).flatMap(
      (minute) => Array.from({ length: schedules }, (_, index) => `s${index} ${minute}`),
    )
    return {
      ...{ schedules, dueTimes: expected.length, started: [...starts.values()].reduce((sum, one) => sum + one, 0) },
      twice: [...starts].filter(([, times]) => times > 1).map(([key]) => key),
      missing: expected.filter((key) => !starts.has(key)),
    }
  } finally {
    await workers.killAll()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Schedules that are due at once, again and again, while workers are killed. @returns runs by schedule and round */
export async function startTogether(
  place: string,
  { schedules, rounds, staleAfterMs }: { schedules: number; rounds: number; staleAfterMs?: number },
): Promise<{ started: Record<string, number>; kills: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-schedules-'))
  const store = openTrialStore(place)
  const { background } = store.runs
  const [steps] = trialAgents({ sessions: store, log: () => {} })
  const workers = workerProcesses()
  const soon = staleAfterMs === undefined ? {} : { staleAfterMs }
  const options = { place, log: join(folder, 'log'), thinkMs: 1, concurrency: 4, ...soon }
  const names = Array.from({ length: schedules }, (_, index) => `s${index}`)
  let kills = 0
  try {
    for (const name of names) {
      // The time of the cron expression is far away: the rounds are the due times.
      const times = { cron: '0 0 29 2 *', missed: 'once' } as const
      await steps.schedule(name, times, `Schedule ${name}.`, { userId: name, sessionId: name })
    }
    await Promise.all(names.slice(0, 3).map(() => workers.start(options)))
    for (let round = 0; round < rounds; round++) {
      const dueAt = store.runs.now()
      for (const { agentId, name, nextAt = 0 } of await background.schedules({ agentIds: ['steps'] })) {
        await background.moveSchedule({ agentId, name, expectedNextAt: nextAt }, { nextAt: dueAt })
      }
      const isDue = async (): Promise<boolean> => (await background.schedules({ dueBefore: dueAt })).length > 0
      while (await isDue()) {
        await sleep(Math.random() * 1_000)
        const victim = workers.running[Math.floor(Math.random() * workers.running.length)]
        if (!victim || kills >= 2 * (round + 1)) continue
        kills++
        await workers.kill(victim)
        void workers.start(options)
      }
    }
    const records = await store.runs.list({ agentId: 'steps' }, { limit: 1_000 })
    const started = Object.fromEntries(names.map((name) => [name, 0]))
    for (const { sessionId = '' } of records) started[sessionId] = (started[sessionId] ?? 0) + 1
    return { started, kills }
  } finally {
    await workers.killAll()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1]?.endsWith('more-trials.ts')) {
  const [trial = '', kind = 'postgres', count = '1', runs = '100', seed = String(Date.now() % 1e6)] = process.argv.slice(2)
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-trials-'))
  const { testDatabase } = await import('@agentkit/test-postgres')
  const place = kind === 'sqlite' ? join(folder, 'sessions.db') : await testDatabase()
  const options = { place, count: Number(count), runs: Number(runs), seed: Number(seed) }
  const trials: Record<string, () => Promise<object>> = {
    poison: () => poisonWorkers(options),
    versions: () => rebuildQueue(options),
    schedules: () => killSchedulers(place, Number(count), Number(runs)),
  }
  const run = trials[trial]
  if (!run) throw new Error(`Pass one of ${Object.keys(trials).join(', ')}.`)
  console.log(trial, inspect({ seed, ...(await run()) }, { maxArrayLength: 10 }))
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
