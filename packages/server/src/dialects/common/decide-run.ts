import { type Decisions, isAgentKitError, type StoredRun } from '@agentkit/core'
import type { EncodeEvent } from '../../answer/encode-event.ts'
import type { EventSource } from '../../answer/event-stream.ts'
import { followedEvents } from '../../answer/followed-events.ts'
import { detachedEvents } from '../../answer/live-events.ts'
import { ProblemError } from '../../answer/problem.ts'
import { mayDecide } from '../../request/caller.ts'
import type { RouteParts } from '../../request/parts.ts'
import { reserveContinuation } from '../../runs/continue-run.ts'
import { decisionProblem } from '../../runs/decision-route.ts'
import { findRun } from '../../runs/find-run.ts'
import type { ServerContext } from '../../util/server-env.ts'

/**
 * Decides on approvals of a run, which then continues.
 * @param given.otherwise the decisions instead of those whose results do not fit their tools
 * @returns the events of the continued run, as `encode` writes them; `undefined` while other approvals are open
 * @throws ProblemError `approval-not-allowed`; `session-conflict` for an approval that was decided; `overloaded`
 */
export async function decideRun(
  context: ServerContext,
  parts: RouteParts,
  stored: StoredRun,
  { decisions, otherwise = {}, userId }: { decisions: Decisions; otherwise?: Decisions; userId: string },
): Promise<((encode: EncodeEvent) => EventSource) | undefined> {
  const { agent, rules, capacity } = parts
  const { record, keepsEvents, lastSeq } = stored
  const { runId } = record
  if (!mayDecide(context, rules)) throw new ProblemError('approval-not-allowed')
  context.set('runId', runId)
  // A worker continues a background run, in this process or in another one.
  const continuation = stored.isBackground
    ? undefined
    : await reserveContinuation(parts, stored, context.get('requestId'))
  try {
    const by = context.get('principal') ?? userId
    await decideAsItFits((given) => agent.decide(runId, given, { userId, by }), decisions, otherwise)
  } catch (error) {
    continuation?.release()
    throw decisionProblem(error)
  }
  const continued = await continuation?.start()
  if (keepsEvents) {
    const now = await findRun(parts, runId, userId)
    // The run has no new events: it waits for the same approvals, without those of `decisions`.
    if (now.record.status === 'waiting' && now.lastSeq === lastSeq) return undefined
    const followed = { runId, after: lastSeq, last: lastSeq, draining: capacity.draining }
    return (encode) => followedEvents({ sessions: agent.sessions, ...followed, encode })
  }
  return continued && ((encode) => detachedEvents(continued.starting, encode))
}

/** Twice at most, as each time all results are checked: the error has all that do not fit. */
async function decideAsItFits(
  decide: (decisions: Decisions) => Promise<void>,
  decisions: Decisions,
  otherwise: Decisions,
): Promise<void> {
  try {
    await decide(decisions)
  } catch (error) {
    const { invalidResults = [] } = isAgentKitError(error)
      ? (Object(error.cause) as { invalidResults?: readonly string[] })
      : {}
    const others = invalidResults.flatMap((id) => (otherwise[id] === undefined ? [] : [[id, otherwise[id]] as const]))
    if (others.length === 0 || others.length < invalidResults.length) throw error
    await decide({ ...decisions, ...Object.fromEntries(others) })
  }
}
