import type { IdempotentAnswer, IdempotentRequest, RunStore } from '@agentkit/core'
import { recordAnswer, type WholeFormat } from '../answer/encode-answer.ts'
import { eventResponse, eventStreamType } from '../answer/event-response.ts'
import { invalid } from '../answer/field-problems.ts'
import { followedEvents } from '../answer/followed-events.ts'
import { checkKept } from '../answer/kept-events.ts'
import { handlerProblem, LeftToOthers, ProblemError, problemResponse } from '../answer/problem.ts'
import { describeError } from '../util/log.ts'
import type { ServerContext } from '../util/server-env.ts'
import type { RouteParts } from './parts.ts'
import { runStoreOf } from './run-store.ts'
import { untilKept } from './until-kept.ts'

/** The parts, beside key, method and path, that make two requests the same. */
export type SentRequest = { /** The user that the request names. */ userId: string | undefined; fingerprint: string }

/**
 * Stores the id of the answering run before it starts: if this process dies, a retry receives the answer of that run.
 *
 * @param run.type the content type of the answer
 * @param run.after for an event stream: the number of the event before its first event
 * @returns a function to call when the run has settled, for an event stream
 */
export type Begin = (run: AnsweringRun) => Promise<() => Promise<void>>

type AnsweringRun = {
  runId: string
  type: WholeFormat | typeof eventStreamType
  after?: number
  /** The answer is that the run is accepted, whatever becomes of it. */
  isAccepted?: true
}

/** The `begin` of a request without a key, for which nothing is stored. */
export const withoutKey: Begin = async () => async () => {}

const visible = /^[\x21-\x7e]{1,255}$/

/**
 * The request's `Idempotency-Key`.
 * @throws ProblemError `invalid-field` for one that is not 1 to 255 visible ASCII characters
 */
export function idempotencyKeyOf(context: ServerContext): string | undefined {
  const key = context.req.header('idempotency-key')
  if (key === undefined || visible.test(key)) return key
  throw invalid(['Idempotency-Key'], 'must have 1 to 255 visible ASCII characters', 'header')
}

/**
 * Handles a request once for its `Idempotency-Key`: when it is sent again, the first answer is replayed for as long as the
 * store keeps it. A request without a key is handled.
 *
 * @param handle calls `begin` if a run answers
 * @throws ProblemError `idempotency-key-reused` for the key of another request, `session-busy` while the first is handled,
 *   `unsupported` where the store keeps no answers
 */
export async function idempotent(
  context: ServerContext,
  parts: RouteParts,
  { userId, fingerprint }: SentRequest,
  handle: (begin: Begin) => Response | Promise<Response>,
): Promise<Response> {
  const key = idempotencyKeyOf(context)
  if (key === undefined) return handle(withoutKey)
  const runs = runStoreOf(parts.agent)
  const { method, path } = context.req
  const principal = context.get('principal')
  const user = principal === undefined || principal === '*' ? (userId ?? '') : principal
  const scope = JSON.stringify([parts.agent.id, user, method, path.replace(/\/+$/, '')])
  const request = { scope, key, fingerprint }
  const known = await runs.answers.reserve(request)
  if (known?.fingerprint === fingerprint) return replay(known, runs, context, parts)
  if (known) throw new ProblemError('idempotency-key-reused')

  // The answer is right where it cannot be stored; a run's is read from the run when the request is sent again.
  const logFailure = (error: unknown): void => {
    const message = 'The answer to a request with an Idempotency-Key could not be stored.'
    parts.log({ time: new Date().toISOString(), level: 'error', message, error: describeError(error) })
  }
  const notKept = (again: () => Promise<void>) => {
    return (error: unknown): void => {
      logFailure(error)
      void untilKept(again)
    }
  }
  let runId: string | undefined
  let isAccepted = false
  const begin: Begin = async ({ type, after, ...run }) => {
    runId = run.runId
    isAccepted = run.isAccepted ?? false
    if (isAccepted) return async () => {}
    await runs.answers.store(request, { runId, type, ...(after !== undefined && { body: String(after) }) })
    return () => keepStream(runs, request, run.runId).catch(notKept(() => keepStream(runs, request, run.runId)))
  }
  const finish = async (response: Response): Promise<Response> => {
    const type = response.headers.get('content-type') ?? ''
    if (type === eventStreamType) return response
    const body = await response.text()
    const content = { status: response.status, body, type, namedRunId: context.get('runId') }
    const keep = (): Promise<void> => keepAnswer(runs, request, { runId, isAccepted, ...content })
    await keep().catch(notKept(isAccepted ? keep : () => forgetUnbegun(runs, request, runId)))
    return new Response(body === '' ? null : body, response)
  }
  try {
    return await finish(await handle(begin))
  } catch (error) {
    // The run may have ended by now.
    if (error instanceof LeftToOthers) throw error
    await finish(problemResponse(handlerProblem(error), context.get('requestId')))
    throw error
  }
}

const passingStatuses: readonly number[] = [401, 403, 408, 409, 413, 429]

type KeptAnswer = {
  /** Of the run that answers. */
  runId: string | undefined
  /** Of the run that the answer is about, with which it is deleted. */
  namedRunId: string | undefined
  status: number
  body: string
  type: string
  isAccepted: boolean
}

/** Stores an answer, or frees the key where the same request may be answered otherwise later. */
async function keepAnswer(
  { read, answers }: RunStore,
  request: IdempotentRequest,
  { runId, namedRunId = runId, status, isAccepted, ...content }: KeptAnswer,
): Promise<void> {
  const stored = runId === undefined ? undefined : await read(runId)
  // A run that was handed back to the next process: it answers there. One that has waited, and was decided since, has answered.
  const isAnswered = isAccepted || status < 400
  if (stored?.record.status === 'running' && !isAnswered) return
  const hasBegun = stored !== undefined
  // With a run that is not stored, as that of a question which a hook has blocked, it would not be deleted with its session.
  const isOfRun = runId !== undefined
  if (passingStatuses.includes(status) || ((status >= 500 || isOfRun) && !hasBegun)) await answers.forget(request)
  else await answers.store(request, { ...(namedRunId !== undefined && { runId: namedRunId }), status, ...content })
}

/** Frees the key of a request that no run has answered: until then it counts as being handled, while this process lives. */
async function forgetUnbegun(
  { read, answers }: RunStore,
  request: IdempotentRequest,
  runId: string | undefined,
): Promise<void> {
  if (runId === undefined || !(await read(runId))) await answers.forget(request)
}

/** An event stream is replayed from the events of its run, if it has begun. */
async function keepStream({ read, answers }: RunStore, request: IdempotentRequest, runId: string): Promise<void> {
  if (await read(runId)) await answers.store(request, { runId, status: 200 })
  else await answers.forget(request)
}

async function replay(
  { runId, status, body, type }: IdempotentAnswer,
  runs: RunStore,
  context: ServerContext,
  parts: RouteParts,
): Promise<Response> {
  if (runId !== undefined) context.set('runId', runId)
  const replayed = (response: Response): Response => {
    response.headers.set('idempotency-replayed', 'true')
    return response
  }
  if (status !== undefined && type !== eventStreamType) {
    const headers = type === undefined || type === '' ? {} : { 'content-type': type }
    return replayed(new Response(body === '' ? null : body, { status, headers }))
  }
  const stored = runId === undefined ? undefined : await runs.read(runId)
  // The process may have died after the run had begun: then its answer is there when the run has ended.
  const isHandled = status !== undefined || stored?.record.status !== 'running'
  if (!stored || !isHandled) throw stillHandled()
  if (type === eventStreamType) {
    const { draining } = parts.capacity
    const after = Number(body ?? 0)
    await checkKept(runs, stored, after)
    const { record, lastSeq } = stored
    const followed = { sessions: parts.agent.sessions, runId: record.runId, after, last: lastSeq, draining }
    return replayed(await eventResponse(followedEvents(followed), context, parts))
  }
  try {
    return replayed(recordAnswer(stored.record, type === 'text/plain' ? type : 'application/json'))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return replayed(problemResponse(error, context.get('requestId')))
  }
}

function stillHandled(): ProblemError {
  return new ProblemError('session-busy', {
    detail: 'The first request with this Idempotency-Key is still being handled. Send it again later.',
    headers: { 'retry-after': '1' },
  })
}
