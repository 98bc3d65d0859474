import type { RunEntry } from '../contracts/run-entry.ts'
import { AgentKitError, isAgentKitError, messageOf } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { redactSecrets } from '../util/text/redact.ts'
import { forgetUnendedRun, isConflict } from './acquire-session.ts'
import { cancelStored } from './end-event.ts'
import { isAcquired } from './live-runs.ts'
import { costSoFar, type RecordedProgress } from './recorded-data.ts'
import { type RecordedPlace, type RecordedRun, takeOverRun } from './recorded-run.ts'
import { type RunReport, runWriter } from './run-writer.ts'
import { alreadyResumed } from './suspended-runs.ts'
import type { Changing, DescribedRun, OpenTurn } from './turn.ts'
import { watchEnded } from './watch-ended.ts'
import { decisionsOf, watchSuspended } from './watch-suspended.ts'

/** The turn of a run that is recorded by `runs`. */
export function recordedTurn(place: RecordedPlace, run: RecordedRun, releaseSession: () => void): OpenTurn {
  const { store, runs, key, runId, events } = place
  let { version, attempt, isResumable, deadline, since } = run
  let release = releaseSession
  let lastStart = since
  let replySeq: number | undefined
  let described: DescribedRun | undefined
  let suspending: Promise<unknown> | undefined
  let { isSuspended = false } = run

  const progressOf = (snapshot: JSONValue | undefined, more: Partial<RecordedProgress> = {}): JSONValue => {
    const progress: RecordedProgress = {
      ...(snapshot !== undefined && { snapshot }),
      ...{
        at: runs.now(),
        // The version moved when the run began, and moves when the run ends or is suspended.
        version: version + 2,
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
  const openWriter = ({ position, heldAt }: RecordedRun): ReturnType<typeof runWriter> =>
    runWriter({
      runs,
      runId,
      attempt,
      position,
      heldAt,
      report: reportNow,
      events,
      fail: (error) => place.interrupt(lost(error)),
    })
  let writer = openWriter(run)
  const watch = (): (() => void) => watchEnded({ runs, runId, attempt }, place.interrupt)
  let unwatch = isSuspended ? (): void => {} : watch()

  const beginReply = (): void => {
    since = lastStart = Math.max(runs.now(), lastStart + 1)
    replySeq = events?.lastSeq()
  }

  // Fields, not accessors: V8 gives each object with an accessor of its own a hidden class of its own, which keeps the run in
  // memory until the next full garbage collection.
  const turn: Changing<OpenTurn> = {
    history: run.history,
    state: run.state,
    isLast: run.isLast ?? true,
    deadline,
    describe(run) {
      described = run
    },
    async append(messages, newState) {
      if (suspending) await suspending.catch(() => {})
      if (messages.some(({ role }) => role === 'assistant')) beginReply()
      if (newState !== undefined) turn.state = newState
      await writer.write({ messages, ...(newState !== undefined && { state: newState }) })
    },
    addReply(reply) {
      beginReply()
      writer.keep({ messages: [reply] })
    },
    begin(calls) {
      // Clocks may be set back.
      lastStart = Math.max(runs.now(), lastStart)
      return writer.write({ calls: calls.map((call) => ({ ...call, startedAt: lastStart })) })
    },
    confirm: () => writer.confirm(),
    async suspend(snapshot, usage, _messages, approvals, held = []) {
      if (isSuspended) {
        const stored = await runs.read(runId)
        return stored && decisionsOf(stored)
      }
      unwatch()
      const msLeft = deadline === undefined ? {} : { msLeft: Math.max(0, deadline - runs.now()) }
      const progress = progressOf(snapshot, { suspended: { version: version + 2, ...msLeft } })
      const cost = costSoFar({ progress })
      const stored = writer.finish((entry) =>
        runs.suspend(runId, { ...withEvents(entry, held), usage, progress, approvals, ...(cost && { cost }) }),
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
      if (isAcquired(store, runId)) throw alreadyResumed(runId)
      const taken = await takeOverRun({ ...place, signal, onBusy: 'queue' })
      const { found } = taken
      ;({ version, attempt, deadline, since } = found)
      Object.assign(turn, { history: found.history, state: found.state, isLast: found.isLast ?? true })
      lastStart = since
      isResumable = true
      isSuspended = false
      suspending = undefined
      release = taken.release
      writer = openWriter(found)
      unwatch = watch()
      return { hasMoved: found.hasMoved, decisions: decisionsOf(found.stored) }
    },
    async decide(decisions) {
      for (const decision of Object.entries(decisions)) {
        await runs.decide(runId, Object.fromEntries([decision])).catch((error) => {
          if (!isConflict(error)) throw error
        })
      }
    },
    watch: (listener) => watchSuspended({ runs, runId, attempt, isAcquired: () => isAcquired(store, runId) }, listener),
    async cancel() {
      await cancelStored(runs, runId)
    },
    async end(status, usage, { messages = [], events: held = [], output, ...ending } = {}) {
      unwatch()
      if (suspending) await suspending.catch(() => {})
      // Part of the last entry, or not stored at all.
      if (messages.length > 0) void writer.write({ messages }).catch(() => {})
      const finishReason = status === 'done' ? 'stop' : 'error'
      await writer.finish((entry) => {
        // A result has the steps and warnings of the progress, which a resumable run has stored with its entries.
        const more = output === undefined ? {} : { output }
        const isStored = isResumable && output === undefined
        const last = isStored ? {} : { progress: progressOf(described?.snapshot(), more) }
        return runs.end(runId, { ...withEvents(entry, held), ...last, usage, finishReason, ...ending, status })
      })
      forgetUnendedRun(store, key, runId)
    },
    async handBack(isBetweenSteps) {
      unwatch()
      await writer.finish(async (entry) => {
        const progress = progressOf(described?.snapshot(), isBetweenSteps ? { released: true } : {})
        await runs.append(runId, { ...entry, progress })
        await runs.release(runId, attempt)
      })
      forgetUnendedRun(store, key, runId)
      release()
    },
    async delegate(members) {
      unwatch()
      await writer.finish(async (entry) => {
        const progress = progressOf(described?.snapshot(), { released: true })
        await runs.background?.delegate(runId, { ...entry, progress, members })
      })
      forgetUnendedRun(store, key, runId)
      release()
    },
    flush: () => writer.flush(),
    release() {
      unwatch()
      release()
    },
  }
  return turn
}

function withEvents(entry: RunEntry, held: readonly AgentEvent[]): RunEntry {
  return held.length === 0 || !entry.events ? entry : { ...entry, events: [...entry.events, ...held] }
}

/** Why a run ends whose events cannot be stored. */
function lost(error: unknown): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('storage', `The session store failed: ${redactSecrets(messageOf(error))}`, { cause: error })
}
