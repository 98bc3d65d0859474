import type { ToolCall } from '../contracts/model.ts'
import type { Approval } from '../data/approval-data.ts'
import type { JSONValue } from '../data/message.ts'
import type { ToolBox } from '../tools/toolbox.ts'
import { cloneJSON } from '../util/json/clone-json.ts'
import { approvalIdOf, type StepPlace } from './decisions/approval-id.ts'
import type { SuspendedMember } from './snapshot.ts'

/** The calls of a step that need approval. The ids of the approvals depend on the place of the step and on the call only. */
export async function callsToApprove(
  calls: readonly ToolCall[],
  toolBox: ToolBox,
  place: StepPlace,
): Promise<Approval[]> {
  if (!toolBox.mayNeedApproval) return []
  const asked = await Promise.all(calls.map(async (call) => ((await needsApproval(call, toolBox)) ? [call] : [])))
  const clientCalls = calls.filter(({ name }) => toolBox.byName.get(name)?.tool.client).map(({ callId }) => callId)
  return approvalsOf(asked.flat(), place, { clientCalls })
}

/** What kind of decision calls wait for. */
type CallKinds = {
  /** When calls of unknown outcome began, in milliseconds since 1970, by their ids. */
  begun?: ReadonlyMap<string, number>
  /** The calls that the client executes. */
  clientCalls?: readonly string[]
}

/** The approvals of calls that need one. */
export function approvalsOf(
  calls: readonly Pick<ToolCall, 'callId' | 'name' | 'input'>[],
  place: StepPlace,
  { begun = new Map(), clientCalls = [] }: CallKinds = {},
): Approval[] {
  return calls.map(({ callId, name, input }) => {
    const startedAt = begun.get(callId)
    return {
      approvalId: approvalIdOf(place, callId, startedAt),
      callId,
      name,
      // A copy, so that a listener cannot change the tool's input.
      input: cloneJSON(input as JSONValue),
      ...(startedAt === undefined
        ? { kind: clientCalls.includes(callId) ? ('client-tool' as const) : ('approval' as const) }
        : { kind: 'unknown-outcome' as const, startedAt: new Date(startedAt).toISOString() }),
    }
  })
}

/** The pending approvals of a step: of its own calls, and of the members that it called. */
export function openApprovals(
  calls: readonly ToolCall[],
  place: StepPlace,
  { suspended, ...kinds }: Required<CallKinds> & { suspended: ReadonlyMap<string, SuspendedMember> },
): Approval[] {
  const own = calls.filter(({ callId }) => !suspended.has(callId))
  return [...approvalsOf(own, place, kinds), ...memberApprovals(suspended)]
}

export function memberApprovals(suspended: ReadonlyMap<string, SuspendedMember>): Approval[] {
  return [...suspended.values()].flatMap(({ approvals }) => approvals)
}

/** Whether a call waits for a decision. A call with invalid input will not run, so it needs none. */
export async function needsApproval({ callId, name, input, invalid }: ToolCall, { byName }: ToolBox): Promise<boolean> {
  const entry = byName.get(name)
  const rule = entry?.tool.client ?? entry?.tool.needsApproval
  if (!entry || !rule || invalid !== undefined) return false
  try {
    const checked = await entry.schema.validate(cloneJSON(input as JSONValue)) // by `checkEvent`
    if (checked.problems) return false
    return rule === true || (await rule(checked.value, { callId })) !== false
  } catch {
    // A rule that fails allows nothing.
    return true
  }
}
