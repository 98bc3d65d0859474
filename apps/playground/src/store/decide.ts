import { requestIdOf } from '../api/problem.ts'
import { readEvents } from '../api/read-events.ts'
import { request } from '../api/request.ts'
import { drive, followTurn } from './follow-turn.ts'
import { callerQuery } from './server.ts'
import { receive, redraw, type ShownTurn } from './turn.ts'

export type DecisionBody = { approve: boolean; reason?: string } | { result: unknown }

/** Sends a decision on an approval of a turn, after which its run continues. */
export async function decide(turn: ShownTurn, approvalId: string, decision: DecisionBody): Promise<void> {
  const path = `api/v1/runs/${encodeURIComponent(turn.view.runId)}/approvals/${encodeURIComponent(approvalId)}`
  const json = { ...callerQuery(), ...decision }
  // A run that keeps its events is followed by them.
  const accept = turn.keepsEvents ? 'application/json' : 'text/event-stream'
  const response = await request(path, { method: 'POST', json, headers: { accept } })
  turn.requestId = requestIdOf(response)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    void drive(turn, () => readEvents(response, (event) => receive(turn, event)))
  }
  const approval = turn.view.approvals.find((one) => one.approvalId === approvalId)
  if (approval) approval.isOpen = false
  redraw(turn)
  // An earlier one is followed from here on.
  if (turn.keepsEvents && !turn.hasSteps.value) void followTurn(turn)
}
