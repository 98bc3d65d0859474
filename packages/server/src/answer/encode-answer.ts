import type { Approval, Citation, RunRecord, RunResult, StoredRun } from '@agentkit/core'
import { sourcesSoFar, usedSoFar } from '@agentkit/core/internal'
import { ProblemError, runProblem } from './problem.ts'

/** The formats of answers that wait for the run's end. */
export type WholeFormat = 'text/plain' | 'application/json'

/** The session of an answer. */
export type AnswerOwner = { userId: string; sessionId: string }

type Answered = Pick<RunResult, 'runId' | 'text' | 'finishReason' | 'usage' | 'cost' | 'sources' | 'approvals'>

/**
 * The answer of a run that has ended.
 * @throws ProblemError of a run that failed
 */
export function runAnswer(result: RunResult, format: WholeFormat, owner: AnswerOwner): Response {
  const failure = runProblem(result)
  if (failure) throw failure
  return encode(result, format, owner)
}

/**
 * The same, of a stored run that has ended or waits.
 * @throws ProblemError of a run that failed
 */
export function recordAnswer(record: RunRecord, format: WholeFormat): Response {
  const { runId, userId, sessionId = '', status, error, approvals, sources, text = '', usage = {}, cost } = record
  const { finishReason = status === 'waiting' ? 'approval' : 'stop' } = record
  const failure = runProblem({ finishReason, ...(error && { error }) })
  if (failure) throw failure
  const answered = { runId, text, finishReason, usage, sources, approvals, ...(cost && { cost }) }
  return encode(answered, format, { userId, sessionId })
}

function encode(answered: Answered, format: WholeFormat, owner: AnswerOwner): Response {
  if (format === 'text/plain') {
    return new Response(answered.text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
  }
  const body = JSON.stringify(answerBody(answered, owner))
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

/** The JSON body of `POST /api/v1/chat`. */
export function answerBody(answered: Answered, { userId, sessionId }: AnswerOwner): Record<string, unknown> {
  return {
    answer: answered.text,
    user_id: userId,
    session_id: sessionId,
    run_id: answered.runId,
    finish_reason: answered.finishReason,
    usage: snakeCaseKeys(answered.usage),
    cost: answered.cost?.usd ?? null,
    sources: answered.sources.map(sourceBody),
    approvals: answered.approvals.map(approvalBody),
  }
}

/** A stored run. One that runs and is stored with each step has the cost so far, too. */
export function storedRunBody(stored: StoredRun): Record<string, unknown> {
  return runBody({ ...stored.record, ...usedSoFar(stored), sources: sourcesSoFar(stored) })
}

/**
 * The record of a run with every key in snake_case; fields that are not known yet are null, such as the cost of one in a
 * list that has not ended.
 */
export function runBody(record: RunRecord): Record<string, unknown> {
  const { userId, sessionId, usage, error } = record
  return {
    run_id: record.runId,
    agent_id: record.agentId,
    user_id: userId,
    session_id: sessionId ?? null,
    status: record.status,
    finish_reason: record.finishReason ?? null,
    answer: record.text ?? null,
    error: error ? errorBody(error, record) : null,
    approvals: record.approvals.map(approvalBody),
    usage: usage ? snakeCaseKeys(usage) : null,
    cost: record.cost?.usd ?? null,
    sources: record.sources.map(sourceBody),
    attempts: record.attempts,
    created_at: record.createdAt,
    started_at: record.startedAt ?? null,
    ended_at: record.endedAt ?? null,
    ...(record.replaced && { replaced: true }),
  }
}

/** Sends our own sentence, because a model or an SDK may have written the stored message. */
function errorBody(error: NonNullable<RunRecord['error']>, { attempts }: RunRecord): object {
  const { code, detail } = runProblem({ finishReason: 'error', error }) ?? new ProblemError('internal-error')
  return { code, detail: code === 'crashed' && attempts > 1 ? `${detail} It was attempted ${attempts} times.` : detail }
}

/** An approval, whose absent values are null. */
export function approvalBody({ approvalId, callId, name, input, kind, path, startedAt }: Approval): object {
  const ids = { approval_id: approvalId, call_id: callId }
  return { ...ids, name, input: input ?? null, kind, path: path ?? null, started_at: startedAt ?? null }
}

/** A citation by names such as `chunk_id`; of an earlier turn, its place too. */
export function sourceBody({ session, ...source }: Citation): object {
  return { ...snakeCaseKeys(source), ...(session && { session: snakeCaseKeys(session) }) }
}

/** The same values by names such as `input_tokens`. */
function snakeCaseKeys(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [snakeCase(key), value]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
