import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent, BackgroundRuns } from '@agentkit/core'
import { type PostgresServer, startPostgres } from '@agentkit/test-postgres'
import pg from 'pg'
import { type Figure, percentile } from './figures.ts'
import { cpuOf, parentOf } from './postgres-cpu.ts'
import { type Child, median, startChild } from './processes.ts'
import { machineTime, type QueueJob, type QueueMeasured, queueAgent, queueStore } from './queue-worker.ts'

type Bench = {
  agent: Agent
  background: BackgroundRuns
  server: PostgresServer
  worker(): Promise<Child>
  query<Row>(text: string): Promise<Row[]>
  /** CPU of all processes of Postgres until now, in milliseconds. */
  postgresMs(): number
}

/**
 * Figures of background runs in Postgres, whose workers are processes. It does not wait for its disk: that takes 0.05
 * ms on one machine and 15 ms on another, and hides the measured values.
 * @param names measures only these: `starts`, `many`, `cost`, …
 */
export async function queueFigures(names: readonly string[] = []): Promise<Figure[]> {
  const measures = [starts, many, cost, idle, fairness, waiting, following]
  const figures: Figure[] = []
  const server = await startPostgres({ shared_buffers: '128MB' })
  for (const measure of measures.filter(({ name }) => names.length === 0 || names.includes(name))) {
    process.stderr.write(`queue: ${measure.name} …\n`)
    const url = await server.createDatabase()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const postmaster = parentOf(rows[0].pid)
    const store = queueStore(url)
    const background = store.runs?.background
    if (!background) throw new Error('Postgres has background runs.')
    const workers: Child[] = []
    const { execArgv } = process
    // V8 would grow its heap for short-lived objects by more than what is measured.
    if (measure === waiting) process.execArgv = [...execArgv, '--expose-gc', '--max-semi-space-size=4']
    const bench: Bench = {
      ...{ agent: queueAgent(store), background, server },
      async worker() {
        const child = await startChild('./queue-worker.ts', url)
        workers.push(child)
        return child
      },
      query: async (text) => (await client.query(text)).rows,
      postgresMs: () => cpuOf(postmaster),
    }
    figures.push(...(await measure(bench)))
    process.execArgv = execArgv
    for (const worker of workers) worker.stop()
    await store.close()
    await client.end()
    await drop(url)
  }
  await server.remove()
  return figures
}

/** Otherwise autovacuum could run during the next measurement. */
async function drop(url: string): Promise<void> {
  const other = new URL(url)
  other.pathname = '/postgres'
  const client = new pg.Client({ connectionString: other.href })
  await client.connect()
  await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
  await client.end()
}

const ask = (child: Child, job: QueueJob): Promise<QueueMeasured> => child.ask<QueueMeasured>(job)

/** The time from the call of `enqueue` to the call of the model, with an idle worker. */
async function starts({ agent, worker }: Bench): Promise<Figure[]> {
  await ask(await worker(), { kind: 'work', concurrency: 25 })
  const times: number[] = []
  for (let index = 0; index < 330; index++) {
    times.push(await startOf(agent))
    await sleep(Math.random() * 40)
  }
  // The first runs compile the code that they use.
  return startFigures('Q1 enqueue to start', times.slice(30), 25, 100)
}

async function startOf(agent: Agent): Promise<number> {
  const before = machineTime()
  const { runId } = await agent.enqueue('now', { userId: 'ann' })
  return Number((await agent.result(runId)).text) - before
}

function startFigures(name: string, times: readonly number[], p50: number, p95: number): Figure[] {
  return [
    { name: `${name}, p50`, value: percentile(times, 50), unit: 'ms', goal: p50 },
    { name: `${name}, p95`, value: percentile(times, 95), unit: 'ms', goal: p95 },
  ]
}

/** 10,000 runs of one step, and two workers that have them all. */
async function many(bench: Bench): Promise<Figure[]> {
  const { agent } = bench
  await agent.enqueue('now')
  const before = performance.now()
  await agent.enqueueMany(items(10_000, 'now'))
  const enqueued = performance.now() - before
  const children = await Promise.all([bench.worker(), bench.worker()])
  const since = performance.now()
  await Promise.all(children.map((child) => ask(child, { kind: 'work', concurrency: 25 })))
  await untilDone(bench)
  const seconds = (performance.now() - since) / 1000
  return [
    { name: 'Q2 enqueueMany of 10,000', value: enqueued / 1000, unit: 's', goal: 5 },
    { name: 'Q2 drained by two workers', value: 10_001 / seconds, unit: 'runs/s', goal: 400, least: true },
  ]
}

/**
 * The CPU time of worker and Postgres for runs of 10 steps: resumable runs without the queue, and background runs, in
 * turn.
 */
async function cost(bench: Bench): Promise<Figure[]> {
  const { agent } = bench
  const runs = 200
  const child = await bench.worker()
  const measured = async (work: () => Promise<unknown>): Promise<{ cpu: number; perSecond: number }> => {
    const [own, postgres, since] = [
      (await ask(child, { kind: 'measure' })).cpuMs,
      bench.postgresMs(),
      performance.now(),
    ]
    await work()
    const seconds = (performance.now() - since) / 1000
    const after = (await ask(child, { kind: 'measure' })).cpuMs
    return { cpu: (after - own + bench.postgresMs() - postgres) / (10 * runs), perSecond: (10 * runs) / seconds }
  }
  const direct: number[] = []
  const queued: number[] = []
  const speeds: number[] = []
  for (let round = 0; round < 6; round++) {
    const one = await measured(() => ask(child, { kind: 'direct', runs, question: 'steps 10', atOnce: 25 }))
    await agent.enqueueMany(items(runs, 'steps 10'))
    const other = await measured(async () => {
      await ask(child, { kind: 'work', concurrency: 25 })
      await untilDone(bench)
      await ask(child, { kind: 'stop' })
    })
    // The first round warms up.
    if (round === 0) continue
    direct.push(one.cpu)
    queued.push(other.cpu)
    speeds.push(other.perSecond)
  }
  const more = median(queued.map((cpu, round) => cpu - (direct[round] ?? 0)))
  return [
    { name: 'Q3 CPU per step of the queue, more than the journal', value: more, unit: 'ms', goal: 0.3 },
    {
      name: 'Q3 CPU per step of the queue',
      value: median(queued),
      unit: 'ms',
      goal: Math.round(100 * (median(direct) + 0.3)) / 100,
    },
    { name: 'Q3 steps of one worker', value: median(speeds), unit: 'steps/s', goal: 2_000, least: true },
  ]
}

async function idle({ agent, worker, postgresMs }: Bench): Promise<Figure[]> {
  await agent.enqueue('now')
  for (let index = 0; index < 2; index++) await ask(await worker(), { kind: 'work', concurrency: 25 })
  await sleep(5_000)
  const [before, since] = [postgresMs(), performance.now()]
  await sleep(20_000)
  const perSecond = (postgresMs() - before) / ((performance.now() - since) / 1000)
  return [{ name: 'Q4 Postgres with 2 idle workers', value: perSecond, unit: 'ms CPU/s', goal: 25 }]
}

/** A user with 10,000 runs of 50 ms, then another one with 10. */
async function fairness(bench: Bench): Promise<Figure[]> {
  const { agent, background } = bench
  await agent.enqueueMany(items(10_000, 'wait 50', 'ann'))
  await ask(await bench.worker(), { kind: 'work', concurrency: 50 })
  await sleep(2_000)
  const taken: number[] = []
  for (let index = 0; index < 50; index++) {
    const [{ taken: now } = { taken: 0 }] = await background.queue.counts()
    taken.push(now)
    await sleep(40)
  }
  const before = performance.now()
  const others = await agent.enqueueMany(items(10, 'wait 50', 'bob'))
  await Promise.all(others.map(({ runId }) => agent.result(runId)))
  const seconds = (performance.now() - before) / 1000
  const share = taken.reduce((sum, one) => sum + one, 0) / taken.length / 50
  return [
    { name: "Q5 10 runs behind another user's 10,000", value: seconds, unit: 's', goal: 3 },
    { name: 'Q5 places of a user who is alone', value: share * 100, unit: '%', goal: 90, least: true },
  ]
}

/** 1,000 runs that wait for approval. */
async function waiting(bench: Bench): Promise<Figure[]> {
  const { agent, query } = bench
  const child = await bench.worker()
  await ask(child, { kind: 'work', concurrency: 25 })
  // Warms up: the worker compiles its code, and the tables allocate their pages.
  for (let round = 0; round < 2; round++) {
    await agent.enqueueMany(items(300, 'steps 3'))
    await untilDone(bench)
  }
  const bytes = async (): Promise<number> => {
    await query('VACUUM')
    const text = `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname LIKE 'agentkit%' AND relkind = 'r'`
    return (await query<{ bytes: number }>(text))[0]?.bytes ?? 0
  }
  const [empty, before] = [await bytes(), await ask(child, { kind: 'measure' })]
  const accepted = await agent.enqueueMany(items(1_000, 'pay'))
  const results = await Promise.all(accepted.map(({ runId }) => agent.result(runId)))
  await untilDone(bench)
  await sleep(1_000)
  const after = await ask(child, { kind: 'measure' })
  const each = ((await bytes()) - empty) / 1_000
  const fresh: number[] = []
  for (let index = 0; index < 20; index++) fresh.push(await startOf(agent))
  const since = performance.now()
  const decided = async ({ runId, approvals }: (typeof results)[number]): Promise<void> => {
    await agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    const { text } = await agent.result(runId)
    if (text !== 'Done.') throw new Error(`A run has ended with ${text}.`)
  }
  await Promise.all(results.map(decided))
  return [
    { name: 'Q6 a run that waits', value: each / 1000, unit: 'kB', goal: 10 },
    { name: 'Q6 memory of the worker for 1,000 of them', value: after.rssMb - before.rssMb, unit: 'MB', goal: 25 },
    { name: 'Q6 start of a fresh run beside them, p95', value: percentile(fresh, 95), unit: 'ms', goal: 200 },
    { name: 'Q6 all approved and done', value: (performance.now() - since) / 1000, unit: 's', goal: 10 },
  ]
}

/** 1,000 followers of 20 runs, each event by each of 50. */
async function following({ agent, worker }: Bench): Promise<Figure[]> {
  await ask(await worker(), { kind: 'work', concurrency: 25 })
  await agent.result((await agent.enqueue('events 40 25')).runId)
  const delays: number[] = []
  const accepted = await agent.enqueueMany(items(20, 'events 25 200'))
  const follow = async (runId: string): Promise<void> => {
    for await (const event of agent.follow(runId)) {
      if (event.type !== 'text-delta') continue
      for (const at of event.text.match(/\d{13}\.?\d*/g) ?? []) delays.push(machineTime() - Number(at))
    }
  }
  await Promise.all(accepted.flatMap(({ runId }) => Array.from({ length: 50 }, () => follow(runId))))
  return startFigures('Q7 event to one of 1,000 followers', delays, 60, 300).map((figure, index) =>
    index === 0 ? figure : { ...figure, name: figure.name.replace('p95', 'p99'), value: percentile(delays, 99) },
  )
}

function items(count: number, input: string, userId = 'ann'): { input: string; userId: string; sessionId: string }[] {
  return Array.from({ length: count }, () => ({ input, userId, sessionId: crypto.randomUUID() }))
}

/** Waits until no run is queued or running. */
async function untilDone({ query }: Bench): Promise<void> {
  const open = "SELECT FROM agentkit.runs WHERE is_background AND status IN ('queued', 'running') LIMIT 1"
  // Polls rarely, because each query takes CPU time of Postgres, which is measured.
  while ((await query(open)).length > 0) await sleep(100)
}
