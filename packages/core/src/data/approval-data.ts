import type { JSONValue } from './message.ts'

/**
 * What a person decides on: `approval` is a call that needs approval before it runs; `unknown-outcome` a call that had
 * begun when its process died; `client-tool` a call that the caller executes.
 */
export type ApprovalKind = 'approval' | 'unknown-outcome' | 'client-tool'

/** A tool call that waits for a decision. */
export type Approval = {
  /** `apr_` and 22 letters or digits; the same whenever the approval is shown again. */
  approvalId: string
  /** The id of the tool call. */
  callId: string
  /** The name of the tool. */
  name: string
  /** The arguments of the call. */
  input: unknown
  /** What has to be decided. */
  kind: ApprovalKind
  /** When a call of unknown outcome began: ISO 8601, UTC. */
  startedAt?: string
  /** The member of a swarm that makes the call: the ids below the outermost agent, from the outside in. */
  path?: string[]
}

/**
 * The decision on an approval: `true` runs the call, `{ deny }` gives the model the reason why not. `{ result }`, for `unknown-outcome`
 * and `client-tool` only, is taken as what the tool returned.
 */
export type Decision = true | { deny: string } | { result: JSONValue }

/** Decisions by `approvalId`. */
export type Decisions = Record<string, Decision>
