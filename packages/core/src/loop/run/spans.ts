import type { Model, ModelRequest, ToolCall } from '../../contracts/model.ts'
import type { StoredRun } from '../../contracts/run-store.ts'
import { noteTrace, type Span, type SpanEnd, type SpanStart, tracer } from '../../contracts/tracer.ts'
import { isInstance } from '../../data/errors.ts'
import type { JSONValue } from '../../data/message.ts'
import { limits } from '../../limits.ts'
import type { RunResult } from '../../runs/driver/run.ts'
import type { Reply } from '../../runs/reply.ts'
import { type RunTrace, startTrace } from '../../runs/run-trace.ts'
import { isRecorded, optionsOf, type RecordedOptions } from '../../sessions/recorded-data.ts'
import { MemberSuspended } from './parent-run.ts'
import type { AgentSpec, Attempt, Run, RunScope } from './types.ts'

/**
 * Begins the span of an agent's run.
 * @param outer of the run whose conversation the agent has
 */
export function startRunTrace(agent: AgentSpec, scope: RunScope, outer?: RunTrace): RunTrace | undefined {
  return startTrace(spanOf(agent, scope), outer)
}

/**
 * Ends the span of a run. Its result and its error know their trace, for logs.
 * @param isContinued the run has not ended: another process continues it, or this one later
 */
export function endRunTrace(trace: RunTrace, result: RunResult, end: SpanEnd, isContinued = false): void {
  const { error, finishReason } = result
  trace.end(isContinued ? { ...end, finishReason: 'continued' } : { ...end, error, finishReason })
  for (const of of error ? [result, error] : [result]) noteTrace(of, trace.rootId())
}

/** What the work starts belongs to the span of the run. */
export function inTrace<Args extends unknown[], Value>(
  trace: RunTrace | undefined,
  work: (...args: Args) => Value,
): (...args: Args) => Value {
  return trace ? (...args) => trace.span().within(() => work(...args)) : work
}

/** The current trace, for the worker that begins a queued run. Without baggage, which may name users. */
export function traceToStore(): Pick<RecordedOptions, 'trace'> {
  const headers = Object.entries(tracer()?.headers() ?? {})
  const kept = headers.filter(([name, value]) => name !== 'baggage' && value.length <= limits.traceHeaderChars)
  return kept.length > 0 ? { trace: Object.fromEntries(kept) } : {}
}

/** What a stored run does belongs to the trace that it was enqueued in, whatever the worker was doing. */
export function inStoredTrace<Value>(stored: StoredRun, work: () => Value): Value {
  const { trace } = isRecorded(stored) ? optionsOf(stored) : {}
  const current = tracer()
  if (!trace || !current) return work()
  return current.continueTrace((name) => (Object.hasOwn(trace, name) ? trace[name] : undefined), work, {
    overrides: true,
  })
}

function spanOf(agent: AgentSpec, { runId, sessionId, input, memberRun }: RunScope): SpanStart {
  const { id: agentId, name, description, members, plan } = agent
  const isWorkflow = members !== undefined || plan !== undefined
  return { type: 'run', agentId, name, description, isWorkflow, runId: memberRun?.rootRunId ?? runId, sessionId, input }
}

/** Begins the span of one attempt of one model. */
export function startCallSpan(
  { trace, sessionId }: RunScope,
  { id: model }: Model,
  { step }: { step?: number },
  request?: ModelRequest,
): Span | undefined {
  const about: SpanStart = { type: 'model', model, step, sessionId, ...(request && { request }) }
  return trace && tracer()?.start(about, { parent: trace.span() })
}

/** What an attempt resulted in. */
export function callEnd({ usage, message, reason, hasBegun }: Reply, error: unknown): SpanEnd {
  // An answer that broke off has no reason of its own.
  if (error !== undefined) return { error, usage, ...(hasBegun && { finishReason: 'error' }) }
  return { usage, model: message.model, finishReason: reason, output: message }
}

/** Executes a call within its span. */
export async function withToolSpan(run: Run, call: ToolCall, work: () => Promise<Attempt>): Promise<Attempt> {
  const { trace } = run.scope
  if (!trace) return work()
  const { callId, name, input } = call
  const description = run.toolBox.byName.get(name)?.tool.description
  const span = tracer()?.start({ type: 'tool', name, callId, description, input }, { parent: trace.span() })
  if (!span) return work()
  try {
    const attempt = await span.within(work)
    const { isError, timeout, output } = attempt
    // The content that the model receives is derived from the output.
    span.end({ isError, output: output as JSONValue, ...(timeout && { error: timeout }) })
    return attempt
  } catch (error) {
    // A member that waits has not failed.
    span.end(isInstance(error, MemberSuspended) ? {} : { error })
    throw error
  }
}
