import type { RunStore } from '../../contracts/run-store.ts'
import { limits } from '../../limits.ts'
import { printLine } from '../../util/text/print-line.ts'
import type { BackgroundStore } from './background-of.ts'

/** An agent's last worker counts as gone after this time without a heartbeat. */
export const workerGoneMs = 60_000

/** A schedule is reported after this time without a worker that has its agent. */
export const scheduleIdleMs: number = 7 * 24 * 3_600_000

/** Agents of which this process has warned that they have no worker. */
const warned = new WeakMap<RunStore, Set<string>>()

/** Warns once, on stderr, when no running worker is known that has the agent. */
export async function warnWithoutWorker(runs: BackgroundStore, agentId: string): Promise<void> {
  const known = warned.get(runs) ?? new Set()
  if (known.has(agentId)) return
  warned.set(runs, known.add(agentId))
  // The run is stored, even if the store cannot list its workers.
  const workers = await runs.background.lastWorkers().catch(() => undefined)
  if (!workers || workers.some((worker) => worker.agentId === agentId && isRunning(runs, worker.at))) return
  const message =
    `agentkit: no worker for the agent "${agentId}" is known to be running. Its runs stay queued until one starts: ` +
    'agent.work(), or `npx agentkit worker <file>`.'
  printLine(message)
}

function isRunning(runs: RunStore, at: number): boolean {
  return runs.now() - at <= limits.workerSilenceMs
}
