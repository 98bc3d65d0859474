import type { Model, ModelRequest } from '../../contracts/model.ts'
import { AgentKitError, abortError, isAgentKitError } from '../../data/errors.ts'
import type { Emit } from '../../data/event.ts'
import { limits } from '../../limits.ts'
import { watchSilence } from '../../policies/deadline.ts'
import { fallbacksFor, noteFailure, noteSuccess } from '../../policies/fallback.ts'
import type { Ledger } from '../../policies/ledger.ts'
import { isRetryable, type RetryOptions, retryWait } from '../../policies/retry.ts'
import { reserveShared } from '../../policies/shared-budget.ts'
import { type CurrentRun, currentRun } from '../../runs/current-run.ts'
import { actingModel } from '../../runs/replaced-models.ts'
import { emptyReply, type Reply } from '../../runs/reply.ts'
import { sleep, untilAborted } from '../../util/async/abort.ts'
import { redactedInfo } from '../../util/text/redact.ts'
import { callEnd, startCallSpan } from '../run/spans.ts'
import type { Run } from '../run/types.ts'
import { callModel } from './call-model.ts'
import { usageOf } from './call-usage.ts'
import { emitFallback } from './choose-model.ts'
import { dropEarlierText, type EmitOfCall } from './event-gate.ts'
import { loadAll, loadModel } from './load-model.ts'

/** What the model calls of one run share. */
export type ModelCaller = Pick<Run, 'agent' | 'scope' | 'ledger' | 'model' | 'turn'>

/** One call, whichever model answers it. */
export type ModelCall = {
  /** Absent for calls without events of their own, such as a summary. */
  step?: number
  emit: EmitOfCall
  requestFor(model: Model): Promise<ModelRequest>
  /** Shortens the request that the model found too long. @returns whether it is shorter now */
  makeRoom?(model: Model): Promise<boolean>
  /** Called with the empty reply of each attempt; the replies of earlier attempts are dropped. */
  begin?(reply: Reply): void
}

/**
 * Calls a model until one answers: retries what may succeed, falls back to the next model of the chain, makes room when
 * the conversation is too long. Only this step is repeated, and listeners receive a `step-restart`.
 *
 * @throws AgentKitError the error of the last attempt; `budget` when the next attempt could exceed it
 */
export async function callWithFallback(caller: ModelCaller, call: ModelCall): Promise<Reply> {
  const { agent, scope } = caller
  const { chain, retry } = agent
  const tried = new Set<Model>()
  let { model } = caller
  let failures = 0
  let hasMadeRoom = false
  let last: AgentKitError | undefined
  for (;;) {
    const reply = emptyReply()
    const failure = await attempt(caller, model, call, reply).catch((error) => {
      throw last ? withLastFailure(error, last) : error
    })
    if (!failure) {
      noteSuccess(chain, model)
      return reply
    }
    const { error, isOfModel } = failure
    failures++
    last = error
    // The context window of a model may be known only once it is loaded.
    if (error.code === 'context-overflow') await loadAll(chain, scope.signal)
    const { next, lastResort } = fallbacksFor(chain, model, error, tried)
    const wait = waitBeforeRetry(retry, error, failures, next !== undefined)
    if (wait !== undefined) {
      await restart(call, error, scope.emit)
      await sleep(wait, scope.signal)
      continue
    }
    tried.add(model)
    noteFailure(chain, model, error)
    const other = next ?? lastResort
    if (other) {
      // The model of a summary does not matter to the run's steps.
      if (call.step !== undefined) {
        caller.model = other
        await emitFallback(model, other, error, scope.emit)
      }
      model = other
      failures = 0
    } else {
      // A request that core itself found too long is as short as possible already.
      const mayMakeRoom = error.code === 'context-overflow' && isOfModel && !hasMadeRoom
      if (!mayMakeRoom || !(await call.makeRoom?.(model))) throw error
      hasMadeRoom = true
    }
    await restart(call, error, scope.emit)
  }
}

/** A budget that ends between two attempts keeps the reason for the second one. */
function withLastFailure(error: unknown, last: AgentKitError): unknown {
  if (!isAgentKitError(error) || error.code !== 'budget') return error
  return new AgentKitError('budget', `${error.message} The last attempt failed: ${last.message}`, { cause: last })
}

/**
 * One attempt of one model, which fills the reply.
 * @returns its failure, if another attempt or another model may succeed; throws all other errors
 */
async function attempt(
  { agent, scope, ledger, turn }: ModelCaller,
  preferred: Model,
  call: ModelCall,
  reply: Reply,
): Promise<{ error: AgentKitError; isOfModel: boolean } | undefined> {
  const model = actingModel(preferred)
  const { signal } = scope
  // Hooks, the session store and the budget can fail too, where no other model would help.
  let isOfModel = true
  try {
    if (model.load) await loadModel(model, scope, call)
    isOfModel = false
    const request = await call.requestFor(model)
    if (signal.aborted) throw abortError(signal)
    for (let free = freed(ledger, model, request); free; free = freed(ledger, model, request)) {
      await untilAborted(signal, free)
    }
    const { maxOutputTokens, lowered, settle, cancel } = ledger.shared
      ? await reserveShared(ledger, ledger.shared, { model, request }, { signal, mayWait: !isInModelCall() })
      : ledger.reserve(model, request)
    try {
      const confirmed = turn.confirm?.()
      if (confirmed) await untilAborted(signal, confirmed)
    } catch (error) {
      cancel()
      throw error
    }
    isOfModel = true
    call.begin?.(reply)
    reply.lowered = lowered
    const bounded = maxOutputTokens === undefined ? request : { ...request, maxOutputTokens }
    const watch = watchSilence(signal, model.eventTimeoutMs ?? agent.modelTimeoutMs, model.id)
    const work = { model, request: bounded, emit: call.emit, reply, watch, answerTokens: maxOutputTokens }
    // An agent that is the model of another one must not wait for the reservation of this call.
    const current = { ...(currentRun.getStore() as CurrentRun), isInModelCall: true } as const // within a run
    const ended = { reply, request, model, signal }
    const span = startCallSpan(scope, model, call, bounded)
    let failure: unknown
    try {
      const called = currentRun.run(current, span ? () => span.within(() => callModel(work)) : () => callModel(work))
      await untilAborted(watch.signal, called)
      reply.usage = usageOf(ended)
      await dropEarlierText(call, reply)
    } catch (error) {
      reply.usage = usageOf(ended, error)
      failure = error
      throw error
    } finally {
      watch.stop()
      settle(reply.usage)
      span?.end(callEnd(reply, failure))
    }
    return undefined
  } catch (error) {
    if (signal.aborted || !isAgentKitError(error)) throw error
    if (!isOfModel && error.code !== 'context-overflow') throw error
    return { error, isOfModel }
  }
}

/** Resolves when other calls of the same budget end; never awaited within such a call, which would wait for itself. */
function freed(ledger: Ledger, model: Model, request: ModelRequest): Promise<void> | undefined {
  return isInModelCall() || ledger.shared ? undefined : ledger.freed(model, request)
}

function isInModelCall(): boolean {
  return currentRun.getStore()?.isInModelCall === true
}

/** @returns milliseconds; `undefined` when this model is not called again */
function waitBeforeRetry(
  retry: Required<RetryOptions>,
  error: AgentKitError,
  failures: number,
  hasNext: boolean,
): number | undefined {
  if (!isRetryable(error)) return undefined
  const attempts = hasNext ? Math.min(retry.attempts, limits.attemptsBeforeFallback) : retry.attempts
  if (failures >= attempts) return undefined
  const wait = retryWait(error, failures, retry)
  return hasNext && wait > limits.longestWaitBeforeFallbackMs ? undefined : wait
}

/** Drops the reply of the failed attempt, also when the run ends before the next attempt begins. */
async function restart({ step, begin }: ModelCall, error: AgentKitError, emit: Emit): Promise<void> {
  begin?.(emptyReply())
  if (step !== undefined) await emit({ type: 'step-restart', step, error: redactedInfo(error) })
}
