import type { Approval } from './approval-data.ts'
import type { Citation } from './citation.ts'
import type { ErrorInfo } from './errors.ts'
import type { RunFinishReason } from './event.ts'
import type { TurnStatus } from './session-data.ts'
import type { Cost, Usage } from './usage.ts'

/**
 * The status of a stored run: `queued` → `running` → `done` or `failed`, and `running` ⇄ `waiting` for decisions. A queued
 * or waiting run may also become `failed`. A run that was taken over, or whose last approval was decided, is `running`.
 */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'done' | 'failed'

/** Whether a run has ended. A failed one may be retried. */
export function isEnded(status: RunStatus | TurnStatus): boolean {
  return status === 'done' || status === 'failed'
}

/** A stored run. Times are ISO 8601, UTC. */
export type RunRecord = {
  /** The id of the run. */
  runId: string
  /** The id of its agent. */
  agentId: string
  /** The user of the run. */
  userId: string
  /** Absent for a run without a session. */
  sessionId?: string
  /** Whether the run is queued, running, waiting, done or failed. */
  status: RunStatus
  /** Why the run ended; absent until then. */
  finishReason?: RunFinishReason
  /** The answer. Absent in lists. */
  text?: string
  /** Why the run failed. */
  error?: ErrorInfo
  /** The open approvals of a run that is `waiting`. */
  approvals: Approval[]
  /** The tokens of the run and of all runs that it started. */
  usage?: Usage
  /** The cost of the run; absent when the price of a model is not known. */
  cost?: Cost
  /** The passages that the answer is based on. */
  sources: Citation[]
  /** How many processes have worked on the run: 0 while it is queued, then 1, and one more after each takeover. */
  attempts: number
  /** When the run was accepted. */
  createdAt: string
  /** When the run began. */
  startedAt?: string
  /** When the run ended. */
  endedAt?: string
  /** A later run replaces this one: it is hidden from the model and from history. */
  replaced?: true
  /** The version of the agent that began it. */
  agentVersion?: string
  /** The run of the swarm that this run of a member belongs to. */
  parentRunId?: string
}
