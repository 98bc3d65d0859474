// Faults of machines, networks, clocks and Postgres under load.
// node --conditions=@agentkit/source packages/agentkit/src/__fixtures__/trials/faults.ts <fault> [<times>] [<runs>] [<seconds>] [<seed>]
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { type PostgresServer, startPostgres } from '@agentkit/test-postgres'
import { type LoadTrial, loadTrial, type TrialReport } from './load-trial.ts'
import { postgresProxy } from './postgres-proxy.ts'
import { readLog } from './run-log.ts'

export type FaultOptions = {
  place: string
  seed: number
  runs: number
  /** How often it happens. */
  times: number
  /** How long it lasts at most, in milliseconds. */
  lastsMs: number
  thinkMs?: number
}

export type FaultReport = TrialReport & {
  /** Steps that a frozen process made after others had its runs. */
  stepsOfFrozen?: string[]
  /** How long after the return of Postgres the first step was made, in milliseconds. */
  continuedAfterMs?: number[]
}

/** A worker is frozen, and continues when others have its runs. */
export async function freezeWorkers({ times, lastsMs, ...options }: FaultOptions): Promise<FaultReport> {
  const stepsOfFrozen: string[] = []
  const report = await loadTrial({
    ...options,
    async disturb({ workers, random, lose, watchTakeover, log }) {
      for (let time = 0; time < times; time++) {
        await sleep(random() * 3_000)
        const worker = workers.running[Math.floor(random() * workers.running.length)]
        if (!worker) throw new Error('No worker runs.')
        const stoppedAt = machineTime()
        worker.child.kill('SIGSTOP')
        lose(worker.pid)
        watchTakeover(worker.pid, performance.now())
        await sleep(lastsMs)
        const before = readLog(log).filter(({ at }) => at > stoppedAt)
        const taken = new Set(before.filter(({ pid }) => pid !== worker.pid).map(keyOf))
        const continuedAt = machineTime()
        worker.child.kill('SIGCONT')
        await sleep(1_500)
        const after = readLog(log).filter(({ at, pid, kind }) => at >= continuedAt && pid === worker.pid && kind === 'call')
        stepsOfFrozen.push(...after.map(keyOf).filter((key) => taken.has(key)))
      }
    },
  })
  return { ...report, stepsOfFrozen }
}

/** Cuts one of three workers off from Postgres: its connections end, or no data arrives any more. */
export async function cutWorker(how: 'cut' | 'hang', options: FaultOptions): Promise<FaultReport> {
  const { times, lastsMs, ...rest } = options
  const proxy = await postgresProxy(options.place)
  try {
    return await loadTrial({
      ...rest,
      workerPlace: (index) => (index === 0 ? proxy.url : options.place),
      async disturb({ workers, random, lose }) {
        const [first] = workers.running
        if (!first) throw new Error('No worker runs.')
        for (let time = 0; time < times; time++) {
          await sleep(random() * 3_000)
          proxy[how]()
          lose(first.pid)
          await sleep(random() * lastsMs)
          proxy.heal()
        }
        await sleep(2_000)
      },
    })
  } finally {
    await proxy.close()
  }
}

/** The clocks of workers differ by hours. One of them is killed. */
export function shiftClocks({ times, lastsMs, ...options }: FaultOptions): Promise<FaultReport> {
  return loadTrial({
    ...options,
    workerClockMs: (index) => (index - 1) * lastsMs,
    async disturb({ workers, random, lose, watchTakeover }) {
      for (let time = 0; time < times; time++) {
        await sleep(2_000 + random() * 3_000)
        const worker = workers.running[time % workers.running.length]
        if (!worker) throw new Error('No worker runs.')
        const since = performance.now()
        await workers.kill(worker)
        lose(worker.pid)
        watchTakeover(worker.pid, since)
        await workers.start(worker.options)
      }
    },
  })
}

/** Postgres is restarted: it ends its sessions, or crashes. */
export async function restartPostgres(server: PostgresServer, options: FaultOptions): Promise<FaultReport> {
  const { times, lastsMs: _, ...rest } = options
  const continuedAfterMs: number[] = []
  const report = await loadTrial({
    ...rest,
    async disturb(trial) {
      for (let time = 0; time < times; time++) {
        await sleep(500 + trial.random() * 3_000)
        await server.restart(time % 2 === 0 ? 'fast' : 'immediate')
        continuedAfterMs.push(await untilWork(trial, machineTime()))
      }
    },
  })
  return { ...report, continuedAfterMs }
}

/** Postgres dies, and its replica takes its place. */
export async function failOver(server: PostgresServer, options: FaultOptions): Promise<FaultReport> {
  const { times: _, lastsMs: __, ...rest } = options
  const replica = await server.startReplica()
  const proxy = await postgresProxy(options.place)
  const continuedAfterMs: number[] = []
  try {
    const report = await loadTrial({
      ...rest,
      place: proxy.url,
      async disturb(trial) {
        await trial.store.runs.background.counts()
        await sleep(4_000 + trial.random() * 3_000)
        await server.stop('immediate')
        await replica.promote()
        proxy.leadTo(replica.port)
        continuedAfterMs.push(await untilWork(trial, machineTime()))
        await sleep(3_000)
      },
    })
    return { ...report, continuedAfterMs }
  } finally {
    await proxy.close()
    await replica.stop('immediate')
  }
}

/** Waits for the next step. @returns after which time it was made */
async function untilWork({ log }: LoadTrial, since: number): Promise<number> {
  for (;;) {
    const next = readLog(log).find(({ at, kind }) => at > since && kind === 'call')
    if (next) return Math.round(next.at - since)
    await sleep(100)
  }
}

function machineTime(): number {
  return performance.timeOrigin + performance.now()
}

function keyOf({ runId, agent }: { runId: string; agent: string }): string {
  return `${runId}/${agent}`
}

if (process.argv[1]?.endsWith('faults.ts')) {
  const [fault = '', times = '5', runs = '100', seconds = '30', seed = String(Date.now() % 1e6)] = process.argv.slice(2)
  const server = await startPostgres(fault === 'pool' ? { max_connections: 24 } : {})
  const options = {
    ...{ place: await server.createDatabase(), times: Number(times), runs: Number(runs) },
    ...{ lastsMs: Number(seconds) * 1_000, seed: Number(seed) },
  }
  const faults: Record<string, () => Promise<FaultReport>> = {
    freeze: () => freezeWorkers(options),
    cut: () => cutWorker('cut', options),
    hang: () => cutWorker('hang', options),
    clocks: () => shiftClocks(options),
    restart: () => restartPostgres(server, options),
    failover: () => failOver(server, options),
    pool: () => loadTrial({ ...options, disturb: () => sleep(options.lastsMs) }),
  }
  const run = faults[fault]
  if (!run) throw new Error(`Pass one of ${Object.keys(faults).join(', ')}.`)
  console.log(fault, inspect({ seed, ...(await run()) }, { maxArrayLength: 10 }))
  await server.remove()
  process.exit()
}
