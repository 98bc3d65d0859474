import type { Citation, RunFinishReason, Usage } from '@agentkit/core'
import type { RunBody, Source, TurnBody } from '../api/types.ts'
import { newRunView, type RunView } from './run-view.ts'

/** The view of a finished or suspended turn of the history, whose events are not read yet. */
export function viewOfTurn(turn: TurnBody): RunView {
  const view = newRunView(turn.run_id)
  view.isOpen = isContinuing(turn)
  view.models = turn.models
  view.sources = turn.sources.map(sourceOf)
  view.approvals = turn.approvals.map(({ approval_id, call_id, started_at, path, ...approval }) => ({
    ...approval,
    approvalId: approval_id,
    callId: call_id,
    path: path ?? [],
    isOpen: true,
    ...(started_at && { startedAt: started_at }),
  }))
  if (view.isOpen) return view
  view.end = {
    ...{ type: 'run-end', seq: 0, runId: turn.run_id, path: [] },
    finishReason: reasonOf(turn),
    text: turn.answer ?? '',
    usage: usageOf(turn.usage),
    ...(turn.cost !== null && { cost: { usd: turn.cost, ...(turn.usage?.estimated && { estimated: true }) } }),
    ...(turn.error && { error: { code: turn.error.code, message: turn.error.detail, retryable: false } }),
  }
  return view
}

/** Whether a run waits for its turn, or runs. */
export function isContinuing({ status }: RunBody): boolean {
  return status === 'queued' || status === 'running'
}

function sourceOf({ chunk_id, session, ...source }: Source): Citation {
  const ofTurn = session && { sessionId: session.session_id, runId: session.run_id, at: session.at }
  // The server sends all of a citation, in snake case.
  return { ...source, chunkId: chunk_id, ...(ofTurn && { session: ofTurn }) } as Citation
}

function reasonOf({ finish_reason, status }: TurnBody): RunFinishReason {
  if (finish_reason) return finish_reason as RunFinishReason // one of them, by the promise of the route
  return status === 'waiting' ? 'approval' : status === 'failed' ? 'error' : 'stop'
}

function usageOf(usage: TurnBody['usage']): Usage {
  const entries = Object.entries(usage ?? {}).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(entries)
}
