import type { Decision, JSONValue, StoredApproval, StoredRun } from '@agentkit/core'
import { isAgentKitError } from '@agentkit/core'
import { isEnded } from '@agentkit/core/internal'
import { boolean, type InferOutput, maxLength, metadata, optional, pipe, strictObject, string, unknown } from 'valibot'
import { runContent } from '../answer/answer-schemas.ts'
import { storedRunBody } from '../answer/encode-answer.ts'
import { eventResponse, eventStreamType } from '../answer/event-response.ts'
import { invalid, missing } from '../answer/field-problems.ts'
import { followedEvents } from '../answer/followed-events.ts'
import { detachedEvents } from '../answer/live-events.ts'
import { finalConflict, ProblemError, thrownProblem } from '../answer/problem.ts'
import { negotiate } from '../request/accept.ts'
import { callerOf, mayDecide } from '../request/caller.ts'
import { idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { reserveContinuation } from './continue-run.ts'
import { findRun } from './find-run.ts'

const maxReasonLength = 10_000
const body = strictObject({
  user_id: optional(idField),
  approve: optional(boolean('must be true or false')),
  reason: optional(
    pipe(string('must be a string'), maxLength(maxReasonLength, `must have at most ${maxReasonLength} characters`)),
  ),
  result: optional(unknown()),
})

/** Decides on an approval, after which the run continues. */
export function decisionRoute(parts: RouteParts): Route {
  const { agent, capacity, rules } = parts
  return defineRoute({
    method: 'POST',
    path: '/api/v1/runs/:id/approvals/:approval_id',
    tag: 'runs',
    summary: 'Decides on an approval',
    description:
      'Once no approval of the run is open, the run continues. With `text/event-stream` its events are the answer.',
    body: pipe(body, metadata({ jsonSchema: { anyOf: [{ required: ['approve'] }, { required: ['result'] }] } })),
    answers: {
      200: {
        description: 'The run',
        content: { ...runContent, [eventStreamType]: { type: 'string' } },
      },
    },
    async handle(context, { body: sent, param, begin }) {
      const userId = callerOf(context, sent.user_id)
      checkTogether(sent)
      const stored = await findRun(parts, param('id'), userId)
      if (!mayDecide(context, rules)) throw new ProblemError('approval-not-allowed')
      const format = negotiate(context.req.header('accept'), 'application/json')
      if (format === undefined || format === 'text/plain') throw new ProblemError('not-acceptable')
      const { runId } = stored.record
      context.set('runId', runId)
      const approvalId = param('approval_id')
      const decision = decisionOf(sent, checkOpen(stored, approvalId))

      // A worker continues a background run, in this process or in another one.
      const continuation = stored.isBackground
        ? undefined
        : await reserveContinuation(parts, stored, context.get('requestId'))
      const by = context.get('principal') ?? userId
      try {
        await agent.decide(runId, { [approvalId]: decision }, { userId, by })
      } catch (error) {
        continuation?.release()
        throw decisionProblem(error)
      }
      const continued = await continuation?.start()
      if (format !== eventStreamType) return context.json(storedRunBody(await findRun(parts, runId, userId)))
      if (!stored.keepsEvents) {
        // Nothing is stored of its events: they are those that this process sees.
        if (!continued) return context.json(storedRunBody(await findRun(parts, runId, userId)))
        // A request that is sent again gets the answer of the run: there are no events to replay.
        await begin({ runId, type: 'application/json' })
        return eventResponse(detachedEvents(continued.starting), context, parts)
      }
      const { lastSeq } = stored
      const settled = await begin({ runId, type: format, after: lastSeq })
      await settled()
      const { sessions } = agent
      const followed = { sessions, runId, after: lastSeq, last: lastSeq, draining: capacity.draining }
      return eventResponse(followedEvents(followed), context, parts)
    },
  })
}

/** @throws ProblemError `not-found`; `session-conflict` for an approval that was decided or whose run has ended */
function checkOpen({ record, approvals }: StoredRun, approvalId: string): StoredApproval {
  // An approval is requested again when the run is suspended again.
  const approval = approvals.findLast((each) => each.approvalId === approvalId)
  if (!approval) throw new ProblemError('not-found', { detail: 'The run has no such approval.' })
  const { decision, decidedAt, decidedBy } = approval
  const who = decidedBy === undefined ? '' : ` by ${decidedBy}`
  if (decision !== undefined)
    throw finalConflict(`The approval was ${wordOf(decision)}${who} at ${decidedAt}. The first decision holds.`)
  if (record.replaced) throw finalConflict('The run was replaced.')
  if (record.error?.code === 'approval') throw finalConflict(record.error.message)
  if (isEnded(record.status)) throw finalConflict(`The run has ended (${record.finishReason}).`)
  return approval
}

function wordOf(decision: Decision): string {
  if (decision === true) return 'approved'
  return 'deny' in decision ? 'denied' : 'answered with a result'
}

/** @throws ProblemError for fields that do not go together, whatever the approval takes */
function checkTogether(sent: InferOutput<typeof body>): void {
  if (!Object.hasOwn(sent, 'result')) return
  if (sent.approve === false) throw invalid(['result'], 'must not be sent with approve: false')
  if (sent.reason !== undefined) throw invalid(['reason'], 'must not be sent with a result')
}

/** @throws ProblemError for a decision that the approval does not take */
function decisionOf(sent: InferOutput<typeof body>, { kind }: StoredApproval): Decision {
  if (Object.hasOwn(sent, 'result')) {
    if (kind === 'approval')
      throw invalid(['result'], 'must be sent for calls of unknown outcome and of client tools only')
    return { result: sent.result as JSONValue } // parsed from JSON
  }
  if (sent.approve === undefined) throw missing('approve')
  if (sent.approve && kind === 'client-tool')
    throw invalid(['approve'], 'must be false, or left out for `result`: the client executes the call')
  return sent.approve ? true : { deny: sent.reason ?? '' }
}

/** The problem of a decision that is not stored. Where another one was first, the store's sentence names it and its time. */
export function decisionProblem(error: unknown): ProblemError {
  if (!isAgentKitError(error)) return thrownProblem(error)
  if (error.code === 'session-conflict') return finalConflict(error.message)
  // The error's own sentence may have words of the tool's schema.
  if (error.code === 'invalid-argument') return new ProblemError(error.code, { detail: misfit, cause: error })
  return thrownProblem(error)
}

const misfit =
  'The decision does not fit the call, which still waits. A result must have the form that the `output` of the tool has.'
