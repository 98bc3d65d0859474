import type { Message, UserMessage } from '../../data/message.ts'
import type { AccountAround } from '../../policies/shared-budget.ts'
import { sha256 } from '../../util/text/sha256.ts'
import { callName } from '../decisions/approval-id.ts'

/**
 * What a worker needs to begin the run of a member, beside its input: a part of the run's options. Plain JSON, whose
 * field names are part of the stored data.
 */
export type MemberRun = {
  /** The ids of the agents below the outermost one, from the outside in; the last one is the member. */
  path: readonly string[]
  /** The member's name. */
  name: string
  /** The session of the outermost run. */
  sessionId?: string
  /** How many runs it is nested in. */
  depth: number
  /** The ids of the runs around it, from the inside out, and the names of `accounts`. */
  within: readonly string[]
  /** The bounded accounts of these runs. */
  accounts: readonly AccountAround[]
}

/** Where a member's run is that is stored as one of its own. */
export type MemberScope = MemberRun & {
  rootRunId: string
  /** The outermost agent. */
  agentId: string
}

/** What a member's run begins with. */
export type MemberInput = { input: UserMessage; history: readonly Message[] }

/** The id of the run that a call of a member starts: the same whenever the call is made again. */
export function memberRunId(runId: string, step: number, callId: string): string {
  return `run_${sha256(JSON.stringify([runId, callName(step, callId)]), 'base64url')}`
}

/** The name of a member's tool. */
export function memberToolName(id: string): string {
  return id.replaceAll('-', '_')
}
