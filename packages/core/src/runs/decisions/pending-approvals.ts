import type { Approval, Decision, Decisions } from '../../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import { untilAborted } from '../../util/async/abort.ts'
import { alreadyDecided, copyDecisions } from './decisions.ts'

/** The approvals that one run waits for, and the decisions on them. */
export interface PendingApprovals {
  /** Whether the run waits for decisions, or ends with its approvals. */
  isWaiting(): boolean
  /** A caller is attached who can decide. */
  attach(): void
  /** The caller has disconnected: its decisions count, the other approvals stay open in the stored run. */
  detach(): void
  /** Cancels the run: it cannot be resumed. */
  cancel(): void
  isCancelled(): boolean
  /** @throws AgentKitError `not-found` when no approval with this id is pending; `session-conflict` when it was decided */
  decide(approvalId: string, decision: Decision): void
  /**
   * Gives the result of a call that the client executes, or whose outcome is unknown.
   * @throws AgentKitError as `decide`; `invalid-argument` for a result that does not fit, and for other calls
   */
  answer(approvalId: string, result: JSONValue): Promise<void>
  /**
   * Asks the caller about a call that is running, which is not stored.
   * @returns `undefined` where no caller can decide
   */
  ask(approvalId: string, signal: AbortSignal): Promise<Decision> | undefined
  /** Decisions that were made elsewhere: they count once all approvals are decided. */
  learn(decisions: Decisions): void
  /**
   * @param listener.check rejects a decision that an approval does not take
   * @param listener.onDecided called with each decision of the caller
   * @returns all decisions, or those made before the caller detached; `undefined` where the caller made none of these
   */
  decisions(
    approvals: readonly Approval[],
    signal: AbortSignal,
    listener?: DecisionListener,
  ): Promise<Decisions | undefined>
}

type DecisionListener = {
  check?(decision: Decisions): Promise<void>
  onDecided?(approvalId: string, decision: Decision): void
}

export function pendingApprovals(runId: string): PendingApprovals {
  let isAttached = false
  let isWaiting = false
  let isCancelled = false
  let undecided = new Set<string>()
  let decided: Record<string, Decision> = {}
  let learned: Record<string, Decision> = {}
  let listener: DecisionListener = {}
  let clientCalls = new Map<string, string>()
  /** What was decided, and when, of all approvals of the run. */
  const settled = new Map<string, { decision: Decision; at: number }>()
  const asked = new Map<string, (decision: Decision) => void>()
  let finish: (decisions: Decisions | undefined) => void = () => {}
  const close = (): void => {
    const hasDecisions = undecided.size === 0 || Object.keys(decided).length > 0
    undecided = new Set()
    isWaiting = !hasDecisions
    finish(hasDecisions ? { ...learned, ...decided } : undefined)
  }
  const settle = (approvalId: string, decision: Decision): void => {
    undecided.delete(approvalId)
    decided[approvalId] = decision
    settled.set(approvalId, { decision, at: Date.now() })
    listener.onDecided?.(approvalId, decision)
    if (undecided.size === 0) close()
  }
  const notPending = (approvalId: string): AgentKitError => {
    const before = settled.get(approvalId)
    if (before) return alreadyDecided(approvalId, before.decision, before.at)
    const hint = 'A run that has ended with pending approvals is resumed by agent.resume(runId, decisions).'
    return new AgentKitError('not-found', `No approval "${approvalId}" is pending in the run ${runId}. ${hint}`)
  }
  return {
    isWaiting: () => isWaiting,
    attach() {
      isAttached = true
    },
    detach() {
      isAttached = false
      close()
    },
    cancel() {
      isCancelled = true
    },
    isCancelled: () => isCancelled,
    ask(approvalId, signal) {
      if (!isAttached) return undefined
      const decided = new Promise<Decision>((resolve) => asked.set(approvalId, resolve))
      const keepAlive = keepProcess()
      return untilAborted(signal, decided).finally(() => {
        clearInterval(keepAlive)
        asked.delete(approvalId)
      })
    },
    decide(approvalId, decision) {
      const answer = asked.get(approvalId)
      if (answer) {
        asked.delete(approvalId)
        settled.set(approvalId, { decision, at: Date.now() })
        return answer(decision)
      }
      if (!undecided.has(approvalId)) throw notPending(approvalId)
      const name = clientCalls.get(approvalId)
      if (decision === true && name !== undefined) {
        throw invalidArgument(
          `The client executes ${name}: give its result by run.answer(approvalId, result), or deny it.`,
        )
      }
      settle(approvalId, decision)
    },
    async answer(approvalId, result) {
      if (!undecided.has(approvalId)) throw notPending(approvalId)
      if (result === undefined) {
        throw invalidArgument(`run.answer("${approvalId}") needs a result: JSON, null where the call gives nothing.`)
      }
      const decision = copyDecisions({ [approvalId]: { result } })
      await listener.check?.(decision)
      // Another decision may have been first.
      if (!undecided.has(approvalId)) throw notPending(approvalId)
      settle(approvalId, decision[approvalId] as Decision)
    },
    learn(decisions) {
      const known = [...undecided].flatMap((id) => (decisions[id] === undefined ? [] : [[id, decisions[id]] as const]))
      for (const [id, decision] of known) {
        undecided.delete(id)
        settled.set(id, { decision, at: Date.now() })
      }
      Object.assign(learned, Object.fromEntries(known))
      if (known.length > 0 && undecided.size === 0) close()
    },
    async decisions(approvals, signal, given = {}) {
      isWaiting = true
      listener = given
      clientCalls = new Map(
        approvals.flatMap(({ kind, approvalId, name }) => (kind === 'client-tool' ? [[approvalId, name]] : [])),
      )
      learned = {}
      undecided = new Set(approvals.map(({ approvalId }) => approvalId))
      decided = {}
      const all = new Promise<Decisions | undefined>((resolve) => {
        finish = resolve
      })
      const keepAlive = keepProcess()
      if (!isAttached) close()
      return untilAborted(signal, all).finally(() => {
        clearInterval(keepAlive)
        isWaiting &&= !signal.aborted
        undecided = new Set()
        // They stay open in the stored run.
        if (signal.aborted) for (const { approvalId } of approvals) settled.delete(approvalId)
      })
    },
  }
}

/** A process that waits for a person may have nothing else that keeps it alive. */
function keepProcess(): NodeJS.Timeout {
  return setInterval(() => {}, 60_000)
}
