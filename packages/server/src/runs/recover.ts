import type { Runnable } from '@agentkit/core'
import { type RecoverableAgent, type Recovery, recoverRuns } from '@agentkit/core/internal'
import { ProblemError } from '../answer/problem.ts'
import type { Capacity } from '../capacity/capacity.ts'
import type { LogEntry } from '../util/log.ts'
import { logFailures } from '../util/log-failures.ts'
import { logRun } from '../util/log-run.ts'

type RecoverOptions = {
  agent: Runnable
  capacity: Capacity
  log: (entry: LogEntry) => void
  /** Ends the search. */
  signal: AbortSignal
}

/** Continues the agent's runs whose process has died or was stopped, within the places of this server and of its users. */
export function recover({ agent, capacity, log, signal }: RecoverOptions): Recovery | undefined {
  if (!agent.sessions.runs || !isRecoverable(agent)) return undefined
  const waiting = new Set<string>()
  const logFailure = logFailures('A stored run could not be continued.', { log })
  return recoverRuns([agent], {
    signal,
    async enter(runId, userId) {
      // The run continues for the client that has decided.
      if (capacity.continuations.has(runId)) throw new ProblemError('overloaded')
      if (userId === undefined) return capacity.runs.enter(signal)
      const left = new AbortController()
      const place = capacity.enter(AbortSignal.any([signal, left.signal]), { userId, isContinued: true })
      const turn = new Promise<boolean>((resolve) => setImmediate(resolve, false))
      if (await Promise.race([place.then(() => true), turn])) return place
      // At most one run of a user waits here: more would take the turns of the runs of others.
      if (waiting.has(userId)) left.abort()
      else {
        const done = (): boolean => waiting.delete(userId)
        waiting.add(userId)
        void place.then(done, done)
      }
      return place
    },
    onSettled({ userId }, spent, result) {
      capacity.countRun(userId, spent)
      logRun(result, { log })
    },
    onError(error) {
      // No place is free, or a decision continues the run, which is found again otherwise.
      if (!(error instanceof ProblemError)) logFailure(error)
    },
  })
}

/** Every agent and swarm of core; other implementations of `Runnable` continue their runs themselves. */
function isRecoverable(agent: Runnable): agent is Runnable & RecoverableAgent {
  return 'continueRun' in agent && 'toSpec' in agent
}
