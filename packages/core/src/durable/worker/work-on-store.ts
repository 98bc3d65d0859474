import type { SessionStore } from '../../contracts/session-store.ts'
import { isAgentKitError } from '../../data/errors.ts'
import { limits } from '../../limits.ts'
import type { Worker } from '../../runs/driver/background.ts'
import { handBackRuns } from '../../sessions/live-runs.ts'
import { settledWithin } from '../../util/async/abort.ts'
import { repeat } from '../../util/async/repeat.ts'
import { reportNotices } from '../notices/deliver-notices.ts'
import { storeNotices } from '../notices/store-notices.ts'
import { backgroundOf } from '../queue/background-of.ts'
import { stopEnded } from '../queue/stop-ended.ts'
import { scheduleStarter } from '../schedules/start-scheduled.ts'
import { decidedRuns } from './decided-runs.ts'
import { dispatch } from './dispatch.ts'
import { keepRetention } from './keep-retention.ts'
import { type Admit, jobRunner, type OnSettled, type OnSpent } from './run-job.ts'
import { sweep } from './sweep.ts'
import type { WorkerParts, WorkerPlaces, WorkingAgent } from './worker-options.ts'

type StoreWorkerOptions = {
  concurrency: number
  concurrencyPerUser: number
  places: WorkerPlaces | undefined
  admit: Admit | undefined
  onSpent: OnSpent | undefined
  onSettled: OnSettled | undefined
  keepsRetention: boolean
  /** Whether runs that are no background runs continue here when they are decided. */
  continuesDecided: boolean
  onRemoved(what: string): void
  onError(error: unknown): void
}

/** A worker of this process for agents that share a store. Its first heartbeat is stored when this resolves. */
export async function workOnStore(
  store: SessionStore,
  agents: readonly WorkingAgent[],
  {
    concurrency,
    concurrencyPerUser,
    places,
    admit,
    onSpent,
    onSettled,
    keepsRetention,
    continuesDecided,
    onRemoved,
    onError: report,
  }: StoreWorkerOptions,
): Promise<Worker> {
  let isClosed = false
  // A worker that has closed leaves what it still tries to others, and reports no failure of it.
  const onError = (error: unknown): void => (isClosed ? undefined : report(error))
  const runs = backgroundOf(store)
  const { background } = runs
  const agentIds = agents.map(({ id }) => id)
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const parts = new Map<string, WorkerParts>(agents.map((agent) => [agent.id, agent.workerParts?.() ?? {}]))
  const workerId = `worker_${crypto.randomUUID()}`
  // A worker could take nothing from a queue of an unknown version. One that is not reachable is tried again.
  await background.queue.migrate().catch((error) => {
    if (!isAgentKitError(error) || !error.retryable) throw error
    onError(error)
  })
  await background.beatWorker(workerId, agentIds)

  const runner = jobRunner({
    ...{ store, runs },
    admit: (run) => (admit ?? parts.get(run.agentId)?.admit)?.(run),
    onSpent: (run, ...spent) => (onSpent ?? parts.get(run.agentId)?.onSpent)?.(run, ...spent),
    onSettled,
  })
  const dispatcher = dispatch({
    ...{ queue: background.queue, agentIds, concurrency, perUser: concurrencyPerUser, onError },
    ...(places && { places }),
    async run({ agentId, runId }) {
      const agent = byId.get(agentId)
      // A queue gives only jobs of these agents.
      if (!agent) return { afterMs: limits.elsewhereAgainMs }
      const leave = places ? places.enter() : () => {}
      // Another run of the process was faster.
      if (!leave) return { afterMs: limits.busyAgainMs }
      try {
        return await runner.run(agent, runId)
      } finally {
        leave()
        if (notified.includes(agentId)) notices.wake()
      }
    },
    handBack: (runIds, withinMs) => handBackRuns(store, withinMs, runIds),
  })
  const stopped = new AbortController()
  const specs = (): { id: string; approvalMs: number }[] =>
    agents.map((agent) => ({ id: agent.id, approvalMs: agent.toSpec().approvalMs }))
  const hookOf = (agentId: string) => byId.get(agentId)?.toSpec().onRunEnd
  // Notices that this process cannot deliver are left to others.
  const deliverOf = (agentId: string) => parts.get(agentId)?.deliver
  const notified = agentIds.filter((agentId) => deliverOf(agentId) !== undefined || hookOf(agentId) !== undefined)
  const notices = storeNotices(store, notified, { hookOf, deliverOf, onError })
  const reports = reportNotices(runs, onError)
  const upkeep = [
    repeat(limits.keepMs, () => background.beatWorker(workerId, agentIds), onError),
    repeat(limits.sweepMs, () => sweep(store, specs(), stopped.signal), onError),
    repeat(limits.scheduleMs, scheduleStarter(runs, agentIds, onError), onError),
    ...(continuesDecided ? [repeat(limits.decidedMs, decidedRuns(store, runs, agentIds), onError)] : []),
  ]
  // Until the last run has ended: close() waits for one that another process cancels.
  const stopping = repeat(limits.keepMs, () => stopEnded(store, runs, dispatcher.jobs), onError)
  const rules = [...parts.values()].find(({ retention }) => retention)?.retention ?? {}
  const stopRetention = keepsRetention ? keepRetention({ runs, rules, onRemoved, onError }) : () => {}
  const end = async (): Promise<void> => {
    await Promise.all([dispatcher.close(), ...upkeep.map((one) => one.stop())])
    await stopping.stop()
    // Delivers the notices of runs that have ended meanwhile.
    await notices.stop()
    await background.removeWorker(workerId).catch(onError)
  }
  return {
    async close() {
      stopped.abort()
      stopRetention()
      // Each call of an unreachable store is tried for long. Runs that cannot be handed back are taken over as those of a dead process.
      await settledWithin(limits.drainMs + limits.lastCallsMs, end())
      isClosed = true
      reports.stop()
    },
  }
}
