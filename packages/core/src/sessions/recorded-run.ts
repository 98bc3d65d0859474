import type { RunBeginning, StartedCall } from '../contracts/run-entry.ts'
import type { RunStore, StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message, UserMessage } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import type { Session, SessionKey } from '../data/session-data.ts'
import { inCallOrder, isStoppedNote, visibleMessages } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { clientDataOf } from '../util/async/current-request.ts'
import { asJSON } from '../util/json/clone-json.ts'
import { type AcquiredSession, acquireSession, type Beginning, type SessionRequest } from './acquire-session.ts'
import { failRecorded } from './end-event.ts'
import type { EventQueue } from './event-queue.ts'
import {
  holdsSession,
  optionsOf,
  progressOf,
  type RecordedOptions,
  type RecordedProgress,
  wasSuspended,
} from './recorded-data.ts'
import { storedState } from './suspended-runs.ts'

/** A run whose turn is recorded by the store's `runs`, and where its session stands. */
export type RecordedRun = {
  /** The conversation before the run. */
  history: readonly Message[]
  state: JSONValue | undefined
  /** The version of the session when the run began or was taken over. */
  version: number
  attempt: number
  /** How many of its messages are stored. */
  position: number
  /** When the store was asked for the run, by `performance.now()`. */
  heldAt: number
  seeded: number
  /** Whether its progress is stored with each step. */
  isResumable: boolean
  /** In milliseconds since 1970. */
  deadline: number | undefined
  /** No later call begins earlier than this, in milliseconds since 1970. */
  since: number
  /** Set for a run that is still suspended. */
  isSuspended?: true
  /** Whether it is the last of its session; see `OpenTurn`. */
  isLast?: boolean
}

/** A stored run that this process has taken over. */
export type TakenRun = RecordedRun & {
  stored: StoredRun
  /** What the run has stored, results in the order of their calls. */
  messages: Message[]
  /** Calls of the last step that had begun when its process died; some of them have a result. */
  begun: readonly StartedCall[]
  progress: RecordedProgress | undefined
  /** Whether other runs of the session began or ended while it was suspended, or had failed. */
  hasMoved: boolean
  /** Of a queued run: whether it begins for the first time, or again after it had failed. */
  start?: 'first' | 'again'
  /** What it begins with, where no message of it is stored yet. */
  unstored?: { seed: readonly Message[]; input: UserMessage }
  /** Leaves the run, which could not be opened, as it was. Absent where it was not taken over. */
  giveBack?(): Promise<unknown>
}

/** Where a recorded run is stored, and how it is interrupted. */
export type RecordedPlace = {
  store: SessionStore
  runs: RunStore
  key: SessionKey
  runId: string
  interrupt(reason: AgentKitError): void
  /** Of a run that keeps its events. */
  events?: EventQueue | undefined
}

/** How a new run begins. */
export type NewRecord = {
  runs: RunStore
  key: SessionKey
  runId: string
  agentId: string
  input: readonly Message[]
  seeded: number
  replaces?: string | undefined
  isResumable: boolean
  keepsEvents?: boolean
  deadline?: number | undefined
  options?: JSONValue | undefined
  agentVersion?: string | undefined
  notifies?: boolean | undefined
}

/** Creates a run in its session, which has this version. */
export async function createRun(record: NewRecord, expectedVersion: number): Promise<void> {
  const { runs, key, runId, agentId, input, seeded, replaces, isResumable, deadline, agentVersion, notifies } = record
  const { keepsEvents = isResumable } = record
  const options: RecordedOptions = {
    ...{ seeded, ...clientDataOf(runId) },
    ...(record.options !== undefined && { run: record.options }),
  }
  await runs.create(key, {
    ...{ runId, agentId, expectedVersion, input, isResumable, keepsEvents },
    ...(replaces !== undefined && { replaces }),
    ...(deadline !== undefined && { deadline }),
    ...(agentVersion !== undefined && { agentVersion }),
    ...(notifies && { notifies }),
    options: options as unknown as JSONValue, // plain JSON, except that optional fields may be absent
  })
}

/**
 * Takes a stored run over, and acquires its session where it does not hold it.
 * @param starter how a queued run begins
 * @throws AgentKitError `session-conflict` when it is not to be had, `not-found`, `session-busy`
 */
export function takeOverRun(
  request: Omit<SessionRequest, 'key'> & { runs: RunStore; key: SessionKey },
  { known, ...starter }: RunStarter & { /** The run, as it was just read. */ known?: StoredRun } = {},
): Promise<AcquiredSession<TakenRun>> {
  const { runs, runId } = request
  let first = known
  const place = known?.hasNewSession ? { ...request, known: { version: 0, messages: [] } } : request
  return acquireSession(place, async (session): Promise<Beginning<TakenRun>> => {
    const before = first ?? (await runs.read(runId))
    // The run that was read is outdated when this is tried again.
    first = undefined
    const attempt = (before?.attempt ?? 0) + 1
    const undo = (): Promise<unknown> => {
      if (!before || !wasSuspended(before)) return runs.release(runId, attempt)
      const approvals = before.approvals.filter(({ decision }) => decision === undefined)
      return runs.suspend(runId, { attempt, approvals })
    }
    const begin = async (): Promise<TakenRun> => {
      const start = before && startOf(before, session, runs.now(), starter)
      const expectedVersion = session?.version ?? 0
      const heldAt = performance.now()
      const stored = await runs.takeOver(runId, { expectedVersion, ...(start && { begin: start }) })
      // The whole session was just read, unless another process has begun the run since.
      const first = start?.isFirst && stored.attempt === 1 ? (start.messages ?? []) : undefined
      const described = { ...(await describeRun(request, stored, session, first)), heldAt, giveBack: undo }
      // Taking over a run that holds its session does not move the version: it moved when the run took the session.
      const version = before && holdsSession(before) ? described.version - 1 : described.version
      if (!start) return withinCaller(runs, { ...described, version, hasMoved: hasMoved(described.progress, version) })
      const { isFirst: isNew, deadline } = start
      const begun = isNew
        ? { start: 'first' as const }
        : { start: 'again' as const, hasMoved: hasMovedSince(described) }
      return withinCaller(runs, { ...described, version, deadline, ...begun })
    }
    // Another worker continues a background run whose end could not be stored.
    const fail = (): Promise<void> =>
      before?.isBackground ? runs.release(runId, attempt) : failRecorded(runs, { runId, attempt })
    return { begin, undo, fail, isFinal: true }
  })
}

/** Whether other runs of the session began or ended since a run had failed that is retried. */
function hasMovedSince({ version, progress }: TakenRun): boolean {
  const { suspended } = progress ?? {}
  // A run that was suspended has moved the session's version twice: when it was suspended and when it ended.
  return version !== (suspended ? suspended.version + 1 : progress?.version)
}

/** Whether other runs of the session began or ended since a run was suspended. */
function hasMoved(progress: RecordedProgress | undefined, version: number): boolean {
  const { suspended } = progress ?? {}
  return suspended !== undefined && suspended.version !== version
}

/** A member's run has no more time than the run that called it. */
async function withinCaller(runs: RunStore, found: TakenRun): Promise<TakenRun> {
  const { parentRunId } = found.stored.record
  const caller = parentRunId === undefined ? undefined : await runs.read(parentRunId)
  const latest = caller && (progressOf(caller)?.deadline ?? caller.deadline)
  if (latest === undefined) return found
  return { ...found, deadline: Math.min(latest, found.deadline ?? latest) }
}

/** How a queued run of this process begins. */
export type RunStarter = {
  /** The deadline of a run that has none of its own, in milliseconds. */
  timeoutMs?: number
  /** Whether its first message is changed before it is stored. */
  changesInput?: boolean
  /** Whether there is someone to notify of its end. */
  notifies?: boolean
  /** Of the agent. */
  version?: string | undefined
}

/** @returns `undefined` for a run that is not queued, and has begun */
function startOf(
  stored: StoredRun,
  session: Session | undefined,
  now: number,
  { timeoutMs = limits.backgroundMs, changesInput = false, notifies = false, version }: RunStarter,
): (RunBeginning & { deadline: number; isFirst: boolean }) | undefined {
  const { queued, ...options } = optionsOf(stored)
  const isFirst = stored.attempt === 0
  if (!isFirst && stored.record.status !== 'queued') return undefined
  const own = isRecord(options.run) ? options.run.timeoutMs : undefined
  const deadline = now + Math.ceil(typeof own === 'number' ? own : timeoutMs)
  // Only the swarm is notified of the end of a member.
  const start = { isFirst, deadline, ...(notifies && stored.rootRunId === undefined && { notifies }) }
  if (!queued) return { ...start, messages: [] }
  const seed = (session?.messages.length ?? 0) > 0 ? [] : queued.history
  const begunBy = version !== undefined && version !== stored.record.agentVersion ? { begunBy: version } : {}
  const kept = asJSON({ ...options, ...begunBy, seeded: seed.length, ...(changesInput && { queued }) })
  return { ...start, messages: changesInput ? [] : [...seed, queued.input], options: kept }
}

/**
 * A stored run as it can continue.
 * @param session as it was loaded before the run was taken over
 * @param first the messages of a run that has just begun
 */
export async function describeRun(
  { store, runs, key, runId }: Pick<RecordedPlace, 'store' | 'runs' | 'key' | 'runId'>,
  stored: StoredRun,
  session: Session | undefined,
  first?: readonly Message[],
): Promise<TakenRun> {
  const turns = first ? [] : await store.turns(key)
  const own = first ?? turns.find((turn) => turn.runId === runId)?.messages ?? []
  const others = first ? session?.messages : turns.filter((turn) => turn.runId !== runId).flatMap(visibleMessages)
  const { seeded, queued } = optionsOf(stored)
  const progress = progressOf(stored)
  const { version = 0 } = session ?? {}
  const { suspended, since = 0 } = progress ?? {}
  const started = stored.calls.map(({ startedAt }) => startedAt)
  const now = runs.now()
  const deadline = suspended?.msLeft === undefined ? progress?.deadline : now + suspended.msLeft
  const seed = own.length > 0 ? own.slice(0, seeded) : (queued?.history ?? []).slice(0, seeded)
  return {
    // The model sees what happened while the run was suspended.
    history: [...seed, ...(others ?? [])],
    messages: inCallOrder(own.slice(seeded)).filter((message) => !isStoppedNote(message)),
    ...{ stored, progress, version, seeded, isResumable: true, position: own.length },
    state: storedState(session?.state),
    heldAt: performance.now(),
    ...(own.length === 0 && queued && { unstored: { seed, input: queued.input } }),
    deadline: progress ? deadline : stored.deadline,
    attempt: stored.attempt,
    // A suspended run has no call that is running.
    begun: suspended ? [] : stored.calls.filter(({ startedAt }) => startedAt >= since),
    since: Math.max(now, ...started.map((at) => at + 1)),
    hasMoved: hasMoved(progress, version),
    isLast: first !== undefined || turns.at(-1)?.runId === runId,
  }
}
