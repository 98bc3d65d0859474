import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { approvalBody, sourceBody } from '../../answer/encode-answer.ts'
import { runProblem } from '../../answer/problem.ts'
import { problemTable } from '../../answer/problem-table.ts'
import type { Outcome } from './answer-outcome.ts'
import { approvalRequests, areAskable } from './approval-requests.ts'
import type { MCPHost } from './mcp-host.ts'

/**
 * The result of a call: the answer, or a question to the client's user. A run that fails is a result too, so that the model
 * which has called the tool reads why.
 */
export function askResult(
  host: MCPHost,
  outcome: Outcome,
  { elicits }: { elicits: boolean },
): CallToolResult | InputRequiredResult {
  const { runId, sessionId, text, sources, approvals, finishReason } = outcome
  if (finishReason === 'approval' && elicits && areAskable(approvals)) return approvalRequests(host, runId, approvals)
  const failure = runProblem(outcome)
  // A run that was cancelled has not failed.
  if (failure && finishReason === 'error') host.onFailure(failure)
  const structuredContent = {
    answer: text,
    session_id: sessionId,
    run_id: runId,
    finish_reason: finishReason,
    sources: sources.map(sourceBody),
    ...(approvals.length > 0 && finishReason === 'approval' && { approvals: approvals.map(approvalBody) }),
  }
  const shown = failure ? [text, failure.detail] : finishReason === 'approval' ? [text, waits(host, outcome)] : [text]
  const said = shown.filter((part) => part !== '').join('\n\n')
  return {
    content: [{ type: 'text', text: said === '' ? emptyAnswer(finishReason) : said }],
    structuredContent,
    ...(failure && { isError: true }),
  }
}

function waits({ agent, decisionRoute }: MCPHost, { runId, approvals }: Outcome): string {
  const names = approvals.map(({ name }) => `"${name}"`).join(', ')
  const head = `The run ${runId} waits for a decision on ${names}`
  if (!agent.sessions.runs) return `${head}, but its sessions are in memory, which keeps no runs: it cannot continue.`
  const routes = approvals.map((approval) => `\n- ${decisionRoute(runId, approval)}`)
  return `${head}. It continues when a person decides:${routes.join('')}`
}

function emptyAnswer(finishReason: Outcome['finishReason']): string {
  return Object.hasOwn(problemTable, finishReason) ? problemTable[finishReason as keyof typeof problemTable].detail : ''
}
