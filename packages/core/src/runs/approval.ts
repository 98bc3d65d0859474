import type { ToolCall } from '../contracts/model.ts'
import type { Approval, Decision, Decisions } from '../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { JSONValue } from '../data/message.ts'
import type { ToolBox } from '../tools/toolbox.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'

/** The calls of a step that must be approved first. Their ids are the same whenever the step is looked at again. */
export async function callsToApprove(calls: readonly ToolCall[], toolBox: ToolBox, step: number): Promise<Approval[]> {
  if (!toolBox.mayNeedApproval) return []
  const asked = await Promise.all(calls.map(async (call) => ((await needsApproval(call, toolBox)) ? [call] : [])))
  return approvalsOf(asked.flat(), step)
}

/** @param calls which are known to need approval */
export function approvalsOf(calls: readonly Pick<ToolCall, 'callId' | 'name' | 'input'>[], step: number): Approval[] {
  return calls.map(({ callId, name, input }) => ({
    approvalId: `${step}-${callId}`,
    callId,
    name,
    // Its own copy: what a listener does to it must not reach the tool.
    input: cloneJSON(input as JSONValue),
  }))
}

/** Whether somebody must allow the call. One whose input does not fit will not run, so nobody is asked about it. */
export async function needsApproval({ name, input, invalid }: ToolCall, { byName }: ToolBox): Promise<boolean> {
  const entry = byName.get(name)
  const rule = entry?.tool.needsApproval
  if (!entry || !rule || invalid !== undefined) return false
  try {
    const checked = await entry.schema.validate(cloneJSON(input as JSONValue))
    if (checked.problems) return false
    return rule === true || (await rule(checked.value)) !== false
  } catch {
    // A rule that fails must not let anything pass.
    return true
  }
}

/** Where the decisions of one run are waited for. */
export interface ApprovalDesk {
  /** Whether the run waits for decisions. */
  readonly waiting: boolean
  /** Somebody is there who may decide. */
  attend(): void
  /** Whoever was there has left: what was decided counts, the rest is not decided here any more. */
  leave(): void
  /** The run is cancelled: what waits is not to go on, later or elsewhere. */
  cancel(): void
  readonly isCancelled: boolean
  /** @throws AgentKitError `not-found` when nothing of this id waits */
  decide(approvalId: string, decision: Decision): void
  /** @returns what was decided: all of it, or what there is when whoever was there has left; `undefined` for nothing */
  decisions(approvals: readonly Approval[], signal: AbortSignal): Promise<Decisions | undefined>
}

export function approvalDesk(runId: string): ApprovalDesk {
  let attended = false
  let waiting = false
  let isCancelled = false
  /** Approvals that may be decided yet. */
  let open = new Set<string>()
  let decided: Record<string, Decision> = {}
  let finish: (decisions: Decisions | undefined) => void = () => {}
  const close = (): void => {
    open = new Set()
    finish(Object.keys(decided).length > 0 ? decided : undefined)
  }
  return {
    get waiting() {
      return waiting
    },
    attend() {
      attended = true
    },
    leave() {
      attended = false
      close()
    },
    cancel() {
      isCancelled = true
    },
    get isCancelled() {
      return isCancelled
    },
    decide(approvalId, decision) {
      if (!open.delete(approvalId)) {
        const hint = 'One that has ended with what waits goes on by agent.resume(runId, decisions).'
        throw new AgentKitError('not-found', `No approval "${approvalId}" waits in the run ${runId}. ${hint}`)
      }
      decided[approvalId] = decision
      if (open.size === 0) close()
    },
    async decisions(approvals, signal) {
      waiting = true
      open = new Set(approvals.map(({ approvalId }) => approvalId))
      decided = {}
      const all = new Promise<Decisions | undefined>((resolve) => {
        finish = resolve
      })
      // Whoever waits for a person has nothing else that would keep its process alive.
      const alive = setInterval(() => {}, 60_000)
      if (!attended) close()
      return untilAborted(signal, all).finally(() => {
        clearInterval(alive)
        waiting = false
        open = new Set()
      })
    },
  }
}

/** @throws AgentKitError `invalid-argument` for a decision that is none, or about nothing that waits */
export function checkDecisions(decisions: Decisions, approvals: readonly Approval[]): void {
  for (const [approvalId, decision] of Object.entries(decisions)) {
    if (!approvals.some((approval) => approval.approvalId === approvalId)) {
      const waiting = approvals.map((approval) => `"${approval.approvalId}" (${approval.name})`).join(', ')
      throw invalidArgument(`No approval "${approvalId}" waits in this run. There are: ${waiting}.`)
    }
    const isDecision = decision === true || typeof decision?.deny === 'string'
    if (!isDecision) throw invalidArgument(`Decide "${approvalId}" by true or { deny: "why" }.`)
  }
}
