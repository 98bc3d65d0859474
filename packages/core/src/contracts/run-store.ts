import type { Approval, Decision } from '../data/approval-data.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { RunRecord, RunStatus } from '../data/run-record.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Cost } from '../data/usage.ts'
import type { BackgroundRuns } from './background-runs.ts'
import type { IdempotentAnswers } from './idempotent-answers.ts'
import type { PruneReport, RetentionRules } from './retention.ts'
import type { RunBeginning, RunEnding, RunEntry, StartedCall } from './run-entry.ts'
import type { UsageBy, UsageRow } from './usage-row.ts'

/**
 * What a store keeps of runs beside their messages, so that they outlive their process: options, calls that have begun,
 * approvals, events, attempts. Part of `SessionStore.runs`; every such store passes `runStoreContract` of
 * `@agentkit/testing/vitest`.
 *
 * - A run that was created here is read by `load`, `turns`, `find` and `list` as one that `begin` has begun.
 * - Each write carries the run's attempt. A write of an earlier attempt, or on a run that is not `running`, is
 *   `session-conflict` and changes nothing. A repeated append changes nothing either. Events alone are still stored by the
 *   attempt that suspended the run, until another one takes it over.
 * - A call that begins again has its new `startedAt`.
 * - A run holds its session while it is `running` in a process, also after that process has died when it is resumable: the
 *   next `create` in the session is then `session-conflict`, retryable. A `waiting` run holds nothing, nor does one whose
 *   approvals are all decided and that no process has taken over yet.
 * - A run is **lost** when its process has died, and **free** when its approvals are decided or it was released.
 * - `load`, `begin` and `create` settle a lost run that is not resumable as `failed`, code `crashed`.
 * - Deleting a session deletes its runs with their calls, approvals, events and idempotent answers.
 */
export interface RunStore {
  /** Runs that workers begin and continue. Absent where nothing outlives the process, as for `:memory:`. */
  readonly background?: BackgroundRuns
  /** Whether `watch` currently reports writes of other processes too. */
  readonly hearsOthers?: boolean
  /**
   * The time of the store, in milliseconds since 1970: the same for all processes that share it, whatever their clocks
   * say. Every time that is stored is of this clock. It is known after `open`, or any other call.
   */
  now(): number
  /** Connects to the store, where it has a clock of its own. */
  open?(): Promise<void>
  /**
   * Begins a run as `SessionStore.begin` does. Its attempt is 1.
   * @throws AgentKitError `session-conflict` as `begin`; `not-found` when `replaces` is no run of this session
   */
  create(key: SessionKey, run: NewRunEntry): Promise<void>
  /**
   * Takes a run over for this process, with the next attempt: a `waiting` one of which an approval is decided, a free or a
   * lost one, or a queued one whose turn it is (see `BackgroundRuns`). Of several callers at once, one succeeds.
   * @param options.expectedVersion of the session, as `load` returned it; checked where the run does not hold it
   * @param options.begin what is stored with it when the run has no messages yet: its first messages, and its deadline
   * @throws AgentKitError `session-conflict` when the run is not to be had, or its session is held by another run
   * (retryable) or has moved on (retryable); `not-found`
   */
  takeOver(runId: string, options: { expectedVersion: number; begin?: RunBeginning }): Promise<StoredRun>
  /** Stores what is finished, all or nothing. An entry with nothing in it only asks whether the run is still this process's. */
  append(runId: string, entry: RunEntry): Promise<void>
  /**
   * Suspends the run: it is `waiting` for these approvals and releases its session. It is free instead where all of them
   * are decided already.
   * @param entry.cost what it has cost by now; `end` replaces it
   * @returns the decisions on these approvals that are stored already
   */
  suspend(
    runId: string,
    entry: RunEntry & { approvals: readonly StoredApproval[]; cost?: Cost },
  ): Promise<Record<string, Decision>>
  /**
   * Stores decisions, all or none. The first decision on an approval wins. When none is left open, a `waiting` run becomes
   * `running` and is free. From then on it is resumable.
   * @returns the run's status afterwards
   * @throws AgentKitError `not-found` for an unknown run or approval; `session-conflict` for an approval that was decided,
   *   with what was decided and when, and for a run that has ended or was replaced
   */
  decide(runId: string, decisions: Readonly<Record<string, Decision>>, by?: string): Promise<RunStatus>
  /** Ends the run, in the transaction of its last entry. */
  end(runId: string, ending: RunEntry & RunEnding): Promise<void>
  /**
   * Ends a run that is not `done` or `failed`, also one that another process holds.
   * @param ending.events its last event, where it keeps its events
   * @returns false when it had ended
   * @throws AgentKitError `not-found` for an unknown run
   */
  cancel(runId: string, ending: RunEnding & { events?: readonly AgentEvent[] }): Promise<boolean>
  /**
   * Makes the run free: another process may take it over at once. It keeps its session; the takeover is no crash.
   * @throws AgentKitError `session-conflict` also where another process has taken the run over with this attempt, as this one
   *   may have failed to; so does `suspend`
   */
  release(runId: string, attempt: number): Promise<void>
  /** @returns `undefined` for an unknown run */
  read(runId: string): Promise<StoredRun | undefined>
  /**
   * Newest first, without answers. The order is that in which runs were accepted: it does not change when a queued one begins.
   * `after` is the id of a run of the owner: any other has none after it; all users when `userId` is absent.
   */
  list(
    owner: { agentId: string; userId?: string },
    filter: { sessionId?: string; status?: RunStatus; limit: number; after?: string },
  ): Promise<RunRecord[]>
  /**
   * What the runs of an owner have used, in one row per day (UTC, on which the run was created), model (of the run's last
   * answer) or session of a user, in the order of their keys. Members are part of the run that calls them. Absent where
   * that is not known.
   * @param filter.from,filter.to in milliseconds since 1970; `to` is exclusive
   * @param filter.runs the most runs that are read
   * @param filter.limit the most rows
   * @returns `undefined` where more than `runs` runs are in the range
   */
  usage?(
    owner: { agentId: string; userId?: string },
    filter: { by: UsageBy; from?: number; to?: number; runs: number; limit: number },
  ): Promise<UsageRow[] | undefined>
  /** The agents that have stored runs, at most 1,000. Absent where that is not known. */
  agents?(): Promise<string[]>
  /** Events with a `seq` above `after`, in order, at most `limit`. Empty for runs that keep none. */
  events(runId: string, after: number, limit: number): Promise<AgentEvent[]>
  /** The lowest and the highest `seq` that is stored; `undefined` when none is. */
  eventRange(runId: string): Promise<{ oldest: number; last: number } | undefined>
  /**
   * Calls `listener` after each write to the run by this process, and at other times too, as after writes of other
   * processes. A run of another process is read again by the caller, seldom where `hearsOthers`.
   * @returns stops it
   */
  watch(runId: string, listener: () => void): () => void
  /**
   * The free and the lost runs of these agents that are no background runs, at most 100. The free ones are first: where no
   * server ends the lost ones, these may be many. Each oldest first.
   */
  orphans(agentIds: readonly string[]): Promise<OrphanedRun[]>
  /** Suspended runs whose approvals were requested before this time (milliseconds since 1970), at most 100. */
  expired(agentIds: readonly string[], before: number): Promise<string[]>
  /**
   * Removes what is older than the rules allow, in small batches, each a transaction of its own; with a swarm's session
   * those of its members.
   */
  prune(rules: RetentionRules): Promise<PruneReport>
  /** What all data of the store takes, in bytes. Absent where that is not known. */
  size?(): Promise<number>
  readonly answers: IdempotentAnswers
}

/** An approval, with what the run needs beside what a user sees. */
export type StoredApproval = Approval & {
  /** The decision on it; absent while it is open. */
  decision?: Decision
  /** Who decided. */
  decidedBy?: string
  /** When it was decided: ISO 8601, UTC. */
  decidedAt?: string
}

/** How a run begins. */
export type NewRunEntry = {
  /** The id of the new run. */
  runId: string
  /** The agent of the run. The key of a run without a session names another one, which no list of sessions shows. */
  agentId: string
  /** The version that `load` returned; 0 for an unknown session. */
  expectedVersion: number
  /** Its first messages: those that seed the session, then the question. */
  input: readonly Message[]
  /**
   * Hides this run of the session, every later turn, and the turns of their members, as `SessionStore.begin` does. Those
   * that run or wait are cancelled.
   */
  replaces?: string
  /** Whether the run is continued when its process has died; otherwise it then fails. */
  isResumable: boolean
  /** Whether its events are stored. */
  keepsEvents: boolean
  /** When the run must have ended, in milliseconds since 1970. */
  deadline?: number
  /** What the run needs to continue elsewhere. */
  options?: JSONValue
  /** How far it has come; see `StoredRun.progress`. */
  progress?: JSONValue
  /** The version of the agent that begins it. */
  agentVersion?: string
  /** Whether notices of its end, and of its waiting, are kept for `BackgroundRuns.takeNotices`. */
  notifies?: boolean
}

/** A stored run with everything that continues it. */
export type StoredRun = {
  /** What its user sees of it. */
  record: RunRecord
  /** The session that it is stored in; a run without a session has a key of its own. */
  key: SessionKey
  /** How often a process has taken it: its writes need this number. */
  attempt: number
  /** Whether it is continued when its process has died; otherwise it then fails. */
  isResumable: boolean
  /** Whether its events are stored. */
  keepsEvents: boolean
  /** When it must have ended, in milliseconds since 1970. */
  deadline?: number
  /** What it needs to continue elsewhere. */
  options?: JSONValue
  /** What the loop has stored last: where the run continues. */
  progress?: JSONValue
  /** Calls that have begun, in order. */
  calls: StartedCall[]
  /** All approvals that it has requested, decided ones too. */
  approvals: StoredApproval[]
  /** The highest `seq` that is stored. */
  lastSeq: number
  /** Takeovers of a lost run since it last finished a step. */
  takeovers: number
  /** Whether workers begin and continue it. */
  isBackground?: boolean
  /** Running, but no process has it, and it waits for none of its members: it can be taken over at once. */
  isFree?: boolean
  /** Running, but no process has it, and none may have it until the runs of its members have ended or wait. */
  awaitsMembers?: boolean
  /** Whether no run of its session has begun: the session need not be loaded. May be left out. */
  hasNewSession?: boolean
  /** Of a member's run: the outermost run, with whose events its own are stored. */
  rootRunId?: string
  /** Of its jobs: higher first; 0 when absent. A member's run has that of its caller. */
  priority?: number
}

/** A run whose process has died. */
export type OrphanedRun = {
  /** The id of the run. */
  runId: string
  /** The id of its agent. */
  agentId: string
  /** Its process has died; otherwise it is free. */
  isLost: boolean
  /** Whether it is continued; otherwise it is ended as `crashed`. */
  isResumable: boolean
  /** Takeovers of a lost run since it last finished a step. */
  takeovers: number
}
