import { isRecord } from '@agentkit/core/internal'
import { eventStreamType } from '../../answer/event-response.ts'
import { loggedRequest, logProblem } from '../../answer/log-problem.ts'
import { handlerProblem, ProblemError } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import { readJSON } from '../../request/read-json.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import { userHeader } from '../common/dialect-caller.ts'
import { callsInProgress } from './calls-in-progress.ts'
import { loadMCP } from './load-mcp.ts'
import { mcpFailure, type RequestId, requestIdOf } from './mcp-error.ts'

const json = { 'application/json': { type: 'object' } }
const message = {
  'application/json': {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer'] },
      method: { type: 'string' },
      params: { type: 'object' },
    },
    required: ['jsonrpc', 'method'],
  },
}

/** MCP, for hosts that have other agents and models. */
export function mcpRoute(parts: RouteParts): Route {
  const calls = callsInProgress()
  return defineRoute({
    method: 'POST',
    path: '/mcp',
    tag: 'dialects',
    summary: 'Answers a message of MCP',
    description: 'JSON-RPC 2.0, revision 2026-07-28 and those of 2025, without sessions. The tool is `ask_agent`.',
    headers: userHeader,
    otherBody: message,
    answers: {
      200: { description: 'The result', content: { ...json, [eventStreamType]: { type: 'string' } } },
      202: { description: 'A notification was received' },
    },
    async handle(context) {
      const { limits, capacity } = parts
      const held = capacity.hold()
      let id: RequestId = null
      try {
        const sent = await readJSON(context, { limits, runs: capacity.runs, held })
        id = requestIdOf(sent)
        checkMessage(sent)
        const { answerMCP } = await loadAnswer()
        const response = await answerMCP(context, parts, { sent, held, calls })
        held.end()
        return response
      } catch (error) {
        held.release()
        // Here, because the error names the request.
        const problem = handlerProblem(error)
        logProblem(problem, loggedRequest(context), parts.log)
        return mcpFailure(problem, id, context.get('requestId'))
      }
    },
  })
}

/**
 * Imports what answers MCP.
 * @throws AgentKitError `missing-package` without the SDK
 */
export async function loadAnswer(): Promise<typeof import('./answer-mcp.ts')> {
  await loadMCP()
  return await import('./answer-mcp.ts')
}

/** Refuses messages that the SDK would accept and this server does not. */
function checkMessage(sent: unknown): void {
  if (Array.isArray(sent)) {
    throw new ProblemError('unsupported', { detail: 'Send one message: batches are not accepted.' })
  }
  if (isRecord(sent) && sent.method === 'subscriptions/listen') {
    // A subscription would hold a connection for changes that are never announced.
    throw new ProblemError('unsupported', { status: 404, detail: 'There is nothing to subscribe to.' })
  }
}
