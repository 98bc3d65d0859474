import { AgentKitError, type ErrorCode } from '../data/errors.ts'
import type { MemberOutcome } from '../swarm/run-member.ts'

/** What a workflow fails in when an agent or a workflow in it has not come to its end. */
export function failureOf(label: string, name: string, outcome: MemberOutcome): AgentKitError {
  const { status, reason = 'It failed.', finishReason, error, parked } = outcome
  if (status === 'waiting') {
    const what = (parked?.approvals ?? []).map((approval) => `"${approval.name}"`).join(', ')
    const message = `The step "${label}" waits for approval of ${what}, and a workflow cannot go on later. Run "${name}" by itself or in a Swarm.`
    return new AgentKitError('unsupported', message)
  }
  // That is about the run, not about the step.
  if (status === 'budget') return new AgentKitError('budget', reason)
  const message = `The step "${label}" failed. ${error?.message ?? reason}`
  return error
    ? new AgentKitError(error.code, message, { ...error, cause: error.cause })
    : new AgentKitError(codes[finishReason] ?? 'tool-error', message)
}

const codes: { [reason: string]: ErrorCode } = {
  'max-steps': 'max-steps',
  'no-progress': 'no-progress',
  'content-filter': 'content-filter',
}
