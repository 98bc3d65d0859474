import { isAgentKitError, type StoredRun } from '@agentkit/core'
import type { ServerContext } from '@modelcontextprotocol/server'
import { ProblemError } from '../../answer/problem.ts'
import { findRun } from '../../runs/find-run.ts'
import { AnswerOutcome, type Outcome, openApprovals, storedOutcome } from './answer-outcome.ts'
import { readResponses } from './approval-requests.ts'
import type { MCPHost, Watch } from './mcp-host.ts'

export type Continued = {
  /** As the client sends it. The run must belong to the caller. */
  runId: string
  responses: Readonly<Record<string, unknown>>
  context: ServerContext
  showProgress: Watch['onEvent']
}

/**
 * Decides on approvals of a run as the client's user has answered, and reads how the run continues. If another client
 * has decided first, it waits for the run.
 *
 * @returns the outcome of the run, and whether the user has closed the question without a decision
 * @throws ProblemError for a run that does not belong to the caller
 */
export async function continueRun(
  host: MCPHost,
  { runId, responses, context, showProgress }: Continued,
): Promise<{ outcome: Outcome; isDismissed: boolean }> {
  const { agent } = host
  const { signal } = context.mcpReq
  const stored = await findWaiting(host, runId)
  const { decisions, isDismissed } = readResponses(responses, openApprovals(stored))
  if (stored.record.status === 'waiting' && Object.keys(decisions).length > 0) {
    const turn = await agent.sessions.find(runId)
    const answer = new AnswerOutcome(agent, stored.record.sessionId ?? '', { stored, turn })
    const onEvent: Watch['onEvent'] = (event) => {
      answer.read(event)
      showProgress(event)
    }
    const hasContinued = await host.decide(stored, decisions, { signal, onEvent }).catch(asDecided)
    if (hasContinued) return { outcome: answer.outcome(), isDismissed: false }
  }
  const settled = await untilSettled(host, runId, signal)
  return { outcome: await storedOutcome(agent, settled, await agent.sessions.find(runId)), isDismissed }
}

/** The state that a client sends back is the id of a run, which it could have invented. */
async function findWaiting(host: MCPHost, runId: string): Promise<StoredRun> {
  try {
    return await findRun(host, runId, host.userId)
  } catch (error) {
    const isUnknown = error instanceof ProblemError && (error.code === 'not-found' || error.code === 'unsupported')
    if (!isUnknown) throw error
    const detail = 'The requestState is not that of a run which waits for you. Call the tool again without it.'
    throw new ProblemError('invalid-field', { status: 400, detail })
  }
}

/** Someone else was first: their decision holds. */
function asDecided(error: unknown): false {
  if (error instanceof ProblemError && error.code === 'session-conflict') return false
  throw error
}

/** The run once it has ended or waits. */
async function untilSettled(host: MCPHost, runId: string, signal: AbortSignal): Promise<StoredRun> {
  const { agent, userId } = host
  const stored = await findRun(host, runId, userId)
  const { status } = stored.record
  if (status !== 'running' && status !== 'queued') return stored
  await agent.result?.(runId, { userId, signal }).catch((error: unknown) => {
    // The error of the run itself is read from the run.
    if (!isAgentKitError(error)) throw error
  })
  return findRun(host, runId, userId)
}
