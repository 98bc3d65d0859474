import type { Approval } from './approval-data.ts'
import type { Citation } from './citation.ts'
import type { ErrorInfo } from './errors.ts'
import type { RunFinishReason } from './event.ts'
import type { Cost, Usage } from './usage.ts'

/**
 * The status of a stored run: `queued` → `running` → `done` or `failed`, and `running` ⇄ `waiting` for decisions. A queued
 * or waiting run may also become `failed`. A run that was taken over, or whose last approval was decided, is `running`.
 */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'done' | 'failed'

/** A stored run, as its owner may see it. Times are ISO 8601, UTC. */
export type RunRecord = {
  runId: string
  agentId: string
  userId: string
  /** Absent for a run without a session. */
  sessionId?: string
  status: RunStatus
  finishReason?: RunFinishReason
  /** The answer. Absent in lists. */
  text?: string
  error?: ErrorInfo
  /** The open approvals of a run that is `waiting`. */
  approvals: Approval[]
  usage?: Usage
  cost?: Cost
  sources: Citation[]
  /** 1, and one more whenever a process has taken the run over; 0 until a queued run begins. */
  attempts: number
  createdAt: string
  startedAt?: string
  endedAt?: string
  /** A later run replaces this one: it is hidden from the model and from history. */
  replaced?: true
  /** The version of the agent that began it. */
  agentVersion?: string
  parentRunId?: string
}
