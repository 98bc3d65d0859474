import type { MemberRunEntry } from '../contracts/background-runs.ts'
import type { RunEntry, StartedCall } from '../contracts/run-entry.ts'
import type { Approval, Decisions } from '../data/approval-data.ts'
import { AgentKitError, isAgentKitError, messageOf } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Usage } from '../data/usage.ts'
import { redactSecrets } from '../util/text/redact.ts'
import { cancelStored } from './end-event.ts'
import { type HeldDeadline, holdDeadline } from './held-deadline.ts'
import { isAcquired } from './live-runs.ts'
import { costSoFar, type RecordedProgress } from './recorded-data.ts'
import { type RecordedPlace, type RecordedRun, takeOverRun } from './recorded-run.ts'
import { type RunReport, RunWriter } from './run-writer.ts'
import { alreadyResumed } from './suspended-runs.ts'
import type { DescribedRun, OpenTurn, TurnEnding } from './turn.ts'
import { forgetUnendedRun, isConflict, leaveUnendedRun } from './unended-runs.ts'
import { watchEnded } from './watch-ended.ts'
import { decisionsOf, type SuspendedChange, watchSuspended } from './watch-suspended.ts'

/** The turn of a run that is recorded by `runs`. */
export class RecordedTurn implements OpenTurn {
  history: readonly Message[]
  state: JSONValue | undefined
  isLast: boolean
  #deadline: HeldDeadline | undefined
  readonly #place: RecordedPlace
  #version: number
  #attempt: number
  #isResumable: boolean
  #since: number
  #lastStart: number
  #replySeq: number | undefined
  #described: DescribedRun | undefined
  #suspending: Promise<unknown> | undefined
  #isSuspended: boolean
  #writer: RunWriter
  #unwatch: () => void
  #releaseSession: () => void

  constructor(place: RecordedPlace, run: RecordedRun, releaseSession: () => void) {
    this.history = run.history
    this.state = run.state
    this.isLast = run.isLast ?? true
    this.#place = place
    this.#deadline = holdDeadline(place.runs, run.deadline)
    this.#version = run.version
    this.#attempt = run.attempt
    this.#isResumable = run.isResumable
    this.#since = this.#lastStart = run.since
    this.#isSuspended = run.isSuspended ?? false
    this.#writer = this.#openWriter(run)
    this.#unwatch = this.#isSuspended ? () => {} : this.#watchEnded()
    this.#releaseSession = releaseSession
  }

  get deadline(): number | undefined {
    return this.#deadline?.at()
  }

  describe(run: DescribedRun): void {
    this.#described = run
  }

  async append(messages: Message[], state?: JSONValue): Promise<void> {
    if (this.#suspending !== undefined) await this.#suspending.catch(() => {})
    if (messages.some(({ role }) => role === 'assistant')) this.#beginReply()
    if (state !== undefined) this.state = state
    await this.#writer.write({ messages, ...(state !== undefined && { state }) })
  }

  addReply(reply: Message): void {
    this.#beginReply()
    this.#writer.keep({ messages: [reply] })
  }

  begin(calls: readonly Omit<StartedCall, 'startedAt'>[]): Promise<void> {
    // Clocks may be set back.
    const startedAt = Math.max(this.#place.runs.now(), this.#lastStart)
    this.#lastStart = startedAt
    return this.#writer.write({ calls: calls.map((call) => ({ ...call, startedAt })) })
  }

  confirm(): Promise<void> | undefined {
    return this.#writer.confirm()
  }

  async suspend(
    snapshot: JSONValue,
    usage: Usage,
    _messages: readonly Message[],
    approvals: readonly Approval[],
    held: readonly AgentEvent[] = [],
  ): Promise<Decisions | undefined> {
    const { runs, runId } = this.#place
    if (this.#isSuspended) {
      const stored = await runs.read(runId)
      return stored && decisionsOf(stored)
    }
    this.#unwatch()
    const msLeft = this.#deadline && { msLeft: Math.max(0, this.#deadline.msLeft()) }
    const progress = this.#progress(snapshot, { suspended: { version: this.#version + 2, ...msLeft } })
    const cost = costSoFar({ progress })
    const stored = this.#writer.finish((entry) =>
      runs.suspend(runId, { ...withEvents(entry, held), usage, progress, approvals, ...(cost && { cost }) }),
    )
    this.#suspending = stored
    const decided = await stored
    this.#isSuspended = true
    this.#leave()
    return decided
  }

  async resume(signal: AbortSignal): Promise<{ hasMoved: boolean; decisions?: Decisions }> {
    const { store, runId } = this.#place
    // A caller of `resume` in this process takes it over.
    if (isAcquired(store, runId)) throw alreadyResumed(runId)
    const { found, release } = await takeOverRun({ ...this.#place, signal, onBusy: 'queue' })
    this.history = found.history
    this.state = found.state
    this.isLast = found.isLast ?? true
    this.#deadline = holdDeadline(this.#place.runs, found.deadline)
    this.#version = found.version
    this.#attempt = found.attempt
    this.#since = this.#lastStart = found.since
    this.#isResumable = true
    this.#isSuspended = false
    this.#suspending = undefined
    this.#releaseSession = release
    this.#writer = this.#openWriter(found)
    this.#unwatch = this.#watchEnded()
    return { hasMoved: found.hasMoved, decisions: decisionsOf(found.stored) }
  }

  async decide(decisions: Decisions): Promise<void> {
    const { runs, runId } = this.#place
    for (const decision of Object.entries(decisions)) {
      await runs.decide(runId, Object.fromEntries([decision])).catch((error) => {
        if (!isConflict(error)) throw error
      })
    }
  }

  watch(listener: (change: SuspendedChange) => void): () => void {
    const { store, runs, runId } = this.#place
    return watchSuspended({ runs, runId, attempt: this.#attempt, isAcquired: () => isAcquired(store, runId) }, listener)
  }

  async cancel(): Promise<void> {
    await cancelStored(this.#place.runs, this.#place.runId)
  }

  async end(
    status: 'done' | 'failed',
    usage: Usage,
    { messages = [], events: held = [], output, ...ending }: TurnEnding = {},
  ): Promise<void> {
    const { store, runs, key, runId } = this.#place
    this.#unwatch()
    if (this.#suspending !== undefined) await this.#suspending.catch(() => {})
    // Part of the last entry, or not stored at all.
    if (messages.length > 0) void this.#writer.write({ messages }).catch(() => {})
    const finishReason = status === 'done' ? 'stop' : 'error'
    await this.#writer.finish((entry) => {
      // A result has the steps and warnings of the progress, which a resumable run has stored with its entries.
      const more = output === undefined ? {} : { output }
      const isStored = this.#isResumable && output === undefined
      const last = isStored ? {} : { progress: this.#progress(this.#described?.snapshot(), more) }
      return runs.end(runId, { ...withEvents(entry, held), ...last, usage, finishReason, ...ending, status })
    })
    forgetUnendedRun(store, key, runId)
  }

  handBack(isBetweenSteps: boolean): Promise<void> {
    const { store, runs, key, runId } = this.#place
    const release = (): Promise<void> => runs.release(runId, this.#attempt)
    const handedBack = this.#leaveToOthers(isBetweenSteps, async (entry) => {
      await runs.append(runId, entry)
      await release()
    })
    return handedBack.catch((error) => {
      leaveUnendedRun(store, key, { runId, end: release })
      throw error
    })
  }

  delegate(members: readonly MemberRunEntry[]): Promise<void> {
    const { runs, runId } = this.#place
    return this.#leaveToOthers(true, async (entry) => {
      await runs.background?.delegate(runId, { ...entry, members })
    })
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  release(): void {
    this.#unwatch()
    this.#releaseSession()
  }

  /** @param isReleased whether the run which continues begins with a step that nothing has cut off */
  async #leaveToOthers(isReleased: boolean, write: (entry: ProgressEntry) => Promise<void>): Promise<void> {
    this.#unwatch()
    await this.#writer.finish((entry) => {
      const progress = this.#progress(this.#described?.snapshot(), isReleased ? { released: true } : {})
      return write({ ...entry, progress })
    })
    this.#leave()
  }

  #leave(): void {
    const { store, key, runId } = this.#place
    forgetUnendedRun(store, key, runId)
    this.#releaseSession()
  }

  #openWriter({ position, heldAt }: RecordedRun): RunWriter {
    const { runs, runId, events, interrupt } = this.#place
    return new RunWriter({
      ...{ runs, runId, attempt: this.#attempt, position, heldAt, events },
      report: () => this.#report(),
      fail: (error) => interrupt(lost(error)),
    })
  }

  #watchEnded(): () => void {
    const { runs, runId, interrupt } = this.#place
    return watchEnded({ runs, runId, attempt: this.#attempt }, interrupt)
  }

  #beginReply(): void {
    this.#since = this.#lastStart = Math.max(this.#place.runs.now(), this.#lastStart + 1)
    this.#replySeq = this.#place.events?.lastSeq()
  }

  #report(): RunReport {
    const described = this.#described
    if (!described) return {}
    return {
      usage: described.usage(),
      ...(this.#isResumable && { progress: this.#progress(described.snapshot()) }),
    }
  }

  #progress(snapshot: JSONValue | undefined, more: Partial<RecordedProgress> = {}): JSONValue {
    const { deadline } = this
    const progress: RecordedProgress = {
      ...(snapshot !== undefined && { snapshot }),
      ...{
        at: this.#place.runs.now(),
        // The version moved when the run began, and moves when the run ends or is suspended.
        version: this.#version + 2,
        ...(this.#described && { seq: this.#described.seq() }),
        since: this.#since,
        ...(this.#replySeq !== undefined && { replySeq: this.#replySeq }),
        ...(deadline !== undefined && { deadline }),
        ...more,
      },
    }
    return progress as unknown as JSONValue // plain JSON, except that optional fields may be absent
  }
}

type ProgressEntry = RunEntry & { progress: JSONValue }

function withEvents(entry: RunEntry, held: readonly AgentEvent[]): RunEntry {
  return held.length === 0 || !entry.events ? entry : { ...entry, events: [...entry.events, ...held] }
}

/** Why a run ends whose events cannot be stored. */
function lost(error: unknown): AgentKitError {
  if (isAgentKitError(error)) return error
  return new AgentKitError('storage', `The session store failed: ${redactSecrets(messageOf(error))}`, { cause: error })
}
