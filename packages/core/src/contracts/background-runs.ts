import type { JSONValue } from '../data/message.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { RunRecord } from '../data/run-record.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { RunEntry } from './run-entry.ts'
import type { QueuedJob, RunQueue } from './run-queue.ts'

/**
 * What a store keeps of runs that workers begin and continue. Part of `RunStore.background`; every such store passes
 * `backgroundRunsContract` of `@agentkit/testing/vitest`.
 *
 * - A background run is `queued` until a worker begins it by `takeOver`. It has no messages until then: its input is in
 *   its `options`. It is resumable, keeps its events, and is not among the `orphans`.
 * - A queued run begins only when no run of its session runs, is free or was decided, and no run of the session that was
 *   accepted earlier is queued: `takeOver` is `session-conflict`, retryable, until then. Order counts from `dueAt` where it
 *   is later than the acceptance. It then takes its place in the conversation, after all turns before it.
 * - A direct run does not wait for queued ones. `load` and `turns` do not show runs that have not begun.
 * - The attempt of a run that has not begun is 0. `retry` keeps the attempt and the place in the conversation.
 * - The events of a member's run are stored with those of the outermost run, in the order in which they are written. Each
 *   event of such a tree, also of the outermost run, gets the number that it brings or the one above the last stored one,
 *   whichever is higher; `events` returns it with that number. Of a member's run, `events`, `eventRange` and `lastSeq` are
 *   its own events within that stream.
 * - With a run end, or are deleted, the runs of its members, and of theirs. `list` and the session's retention show and
 *   count the outermost run alone.
 * - A member's run that waits is not among the `expired`: its outermost run is, and ends it.
 */
export interface BackgroundRuns {
  readonly queue: RunQueue
  /**
   * Stores runs that workers begin later, all or none. Only the store: the caller adds their jobs to the queue.
   *
   * With `replaces`, turns are hidden now; with `onBusy: "interrupt"`, queued and running runs of the session end now.
   *
   * @returns for each entry its run's id: that of an earlier run where its idempotency key was used with the same
   *   fingerprint
   * @throws AgentKitError `invalid-argument` for a key that was used with another fingerprint; `session-busy` for an entry
   *   with `onBusy: "reject"` whose session has a queued or running run; `overloaded`, retryable, beyond the bounds;
   *   `not-found` when `replaces` is no run of the session
   */
  enqueue(entries: readonly QueuedRunEntry[], bounds: QueueBounds): Promise<{ runId: string; isNew: boolean }[]>
  /**
   * Makes a failed run `queued` again. It keeps what it has stored, and continues from there.
   * @throws AgentKitError `session-conflict` for a run that has not failed or was replaced, and for the run of a member whose
   *   caller has ended: none would end it; `not-found`
   */
  retry(runId: string): Promise<void>
  /**
   * Lets a direct run that waits for a session go before those that are queued: none of these begins for `ms` milliseconds. Absent
   * where direct runs compete with them.
   */
  holdQueued?(key: SessionKey, ms: number): Promise<void>
  /**
   * Suspends a run until its members' runs, which are created here where they are new, have each ended or wait for
   * approval. It keeps its session, and no process has it. When that has happened it is free.
   */
  delegate(runId: string, entry: RunEntry & { members: readonly MemberRunEntry[] }): Promise<void>
  /**
   * The background runs of these agents that need a worker: queued ones (also those that are not due), free ones, lost
   * ones; oldest first. Without runs that wait for a person or for their members.
   * @param page.after the last run of the page before
   */
  unfinished(agentIds: readonly string[] | undefined, page: { after?: string; limit: number }): Promise<QueuedJob[]>
  /** Background runs by agent and status, without those of members; `oldestQueuedAt` is in milliseconds since 1970. */
  counts(): Promise<RunCounts[]>

  /** The budget that the runs of a tree share, as JSON, with its version. `undefined` before it is first set. */
  sharedBudget(rootRunId: string): Promise<{ version: number; value: JSONValue } | undefined>
  /** @param expectedVersion 0 for none @returns false when the version has moved; then nothing is stored */
  setSharedBudget(rootRunId: string, expectedVersion: number, value: JSONValue): Promise<boolean>

  /**
   * Replaces the schedule of that agent and name. Its `lastAt` stays where none is given, and its `nextAt`, if it has one,
   * where `cron` and `timeZone` are the same: a program that sets its schedules at each start loses no time that is due.
   */
  setSchedule(schedule: StoredSchedule): Promise<void>
  /** @returns false when there was none */
  removeSchedule(agentId: string, name: string): Promise<boolean>
  /** All schedules of an agent; of all agents when absent. `dueBefore`: only those whose `nextAt` is not later. */
  schedules(filter: { agentIds?: readonly string[]; dueBefore?: number }): Promise<StoredSchedule[]>
  /**
   * Moves a schedule on and, with `run`, stores that run, in one transaction; `lastAt` is the present then.
   * @throws AgentKitError `overloaded` where the run would exceed `bounds`; then nothing is stored
   * @returns false when `nextAt` is not `expectedNextAt` any more, or the schedule was removed; then nothing is stored
   */
  moveSchedule(
    schedule: { agentId: string; name: string; expectedNextAt: number },
    to: { nextAt?: number; run?: QueuedRunEntry; bounds?: QueueBounds },
  ): Promise<boolean>

  /**
   * Takes notices of runs that have ended or wait, for `leaseMs`; only of runs whose entry or
   * beginning had `notifies`, not of members.
   * Of several callers at once, one receives a notice.
   */
  takeNotices(agentIds: readonly string[], page: { limit: number; leaseMs: number }): Promise<RunNotice[]>
  /**
   * Ends a notice, or postpones it to `retryAt` (milliseconds since 1970). `failed` says why it is given up; it is kept
   * with its run. An unknown notice is ignored.
   */
  settleNotice(noticeId: string, outcome: 'delivered' | { failed: string } | { retryAt: number }): Promise<void>

  /** The notices of a run that are not delivered, oldest first: those that are tried again, and those that have failed. */
  undelivered(runId: string): Promise<UndeliveredNotice[]>

  /** Records the heartbeat of a worker for these agents; called every 3 s. */
  beatWorker(workerId: string, agentIds: readonly string[]): Promise<void>
  removeWorker(workerId: string): Promise<void>
  /** The last heartbeat of a worker for the agent, in milliseconds since 1970; for each agent that ever had one. */
  lastWorkers(): Promise<{ agentId: string; at: number }[]>
}

/** A run that a worker begins. */
export type QueuedRunEntry = {
  /** The session of the run. */
  key: SessionKey
  /** The id of the new run. */
  runId: string
  /** The agent of the run, as in `NewRunEntry`. */
  agentId: string
  /** What a worker needs to begin it, the input among it. */
  options: JSONValue
  /** The start of the question: the title of a new session. */
  title: string
  /** Among the runs of its user: higher first; 0 when absent. */
  priority?: number
  /** Not before this time, in milliseconds since 1970. */
  dueAt?: number
  /** The same key with the same fingerprint, a hash of what was sent, is the same run. */
  idempotency?: { key: string; fingerprint: string }
  /** What happens where its session has a queued or running run. */
  onBusy: OnBusy
  /** A run of the session: it and every later turn are hidden. */
  replaces?: string
  /** Whether notices of its end, and of its waiting, are kept for `takeNotices`. */
  notifies?: boolean
  /** The version of the agent that accepts it. */
  agentVersion?: string
}

/** The run of a member: it has the same agent, user and priority, no session, and no notices. */
export type MemberRunEntry = {
  /** The id of the new run. */
  runId: string
  /** The session of the member. */
  key: SessionKey
  /** What a worker needs to begin it. */
  options: JSONValue
}

/** The maximum number of queued background runs. */
export type QueueBounds = {
  /** Of all users together. */
  queued: number
  /** Of one user. */
  userQueued: number
}

/** How many stored runs have each status. */
export type RunCounts = {
  /** The id of the agent. */
  agentId: string
  /** Runs that no worker has begun. */
  queued: number
  /** Runs that are in progress. */
  running: number
  /** Runs that wait for a decision. */
  waiting: number
  /** Runs that have failed. */
  failed: number
  /** Failed runs with the code `crashed`. */
  crashed: number
  /** How often these runs were begun and taken over, in total. */
  attempts: number
  /** When the oldest queued run was accepted, in milliseconds since 1970; absent when none is queued. */
  oldestQueuedAt?: number
}

/** A schedule as a store keeps it. */
export type StoredSchedule = {
  /** The id of the agent. */
  agentId: string
  /** The name of the schedule, unique for its agent. */
  name: string
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string
  /** An IANA name, such as `"Europe/Berlin"`. */
  timeZone: string
  /** What happens with times at which no worker was running. */
  missed: 'skip' | 'once'
  /** The user of its runs. */
  userId: string
  /** The input of its runs, and their options. */
  entry: JSONValue
  /** When it starts its next run, in milliseconds since 1970; absent when it never does. */
  nextAt?: number
  /** When it last started a run, in milliseconds since 1970; absent before the first. */
  lastAt?: number
}

/** A notice that is not delivered. */
export type UndeliveredNotice = {
  /** The id of the notice. */
  noticeId: string
  /** How often it was sent. */
  tries: number
  /** When the run ended or began to wait, in milliseconds since 1970. */
  createdAt: number
  /** Why it is not sent again. */
  failed?: string
}

/** The notice of a run that has ended or waits. */
export type RunNotice = {
  /** The id of the notice; each attempt to deliver it has the same one. */
  noticeId: string
  /** How often it was sent, including this time. */
  tries: number
  /** When the run ended or began to wait, in milliseconds since 1970. */
  createdAt: number
  /** The run at that time; `record.status` is `done`, `failed` or `waiting`. */
  record: RunRecord
}
