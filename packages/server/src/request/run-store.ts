import type { Runnable, RunStore } from '@agentkit/core'
import { ProblemError } from '../answer/problem.ts'

/**
 * The store of the agent's runs.
 * @throws ProblemError `unsupported` for sessions that keep none
 */
export function runStoreOf({ sessions }: Runnable): RunStore {
  if (sessions.runs) return sessions.runs
  throw new ProblemError('unsupported', {
    detail:
      'This server keeps no runs: give the agent sessions on disk or Postgres, such as `sessions: "sessions.db"`.',
  })
}
