import { isAgentKitError, type Runnable } from '@agentkit/core'
import { enqueuedBytes, withRequest } from '@agentkit/core/internal'
import { ProblemError, thrownProblem } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import { replacedProblem } from './replaced-problem.ts'
import type { ChatMessage } from './run-chat.ts'

/** @throws ProblemError `unsupported` for a store without background runs; `overloaded` while the server stops */
export function requireBackground({ agent: { enqueue, sessions }, capacity }: RouteParts): void {
  if (!enqueue || !sessions.runs?.background) {
    throw new ProblemError('unsupported', { detail: 'Background runs need sessions on disk or Postgres.' })
  }
  if (capacity.runs.isClosed) throw capacity.runs.overloaded('The server is shutting down.', { connection: 'close' })
}

const notInBackground =
  'This agent has no background runs: the steps of a workflow are not stored. Ask it without a background run.'

type Enqueue = NonNullable<Runnable['enqueue']>

/**
 * Stores a run that a worker begins. `requireBackground` has passed.
 * @returns its id
 * @throws ProblemError `invalid-argument` for messages that are too large, `overloaded`
 */
export async function enqueueRun(
  { agent, limits }: RouteParts,
  { question, userId, sessionId, history, replaces, clientData }: ChatMessage,
  { requestId, idempotencyKey }: { requestId: string; idempotencyKey?: string | undefined },
): Promise<string> {
  const options: Parameters<Enqueue>[1] = {
    ...{ userId, history, timeoutMs: limits.backgroundMs },
    ...(sessionId !== undefined && { sessionId }),
    ...(replaces !== undefined && { replaces }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }
  requireRoom('The last message', question, enqueuedBytes.input)
  requireRoom('The history before it', history, enqueuedBytes.history)
  try {
    const bounds = { queued: limits.queued, userQueued: limits.userQueued }
    const request = { requestId, ...(clientData !== undefined && { client: clientData }) }
    const run = await withRequest(request, () => agent.enqueue?.(question, options, bounds))
    return (run as { runId: string }).runId // `requireBackground` has found the method
  } catch (error) {
    const code = isAgentKitError(error) ? error.code : undefined
    if (code === 'overloaded') throw tooManyQueued(error)
    // The store has runs: it is the agent whose runs no worker can begin.
    if (code === 'unsupported') throw new ProblemError('unsupported', { detail: notInBackground, cause: error })
    throw replacedProblem(thrownProblem(error), replaces)
  }
}

/** @throws ProblemError if the agent would refuse the data that is stored with the run */
function requireRoom(what: string, value: unknown, most: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= most) return
  const detail = `${what} has ${bytes} bytes as JSON; a background run takes at most ${most}. Send less text, or upload it as a file.`
  throw new ProblemError('invalid-argument', { status: 413, title: 'Message too large', detail, quiet: true })
}

function tooManyQueued(cause: unknown): ProblemError {
  const detail = 'Too many background runs are queued.'
  return new ProblemError('overloaded', { detail, cause, headers: { 'retry-after': '5' }, quiet: true })
}
