import type { ToolCall } from '../contracts/model.ts'
import type { Approval, Decision, Decisions } from '../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { JSONValue } from '../data/message.ts'
import type { ToolBox } from '../tools/toolbox.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'

/** The calls of a step that need approval. The ids of the approvals depend on step and call only. */
export async function callsToApprove(calls: readonly ToolCall[], toolBox: ToolBox, step: number): Promise<Approval[]> {
  if (!toolBox.mayNeedApproval) return []
  const asked = await Promise.all(calls.map(async (call) => ((await needsApproval(call, toolBox)) ? [call] : [])))
  return approvalsOf(asked.flat(), step)
}

/** The approvals of calls that need one. */
export function approvalsOf(calls: readonly Pick<ToolCall, 'callId' | 'name' | 'input'>[], step: number): Approval[] {
  return calls.map(({ callId, name, input }) => ({
    approvalId: `${step}-${callId}`,
    callId,
    name,
    // A copy, so that a listener cannot change the tool's input.
    input: cloneJSON(input as JSONValue),
  }))
}

/** Whether a call needs approval. A call with invalid input will not run, so it needs none. */
export async function needsApproval({ name, input, invalid }: ToolCall, { byName }: ToolBox): Promise<boolean> {
  const entry = byName.get(name)
  const rule = entry?.tool.needsApproval
  if (!entry || !rule || invalid !== undefined) return false
  try {
    const checked = await entry.schema.validate(cloneJSON(input as JSONValue))
    if (checked.problems) return false
    return rule === true || (await rule(checked.value)) !== false
  } catch {
    // A rule that fails allows nothing.
    return true
  }
}

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

/** @throws AgentKitError `invalid-argument` for an invalid decision, or one on an approval that is not pending */
export function checkDecisions(decisions: Decisions, approvals: readonly Approval[]): void {
  for (const [approvalId, decision] of Object.entries(decisions)) {
    if (!approvals.some((approval) => approval.approvalId === approvalId)) {
      const pending = approvals.map((approval) => `"${approval.approvalId}" (${approval.name})`).join(', ')
      throw invalidArgument(`No approval "${approvalId}" is pending in this run. Pending are: ${pending}.`)
    }
    const isDecision = decision === true || typeof decision?.deny === 'string'
    if (!isDecision) throw invalidArgument(`Decide "${approvalId}" by true or { deny: "why" }.`)
  }
}
