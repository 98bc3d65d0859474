import type { AgentEvent, AgentEventBody, AgentRun, ErrorInfo, Runnable, RunResult } from '@agentkit/core'
import { toErrorInfo } from '@agentkit/core/internal'
import type { LiveRun } from '../answer/live-events.ts'
import type { RouteParts } from '../request/parts.ts'

/**
 * A run as its client sees it. Where another process has taken it over, as a server with a free place may do while this one
 * waits for one, the answer is what that process makes of it.
 */
export function endedElsewhere({ agent, capacity }: RouteParts, run: AgentRun, userId: string): LiveRun {
  const { runId, result } = run
  const left = new AbortController()
  return {
    ...{ runId, result },
    leave: () => left.abort(),
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        const isElsewhere = event.type === 'run-end' && event.error?.code === 'session-conflict'
        const signal = AbortSignal.any([capacity.draining, left.signal])
        const found = isElsewhere ? await agent.result?.(runId, { userId, signal }).catch(() => undefined) : undefined
        if (found) yield* endOf(found, event)
        else if (event.type === 'run-end' && (await wasDeleted(agent, runId, event.error)))
          yield { ...event, ...cancelled }
        // The server stops before the other process has ended the run: its client reads the end later.
        else if (!isElsewhere || !capacity.draining.aborted) yield event
      }
    },
  }
}

const cancelled = {
  finishReason: 'aborted',
  error: { code: 'aborted', message: 'The run was cancelled.', retryable: false },
} as const

/** Whether a run could not continue because it was cancelled, and deleted with its session. */
export async function wasDeleted(
  { sessions }: Pick<Runnable, 'sessions'>,
  runId: string,
  error: Pick<ErrorInfo, 'code'> | undefined,
): Promise<boolean> {
  if (error?.code !== 'not-found' && error?.code !== 'session-conflict') return false
  // A store that fails does not show that it was deleted.
  const stored = await sessions.runs?.read(runId).catch(() => true)
  return stored === undefined
}

/** The events that give the result of the other process to a reader. */
function endOf(result: RunResult, { seq, runId, path }: AgentEvent): AgentEvent[] {
  const { text, approvals, finishReason, output, usage, cost, warnings, error } = result
  const bodies: AgentEventBody[] = [
    ...(text === '' ? [] : [{ type: 'text-delta', text } as const]),
    ...approvals.map(({ path: _, ...approval }) => ({ type: 'approval-request', ...approval }) as const),
    {
      ...{ type: 'run-end', finishReason, text, usage },
      ...(output !== undefined && { output }),
      ...(cost && { cost }),
      ...(warnings.length > 0 && { warnings }),
      ...(error && { error: toErrorInfo(error) }),
    },
  ]
  return bodies.map((body, index) => ({ ...body, seq: seq + index, runId, path }))
}
