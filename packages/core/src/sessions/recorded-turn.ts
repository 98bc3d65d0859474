import type { RunEntry, RunStore, StartedCall, StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError, isAgentKitError, messageOf } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import type { Session, SessionKey } from '../data/session-data.ts'
import { inCallOrder, visibleMessages } from '../data/transcript.ts'
import { redactSecrets } from '../util/redact.ts'
import {
  type AcquiredSession,
  acquireSession,
  type Beginning,
  forgetUnendedRun,
  isConflict,
  type SessionRequest,
} from './acquire-session.ts'
import type { EventQueue } from './event-queue.ts'
import { isClaimed } from './live-runs.ts'
import { type RunReport, runWriter } from './run-writer.ts'
import { alreadyResumed, stateOf } from './suspended-runs.ts'
import type { DescribedRun, OpenTurn } from './turn.ts'
import { decisionsOf, watchSuspended } from './watch-suspended.ts'

/** What a run needs to continue in another process, beside its progress. Stored, so its field names are too. */
export type RecordedOptions = {
  /** How many of the run's first messages are the conversation before it. */
  seeded: number
  /** What the loop needs. */
  run?: JSONValue
}

/** How far a run has come, as it is stored with each step. Its field names are stored, too. */
export type RecordedProgress = {
  /** The snapshot that continues the run. */
  snapshot?: JSONValue
  /** When it was taken, in milliseconds since 1970. */
  at: number
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
  /** Of a suspended run: the version of its session, and the rest of its time, in milliseconds. */
  suspended?: { version: number; msLeft?: number }
}

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
  /** Whether other runs of the session began or ended while it was suspended. */
  hasMoved: boolean
}

type RecordedPlace = {
  store: SessionStore
  runs: RunStore
  key: SessionKey
  runId: string
  interrupt(reason: AgentKitError): void
  /** Of a run that keeps its events. */
  events?: EventQueue | undefined
}

/** The turn of a run that is recorded by `runs`. */
export function recordedTurn(place: RecordedPlace, run: RecordedRun, releaseSession: () => void): OpenTurn {
  const { store, runs, key, runId, events } = place
  let { history, state, version, attempt, isResumable, deadline, since } = run
  let release = releaseSession
  let lastStart = since
  let replySeq: number | undefined
  let described: DescribedRun | undefined
  let suspending: Promise<unknown> | undefined
  let { isSuspended = false, isLast = true } = run

  const progressOf = (snapshot: JSONValue | undefined, more: Partial<RecordedProgress> = {}): JSONValue => {
    const progress: RecordedProgress = {
      ...(snapshot !== undefined && { snapshot }),
      ...{
        at: Date.now(),
        ...(described && { seq: described.seq() }),
        since,
        ...(replySeq !== undefined && { replySeq }),
        ...(deadline !== undefined && { deadline }),
        ...more,
      },
    }
    return progress as unknown as JSONValue // plain JSON, except that optional fields may be absent
  }
  const reportNow = (): RunReport => {
    if (!described) return {}
    return { usage: described.usage(), ...(isResumable && { progress: progressOf(described.snapshot()) }) }
  }
  const openWriter = (position: number): ReturnType<typeof runWriter> =>
    runWriter({
      runs,
      runId,
      attempt,
      position,
      report: reportNow,
      events,
      fail: (error) => place.interrupt(lost(error)),
    })
  let writer = openWriter(run.position)

  return {
    get history() {
      return history
    },
    get state() {
      return state
    },
    get isLast() {
      return isLast
    },
    deadline,
    describe(run) {
      described = run
    },
    async append(messages, newState) {
      if (suspending) await suspending.catch(() => {})
      if (messages.some(({ role }) => role === 'assistant')) {
        since = lastStart = Math.max(Date.now(), lastStart + 1)
        replySeq = events?.lastSeq
      }
      if (newState !== undefined) state = newState
      await writer.write({ messages, ...(newState !== undefined && { state: newState }) })
    },
    begin(calls) {
      // Clocks may be set back.
      lastStart = Math.max(Date.now(), lastStart)
      return writer.write({ calls: calls.map((call) => ({ ...call, startedAt: lastStart })) })
    },
    async suspend(snapshot, usage, _messages, approvals, held = []) {
      if (isSuspended) {
        const stored = await runs.read(runId)
        return stored && decisionsOf(stored)
      }
      const msLeft = deadline === undefined ? {} : { msLeft: Math.max(0, deadline - Date.now()) }
      // The version moved when the run began, and moves when it is suspended.
      const suspended = { version: version + 2, ...msLeft }
      const stored = writer.finish((entry) =>
        runs.suspend(runId, {
          ...withEvents(entry, held),
          ...{ usage, progress: progressOf(snapshot, { suspended }), approvals },
        }),
      )
      suspending = stored
      const decided = await stored
      isSuspended = true
      forgetUnendedRun(store, key, runId)
      release()
      return decided
    },
    async resume(signal) {
      // A caller of `resume` in this process takes it over.
      if (isClaimed(store, runId)) throw alreadyResumed(runId)
      const taken = await takeOverRun({ ...place, signal, onBusy: 'queue' })
      const { found } = taken
      ;({ history, state, version, attempt, deadline, since, isLast = true } = found)
      lastStart = since
      isResumable = true
      isSuspended = false
      suspending = undefined
      release = taken.release
      writer = openWriter(found.position)
      return { hasMoved: found.hasMoved, decisions: decisionsOf(found.stored) }
    },
    async decide(decisions) {
      for (const decision of Object.entries(decisions)) {
        await runs.decide(runId, Object.fromEntries([decision])).catch((error) => {
          if (!isConflict(error)) throw error
        })
      }
    },
    watch: (listener) => watchSuspended({ runs, runId, attempt }, listener),
    async cancel() {
      await runs.cancel(runId, { status: 'failed', finishReason: 'aborted' })
    },
    async end(status, usage, { messages = [], events: held = [], ...ending } = {}) {
      if (suspending) await suspending.catch(() => {})
      // Part of the last entry, or not stored at all.
      if (messages.length > 0) void writer.write({ messages }).catch(() => {})
      const finishReason = status === 'done' ? 'stop' : 'error'
      await writer.finish((entry) => {
        return runs.end(runId, { ...withEvents(entry, held), usage, finishReason, ...ending, status })
      })
      forgetUnendedRun(store, key, runId)
    },
    async handBack(isBetweenSteps) {
      await writer.finish(async (entry) => {
        const progress = progressOf(described?.snapshot(), isBetweenSteps ? { released: true } : {})
        await runs.append(runId, { ...entry, progress })
        await runs.release(runId, attempt)
      })
      forgetUnendedRun(store, key, runId)
      release()
    },
    flush: () => writer.flush(),
    release: () => release(),
  }
}

function withEvents(entry: RunEntry, held: readonly AgentEvent[]): RunEntry {
  return held.length === 0 || !entry.events ? entry : { ...entry, events: [...entry.events, ...held] }
}

/** Why a run ends whose events cannot be stored. */
function lost(error: unknown): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('storage', `The session store failed: ${redactSecrets(messageOf(error))}`, { cause: error })
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
}

/** Creates a run in its session, which has this version. */
export async function createRun(record: NewRecord, expectedVersion: number): Promise<void> {
  const { runs, key, runId, agentId, input, seeded, replaces, isResumable, deadline, agentVersion } = record
  const { keepsEvents = isResumable } = record
  const options: RecordedOptions = { seeded, ...(record.options !== undefined && { run: record.options }) }
  await runs.create(key, {
    ...{ runId, agentId, expectedVersion, input, isResumable, keepsEvents },
    ...(replaces !== undefined && { replaces }),
    ...(deadline !== undefined && { deadline }),
    ...(agentVersion !== undefined && { agentVersion }),
    options: options as unknown as JSONValue, // plain JSON, except that optional fields may be absent
  })
}

/** Ends a run that could not be used after it had begun. */
export function failRecorded(runs: RunStore, runId: string, attempt: number): Promise<void> {
  return runs.end(runId, { attempt, status: 'failed', finishReason: 'error' })
}

/**
 * Takes a stored run over, and acquires its session where it does not hold it.
 * @throws AgentKitError `session-conflict` when it is not to be had, `not-found`, `session-busy`
 */
export function takeOverRun(
  request: Omit<SessionRequest, 'key'> & { runs: RunStore; key: SessionKey },
): Promise<AcquiredSession<TakenRun>> {
  const { runs, runId } = request
  return acquireSession(request, async (session): Promise<Beginning<TakenRun>> => {
    const before = await runs.read(runId)
    const attempt = (before?.attempt ?? 0) + 1
    const undo = (): Promise<unknown> => {
      if (!before || !wasSuspended(before)) return runs.release(runId, attempt)
      const approvals = before.approvals.filter(({ decision }) => decision === undefined)
      return runs.suspend(runId, { attempt, approvals })
    }
    const begin = async (): Promise<TakenRun> =>
      describeRun(request, await runs.takeOver(runId, { expectedVersion: session?.version ?? 0 }), session)
    return { begin, undo, fail: () => failRecorded(runs, runId, attempt), isFinal: true }
  })
}

/**
 * A stored run as it can continue.
 * @param session as it was loaded before the run was taken over
 */
export async function describeRun(
  { store, key, runId }: Pick<RecordedPlace, 'store' | 'key' | 'runId'>,
  stored: StoredRun,
  session: Session | undefined,
): Promise<TakenRun> {
  const turns = await store.turns(key)
  const own = turns.find((turn) => turn.runId === runId)?.messages ?? []
  const others = turns.filter((turn) => turn.runId !== runId)
  const { seeded } = optionsOf(stored)
  const progress = progressOf(stored)
  const { version = 0 } = session ?? {}
  const { suspended, since = 0 } = progress ?? {}
  const started = stored.calls.map(({ startedAt }) => startedAt)
  const deadline = suspended?.msLeft === undefined ? progress?.deadline : Date.now() + suspended.msLeft
  return {
    // The model sees what happened while the run was suspended.
    history: [...own.slice(0, seeded), ...others.flatMap(visibleMessages)],
    messages: inCallOrder(own.slice(seeded)),
    ...{ stored, progress, version, seeded, state: stateOf(session?.state), isResumable: true, position: own.length },
    deadline: progress ? deadline : stored.deadline,
    attempt: stored.attempt,
    // A suspended run has no call that is running.
    begun: suspended ? [] : stored.calls.filter(({ startedAt }) => startedAt >= since),
    since: Math.max(Date.now(), ...started.map((at) => at + 1)),
    hasMoved: suspended !== undefined && suspended.version !== version,
    isLast: turns.at(-1)?.runId === runId,
  }
}

/** Whether a run was recorded in this way; runs of earlier versions were not. */
export function isRecorded({ options }: StoredRun): boolean {
  return isRecord(options) && typeof options.seeded === 'number'
}

/** Whether a run was suspended when its progress was last stored. */
export function wasSuspended(stored: StoredRun): boolean {
  return progressOf(stored)?.suspended !== undefined
}

export function optionsOf({ options }: StoredRun): RecordedOptions {
  // Written by `createRun`.
  return options as unknown as RecordedOptions
}

function progressOf({ progress }: StoredRun): RecordedProgress | undefined {
  // Written by a turn.
  return progress as unknown as RecordedProgress | undefined
}
