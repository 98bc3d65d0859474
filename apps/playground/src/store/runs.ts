import { requestJSON } from '../api/request.ts'
import type { RunBody, TurnBody } from '../api/types.ts'
import { callerQuery } from './server.ts'
import { redraw, type ShownTurn } from './turn.ts'

/** The turns on the page at once: earlier ones are read again when they are asked for. */
export const maxTurns = 50

export function readRun(runId: string): Promise<RunBody> {
  return requestJSON(`api/v1/runs/${encodeURIComponent(runId)}`, { query: callerQuery() })
}

export function readTurns(sessionId: string, page: object): Promise<{ turns: TurnBody[]; previous: string | null }> {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/turns`
  return requestJSON(path, { query: { ...callerQuery(), ...page } })
}

/**
 * Hides the cards of a run that are decided: its events have a decision once all of them are there.
 * @returns the run, where it was read
 */
export async function hideDecided(turn: ShownTurn): Promise<RunBody | undefined> {
  const open = turn.view.approvals.filter(({ isOpen }) => isOpen)
  // Of a run that is followed, the events report a single decision, and the end.
  const isKnown = turn.hasSteps.value ? open.length < 2 : open.length === 0 && !turn.problem.value
  if (isKnown || !turn.keepsEvents) return undefined
  // A failure is ignored here: the user's next request shows its reason.
  const run = await readRun(turn.view.runId).catch(() => undefined)
  if (!run) return undefined
  for (const one of open) {
    if (!run.approvals.some(({ approval_id }) => approval_id === one.approvalId)) one.isOpen = false
  }
  redraw(turn)
  return run
}
