import { setTimeout as sleep } from 'node:timers/promises'
import type { Budget } from '../../data/budget.ts'
import { tighten } from '../../policies/budget.ts'
import type { AgentRun, RunOptions } from '../../runs/driver/run.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { type AnyAgent, anyAgent, anyBudget } from './any-agent.ts'
import { wasSuspended } from '../../sessions/recorded-data.ts'
import { checkRun } from './check-run.ts'
import { checkNextTurn, checkSession, checkStored, key, snapshotOf } from './check-session.ts'
import { anyDecisions, checkWaiting, type Waiting } from './decide-waiting.ts'
import { type FlakyProcess, flakyProcess } from './flaky-process.ts'
import { type Random, randomOf } from '../random.ts'
import { startAnyRun } from './start-any-run.ts'
import { createWitness, type Witness } from './witness.ts'

/** Storage that survives the processes that use it. */
export type Disk = {
  /** Opens the store as a process does. Closing it fails its active runs. */
  open(): SessionStore
}

const rounds = 3

/**
 * A random conversation of several rounds in one session. In each round runs begin or are resumed after approval, some
 * concurrently, some in another process; and processes are killed.
 *
 * @returns the violations, and where they occurred; empty when there are none
 */
export async function converse(seed: number, disk: Disk): Promise<string[]> {
  const random = randomOf(seed)
  const store = disk.open()
  const waiting = new Map<string, Waiting>()
  const problems: string[] = []
  const budget = random.oneIn(4) ? anyBudget(random) : {}
  let calls = 0
  const openProcess = (): Process => {
    const process = flakyProcess(disk.open(), random.fork())
    return { ...anyAgent(random.fork(), process.store, budget, () => `call_${++calls}`), process }
  }
  let main = openProcess()

  for (let round = 0; round < rounds; round++) {
    const report = (found: readonly string[]): void => {
      problems.push(...found.map((problem) => `seed ${seed}, round ${round}: ${problem}`))
    }
    const before = await snapshotOf(store)
    const other = random.oneIn(4) ? openProcess() : undefined
    // A run that one process cannot end must wait in another.
    main.process.isAtRest = other !== undefined
    if (other) other.process.isAtRest = true
    const { failures } = main.process
    const asked = anyRequests(random, other ? [main, other] : [main], budget, waiting)
    const runs = asked.map(({ witness, start }) => startAnyRun(random.fork(), witness, start))
    const isKilled = random.oneIn(6)
    if (isKilled) {
      await sleep(random.below(15))
      await main.process.kill()
      for (const [index, run] of runs.entries()) if (asked[index]?.by === main) run.abort()
    }
    const settled = await Promise.all(runs.map((run) => run.settled))
    if (isKilled) main = openProcess()
    main.process.isAtRest = true
    await endOrphans(store)
    report(await checkNextTurn(main.process.store, store))
    for (const [index, run] of settled.entries()) {
      const { by, witness } = asked[index] as Asked
      report(run ? checkRun(run, by.isOutput) : ['a run hangs'])
      if (!run) continue
      const isLost = isKilled && by !== other
      if (run.result.approvals.length > 0 && !isLost) waiting.set(run.runId, { result: run.result, witness })
      else waiting.delete(run.runId)
      if (isLost) continue
      if (by.process.failures === failures || by === other) report(await checkStored(run, store))
    }
    report(checkSession(before, await snapshotOf(store)))
    await other?.process.kill()
    if (random.oneIn(3)) {
      await main.process.kill()
      main = openProcess()
    }
  }
  main.process.isAtRest = true
  problems.push(
    ...(await checkWaiting(waiting, main.process.store, random)).map((problem) => `seed ${seed}: ${problem}`),
  )
  await main.process.kill()
  await store.close()
  return problems
}

/** Ends the runs that hold the session and have no process: here no other one continues them. */
async function endOrphans({ runs }: SessionStore): Promise<void> {
  for (const { runId } of (await runs?.orphans([key.agentId])) ?? []) {
    const stored = await runs?.read(runId)
    if (stored && !wasSuspended(stored)) await runs?.cancel(runId, { status: 'failed', finishReason: 'error' })
  }
}

type Process = AnyAgent & { process: FlakyProcess }
type Asked = { by: Process; witness: Witness; start(options: RunOptions): AgentRun<unknown> }

/** The concurrent requests of a round: new runs, and resumed ones. */
function anyRequests(
  random: Random,
  processes: readonly Process[],
  budget: Budget,
  waiting: ReadonlyMap<string, Waiting>,
): Asked[] {
  const begun = Array.from({ length: random.pick([1, 1, 1, 2, 4]) }, (): Asked => {
    const question = `Question ${random.below(1_000_000)}`
    const by = random.pick(processes)
    const own = random.oneIn(4) ? anyBudget(random) : {}
    const options: RunOptions = { budget: own, ...(!random.oneIn(8) && { sessionId: key.sessionId }) }
    if (random.oneIn(5)) options.history = [{ role: 'user', content: 'Long ago.' }]
    return {
      by,
      witness: createWitness(question, tighten(budget, own)),
      start: (more) => by.agent.stream(question, { ...options, ...more }),
    }
  })
  const wanted = [...waiting.values()].filter(() => random.oneIn(2))
  const goneOn = wanted.map((run): Asked => {
    const { result, witness } = run
    const by = random.pick(processes)
    const decisions = anyDecisions(random, run)
    witness.resumes()
    return { by, witness, start: (more) => by.agent.resume(result.runId, decisions, more) }
  })
  return [...begun, ...goneOn]
}
