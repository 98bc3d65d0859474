import type { Approval, Decision, Decisions } from '../data/approval-data.ts'
import { AgentKitError } from '../data/errors.ts'
import { untilAborted } from '../util/abort.ts'

/** The approvals that one run waits for, and the decisions on them. */
export interface PendingApprovals {
  /** Whether the run waits for decisions. */
  isWaiting(): boolean
  /** A caller is attached who can decide. */
  attach(): void
  /** The caller is gone: its decisions count, the other approvals stay open in the stored run. */
  detach(): void
  /** Cancels the run: it cannot be resumed. */
  cancel(): void
  isCancelled(): boolean
  /** @throws AgentKitError `not-found` when no approval with this id is pending */
  decide(approvalId: string, decision: Decision): void
  /**
   * Asks the caller about a call that is running, which is not stored.
   * @returns `undefined` where no caller can decide
   */
  ask(approvalId: string, signal: AbortSignal): Promise<Decision> | undefined
  /** Decisions that were made elsewhere: they count once all approvals are decided. */
  learn(decisions: Decisions): void
  /**
   * @param onDecided called with each decision of the caller
   * @returns all decisions, or those made before the caller detached; `undefined` where the caller made none of these
   */
  decisions(
    approvals: readonly Approval[],
    signal: AbortSignal,
    onDecided?: (approvalId: string, decision: Decision) => void,
  ): Promise<Decisions | undefined>
}

export function pendingApprovals(runId: string): PendingApprovals {
  let isAttached = false
  let isWaiting = false
  let isCancelled = false
  let undecided = new Set<string>()
  let decided: Record<string, Decision> = {}
  let learned: Record<string, Decision> = {}
  let report: (approvalId: string, decision: Decision) => void = () => {}
  const asked = new Map<string, (decision: Decision) => void>()
  let finish: (decisions: Decisions | undefined) => void = () => {}
  const close = (): void => {
    const isComplete = undecided.size === 0
    undecided = new Set()
    finish(isComplete || Object.keys(decided).length > 0 ? { ...learned, ...decided } : undefined)
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
        return answer(decision)
      }
      if (!undecided.delete(approvalId)) {
        const hint = 'A run that has ended with pending approvals is resumed by agent.resume(runId, decisions).'
        throw new AgentKitError('not-found', `No approval "${approvalId}" is pending in the run ${runId}. ${hint}`)
      }
      decided[approvalId] = decision
      report(approvalId, decision)
      if (undecided.size === 0) close()
    },
    learn(decisions) {
      const known = [...undecided].flatMap((id) => (decisions[id] === undefined ? [] : [[id, decisions[id]] as const]))
      for (const [id] of known) undecided.delete(id)
      Object.assign(learned, Object.fromEntries(known))
      if (known.length > 0 && undecided.size === 0) close()
    },
    async decisions(approvals, signal, onDecided = () => {}) {
      isWaiting = true
      report = onDecided
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
        isWaiting = false
        undecided = new Set()
      })
    },
  }
}

/** A process that waits for a person may have nothing else that keeps it alive. */
function keepProcess(): NodeJS.Timeout {
  return setInterval(() => {}, 60_000)
}
