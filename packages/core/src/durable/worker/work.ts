import type { SessionStore } from '../../contracts/session-store.ts'
import { invalidArgument } from '../../data/errors.ts'
import { isRecord } from '../../data/message-problem.ts'
import { limits } from '../../limits.ts'
import type { Worker, WorkOptions } from '../../runs/driver/background.ts'
import { checkOptions, type OptionRule, type OptionRules } from '../../util/options/check-options.ts'
import { printFailures } from '../../util/text/print-failures.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { sharedPlaces } from './shared-places.ts'
import { workOnStore } from './work-on-store.ts'
import type { WorkerOptions, WorkingAgent } from './worker-options.ts'

const isConcurrency: OptionRule = {
  is: `a whole number from 1 to ${limits.mostConcurrency}`,
  holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.mostConcurrency,
}
const workRules = { concurrency: isConcurrency, concurrencyPerUser: isConcurrency } satisfies OptionRules<WorkOptions>

/**
 * Begins and continues the background runs of these agents in this process, and continues others that are decided. All of
 * them share its places.
 * @throws AgentKitError `invalid-argument`; `invalid-config` or `unsupported` for a store without background runs
 */
export async function workOn(agents: readonly WorkingAgent[], options: WorkerOptions = {}): Promise<Worker> {
  if (!isRecord(options)) checkOptions(options, workRules)
  const {
    places: ofProcess,
    admit,
    onSpent,
    onSettled,
    keepsRetention = true,
    onRemoved = () => {},
    onError = printFailures('a worker tries again'),
    ...given
  } = options
  checkOptions(given, workRules)
  const { concurrency = limits.concurrency, concurrencyPerUser = concurrency } = given
  if (agents.length === 0) throw invalidArgument('Pass the agents whose runs the worker begins.')
  for (const agent of agents) backgroundOf(agent.toSpec().sessions)
  const stores = byStore(agents)
  const places = ofProcess ?? (stores.size > 1 ? sharedPlaces(concurrency) : undefined)
  const hooks = { admit, onSpent, onSettled, onRemoved, onError }
  // A server, whose places these are, continues its decided runs itself.
  const continuesDecided = ofProcess === undefined
  const shared = { concurrency, concurrencyPerUser, places, keepsRetention, continuesDecided, ...hooks }
  const started = await Promise.allSettled([...stores].map(([store, own]) => workOnStore(store, own, shared)))
  const workers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = started.find((one) => one.status === 'rejected')
  if (failed) {
    // The caller receives nothing that it could close: the workers on the other stores would continue.
    await Promise.all(workers.map((worker) => worker.close()))
    throw failed.reason
  }
  let closed: Promise<unknown> | undefined
  return {
    async close() {
      closed ??= Promise.all(workers.map((worker) => worker.close()))
      await closed
    },
  }
}

function byStore(agents: readonly WorkingAgent[]): Map<SessionStore, WorkingAgent[]> {
  const stores = new Map<SessionStore, WorkingAgent[]>()
  for (const agent of agents) {
    const { sessions } = agent.toSpec()
    stores.set(sessions, [...(stores.get(sessions) ?? []), agent])
  }
  return stores
}
