import type { Approval, Decisions } from '@agentkit/core'
import { firstChars, isRecord } from '@agentkit/core/internal'
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { mcpSDK } from './load-mcp.ts'
import type { MCPHost } from './mcp-host.ts'

const maxInput = 2_000
const maxReason = 10_000

/** Whether the client's user can be asked to decide: by a form, and by someone who may decide. */
export function mayElicit({ agent, mayDecide }: MCPHost, capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined
  // Before modes existed, an empty object declared forms.
  const hasForms = isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined)
  return hasForms && mayDecide && agent.sessions.runs !== undefined
}

/** Whether a form can answer all of them: the result of a client's tool has any shape. */
export function areAskable(approvals: readonly Approval[]): boolean {
  return approvals.length > 0 && approvals.every(({ kind }) => kind !== 'client-tool')
}

/**
 * Asks the client's user to decide on approvals. The state is the id of the run: it is no secret, and is checked against
 * the caller when it comes back.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function approvalRequests(
  { agent }: MCPHost,
  runId: string,
  approvals: readonly Approval[],
): InputRequiredResult {
  const { inputRequired } = mcpSDK()
  const inputRequests = approvals.map((approval) => {
    const message = questionOf(agent.name, approval)
    return [approval.approvalId, inputRequired.elicit({ mode: 'form', message, requestedSchema: form })] as const
  })
  return inputRequired({ inputRequests: Object.fromEntries(inputRequests), requestState: runId })
}

const form = {
  type: 'object' as const,
  properties: {
    approve: { type: 'boolean' as const, title: 'Approve', description: 'Whether the call may run.' },
    reason: {
      type: 'string' as const,
      title: 'Reason',
      description: 'Why not; the agent reads it.',
      maxLength: maxReason,
    },
  },
  required: ['approve'],
}

function questionOf(agentName: string, { name, input, kind, path }: Approval): string {
  const who = path === undefined || path.length === 0 ? agentName : `${agentName} (${path.join(' / ')})`
  const json = JSON.stringify(input ?? null)
  const shown = json.length > maxInput ? `${firstChars(json, maxInput)}… (${json.length} characters)` : json
  if (kind === 'approval') return `${who} wants to call "${name}" with ${shown}. May it?`
  return `"${name}" was called by ${who} with ${shown}, and whether it has happened is unknown. Approve to call it again.`
}

/**
 * The decisions in the answers of the client's user. Answers to other questions are left out.
 * @returns also whether a question was closed without a decision
 */
export function readResponses(
  responses: Readonly<Record<string, unknown>>,
  open: readonly Approval[],
): { decisions: Decisions; isDismissed: boolean } {
  const decisions: Record<string, Decisions[string]> = {}
  let isDismissed = false
  for (const { approvalId, kind } of open) {
    const response = Object.hasOwn(responses, approvalId) ? responses[approvalId] : undefined
    if (!isRecord(response) || kind === 'client-tool') continue
    const { action, content } = response
    const { approve, reason } = isRecord(content) ? content : {}
    const deny = typeof reason === 'string' ? reason.slice(0, maxReason).toWellFormed() : ''
    if (action === 'accept' && typeof approve === 'boolean') decisions[approvalId] = approve || { deny }
    else if (action === 'decline') decisions[approvalId] = { deny }
    else if (action === 'cancel') isDismissed = true
  }
  return { decisions, isDismissed }
}
