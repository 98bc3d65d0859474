import type { AgentEvent, Approval, Decisions, Runnable, StoredRun } from '@agentkit/core'
import type { ProblemError } from '../../answer/problem.ts'
import type { AgentFiles, Scope } from '../../files/agent-files.ts'

/** Reads a run. */
export type Watch = {
  /** Cancels the run. */
  signal: AbortSignal
  onEvent(event: AgentEvent): void
}

export type Question = { message: string; sessionId: string }

/** The host of an MCP server's runs: a server over HTTP, or the process of a desktop host. */
export interface MCPHost {
  readonly agent: Runnable
  readonly userId: string
  /** Whether the caller may decide on approvals. */
  readonly mayDecide: boolean
  /**
   * Runs the agent. Resolves when the run has ended or waits, also when it has failed.
   * @throws ProblemError where it does not begin
   */
  ask(question: Question, watch: Watch): Promise<void>
  /**
   * Decides on approvals of a run, and reads the continued run.
   * @returns false while other approvals are open
   * @throws ProblemError `session-conflict` for an approval that was decided
   */
  decide(stored: StoredRun, decisions: Decisions, watch: Watch): Promise<boolean>
  /** The files that the caller may read; `undefined` where there are none. */
  files(): { files: AgentFiles; scope: Scope } | undefined
  /** @throws ProblemError `overloaded` where there is no memory for an answer of this size */
  reserve(bytes: number): void
  /** Called with each request that is refused. */
  onProblem(problem: ProblemError): void
  /** Called with each run that has failed. */
  onFailure(problem: ProblemError): void
  /** Resolves when no run is left that belongs to the connection; absent where others wait for them. */
  settled?(): Promise<void>
  /** How a person decides on an approval otherwise. */
  decisionRoute(runId: string, approval: Approval): string
}
