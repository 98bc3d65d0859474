import type { Decisions } from '@agentkit/core'
import { eventResponse } from '../../answer/event-response.ts'
import { invalid } from '../../answer/field-problems.ts'
import { ProblemError } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { withOutputs } from '../common/client-outputs.ts'
import { continuedSpeakers } from '../common/continued-speakers.ts'
import { decideRun } from '../common/decide-run.ts'
import { readWhole } from '../common/read-whole.ts'
import { findResponse } from './find-response.ts'
import { type ResponseHead, responseBody, responseId } from './response-body.ts'
import { endedState, responsesEncoder } from './responses-encoder.ts'
import { readStored, storedResponse } from './stored-response.ts'

type Decided = {
  userId: string
  runId: string
  decisions: Decisions
  previousId: string | undefined
  isStream: boolean
  head: ResponseHead
}

/** Decides on approvals of a response, and answers with the continued run. The id stays the id of the run. */
export async function decideResponse(
  context: ServerContext,
  parts: RouteParts,
  { userId, runId, decisions: sent, previousId, isStream, head }: Decided,
): Promise<Response> {
  const param = previousId === undefined ? 'input' : 'previous_response_id'
  if (previousId !== undefined && previousId !== responseId(runId)) {
    // A missing response is `not-found`, as for a question.
    await findResponse(parts, previousId, { userId, param })
    throw invalid([param], 'must be the response that requested these approvals')
  }
  const found = await findResponse(parts, responseId(runId), { userId, param })
  const { stored, turn } = found
  if (!stored) throw new ProblemError('unsupported', { detail: 'Approvals need sessions on disk or Postgres.' })
  // A client without `previous_response_id` sends the answers to earlier approvals of the run again.
  const { decisions } = withOutputs(stored, sent, new Map())
  const reader = await readStored(parts.agent, found)
  reader.beginNext(continuedSpeakers(stored, turn))
  const events = await decideRun(context, parts, stored, { decisions, userId })
  const encode = responsesEncoder({ head, reader })
  if (events && !isStream && stored.isBackground) {
    // A worker continues it, whenever there is one.
    const now = await findResponse(parts, responseId(runId), { userId, param })
    return Response.json(await storedResponse(parts, now, head))
  }
  if (events && isStream) return eventResponse(events(encode), context, parts)
  if (events) await readWhole(events(encode), context.req.raw.signal)
  else return stillWaiting()
  if (!reader.facts.end) throw new ProblemError('overloaded', { detail: 'The server is shutting down.', quiet: true })
  return Response.json(responseBody(head, endedState(reader)))

  /** The answer of a run that has other open approvals. */
  async function stillWaiting(): Promise<Response> {
    const { stored: now } = await findResponse(parts, responseId(runId), { userId, param })
    const place = { seq: 0, runId }
    const { usage = {}, cost } = now?.record ?? {}
    let stream = ''
    for (const { path = [], ...approval } of now?.record.approvals ?? []) {
      stream += encode({ ...place, ...approval, type: 'approval-request', path: [parts.agent.id, ...path] })
    }
    const path = [parts.agent.id]
    const spent = { usage, ...(cost && { cost }) }
    stream += encode({ ...place, path, type: 'run-end', finishReason: 'approval', text: '', ...spent })
    if (isStream) return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    return Response.json(responseBody(head, endedState(reader)))
  }
}
