import type { Approval, Decision, Decisions } from '../data/approval-data.ts'
import { AgentKitError } from '../data/errors.ts'
import { untilAborted } from '../util/abort.ts'

/** The approvals that one run waits for, and the decisions on them. */
export interface PendingApprovals {
  /** Whether the run waits for decisions. */
  readonly isWaiting: boolean
  /** A caller is attached who can decide. */
  attach(): void
  /** The caller is gone: its decisions count, the other approvals stay open in the stored run. */
  detach(): void
  /** Cancels the run: it cannot be resumed. */
  cancel(): void
  readonly isCancelled: boolean
  /** @throws AgentKitError `not-found` when no approval with this id is pending */
  decide(approvalId: string, decision: Decision): void
  /** @returns all decisions, or those made before the caller detached; `undefined` for none */
  decisions(approvals: readonly Approval[], signal: AbortSignal): Promise<Decisions | undefined>
}

export function pendingApprovals(runId: string): PendingApprovals {
  let isAttached = false
  let isWaiting = false
  let isCancelled = false
  let undecided = new Set<string>()
  let decided: Record<string, Decision> = {}
  let finish: (decisions: Decisions | undefined) => void = () => {}
  const close = (): void => {
    undecided = new Set()
    finish(Object.keys(decided).length > 0 ? decided : undefined)
  }
  return {
    get isWaiting() {
      return isWaiting
    },
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
    get isCancelled() {
      return isCancelled
    },
    decide(approvalId, decision) {
      if (!undecided.delete(approvalId)) {
        const hint = 'A run that has ended with pending approvals is resumed by agent.resume(runId, decisions).'
        throw new AgentKitError('not-found', `No approval "${approvalId}" is pending in the run ${runId}. ${hint}`)
      }
      decided[approvalId] = decision
      if (undecided.size === 0) close()
    },
    async decisions(approvals, signal) {
      isWaiting = true
      undecided = new Set(approvals.map(({ approvalId }) => approvalId))
      decided = {}
      const all = new Promise<Decisions | undefined>((resolve) => {
        finish = resolve
      })
      // A process that waits for a person may have nothing else that keeps it alive.
      const keepAlive = setInterval(() => {}, 60_000)
      if (!isAttached) close()
      return untilAborted(signal, all).finally(() => {
        clearInterval(keepAlive)
        isWaiting = false
        undecided = new Set()
      })
    },
  }
}
