import type { Runnable, SessionKey, SessionStore, StoredRun, Turn } from '@agentkit/core'
import { eventResponse, eventStreamType } from '../../answer/event-response.ts'
import { followedEvents } from '../../answer/followed-events.ts'
import { ProblemError } from '../../answer/problem.ts'
import { boundRun, type Chat, durableRun } from '../../chat/run-chat.ts'
import { acceptedHistory } from '../../request/history.ts'
import { withoutKey } from '../../request/idempotency.ts'
import { schemaOf } from '../../request/json-schema.ts'
import type { RouteParts } from '../../request/parts.ts'
import { withJSON } from '../../request/read-json.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import { findRun } from '../../runs/find-run.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { broughtTools } from '../common/brought-tools.ts'
import { withOutputs } from '../common/client-outputs.ts'
import { continuedSpeakers } from '../common/continued-speakers.ts'
import { decideRun } from '../common/decide-run.ts'
import { dialectCaller, userHeader } from '../common/dialect-caller.ts'
import { toolCallId } from '../common/tool-call-id.ts'
import { uiEncoder } from './ui-encoder.ts'
import { type Replaced, readUIRequest, type UIRequest, uiBody } from './ui-request.ts'

/** The UI message stream of the AI SDK, for `useChat`. */
export function uiRoutes(parts: RouteParts): Route[] {
  return [chatRoute(parts), streamRoute(parts), stopRoute(parts)]
}

const streamed = { 200: { description: 'The UI message stream', content: { [eventStreamType]: { type: 'string' } } } }

function chatRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/ui/chat',
    tag: 'dialects',
    summary: 'Answers a request of useChat',
    description:
      'The body is that of the AI SDK: `{ id, messages, trigger?, messageId?, resumable? }`; `id` is the session.',
    headers: userHeader,
    otherBody: { 'application/json': schemaOf(uiBody) },
    answers: streamed,
    async handle(context) {
      return withJSON(context, parts, async (sent, handOver) => {
        const request = readUIRequest(sent)
        const userId = dialectCaller(context)
        if ('decisions' in request) return asUIStream(await continueRun(context, parts, { ...request, userId }))
        return asUIStream(await answer(context, parts, { ...request, userId }, handOver))
      })
    },
  })
}

type Asked = Extract<UIRequest, { history: unknown }> & { userId: string }
type Decided = Extract<UIRequest, { decisions: unknown }> & { userId: string }

async function answer(
  context: ServerContext,
  parts: RouteParts,
  { sessionId, userId, question, history, isResumable, replacesAfter, tools }: Asked,
  handOver: () => () => void,
): Promise<Response> {
  const replaces = replacesAfter && (await findReplaced(parts, { userId, sessionId }, replacesAfter))
  const brought = broughtTools(parts.agent, tools)
  const request = {
    ...{ question, userId, sessionId, ...brought },
    history: acceptedHistory(history, parts.agent.acceptsImages),
    ...(replaces !== undefined && { replaces }),
  }
  const chat: Chat = {
    ...{ request, context, parts, release: handOver() },
    answer: { type: eventStreamType, encode: uiEncoder({ speaker: parts.agent.speaker }) },
  }
  return isResumable ? durableRun(chat, withoutKey) : boundRun(chat)
}

/** The turn that a regenerated answer or an edited question replaces, if there is one. */
async function findReplaced(
  { agent }: RouteParts,
  owner: { userId: string; sessionId: string },
  { runIds, isFirst }: Replaced,
): Promise<string | undefined> {
  const key = { agentId: agent.id, ...owner }
  const after = await firstKnown(agent, key, runIds)
  if (after === undefined && !isFirst) return undefined
  const turns = await agent.sessions.turns(key, after === undefined ? {} : { after })
  return turns.find(({ status }) => status !== 'replaced')?.runId
}

const mostUnknown = 100

/**
 * The first of these runs that has a turn of the session: a question that a hook has blocked has none, nor has a message of
 * the page. A run of another session may be another user's, or that of a message which was copied into this one.
 */
async function firstKnown(
  { sessions }: Runnable,
  key: SessionKey,
  runIds: Replaced['runIds'],
): Promise<string | undefined> {
  for (const runId of runIds.slice(0, mostUnknown)) {
    if (runId !== undefined && (await sessions.find(runId)) && (await isOf(sessions, key, runId))) return runId
  }
  return undefined
}

/** A store without runs does not say whose a turn is. */
async function isOf(sessions: SessionStore, key: SessionKey, runId: string): Promise<boolean> {
  if (!sessions.runs) return (await sessions.turns(key)).some((turn) => turn.runId === runId)
  const of = (await sessions.runs.read(runId))?.key
  return of?.agentId === key.agentId && of.userId === key.userId && of.sessionId === key.sessionId
}

/** Decides on approvals, and streams the continued run as the rest of its message. */
async function continueRun(
  context: ServerContext,
  parts: RouteParts,
  { runId, decisions: sent, outputs, sessionId, userId }: Decided,
): Promise<Response> {
  const { agent } = parts
  const stored = await findRun(parts, runId, userId)
  if (stored.record.sessionId !== sessionId) throw new ProblemError('not-found', { detail: 'There is no such run.' })
  const { decisions } = withOutputs(stored, sent, outputs)
  if (Object.keys(decisions).length === 0) {
    throw new ProblemError('session-conflict', { detail: 'The run waits for none of these calls.' })
  }
  const turn = await agent.sessions.find(runId)
  const speakers = continuedSpeakers(stored, turn)
  const encode = uiEncoder({ speakers, speaker: agent.speaker, ...callsOf(stored, decisions, finishedCalls(turn)) })
  const events = await decideRun(context, parts, stored, { decisions, userId })
  if (events) return eventResponse(events(encode), context, parts)
  // Other approvals of the run are open: the answer ends as a suspended run.
  const { usage = {}, cost } = stored.record
  const waits = { seq: stored.lastSeq, runId, path: [agent.id], text: '', usage, ...(cost && { cost }) }
  return new Response(encode({ ...waits, type: 'run-end', finishReason: 'approval' }), {
    headers: { 'content-type': eventStreamType },
  })
}

type Calls = { calls: string[]; denied: string[]; decided: [string, string][]; errors: Map<string, string> }

/**
 * The calls that the client shows as waiting, and what was decided on them.
 * @param finished the agent's calls that have their result, where the client shows it
 */
function callsOf({ approvals }: StoredRun, decisions: Decided['decisions'], finished?: ReadonlySet<string>): Calls {
  const found: Calls = { calls: [], denied: [], decided: [], errors: new Map() }
  for (const { approvalId, kind, path = [], callId, decision: stored } of approvals) {
    const id = toolCallId(path, callId)
    found.calls.push(id)
    const decision = decisions[approvalId] ?? stored
    const reason = typeof decision === 'object' && 'deny' in decision ? decision.deny : undefined
    if (kind === 'client-tool') {
      if (reason !== undefined) found.errors.set(id, reason)
      continue
    }
    // Results of members are in their own sessions.
    const isFinished = finished !== undefined && (path.length > 0 || finished.has(callId))
    if (decisions[approvalId] !== undefined || (stored !== undefined && !isFinished))
      found.decided.push([approvalId, id])
    if (reason !== undefined) found.denied.push(id)
  }
  return found
}

/** The calls of a turn that have their result. */
function finishedCalls(turn: Turn | undefined): Set<string> {
  return new Set((turn?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
}

function streamRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/ui/chat/:id/stream',
    tag: 'dialects',
    summary: 'Resumes the stream of the run that is active in a session, from its start',
    headers: userHeader,
    answers: { ...streamed, 204: { description: 'Nothing runs in the session' } },
    async handle(context, { param }) {
      const { agent, capacity } = parts
      const active = await activeRun(parts, dialectCaller(context), param('id'))
      if (!active?.keepsEvents) return context.body(null, 204)
      const { record, lastSeq } = active
      context.set('runId', record.runId)
      const { denied, decided, errors } = callsOf(active, {})
      const encode = uiEncoder({ speaker: agent.speaker, denied, decided, errors })
      const followed = { runId: record.runId, after: 0, last: lastSeq, continuesAfter: lastSeq, encode }
      const events = followedEvents({ sessions: agent.sessions, draining: capacity.draining, ...followed })
      return asUIStream(await eventResponse(events, context, parts))
    },
  })
}

async function activeRun({ agent }: RouteParts, userId: string, sessionId: string): Promise<StoredRun | undefined> {
  const { runs } = agent.sessions
  if (!runs) return undefined
  const [active] = await agent.runs({ userId, sessionId, status: 'running', limit: 1 })
  const stored = active && (await runs.read(active.runId))
  // The run may have ended since it was listed.
  return stored?.record.status === 'running' ? stored : undefined
}

function stopRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/ui/chat/:id/stop',
    tag: 'dialects',
    summary: 'Ends the run that is active in a session',
    headers: userHeader,
    answers: { 204: { description: 'Nothing runs in the session' } },
    async handle(context, { param }) {
      const userId = dialectCaller(context)
      const sessionId = param('id')
      // Cancels the runs of this process, also runs that are not stored.
      await parts.capacity.sessionRuns.cancel({ userId, sessionId })
      const active = await activeRun(parts, userId, sessionId)
      if (active) await parts.agent.cancel(active.record.runId, { userId })
      return context.body(null, 204)
    },
  })
}

function asUIStream(response: Response): Response {
  response.headers.set('x-vercel-ai-ui-message-stream', 'v1')
  return response
}
