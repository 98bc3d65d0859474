import type { Approval, Decision, Decisions } from '../../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { alreadyDecided, copyDecisions } from './decisions.ts'

type DecisionListener = {
  /** Rejects a decision that an approval does not take. */
  check?(decision: Decisions): Promise<void>
  /** Called with each decision of the caller. */
  onDecided?(approvalId: string, decision: Decision): void
}

/** The approvals that one run waits for, and the decisions on them. */
export class PendingApprovals {
  readonly #runId: string
  #isAttached = false
  #isWaiting = false
  #isCancelled = false
  #undecided = new Set<string>()
  #decided: Record<string, Decision> = {}
  #learned: Record<string, Decision> = {}
  #listener: DecisionListener = {}
  #clientCalls: Map<string, string> | undefined
  /** What was decided, and when, of all approvals of the run. */
  #settled: Map<string, { decision: Decision; at: number }> | undefined
  #asked: Map<string, (decision: Decision) => void> | undefined
  #finish: (decisions: Decisions | undefined) => void = () => {}

  constructor(runId: string) {
    this.#runId = runId
  }

  /** Whether the run waits for decisions, or ends with its approvals. */
  isWaiting(): boolean {
    return this.#isWaiting
  }

  /** A caller is attached who can decide. */
  attach(): void {
    this.#isAttached = true
  }

  /** The caller has disconnected: its decisions count, the other approvals stay open in the stored run. */
  detach(): void {
    this.#isAttached = false
    this.#close()
  }

  /** Cancels the run: it cannot be resumed. */
  cancel(): void {
    this.#isCancelled = true
  }

  isCancelled(): boolean {
    return this.#isCancelled
  }

  /**
   * Asks the caller about a call that is running, which is not stored.
   * @returns `undefined` where no caller can decide
   */
  ask(approvalId: string, signal: AbortSignal): Promise<Decision> | undefined {
    if (!this.#isAttached) return undefined
    this.#asked ??= new Map()
    const asked = this.#asked
    const decided = new Promise<Decision>((resolve) => asked.set(approvalId, resolve))
    const keepAlive = keepProcess()
    return untilAborted(signal, decided).finally(() => {
      clearInterval(keepAlive)
      asked.delete(approvalId)
    })
  }

  /** @throws AgentKitError `not-found` when no approval with this id is pending; `session-conflict` when it was decided */
  decide(approvalId: string, decision: Decision): void {
    const answer = this.#asked?.get(approvalId)
    if (answer) {
      this.#asked?.delete(approvalId)
      this.#note(approvalId, decision)
      answer(decision)
      return
    }
    if (!this.#undecided.has(approvalId)) throw this.#notPending(approvalId)
    const name = this.#clientCalls?.get(approvalId)
    if (decision === true && name !== undefined) {
      throw invalidArgument(
        `The client executes ${name}: give its result by run.answer(approvalId, result), or deny it.`,
      )
    }
    this.#settle(approvalId, decision)
  }

  /**
   * Gives the result of a call that the client executes, or whose outcome is unknown.
   * @throws AgentKitError as `decide`; `invalid-argument` for a result that does not fit, and for other calls
   */
  async answer(approvalId: string, result: JSONValue): Promise<void> {
    if (!this.#undecided.has(approvalId)) throw this.#notPending(approvalId)
    if (result === undefined) {
      throw invalidArgument(`run.answer("${approvalId}") needs a result: JSON, null where the call gives nothing.`)
    }
    const decision = copyDecisions({ [approvalId]: { result } })
    await this.#listener.check?.(decision)
    // Another decision may have been first.
    if (!this.#undecided.has(approvalId)) throw this.#notPending(approvalId)
    this.#settle(approvalId, decision[approvalId] as Decision)
  }

  /** Decisions that were made elsewhere: they count once all approvals are decided. */
  learn(decisions: Decisions): void {
    const before = this.#undecided.size
    for (const approvalId of [...this.#undecided]) {
      const decision = decisions[approvalId]
      if (decision === undefined) continue
      this.#undecided.delete(approvalId)
      this.#learned[approvalId] = decision
      this.#note(approvalId, decision)
    }
    if (before > 0 && this.#undecided.size === 0) this.#close()
  }

  /**
   * Waits for the decisions on these approvals.
   * @returns all decisions, or those made before the caller detached; `undefined` where the caller made none of these
   */
  async decisions(
    approvals: readonly Approval[],
    signal: AbortSignal,
    listener: DecisionListener = {},
  ): Promise<Decisions | undefined> {
    this.#isWaiting = true
    this.#listener = listener
    this.#clientCalls = new Map(
      approvals.flatMap(({ kind, approvalId, name }) => (kind === 'client-tool' ? [[approvalId, name]] : [])),
    )
    this.#learned = {}
    this.#undecided = new Set(approvals.map(({ approvalId }) => approvalId))
    this.#decided = {}
    const all = new Promise<Decisions | undefined>((resolve) => {
      this.#finish = resolve
    })
    const keepAlive = keepProcess()
    if (!this.#isAttached) this.#close()
    return untilAborted(signal, all).finally(() => {
      clearInterval(keepAlive)
      this.#isWaiting &&= !signal.aborted
      this.#undecided = new Set()
      // They stay open in the stored run.
      if (signal.aborted) for (const { approvalId } of approvals) this.#settled?.delete(approvalId)
    })
  }

  #close(): void {
    const hasDecisions = this.#undecided.size === 0 || Object.keys(this.#decided).length > 0
    this.#undecided = new Set()
    this.#isWaiting = !hasDecisions
    this.#finish(hasDecisions ? { ...this.#learned, ...this.#decided } : undefined)
  }

  #settle(approvalId: string, decision: Decision): void {
    this.#undecided.delete(approvalId)
    this.#decided[approvalId] = decision
    this.#note(approvalId, decision)
    this.#listener.onDecided?.(approvalId, decision)
    if (this.#undecided.size === 0) this.#close()
  }

  #note(approvalId: string, decision: Decision): void {
    this.#settled ??= new Map()
    this.#settled.set(approvalId, { decision, at: Date.now() })
  }

  #notPending(approvalId: string): AgentKitError {
    const before = this.#settled?.get(approvalId)
    if (before) return alreadyDecided(approvalId, before.decision, before.at)
    const hint = 'A run that has ended with pending approvals is resumed by agent.resume(runId, decisions).'
    return new AgentKitError('not-found', `No approval "${approvalId}" is pending in the run ${this.#runId}. ${hint}`)
  }
}

/** A process that waits for a person may have nothing else that keeps it alive. */
function keepProcess(): NodeJS.Timeout {
  return setInterval(() => {}, 60_000)
}
