import type { Approval, Decision, Decisions, ToolSpec } from '@agentkit/core'
import { eventResponse, eventStreamType } from '../../answer/event-response.ts'
import { ProblemError } from '../../answer/problem.ts'
import { boundRun } from '../../chat/run-chat.ts'
import { acceptedHistory } from '../../request/history.ts'
import { schemaOf } from '../../request/json-schema.ts'
import type { RouteParts } from '../../request/parts.ts'
import { withJSON } from '../../request/read-json.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import { findRun } from '../../runs/find-run.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { broughtTools } from '../common/brought-tools.ts'
import { type ClientOutputs, withOutputs } from '../common/client-outputs.ts'
import { decideRun } from '../common/decide-run.ts'
import { dialectCaller, userHeader } from '../common/dialect-caller.ts'
import { aguiEncoder } from './agui-encoder.ts'
import { type AGUIRequest, aguiBody, readAGUIRequest } from './agui-request.ts'
import { threadCallId } from './thread-call-id.ts'

/** AG-UI, for CopilotKit and other clients of `HttpAgent`. */
export function aguiRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/agui',
    tag: 'dialects',
    summary: 'Runs the agent for a client of AG-UI',
    description: 'The body is `RunAgentInput`; `threadId` is the session.',
    headers: userHeader,
    otherBody: { 'application/json': schemaOf(aguiBody) },
    answers: { 200: { description: 'Events of AG-UI', content: { [eventStreamType]: { type: 'string' } } } },
    async handle(context) {
      return withJSON(context, parts, async (sent, handOver) => {
        const request = readAGUIRequest(sent)
        const userId = dialectCaller(context)
        if ('decisions' in request) return await continueRun(context, parts, { ...request, userId })
        const { threadId, question, history, tools } = request
        const brought = broughtTools(parts.agent, tools)
        const ignoredTools = ignoredOf(parts, tools)
        return await boundRun({
          request: {
            ...{ question, userId, sessionId: threadId, ...brought },
            history: acceptedHistory(history, parts.agent.acceptsImages),
          },
          answer: { type: eventStreamType, encode: aguiEncoder({ ...request, ignoredTools }) },
          ...{ context, parts, release: handOver() },
        })
      })
    },
  })
}

type Decided = Extract<AGUIRequest, { decisions: unknown }> & { userId: string }

/** Answers interrupts, and streams the continued run. */
async function continueRun(
  context: ServerContext,
  parts: RouteParts,
  { resumes: named, decisions: sent, outputs, finished, said, threadId, runId, tools, takesParts, userId }: Decided,
): Promise<Response> {
  const resumes = named ?? (await waitingFor(parts, { userId, sessionId: threadId }, outputs))
  const stored = await findRun(parts, resumes, userId)
  if (stored.record.sessionId !== threadId) throw new ProblemError('not-found', { detail: 'There is no such run.' })
  const idOf = ({ path = [], callId }: Approval): string => threadCallId(resumes, path, callId)
  const calls = stored.approvals.map(idOf)
  const text = calls.some((id) => said?.calls.has(id)) ? said?.text : undefined
  const isReason = Object.values(sent).some(isWithoutReason)
  const given = withOutputs(stored, text === undefined ? sent : withReason(sent, text), outputs, idOf)
  const { decisions } = given
  // The client has the results that it gives, as messages of its own.
  const ofClient = stored.approvals.filter(({ kind }) => kind === 'client-tool').map(idOf)
  const answered = ofClient.filter((id) => finished.has(id))
  const ignored = { ignoredTools: ignoredOf(parts, tools), ignoredMessage: isReason ? undefined : text }
  const encode = aguiEncoder({ threadId, runId, takesParts, ...ignored, calls, answered })
  const events = await decideRun(context, parts, stored, { ...given, userId })
  if (events) return eventResponse(events(encode), context, parts)
  // Other approvals of the run are open: the answer shows them again.
  const place = { seq: stored.lastSeq, runId: resumes, path: [parts.agent.id] }
  const open = stored.approvals.filter(({ approvalId, decision }) => !decision && !decisions[approvalId])
  const asked = open.map(({ path = [], decision: _, ...approval }) =>
    encode({ ...place, path: [parts.agent.id, ...path], type: 'approval-request', ...approval }),
  )
  const { usage = {}, cost } = stored.record
  const waits = encode({ ...place, type: 'run-end', finishReason: 'approval', text: '', usage, ...(cost && { cost }) })
  return new Response([...asked, waits].join(''), { headers: { 'content-type': eventStreamType } })
}

/** The model reads what the user says in place of an approval as the reason of a denial that has none. */
function withReason(decisions: Decisions, reason: string): Decisions {
  const entries = Object.entries(decisions).map(([approvalId, decision]) => {
    return [approvalId, isWithoutReason(decision) ? { deny: reason } : decision] as const
  })
  return Object.fromEntries(entries)
}

function isWithoutReason(decision: Decision): boolean {
  return typeof decision === 'object' && 'deny' in decision && decision.deny === ''
}

/** The names of the client's tools that are not called, for an agent that takes none. */
function ignoredOf({ agent }: RouteParts, tools: readonly ToolSpec[]): string[] {
  return agent.clientTools ? [] : tools.map(({ name }) => name)
}

/** The run of a session that waits for one of these calls. */
async function waitingFor(
  { agent }: RouteParts,
  owner: { userId: string; sessionId: string },
  outputs: ClientOutputs,
): Promise<string> {
  const waiting = await agent.runs({ ...owner, status: 'waiting', limit: mostWaiting })
  const run = waiting.find(({ runId, approvals }) =>
    approvals.some(({ path = [], callId, kind }) => {
      return kind === 'client-tool' && outputs.has(threadCallId(runId, path, callId))
    }),
  )
  if (run) return run.runId
  throw new ProblemError('session-conflict', { detail: 'No run of the thread waits for a result of these calls.' })
}

const mostWaiting = 100
