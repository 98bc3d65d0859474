import type { StoredRun } from '../contracts/run-store.ts'
import type { JSONValue, Message, UserMessage } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import type { RunRecord } from '../data/run-record.ts'
import { type Cost, costOfSpent } from '../data/usage.ts'

/** What a run needs to continue in another process, beside its progress. Stored, so its field names are too. */
export type RecordedOptions = {
  /** How many of the run's first messages are the conversation before it. */
  seeded: number
  /** What the loop needs. */
  run?: JSONValue
  /** What a queued run begins with: its input, and the messages that seed its session. Absent once they are stored. */
  queued?: { input: UserMessage; history: readonly Message[] }
  /** Of a member's run: what `MemberRun` has. */
  member?: JSONValue
  /** The trace that a queued run was enqueued in: headers by which another process continues it. */
  trace?: Readonly<Record<string, string>>
  /** Of the request that enqueued it, for logs. */
  requestId?: string
  /** The version of the agent that has begun a queued run, where it is not the one that enqueued it. */
  begunBy?: string
  /** What its client sent with it, and reads again. */
  client?: JSONValue
}

/** How far a run has come, as it is stored with each step. Its field names are stored, too. */
export type RecordedProgress = {
  /** The snapshot that continues the run. */
  snapshot?: JSONValue
  /** When it was taken, in milliseconds since 1970. */
  at: number
  /** The version of the session once the run has ended. */
  version?: number
  /** When the run must have ended, in milliseconds since 1970. */
  deadline?: number
  /** Calls that began earlier than this have a result, or wait in the snapshot; in milliseconds since 1970. */
  since: number
  /** The number of the last event that had been emitted. */
  seq?: number
  /** The last event before the reply of this step was stored. */
  replySeq?: number
  /** The process has handed it back between two steps. */
  released?: true
  /** The answer in the form of the agent's `output`, of a run that is done. */
  output?: JSONValue
  /** Of a suspended run: the version of its session, and the rest of its time, in milliseconds. */
  suspended?: { version: number; msLeft?: number }
}

/** Whether a run was recorded in this way; runs of earlier versions were not. */
export function isRecorded({ options }: StoredRun): boolean {
  return isRecord(options) && typeof options.seeded === 'number'
}

/** Whether a run was suspended when its progress was last stored. */
export function wasSuspended(stored: StoredRun): boolean {
  return progressOf(stored)?.suspended !== undefined
}

/**
 * Whether a run holds its session: it runs, also when its process has died or members work for it. A decided one holds it
 * once a process has taken it over.
 */
export function holdsSession(stored: StoredRun): boolean {
  return stored.record.status === 'running' && !(wasSuspended(stored) && stored.isFree)
}

export function optionsOf({ options }: Pick<StoredRun, 'options'>): RecordedOptions {
  // Written by `createRun`.
  return options as unknown as RecordedOptions
}

/** What the client of a run sent with it. */
export function storedClientData({ options }: Pick<StoredRun, 'options'>): JSONValue | undefined {
  return isRecord(options) ? options.client : undefined
}

export function progressOf({ progress }: Pick<StoredRun, 'progress'>): RecordedProgress | undefined {
  // Written by a turn.
  return progress as unknown as RecordedProgress | undefined
}

/** What a run has cost whose steps are stored; `undefined` where that is not known. */
export function costSoFar(stored: Pick<StoredRun, 'progress'>): Cost | undefined {
  // A snapshot, as the loop stores it.
  const snapshot = progressOf(stored)?.snapshot as { booked?: { spent: Parameters<typeof costOfSpent>[0] } } | undefined
  return snapshot?.booked && costOfSpent(snapshot.booked.spent)
}

/** What a run has cited so far. Its record has it only where the run has ended. */
export function sourcesSoFar({ record, ...stored }: Pick<StoredRun, 'record' | 'progress'>): RunRecord['sources'] {
  if (record.sources.length > 0) return record.sources
  // A snapshot, as the loop stores it.
  const snapshot = progressOf(stored)?.snapshot as { progress?: { sources?: RunRecord['sources'] } } | undefined
  return snapshot?.progress?.sources ?? []
}

/** What a run has used so far. Its record has the cost only where it waits or has ended. */
export function usedSoFar({
  record,
  ...stored
}: Pick<StoredRun, 'record' | 'progress'>): Pick<RunRecord, 'usage' | 'cost'> {
  const { status, usage, cost: recorded } = record
  const cost = status === 'running' ? (costSoFar(stored) ?? recorded) : recorded
  return { ...(usage && { usage }), ...(cost && { cost }) }
}
